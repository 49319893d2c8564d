"""The outcome as text."""
import statistics

from .measure import OURS, TORCH

MOST, MEAN = 0.85, 0.30  # what a ratio, and their geometric mean, are to stay within


def verdict(ratio, bar):
    return "missing" if ratio is None else "" if ratio <= bar else f"over {bar:.2f}"


def row_verdict(row):
    """Whether a row's ratio is over its bar or missing, or the results disagree; empty if all is well."""
    return "MISMATCH" if row.mismatch else verdict(row.ratio(), MOST)


def geometric_mean(rows):
    ratios = [row.ratio() for row in rows if row.ratio() is not None]
    return statistics.geometric_mean(ratios) if ratios else None


def number(value, digits=2):
    return "-" if value is None else f"{value:,.{digits}f}"


def lined_up(header, lines):
    """Columns as wide as their widest cell, the first to the left, numbers to the right."""
    widths = [max(map(len, column)) for column in zip(header, *lines, strict=True)]
    ruled = [header, ["-" * width for width in widths], *lines]
    return "\n".join("  ".join([line[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in
                                                            zip(line[1:], widths[1:], strict=True))]).rstrip()
                     for line in ruled)


def row_table(rows):
    """Times in µs a step, minimum and median; ratios to torch, median of the rounds' and that of the minima."""
    header = ["workload", "ours min", "median", "torch min", "median", "ours/torch", "of min", ""]
    lines = []
    for row in rows:
        times = [number(1e6 * typical(row.seconds[side]), 1) if side in row.seconds else "-"
                 for side in (OURS, TORCH) for typical in (min, statistics.median)]
        lines.append([row.title, *times, number(row.ratio()), number(row.ratio(min)), row_verdict(row)])
    mean, measured = geometric_mean(rows), sum(row.ratio() is not None for row in rows)
    lines.append([f"geometric mean of {measured} of {len(rows)}", *[""] * 4, number(mean), "", verdict(mean, MEAN)])
    return lined_up(header, lines)


def text(rows):
    """The whole outcome, with what disagrees or is missing at the end."""
    notes = [f"{row.title}: {row.mismatch}" for row in rows if row.mismatch]
    notes += [f"{row.title}: {side} missing: {reason}" for row in rows for side, reason in row.absent.items()]
    return "\n\n".join([row_table(rows), *(["\n".join(notes)] if notes else [])])
