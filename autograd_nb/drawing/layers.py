"""Which column each node stands in, and in which order: the combinatorial half of a layered layout.

Nodes are the integers 0 … n-1. All steps follow the order of the input, never the order of a set or a hash, so that the
same graph gives the same picture on every machine.
"""

from bisect import bisect_right, insort
from collections import Counter, deque
from itertools import pairwise

SWEEPS = 8  # to and fro, from each of two starts


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


def ranks(count, edges):
    """A column for each node: every edge (source, target, least) spans at least `least` columns.

    First each node stands close to its users; then tight groups move to places where their edges are shorter.
    """
    leaving = [[] for _ in range(count)]
    for source, target, least in edges:
        leaving[source].append((target, least))
    rank = [0] * count
    for node in reversed(topological(range(count), edges)):
        rank[node] = min([rank[target] - least for target, least in leaving[node]], default=0)
    while moves := _shortening(edges, rank):
        rank = [column - moves[node] for node, column in enumerate(rank)]
    first = min(rank, default=0)
    return [column - first for column in rank]


def _shortening(edges, rank):
    """How far each node moves left, all at once, to shorten edges; nothing if none can."""
    part = components(range(len(rank)), [each for each in edges if rank[each[1]] - rank[each[0]] == each[2]])
    gain, room = Counter(), {}
    for source, target, least in edges:
        here, there = part[target], part[source]
        if here != there:
            room[here] = min(rank[target] - rank[source] - least, room.get(here, len(rank) * 2))
            gain[here] += 1
            gain[there] -= 1
    moves = {each: slack for each, slack in room.items() if gain[each] > 0}
    return moves and [moves.get(part[node], 0) for node in range(len(rank))]


def heaviest(count, edges):
    """The indices of edges (source, target, weight) that are the heaviest way to their target, none if two are."""
    incoming = [[] for _ in range(count)]
    for index, (source, target, weight) in enumerate(edges):
        incoming[target].append((source, weight, index))
    weights, found = [0] * count, set()
    for node in topological(range(count), edges):
        ways = [weights[source] + weight for source, weight, _ in incoming[node]]
        weights[node] = max(ways, default=0)
        if ways.count(weights[node]) == 1:
            found.add(incoming[node][ways.index(weights[node])][2])
    return found


def crossings(columns, right):
    """How many pairs of edges cross between neighbouring columns (right[node]: its neighbours one column on)."""
    total = 0
    for here, there in pairwise(columns):
        place = {node: index for index, node in enumerate(there)}
        seen = []
        for node in here:
            ends = sorted([place[target] for target in right[node]])
            total += sum([len(seen) - bisect_right(seen, end) for end in ends])
            for end in ends:
                insort(seen, end)
    return total


def order(columns, left, right):
    """The columns rearranged so that few edges cross (left, right: each node's neighbours in the columns beside it).

    Barycentre sweeps to and fro, each followed by swaps of neighbours; the best arrangement of two starts is kept.
    """
    best, fewest = columns, None
    for neighbours, source_columns in ((right, columns), (left, columns[::-1])):
        current = _depth_first(columns, neighbours, source_columns)
        for sweep in range(SWEEPS):
            if sweep:
                _barycentre(current, left if sweep % 2 else right, forwards=sweep % 2)
            _swap(current, left, right, even=sweep > 0)
            count = crossings(current, right)
            if fewest is None or count < fewest:
                best, fewest = [column[:] for column in current], count
            if not fewest:
                return best
    return best


def _depth_first(columns, neighbours, start_columns):
    column_of = {node: index for index, column in enumerate(columns) for node in column}
    arranged = [[] for _ in columns]
    seen = set()
    for start in (node for column in start_columns for node in column):
        stack = [start]
        while stack:
            node = stack.pop()
            if node not in seen:
                seen.add(node)
                arranged[column_of[node]].append(node)
                stack.extend(reversed(neighbours[node]))
    return arranged


def places(columns):
    """Where in its column each node is."""
    return {node: index for column in columns for index, node in enumerate(column)}


def _barycentre(columns, neighbours, forwards):
    place = places(columns)
    for column in columns if forwards else reversed(columns):
        def centre(node):
            beside = neighbours[node]
            return sum([place[other] for other in beside]) / len(beside) if beside else place[node]

        column.sort(key=centre)  # stable: ties keep their order
        place.update(places([column]))


def _swap(columns, left, right, even):
    place = places(columns)
    for _ in range(4):
        if not any([_swap_in(column, left, right, place, even) for column in columns]):
            break


def _swap_in(column, left, right, place, even):
    beside = []
    for node in column:
        beside.append([sorted([place[other] for other in side[node]]) for side in (left, right)])
    improved = False
    for index in range(len(column) - 1):
        gain = 0
        for ours, theirs in zip(beside[index], beside[index + 1], strict=True):
            gain += _inversions(ours, theirs) - _inversions(theirs, ours)
        if gain > 0 or even and gain == 0:
            for pair in (column, beside):
                pair[index], pair[index + 1] = pair[index + 1], pair[index]
            place[column[index]], place[column[index + 1]] = index, index + 1
            improved = True
    return improved


def _inversions(above, below):
    if len(above) == len(below) == 1:
        return int(above[0] > below[0])
    return sum([len(above) - bisect_right(above, end) for end in below])
