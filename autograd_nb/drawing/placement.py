"""The place of each node in its column: coordinates across the columns.

Column after column, to the right and then back to the left, each node is set as near to the mean of its neighbours as
the others in its column allow. At last the lines of long edges are made straight where there is room.
"""

from itertools import pairwise
from math import inf


def positions(columns, paths, left, right, heights, gap):
    """The centre of each node across the columns, given the gaps between nodes and their heights.

    *left*, *right*: of each node, its neighbours in the columns beside it, with the weights of the ways to them;
    *paths*: of edges, node by node.
    """
    at, above, below, steps = [0] * len(heights), {}, {}, [0] * len(heights)
    for column in columns:
        for upper, lower in pairwise(column):
            apart = (heights[upper] + heights[lower]) / 2 + gap(upper, lower)
            above[lower], below[upper], steps[lower] = (upper, apart), (lower, -apart), steps[upper] + apart
    for order, near, far in (columns, left, right), (columns[::-1], right, left):
        for column in order:
            wanted, weights = [0] * len(column), []
            for index, node in enumerate(column):
                beside = near[node] or far[node] or {node: 1}
                weights.append(sum(beside.values()))
                for other, weight in beside.items():
                    wanted[index] += at[other] * weight / weights[index]
            for node, place in zip(column, spread(wanted, map(steps.__getitem__, column), weights), strict=True):
                at[node] = place
    for _, *points, _ in paths:
        low, high = (far([at[end[node][0]] + end[node][1] for node in points if node in end], default=default)
                     for end, far, default in ((above, max, -inf), (below, min, inf)))  # fmt: skip
        if points and low <= high:
            level = min(max(at[points[-1]], low), high)
            for node in points:
                at[node] = level
    return at


def spread(wanted, steps, weights):
    """The numbers nearest to the *wanted* ones that lie as far apart as the *steps*, which ascend, or farther."""
    pools, places = [], []  # for neighbours that touch: the place that they want together, its weight, and their steps
    for want, step, weight in zip(wanted, steps, weights, strict=True):
        pools.append((want - step, weight, [step]))
        while len(pools) > 1 and pools[-2][0] >= pools[-1][0]:
            (lower, some, first), (upper, more, others) = pools.pop(), pools.pop()
            pools.append(((lower * some + upper * more) / (some + more), some + more, others + first))
    for place, _, own in pools:
        for step in own:
            places.append(place + step)
    return places
