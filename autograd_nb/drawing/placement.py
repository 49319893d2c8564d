"""The place of each node in its column: coordinates across the columns, after Brandes and Köpf.

Nodes are first aligned with a median neighbour into straight blocks, the blocks are then packed as closely as their
sizes allow.  This is done four times, aligning with the left or the right column and starting at the top or at the
bottom; each node takes the mean of its two middle positions, which keeps every distance that all four keep.  Source:
U. Brandes and B. Köpf, "Fast and simple horizontal coordinate assignment", 2001, with a simpler packing.
"""

from itertools import pairwise
from math import inf
from operator import add, sub

from .layers import places, topological


def positions(columns, left, right, height, gap, spine):
    """The centre of each node across the columns, given its neighbours left and right, in order, and its height.

    Pairs in the *spine* are aligned before median neighbours.
    """
    place, halves = places(columns), [each / 2 for each in height]
    separation = {}
    for column in columns:
        for upper, lower in pairwise(column):
            separation[upper, lower] = halves[upper] + halves[lower] + gap(upper, lower)
    if not separation:  # one after another
        return [0] * len(height)
    runs = []
    for neighbours, sweep in ((left, columns), (right, columns[::-1])):
        claimed = {other: node for column in columns for node in column for other in neighbours[node]
                   if (node, other) in spine}  # fmt: skip
        for sign in (1, -1):
            root = _align(sweep, neighbours, claimed, place, sign)
            runs.append(_pack(columns, root, separation, sign))
    ends = []  # top and bottom of each run
    for run in runs:
        ends.append((min(map(sub, run, halves)), max(map(add, run, halves))))
    narrowest = min(ends, key=lambda each: each[1] - each[0])
    shifts = [narrowest[run % 2] - own[run % 2] for run, own in enumerate(ends)]
    middle = [sorted(map(add, values, shifts))[1:3] for values in zip(*runs, strict=True)]
    return [(first + second) / 2 for first, second in middle]


def _align(sweep, neighbours, claimed, place, sign):
    root = list(range(len(place)))
    for column in sweep:
        last = -inf
        for node in column[::sign]:
            beside = [other for other in neighbours[node] if claimed.get(other) == node] or neighbours[node]
            beside = beside[::sign]
            middle = (len(beside) - 1) / 2
            for other in beside[int(middle) : int(middle + 1.5)]:
                free = root[node] == node and claimed.get(other, node) == node
                if free and sign * place[other] > last:
                    root[node], last = root[other], sign * place[other]
    return root


def _pack(columns, root, separation, sign):
    """Positions of the blocks: as high as possible, then each drawn down to its lower neighbour (sign -1: mirrored)."""
    below = [{} for _ in root]  # for each block: the blocks after it, and their least distances from it
    for column in columns:
        for upper, lower in pairwise(column):
            first, second = (root[upper], root[lower])[::sign]
            below[first][second] = max(below[first].get(second, 0), separation[upper, lower])
    blocks = topological(range(len(root)), [(block, lower) for block, after in enumerate(below) for lower in after])
    at = [0] * len(root)
    for block in blocks:
        for lower, distance in below[block].items():
            at[lower] = max(at[lower], at[block] + distance)
    for block in reversed(blocks):
        if below[block]:
            at[block] = max(at[block], min(at[lower] - distance for lower, distance in below[block].items()))
    return [sign * at[block] for block in root]
