"""Groups events into steps that a learner can follow, each with its words and the parts of the picture to show."""

from dataclasses import dataclass

from . import sentences

PASSIVE = ("Ready", "Summed", "Freed")  # these follow from the work of a node
# the events of a node's work; a step is about the first of these that it has
ORDER = ("Failed", "Ran", "Accumulated", "Captured", "Hooked", "Retained", "FoundModified", "Used")


@dataclass(frozen=True, slots=True)
class Step:
    """Events that belong together; *kind* is that of the event they are about, *highlights* are keys of a picture."""

    index: int
    kind: str
    events: tuple
    line: int | None
    file: str
    sentence: str
    highlights: tuple

    @property
    def end(self):
        """How many events had happened when it was over."""
        return self.events[-1].index + 1


def steps_of(trace, detail):
    steps, told = [], [event for event in trace if event.kind != "Read"]
    for index, group in enumerate(grouped(told) if detail == "fast" else [[event] for event in told]):
        main = min(group, key=lambda event: (ORDER.index(event.kind) if event.kind in ORDER else len(ORDER),
                                             getattr(event, "within", None) is not None))  # fmt: skip
        inside = [event for event in group if event.kind == "Operation" and event.within is not None]
        shown = inside[-1] if inside and main.kind == "Ran" else main  # the lines of a user's backward
        steps.append(Step(index, main.kind, tuple(group), shown.line, shown.file, sentences.sentence(trace, group),
                          highlights(trace, group)))  # fmt: skip
    return steps


def grouped(events):
    """Lists of events: one list for each turn of a node with all that follows from it, one for each other thing."""
    groups, acting, hooking = [], None, []
    for event in events:
        if sentences.is_in_hook(event):
            hooking.append(event)
            continue
        if event.kind != "Hooked" and hooking:  # the hook reported nothing, or failed
            groups += [[each] for each in hooking]
            acting, hooking = None, []
        actor = event.node if event.kind in ORDER else getattr(event, "within", None)
        if event.kind == "Operation" and acting is not None and event.node == acting:
            actor = acting  # only the forward of this user's Function has run
        if groups and (event.kind in PASSIVE or actor is not None and actor == acting):
            groups[-1] += [*hooking, event]
        else:
            groups.append([*hooking, event])
            acting = actor if event.kind != "Failed" else None
        hooking = []
    return groups + [[each] for each in hooking]


def highlights(trace, group):
    """The keys that a group is about: nodes, tensors, and edges as ``node:input``."""
    keys = []
    for event in group:
        within_pass = event.computes and (event.pass_number, event.within) != (None, None)
        if within_pass or event.kind in PASSIVE and len(group) > 1:
            continue
        node = getattr(event, "node", None)
        keys += [node, *getattr(event, "inputs", ()), *getattr(event, "outputs", ()), getattr(event, "tensor", None)]
        if event.kind == "Started":
            keys += [key for root in event.roots for key in (root[0], trace.tensor_at(root))]
        elif event.kind == "Ran":
            keys += [f"{node}:{number}" for number, each in enumerate(event.results) if each]
    return tuple(dict.fromkeys(filter(None, keys)))
