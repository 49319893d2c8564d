"""Which column each node stands in, and in which order: the combinatorial half of a layered layout.

Nodes are the integers 0 … n-1.  Everything goes by the order of the input, never by that of a set or a hash, so that
the same graph gives the same picture on every machine.
"""

from bisect import bisect_right, insort
from itertools import pairwise


def break_cycles(count, edges):
    """The indices of edges to turn round so that no cycle is left (edges: pairs; no pair joins a node to itself)."""
    leaving = [[] for _ in range(count)]
    entered = [0] * count
    for index, (source, target) in enumerate(edges):
        leaving[source].append((target, index))
        entered[target] += 1
    UNSEEN, OPEN, DONE = range(3)
    state = [UNSEEN] * count
    turned = []
    for start in sorted(range(count), key=lambda node: entered[node] > 0):  # sources first, else in input order
        stack = [(start, iter(leaving[start]))] if state[start] == UNSEEN else []
        while stack:
            node, rest = stack[-1]
            state[node] = OPEN
            for target, index in rest:
                if state[target] == OPEN:
                    turned.append(index)
                elif state[target] == UNSEEN:
                    stack.append((target, iter(leaving[target])))
                    break
            else:
                state[node] = DONE
                stack.pop()
    return sorted(turned)


def topological(count, edges):
    waiting, leaving = [0] * count, [[] for _ in range(count)]
    for source, target, _ in edges:
        waiting[target] += 1
        leaving[source].append(target)
    ready = [node for node in range(count) if not waiting[node]]
    for node in ready:  # grows while it is read
        for target in leaving[node]:
            waiting[target] -= 1
            if not waiting[target]:
                ready.append(target)
    return ready


def ranks(count, edges):
    """A column for each node: every edge (source, target, least) spans at least `least` columns.

    First everything stands close to what uses it; then side branches and single nodes move to where that is shorter.
    """
    incoming, outgoing = [[] for _ in range(count)], [[] for _ in range(count)]
    for source, target, least in edges:
        outgoing[source].append((target, least))
        incoming[target].append((source, least))
    forwards = topological(count, edges)
    rank = [0] * count
    for node in reversed(forwards):
        rank[node] = min((rank[target] - least for target, least in outgoing[node]), default=0)
    for _ in range(8):
        if not _move_branches(count, edges, rank):
            break
    for _ in range(4):
        for node in forwards:
            surplus = len(incoming[node]) - len(outgoing[node])
            if surplus > 0:
                rank[node] = max(rank[source] + least for source, least in incoming[node])
            elif surplus < 0:
                rank[node] = min(rank[target] - least for target, least in outgoing[node])
    first = min(rank, default=0)
    return [value - first for value in rank]


def _move_branches(count, edges, rank):
    part = list(range(count))

    def part_of(node):
        while part[node] != node:
            part[node] = node = part[part[node]]
        return node

    for source, target, least in edges:
        if rank[target] - rank[source] == least:
            part[part_of(source)] = part_of(target)
    gain, room = [0] * count, [None] * count
    for source, target, least in edges:
        here, there = part_of(target), part_of(source)
        if here != there:  # all parts move left or stay, so the room measured now cannot shrink
            slack = rank[target] - rank[source] - least
            room[here] = slack if room[here] is None else min(room[here], slack)
            gain[here] += 1
            gain[there] -= 1
    moves = [room[node] if room[node] and gain[node] > 0 else 0 for node in range(count)]
    for node in range(count):
        rank[node] -= moves[part_of(node)]
    return any(moves)


def heaviest(count, edges):
    """For each node the index of the edge (source, target, weight) on its heaviest way in, None for a tie."""
    incoming = [[] for _ in range(count)]
    for index, (source, target, weight) in enumerate(edges):
        incoming[target].append((source, weight, index))
    weights, found = [0] * count, [None] * count
    for node in topological(count, edges):
        ways = sorted(((weights[source] + weight, index) for source, weight, index in incoming[node]), reverse=True)
        weights[node] = ways[0][0] if ways else 0
        if ways and (len(ways) == 1 or ways[0][0] > ways[1][0]):
            found[node] = ways[0][1]
    return found


def crossings(columns, right):
    """How many pairs of edges cross between neighbouring columns (right[node]: its neighbours one column on)."""
    total = 0
    for here, there in pairwise(columns):
        place = {node: index for index, node in enumerate(there)}
        seen = []
        for node in here:
            ends = sorted(place[target] for target in right[node])
            total += sum(len(seen) - bisect_right(seen, end) for end in ends)
            for end in ends:
                insort(seen, end)
    return total


def order(columns, left, right):
    """The columns rearranged so that few edges cross (left, right: each node's neighbours in the columns beside it).

    Barycentre sweeps to and fro, each followed by swaps of neighbours; the best arrangement of two starts is kept.
    """
    size = sum(map(len, columns))
    patience = 5 if size < 600 else 3 if size < 3000 else 1
    best, fewest = columns, None
    for neighbours, source_columns in ((right, columns), (left, columns[::-1])):
        current = _depth_first(columns, neighbours, source_columns)
        stale = 0
        for sweep in range(24):
            if sweep:
                _barycentre(current, left if sweep % 2 else right, forwards=sweep % 2)
            _swap(current, left, right, even=sweep > 0)
            count = crossings(current, right)
            if fewest is None or count < fewest:
                best, fewest, stale = [column[:] for column in current], count, 0
            else:
                stale += 1
            if not fewest:
                return best
            if stale > patience:
                break
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
        for index, node in enumerate(column):
            place[node] = index


def _swap(columns, left, right, even):
    place = places(columns)
    look = range(len(columns))
    for _ in range(4):
        changed = [index for index in look if _swap_in(columns[index], left, right, place, even)]
        if not changed:
            break
        near = {other for index in changed for other in (index - 1, index, index + 1)}
        look = sorted(near & set(range(len(columns))))


def _swap_in(column, left, right, place, even):
    beside = []
    for node in column:
        beside.append([sorted([place[other] for other in side[node]]) for side in (left, right)])
    improved = False
    for index in range(len(column) - 1):
        gain = 0
        for ours, theirs in zip(beside[index], beside[index + 1], strict=True):
            if ours and theirs:
                gain -= _inversions(theirs, ours)
                if ours[-1] > theirs[0]:
                    gain += _inversions(ours, theirs)
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
