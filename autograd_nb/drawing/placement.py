"""Where in its column each node stands: coordinates across the columns, after Brandes and Köpf.

Nodes are first aligned with a median neighbour into straight blocks, the blocks are then packed as closely as their
sizes allow.  This is done four times, aligning with the left or the right column and starting at the top or at the
bottom; each node takes the mean of its two middle positions, which keeps every distance that all four keep.  Source:
U. Brandes and B. Köpf, "Fast and simple horizontal coordinate assignment", 2001, with a simpler packing.
"""

from itertools import pairwise

from .layers import places, topological


def positions(columns, left, right, height, gap, spine):
    """The centre of each node across the columns, given its neighbours left and right and its height.

    Pairs in *spine* are aligned before median neighbours.
    """
    place = places(columns)
    separation = {}
    for column in columns:
        for upper, lower in pairwise(column):
            separation[upper, lower] = (height[upper] + height[lower]) / 2 + gap(upper, lower)
    if not separation:  # one after another
        return [0] * len(height)
    runs = []
    for neighbours, sweep in ((left, columns), (right, columns[::-1])):
        for sign in (1, -1):
            root = _align(sweep, neighbours, place, sign, spine)
            runs.append(_pack(columns, root, separation, sign))
    extents = []
    for run in runs:
        low = min(run[node] - height[node] / 2 for column in columns for node in column)
        high = max(run[node] + height[node] / 2 for column in columns for node in column)
        extents.append((high - low, low, high))
    _, low, high = min(extents)
    for index, (run, (_, own_low, own_high)) in enumerate(zip(runs, extents, strict=True)):
        shift = low - own_low if index % 2 == 0 else high - own_high
        runs[index] = [value + shift for value in run]
    middle = [sorted(values)[1:3] for values in zip(*runs, strict=True)]
    return [(first + second) / 2 for first, second in middle]


def _align(sweep, neighbours, place, sign, spine):
    total = len(place)
    root, aligned = list(range(total)), list(range(total))
    for column in sweep:
        last = -1 if sign > 0 else total
        claimed = {other: node for node in column for other in neighbours[node] if (node, other) in spine}
        for node in column if sign > 0 else reversed(column):
            beside = [other for other in neighbours[node] if claimed.get(other) == node] or neighbours[node]
            if not beside:
                continue
            beside = sorted(beside, key=place.__getitem__)
            middle = (len(beside) - 1) / 2
            candidates = beside[int(middle) : int(middle + 1.5)]
            for other in candidates if sign > 0 else reversed(candidates):
                free = place[other] > last if sign > 0 else place[other] < last
                free = free and claimed.get(other, node) == node
                if free and aligned[node] == node:
                    aligned[other] = node
                    root[node] = root[other]
                    aligned[node] = root[node]
                    last = place[other]
    return root


def _pack(columns, root, separation, sign):
    """Positions of the blocks: as high as possible, then each drawn down to its lower neighbour (sign -1: mirrored)."""
    below = [{} for _ in root]  # of each block: those after it, and how far from it at least
    for column in columns:
        for upper, lower in pairwise(column):
            first, second = (root[upper], root[lower])[::sign]
            below[first][second] = max(below[first].get(second, 0), separation[upper, lower])
    blocks = topological(len(root), [(block, lower, 1) for block, after in enumerate(below) for lower in after])
    at = [0] * len(root)
    for block in blocks:
        for lower, distance in below[block].items():
            at[lower] = max(at[lower], at[block] + distance)
    for block in reversed(blocks):
        if below[block]:
            at[block] = max(at[block], min(at[lower] - distance for lower, distance in below[block].items()))
    return [sign * at[block] for block in root]
