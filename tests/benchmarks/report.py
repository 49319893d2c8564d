"""The outcome as text, as JSON and as a picture."""
import platform
import statistics
import sys
from importlib.metadata import PackageNotFoundError, version

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


def environment():
    """What the figures depend on."""
    versions = {"python": platform.python_version()}
    for package in ("numpy", "torch"):
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            versions[package] = None
    return versions | {"machine": platform.machine(), "system": platform.system(), "threads": 1}


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


def as_json(rows, facts):
    """Everything measured, each round's seconds a step included, as plain data."""
    return {"command": sys.argv[1:], "environment": environment(), "geometric_mean": geometric_mean(rows),
            "workloads": [{**vars(row), "ratio_to_torch": row.ratio(), "ratio_of_minima": row.ratio(min),
                           "verdict": row_verdict(row)} for row in rows],
            "facts": [{**vars(fact), "verdict": verdict(fact.ours, fact.must, fact.aim)} for fact in facts]}


def picture(rows):
    """A bar of ours/torch for each workload, with marks at its bar and its aim, as a figure."""
    from matplotlib.figure import Figure

    bars = [(row.title, row.ratio(), row.must, row.aim) for row in rows if row.ratio() is not None]
    bars.append((f"geometric mean of {len(bars)}", geometric_mean(rows), 0.40, 0.28))
    colors = {AIM: "#2a7f62", MET: "#3b75af", OVER: "#c2452d"}
    labels = {AIM: "reaches the aim", MET: "meets the bar", OVER: "over the bar"}
    figure = Figure(figsize=(8.5, 0.36 * len(bars) + 1.5), layout="constrained")
    axes = figure.subplots()
    for place, (_title, ratio, must, aim) in enumerate(bars):
        kind = verdict(ratio, must, aim)
        axes.barh(place, ratio, height=0.62, color=colors[kind], label=labels.pop(kind, None))
        axes.vlines(must, place - 0.42, place + 0.42, color="black", linewidth=2, label=None if place else "must")
        axes.vlines(aim, place - 0.42, place + 0.42, color="black", linewidth=1.2, linestyle=(0, (2, 1.5)),
                    label=None if place else "aim")
        axes.annotate(f"{ratio:.2f}", (max(ratio, must), place), (5, 0), textcoords="offset points", va="center",
                      bbox={"facecolor": "white", "edgecolor": "none", "pad": 1})  # over the line at 1
    axes.axvline(1, color="gray", linewidth=1, zorder=0)
    axes.set_yticks(range(len(bars)), [title for title, *_ in bars])
    axes.set_ylim(len(bars) - 0.4, -0.6)
    axes.set_xlim(0, 1.12 * max(1, *(ratio for _, ratio, *_ in bars)))
    figure.supxlabel("time of a step, autograd_nb / PyTorch (1 = equally fast; lower is faster)", fontsize="medium")
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside upper center", ncols=5, frameon=False)
    return figure


def plot(rows, path):
    """Save the picture of the ratios as .svg or .png."""
    from matplotlib import rc_context

    figure = picture(rows)
    with rc_context({"svg.hashsalt": "benchmarks"}):
        figure.savefig(path, dpi=150, facecolor="white", metadata={"Date": None} if str(path).endswith("svg") else None)
