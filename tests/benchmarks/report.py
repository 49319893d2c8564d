"""The outcome as text."""
import statistics

from .measure import OURS, TORCH

AIM, MET, OVER, MISSING, MISMATCH = "aim", "met", "OVER", "missing", "MISMATCH"


def verdict(value, must, aim):
    """Whether a figure reaches its aim, meets its bar, is over it, or is missing; empty where there is no bar."""
    if value is None:
        return MISSING
    if must is None:
        return ""
    return AIM if aim is not None and value <= aim else MET if value <= must else OVER


def row_verdict(row):
    return MISMATCH if row.mismatch else verdict(row.ratio(), row.must, row.aim)


def geometric_mean(rows):
    ratios = [row.ratio() for row in rows if row.ratio() is not None]
    return statistics.geometric_mean(ratios) if ratios else None


def number(value, digits=2):
    if value is None:
        return "-"
    return f"{value:,.{digits}f}" if abs(value) < 1000 else f"{value:,.0f}"


def lined_up(header, lines):
    """Columns as wide as their widest cell, the first to the left, numbers to the right."""
    widths = [max(map(len, column)) for column in zip(header, *lines, strict=True)]
    ruled = [header, ["-" * width for width in widths], *lines]
    return "\n".join("  ".join([line[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in
                                                            zip(line[1:], widths[1:], strict=True))]).rstrip()
                     for line in ruled)


def row_table(rows):
    """Times in µs a step, minimum and median; ratios to torch, median of the rounds' and that of the minima."""
    header = ["workload", "ours min", "median", "torch min", "median", "ours/torch", "of min", "must", "aim", ""]
    lines = []
    for row in rows:
        times = [number(1e6 * typical(row.seconds[side]), 1) if side in row.seconds else "-"
                 for side in (OURS, TORCH) for typical in (min, statistics.median)]
        lines.append([row.title, *times, number(row.ratio()), number(row.ratio(min)),
                      number(row.must), number(row.aim), row_verdict(row)])
    mean, measured = geometric_mean(rows), sum(row.ratio() is not None for row in rows)
    lines.append([f"geometric mean of {measured} of {len(rows)}", *[""] * 4, number(mean), "", "0.40", "0.28",
                  verdict(mean, 0.40, 0.28)])
    return lined_up(header, lines)


def fact_table(facts):
    lines = [[fact.title, number(fact.ours), number(fact.torch), fact.unit, number(fact.must), number(fact.aim),
              verdict(fact.ours, fact.must, fact.aim)] for fact in facts]
    return lined_up(["figure", "ours", "torch", "unit", "must", "aim", ""], lines)


def text(rows, facts):
    """The whole outcome, what is over its bar or missing repeated at the end."""
    parts = [table(each) for table, each in ((row_table, rows), (fact_table, facts)) if each]
    notes = [f"{row.title}: {row.mismatch}" for row in rows if row.mismatch]
    notes += [f"{row.title}: {side} missing: {reason}" for row in rows for side, reason in row.absent.items()]
    notes += [f"{fact.title}: missing: {fact.absent}" for fact in facts if fact.absent]
    return "\n\n".join([*parts, *(["\n".join(notes)] if notes else [])])
