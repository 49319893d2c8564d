"""The outcome as text."""
import statistics

from .measure import OURS, TORCH

MOST, MEAN = 0.85, 0.30  # what a ratio, and their geometric mean, are to stay within


def verdict(ratio, bar):
    return "" if ratio <= bar else f"over {bar:.2f}"


def geometric_mean(rows):
    return statistics.geometric_mean(row.ratio() for row in rows)


def lined_up(header, lines):
    """Columns as wide as their widest cell, the first to the left, numbers to the right."""
    widths = [max(map(len, column)) for column in zip(header, *lines, strict=True)]
    ruled = [header, ["-" * width for width in widths], *lines]
    return "\n".join("  ".join([line[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in
                                                            zip(line[1:], widths[1:], strict=True))]).rstrip()
                     for line in ruled)


def text(rows):
    """Times in µs a step, minimum and median; ratios to torch, median of the rounds' and that of the minima."""
    header = ["workload", "ours min", "median", "torch min", "median", "ours/torch", "of min", ""]
    lines = []
    for row in rows:
        times = [f"{1e6 * typical(row.seconds[side]):,.1f}" for side in (OURS, TORCH)
                 for typical in (min, statistics.median)]
        ratios = [f"{row.ratio(typical):,.2f}" for typical in (statistics.median, min)]
        lines.append([row.title, *times, *ratios, verdict(row.ratio(), MOST)])
    mean = geometric_mean(rows)
    lines.append([f"geometric mean of {len(rows)}", *[""] * 4, f"{mean:.2f}", "", verdict(mean, MEAN)])
    return lined_up(header, lines)
