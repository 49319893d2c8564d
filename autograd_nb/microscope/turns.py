"""The turns of the loop around the backward passes of a trace: where they are, and the trace of one."""

from itertools import pairwise

from .moments import changed_entries


def parted(trace, turns):
    """The turns of one loop: in each the same passes begin, and none goes on into the graph of an earlier turn.

    *turns*: for each further turn of any loop how many events came before it, and where in its loop it began; of
    loops in one another the innermost that fits counts.
    """
    made, starts = {event.node: event.index for event in reversed(trace.events) if event.computes}, []
    for event in trace.events:
        if event.kind == "Started":
            first = min((made.get(key, event.index) for key in trace.below(node for node, _ in event.roots)),
                        default=event.index)  # fmt: skip
            turns = [each for each in turns if not first < each[0] <= event.index]
            if not event.index or trace.passes[event.index - 1] is None:
                starts.append(event)
    for outermost in sorted({place for _, place in turns}, reverse=True):
        ends = [index for index, place in turns if place <= outermost]
        begun = [tuple((each.line, each.file) for each in starts if start <= each.index < stop)
                 for start, stop in pairwise([0, *ends, len(trace)])]  # fmt: skip
        if not begun[-1] and trace.events[-1].kind != "Failed":
            del begun[-1], ends[-1]
        if len({*begun[:-1]}) == 1 and begun[-1] == begun[0][: len(begun[-1])]:
            return ends
    return []


def turn_of(trace, number):
    """The trace of one turn, from 0, of the loop around the backward passes; its tensors are as they were then."""
    start, stop = [*pairwise([0, *trace.turns, len(trace)])][number]
    events = [event._replace(index=place) for place, event in enumerate(trace.events[start:stop])]
    known = {key: {"born": max(0, record.born - start)} for key, record in trace.tensors.items()}
    for event in trace.events[:start]:
        for key, news in changed_entries(event):
            known[key] |= {name: it for name, it in news.items() if name != "cut"}
    used = {key for event in events for key in tensors_of(event)}
    nodes = [event.node for event in events if hasattr(event, "node")]
    nodes += [node for event in events if event.kind == "Started" for node, _ in event.roots]
    nodes = {*trace.below([*nodes, *(trace.tensors[key].node for key in used)])}
    nodes = {key: record for key, record in trace.nodes.items() if key in nodes}
    used |= {record.leaf for record in nodes.values()}
    tensors = {key: record._replace(**known[key]) for key, record in trace.tensors.items() if key in used}
    calls = [(path, max(begin, start) - start, min(end, stop) - start) for path, begin, end in trace.calls]
    calls = [each for each in calls if each[1] < each[2]]
    return type(trace)(events, tensors, nodes, trace.lines, trace.classes, calls)


def tensors_of(event):
    """The keys of the tensors that an event speaks of."""
    keys = [*getattr(event, "inputs", ()), *getattr(event, "outputs", ()), getattr(event, "tensor", None)]
    keys += [key for key, _ in getattr(event, "others", ())] + [each[-1] for each in getattr(event, "used", ())]
    return [key for key in keys if key]
