"""What is so of each tensor after each step of a trace, as plain data.

An entry has value and grad (a Value, or None), version, and cut: why nothing passes into the tensor, or None.
"""


def of_steps(trace, steps):
    """``{key: entry}`` of the tensors before the first step, and for each step of those that it changes."""
    coming = sorted(trace.tensors.values(), key=lambda record: record.born, reverse=True)
    known, found = {}, []
    for events in [(), *(step.events for step in steps)]:
        news = [each for event in events for each in told(event)]
        while coming and coming[-1].born <= (events[-1].index + 1 if events else 0):
            news.append((coming.pop().key, {}))
        found.append({})
        for key, fields in news:
            old, record = known.get(key), trace.tensors[key]
            new = {"value": record.value, "grad": record.grad, "version": record.version, "cut": None}
            entry = (old or new) | fields
            if entry != old:
                found[-1][key] = known[key] = entry
    return found


def told(event):
    """``(key, what is new)`` of the tensors that an event changes."""
    if event.kind == "Operation":
        return [(key, {"cut": event.cut}) for key in event.outputs]
    if event.kind == "Changed":
        pairs = (event.tensor, event.value), *event.others
        return [(key, {"value": value, "version": event.version}) for key, value in pairs]
    if event.kind in ("Retained", "Zeroed", "GradSet"):
        return [(event.tensor, {"grad": event.value})]
    return [(event.tensor, {"grad": event.total})] if event.kind == "Accumulated" else []
