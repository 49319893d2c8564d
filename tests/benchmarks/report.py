"""The outcome as text, and as the picture of docs/speed.md."""
import statistics
from operator import itemgetter

from matplotlib import rc_context
from matplotlib.figure import Figure

from .calls import RANDOM
from .measure import NUMPY, OURS, PLAIN, RECORDED, TORCH


def geometric_mean(rows, typical=statistics.median):
    return statistics.geometric_mean(row.ratio(typical) for row in rows)


def lined_up(header, lines):
    """Columns as wide as their widest cell, the first to the left, numbers to the right."""
    widths = [max(map(len, column)) for column in zip(header, *lines, strict=True)]
    ruled = [header, ["-" * width for width in widths], *lines]
    return "\n".join("  ".join([line[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in
                                                            zip(line[1:], widths[1:], strict=True))]).rstrip()
                     for line in ruled)


def noise(rows):
    found = [row.noise for row in rows]
    return (f"the same code beside itself: {statistics.geometric_mean(found):.2f} in the mean, "
            f"{max(found):.2f} at most")


def text(rows):
    """Times in µs a step, minimum and median; ratios to torch, median of the rounds' and that of the minima."""
    header = ["workload", "ours min", "median", "torch min", "median", "ours/torch", "of min"]
    lines = []
    for row in rows:
        times = [f"{1e6 * typical(row.seconds[side]):,.1f}" for side in (OURS, TORCH)
                 for typical in (min, statistics.median)]
        ratios = [f"{row.ratio(typical):,.2f}" for typical in (statistics.median, min)]
        lines.append([row.title, *times, *ratios])
    means = [f"{geometric_mean(rows, typical):.2f}" for typical in (statistics.median, min)]
    lines.append([f"geometric mean of {len(rows)}", *[""] * 4, *means])
    return lined_up(header, lines) + "\n" + noise(rows)


def recordings_text(rows):
    """The best times in ms of a step, plain and recorded, and the ratio of the second to the first."""
    best = [(row.title, *(1e3 * min(row.seconds[side]) for side in (PLAIN, RECORDED))) for row in filter(None, rows)]
    return lined_up(["step", PLAIN, RECORDED, "times"],
                    [[title, f"{plain:.2f}", f"{recorded:.1f}", f"{recorded / plain:.0f}"]
                     for title, plain, recorded in best])


def calls_text(rows):
    """The best times in µs of a call, ours over torch's, and ours minus NumPy's."""
    header = ["call", "torch", "ours", "NumPy", "ours/torch", "over NumPy"]
    lines = []
    for row in rows:
        times = [f"{1e6 * min(row.seconds[side]):,.1f}" if side in row.seconds else "" for side in (TORCH, OURS, NUMPY)]
        over = "" if row.over_numpy is None else f"{1e6 * row.over_numpy:,.1f}"
        lines.append([row.title, *times, f"{row.ratio(min):,.2f}", over])
    for name, group in (("all", rows), ("random numbers", [row for row in rows if row.title in RANDOM]),
                        ("all others", [row for row in rows if row.title not in RANDOM])):
        if group:
            title = f"geometric mean of {name}, {len(group)}"
            lines.append([title, "", "", "", f"{geometric_mean(group, min):.2f}", ""])
    return lined_up(header, lines) + "\n" + noise(rows)


def picture(path, programs, calls):
    """Draw our time over PyTorch's, a bar for each program, and one for the everyday calls together, as SVG."""
    bars = sorted([(row.title, row.ratio(min)) for row in programs], key=itemgetter(1))
    if calls:
        bars.append((f"{len(calls)} everyday calls, geometric mean", geometric_mean(calls, min)))
    names, ratios = zip(*bars, strict=True)
    with rc_context({"svg.hashsalt": "speed", "svg.fonttype": "none", "font.size": 9}):
        figure = Figure(figsize=(8, 0.3 * len(bars) + 0.6), layout="constrained")
        axes = figure.add_subplot()
        drawn = axes.barh(names, ratios, color="#0072B2")
        axes.bar_label(drawn, [f"{ratio:.2f}" for ratio in ratios], padding=-26, color="white")
        axes.axvline(1, color="black", linewidth=1, zorder=0)
        axes.text(1, 1.01, "PyTorch", transform=axes.get_xaxis_transform(), ha="center", va="bottom")
        axes.invert_yaxis()
        axes.spines[["top", "right", "bottom"]].set_visible(False)
        axes.set_xlim(0, max(1.1, *ratios) * 1.08)
        axes.set_xticks([])
        axes.tick_params(left=False)
        figure.savefig(path, format="svg", metadata={"Date": None})
