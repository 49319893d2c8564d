"""Which column each node stands in, and in which order: the combinatorial half of a layered layout.

Nodes are the integers 0 … n-1. All steps follow the order of the input, never the order of a set or a hash, so that the
same graph gives the same picture on every machine.
"""

from collections import Counter, deque
from itertools import combinations
from math import inf
from statistics import fmean

SWEEPS = 9  # arrangements tried from each of two starts


def topological(nodes, edges):
    """The nodes in the order of the edges (source, target, …); in a cycle the first of the input begins."""
    waiting, leaving = dict.fromkeys(nodes, 0), {node: [] for node in nodes}
    for source, target, *_ in edges:
        waiting[target] += 1
        leaving[source].append(target)
    ready = deque([node for node in nodes if not waiting[node]])
    left, found = dict.fromkeys(nodes), []
    while left:
        node = ready.popleft() if ready else next(iter(left))
        if node in left:
            del left[node]
            found.append(node)
            for target in leaving[node]:
                waiting[target] -= 1
                if not waiting[target]:
                    ready.append(target)
    return found


def components(nodes, edges):
    """The connected parts: for each node the first node of its part."""
    beside = {node: [] for node in nodes}
    for one, other, *_ in edges:
        beside[one].append(other)
        beside[other].append(one)
    part = {}
    for start in nodes:
        waiting = [start]
        while waiting:
            node = waiting.pop()
            if node not in part:
                part[node] = start
                waiting += beside[node]
    return part


def depths(place, edges):
    """``{node: the length of the longest way to it}`` along edges (source, target, length), which lead to later places.

    *place*: ``{node: number}``.
    """
    depth = dict.fromkeys(place, 0)
    for source, target, length in sorted(edges, key=lambda edge: place[edge[0]]):
        depth[target] = max(depth[target], depth[source] + length)
    return depth


def shortened(rank, edges):
    """Columns for nodes, given first ones, in which edges (source, target, least) are shorter, but span `least`.

    Nodes joined by edges that cannot be shorter move together, as far to the left as shortens others.
    """
    while True:
        part = components(range(len(rank)), [each for each in edges if rank[each[1]] - rank[each[0]] == each[2]])
        gain, room = Counter(), {}
        for source, target, least in edges:
            here, there = part[target], part[source]
            if here != there:
                room[here] = min(rank[target] - rank[source] - least, room.get(here, inf))
                gain[here] += 1
                gain[there] -= 1
        moves = {each: slack for each, slack in room.items() if gain[each] > 0}
        if not moves:
            first = min(rank)
            return [column - first for column in rank]
        rank = [column - moves.get(part[node], 0) for node, column in enumerate(rank)]


def order(columns, left, right):
    """The columns rearranged so that few edges cross (left, right: each node's neighbours in the columns beside it).

    Each of two starts is swept to and fro: nodes go to the mean place of their neighbours, then neighbours in a column
    change places where no more edges cross after it. The best arrangement of all is kept.
    """
    found = []
    for start, neighbours in (columns, right), (columns[::-1], left):
        current = _depth_first(columns, start, neighbours)
        for sweep in range(SWEEPS):
            if sweep:
                _barycentre(current, left if sweep % 2 else right, forwards=sweep % 2)
                _swap(current, left, right)
            found.append((_crossings(current, right), [column[:] for column in current]))
            if not found[-1][0]:
                return found[-1][1]
    return min(found, key=lambda each: each[0])[1]


def _depth_first(columns, start, neighbours):
    column_of = {node: index for index, column in enumerate(columns) for node in column}
    arranged, seen = [[] for _ in columns], set()
    waiting = [node for column in start for node in column][::-1]
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen.add(node)
            arranged[column_of[node]].append(node)
            waiting += [*neighbours[node]][::-1]
    return arranged


def _places(columns):
    """Where in its column each node is."""
    return {node: index for column in columns for index, node in enumerate(column)}


def _barycentre(columns, neighbours, forwards):
    place = _places(columns)
    for column in columns if forwards else columns[::-1]:
        column.sort(key=lambda node: fmean([place[other] for other in neighbours[node] or [node]]))  # ties keep it
        place |= _places([column])


def _swap(columns, left, right):
    place = _places(columns)
    for _ in range(4):
        for column in columns:
            for index in range(len(column) - 1):
                upper, lower = column[index : index + 2]
                gain = sum([_crossing(side[upper], side[lower], place) - _crossing(side[lower], side[upper], place)
                            for side in (left, right)])  # fmt: skip
                if gain >= 0:  # swaps that gain nothing lead to others that do
                    column[index : index + 2] = lower, upper
                    place[lower], place[upper] = index, index + 1


def _crossings(columns, right):
    place = _places(columns)
    return sum([_crossing(right[upper], right[lower], place) for column in columns
                for upper, lower in combinations(column, 2)])  # fmt: skip


def _crossing(upper, lower, place):
    """How many lines from one node cross one from another below it; both are given by their neighbours on a side."""
    return sum([place[above] > place[below] for above in upper for below in lower])
