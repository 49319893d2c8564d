"""The order in which leaves that become ready at once are run: as they come off PyTorch's queue.

That queue is a binary heap in which every leaf is of the same rank, above all operations.  A heap keeps no order among
equals: of five leaves of one ``cat`` the first comes first, then the third, the fifth, the second and the fourth.
Hooks on leaves see it.
"""

from collections import Counter

from .graph import Output
from .leaf import AccumulateGrad


def leaves_in_order(arrivals, meetings, waiting):
    """Pairs ``(edge, gradient)`` with the leaves that become ready by them moved to the end, in that order.

    *meetings* says how many gradients an edge still waits for, *waiting* how many operations are in the queue.
    """
    arrivals = [pair for pair in arrivals if pair[0] is not None]
    arriving = Counter(edge for edge, _ in arrivals)
    seen = Counter()
    before, queue = [], [None] * waiting
    for pair in arrivals:
        edge = pair[0]
        seen[edge] += 1
        meeting = meetings.get(edge)
        ready = seen[edge] == arriving[edge] and (meeting is None or meeting.left == arriving[edge])
        is_leaf = edge.__class__ is AccumulateGrad
        if not is_leaf or not ready:
            before.append(pair)
        if ready and edge.__class__ is not Output:
            push(queue, pair if is_leaf else None)
    while queue and queue[0] is not None:
        before.append(pop(queue))
    return before


# The heap of the C++ library.  None stands for an operation, which ranks below every leaf.


def push(heap, item):
    """Append an item and let it rise above those that rank below it."""
    place = len(heap)
    heap.append(item)
    while place and item is not None and heap[(place - 1) // 2] is None:
        heap[place] = None
        place = (place - 1) // 2
        heap[place] = item


def pop(heap):
    """Take the top; the gap sinks by the greater child, of equals the second, and the last item fills it and rises."""
    top, last = heap[0], heap.pop()
    if heap:
        place = 0
        while 2 * place + 1 < len(heap):
            child = 2 * place + 2
            if child == len(heap) or heap[child] is None and heap[child - 1] is not None:
                child -= 1
            heap[place] = heap[child]
            place = child
        while place and last is not None and heap[(place - 1) // 2] is None:
            heap[place] = None
            place = (place - 1) // 2
        heap[place] = last
    return top
