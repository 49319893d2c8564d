"""A recording's moments: the graph and the tensors as they are after each event.

The graph has everything computed so far; on it lies the latest backward pass: gradients on the edges they took, the
edges still to come, changes made by hooks, freed nodes, and the place where an error was raised.  A living graph
is a recording in which nothing has happened yet.
"""

from collections import namedtuple
from operator import attrgetter

from ..words import of
from .events import DATA, DETACHED
from .labels import SAY as VALUES
from .labels import in_line, plain_name, precise
from .sentences import edges_in_words, on_ran

SAY = of("drawing")
FEW_NODES = 60  # in a larger graph no arrow says how its gradient came about
Call = namedtuple("Call", "key name inputs outputs")  # inputs and outputs: keys of values, a list and a dict


class Noted(dict):
    """A dict that adds each key to a set when its value changes: by an assignment, `update` or `clear`."""

    def __init__(self, changed):
        self.changed = changed

    def __setitem__(self, key, it):
        self.changed.add(key)
        super().__setitem__(key, it)

    def update(self, others):
        self.changed.update(others)
        super().update(others)

    def clear(self):
        self.changed.update(self)
        super().clear()


def gradient(value, hook="", hint=""):
    """The parts of an edge along which a gradient went, and what a hook there did."""
    return {"kind": "gradient", "label": "" if hook else in_line(value), "hook": hook, "hint": hint or precise(value)}


def flag_of(hooked):
    return f"{VALUES['hooked']} {hooked.hook.partition(' ')[0].partition('(')[0]}"


def changed_entries(event):
    """``(key, new entries)`` of the tensors that an event changes."""
    match event.kind:
        case "Operation":
            return [(key, {"cut": event.cut}) for key in event.outputs]
        case "Changed":
            pairs = (event.tensor, event.value), *event.others
            return [(key, {"value": value, "version": event.version}) for key, value in pairs]
        case "Retained" | "Zeroed" | "GradSet":
            return [(event.tensor, {"grad": event.value})]
        case "Accumulated":
            return [(event.tensor, {"grad": event.total})]
    return []


def is_inside(event):
    """Whether a hook, a formula or a user's Function ran this operation for itself."""
    return event.node is None and (event.pass_number, event.within) != (None, None)


class Moment:
    """The calls and values of a trace with their relations, and the entries of its tensors, before the first event.

    `advance` goes on; then they are as they were after so many events. `now` holds the keys of the current step.

    An entry has value and grad (a Value, or None), version, and cut: why nothing passes into the tensor, or None.

    values: key -> kind of box ("leaf", "constant", "tensor"); roots: the values at which backward starts; ends: the
    values at which any pass started so far. leaves: values with a .grad that a node adds to -> key of that node. sent:
    (call, input number) -> parts of the `Edge` on which a gradient leaves; received: (call, or node that adds into a
    leaf, and value) -> parts of the `Edge` on which it arrives. cuts: (value, call or value) -> reason. views: pairs
    of values that share memory. shown: values that get a box though no call has them. *changed* has each key that was
    set in any of these, until somebody empties it. brief: whether only values with a name get a box; is_alone: whether
    only what led to the latest pass gets one.
    """

    brief = is_alone = False

    def __init__(self, trace):
        self.trace, self.changed, self.ends = trace, set(), {}
        self.calls, self.values, self.roots, self.leaves = map(Noted, [self.changed] * 4)
        self.sent, self.received, self.cuts, self.views, self.shown = map(Noted, [self.changed] * 5)
        self.keys = {}  # (node, output number) -> key of that value
        self.at, self.tensor_of = {}, {}  # tensor -> key of its latest value, and back
        self.entries, self.kept = Noted(self.changed), {}  # kept: entries of values that are no longer the latest
        self.notes, self.troubles = Noted(self.changed), Noted(self.changed)
        self.starts = []  # where the latest pass began, or will begin
        self.saved = {}  # node -> {name: value}
        self.flags = {}  # tensor -> further words about it
        self.within = {}  # call -> the modules whose calls it was part of, as far as these were seen
        self.slices = [(key, record) for key, record in trace.nodes.items()
                       if record.name == "CopySlices" and key not in trace.made]  # fmt: skip
        for event in trace:
            if event.kind == "Used" and event.value is not None:
                self.saved.setdefault(event.node, {})[event.name] = event.value
            elif event.kind == "Started" and not self.starts:
                self.starts = event.roots
        self.count, self.now = 0, ()  # count: how many events have happened
        self.coming = sorted(trace.tensors.values(), key=attrgetter("born"), reverse=True)
        self.hints = {}  # (node, output) -> how the gradient there came about
        # node -> event; nodes that read a changed tensor; freed nodes
        self.ran, self.in_trouble, self.freed = map(Noted, [self.changed] * 3)
        self.freed.update(dict.fromkeys(key for key, record in trace.nodes.items() if record.freed))
        self.come()

    def call(self, key, name, inputs):
        self.calls[key] = Call(key, name, inputs, {})

    def origins(self):
        return {value: call.key for call in self.calls.values() for value in call.outputs}

    def entry(self, tensor):
        if tensor in self.entries:
            return self.entries[tensor]
        record = self.trace.tensors[tensor]
        return {"value": record.value, "grad": record.grad, "version": record.version, "cut": None}

    def entry_at(self, key):
        """The entry of a value, as it is or was; None if nothing is known."""
        tensor = self.tensor_of.get(key)
        return self.kept.get(key) or (self.entry(tensor) if tensor in self.trace.tensors else None)

    def put(self, key, kind, tensor=None):
        if key not in self.values:
            self.values[key] = kind
        if tensor is not None:
            before = self.at.get(tensor, key)
            if before != key:
                self.kept[before] = self.entry(tensor)
                self.changed.add(before)
            self.tensor_of[key], self.at[tensor] = tensor, key
        return key

    def arriving(self, edge):
        """The key of the value whose gradient goes along an edge; nodes from before the recording are added first."""
        node, number = edge
        if node is None or node not in self.trace.nodes:
            return None
        leaf = self.trace.nodes[node].leaf
        if leaf is not None:
            self.keys[node, 0] = key = self.at.get(leaf) or self.put(leaf, "leaf", leaf)
            self.values[key] = "leaf"
            return key
        if node not in self.calls:
            below = {*self.trace.below([node])}
            for each, record in self.trace.nodes.items():  # inputs come before their consumers
                if each in below and record.leaf is None:
                    self.add_node(each)
        if edge not in self.keys:
            tensor = self.trace.tensor_at(edge) if node not in self.trace.made else None
            self.output(node, number, tensor)
        return self.keys[edge]

    def add_node(self, key, others=()):
        if key not in self.calls:
            record = self.trace.nodes[key]
            inputs = [self.arriving(edge) for edge in record.edges]
            self.call(key, record.name, inputs + [value for value in others if value not in inputs])

    def output(self, call, number, tensor=None, key=None):
        key = self.put(self.keys.setdefault((call, number), key or tensor or f"{call}:{number}"), "tensor", tensor)
        self.calls[call].outputs[key] = None
        self.changed.add(call)
        return key

    def latest_value(self, tensor):
        """The key of a tensor's latest value; one from before the recording brings its graph along."""
        if tensor in self.at:
            return self.at[tensor]
        record = self.trace.tensors.get(tensor)
        if record is not None and record.node and self.trace.made.isdisjoint(self.trace.below([record.node])):
            return self.arriving((record.node, record.output))
        in_vain = record is not None and record.requires_grad and record.is_leaf  # no gradient reaches it
        return self.put(tensor, "leaf" if in_vain else "constant", tensor)

    def has_gradient(self, key):
        return self.values[key] == "leaf" or key in self.keys.values()

    def come(self):
        """Add the tensors that exist by now."""
        while self.coming and self.coming[-1].born <= self.count:
            key = self.coming.pop().key
            self.entries[key] = self.entry(key)

    def advance(self, count=None, now=()):
        """Go on to the moment after so many events, or to the end."""
        self.changed.update(self.now, now)
        self.now = now
        for event in self.trace.events[self.count : count]:
            if happen := getattr(self, "after_" + event.kind, None):
                happen(event)
            for key, news in changed_entries(event):
                self.entries[key] = self.entry(key) | news
            self.count += 1
            if self.coming and self.coming[-1].born <= self.count:
                self.come()
        roots = {key: None for root in self.starts if (key := self.keys.get(root)) in self.values}
        if roots != self.roots:
            self.roots.clear()
            self.roots.update(roots)
        return self

    def changes(self):
        """The keys that have changed since the last call."""
        found = {*self.changed}
        self.changed.clear()
        found.update(*[key for key in found if type(key) is tuple])
        found.update(map(self.at.get, found & self.at.keys()))
        return found.union([leaf for leaf, adder in self.leaves.items() if adder in found])

    def after_Operation(self, event):
        if is_inside(event):
            return
        inputs = [self.latest_value(tensor) for tensor in event.inputs]
        if event.name in (DETACHED, DATA):
            for tensor in event.outputs:
                key = self.put(tensor, "constant", tensor)
                if self.has_gradient(inputs[0]):
                    self.cuts[inputs[0], key] = event.name
                    self.shown.update(dict.fromkeys((inputs[0], key)))
            return
        call = event.node or f"op{event.index}"
        self.within[call] = self.trace.within[event.index]
        if event.node is None:
            self.call(call, plain_name(event.name), inputs)
            if event.cut:
                self.cuts.update({(key, call): event.cut for key in inputs if self.has_gradient(key)})
        else:
            self.add_node(call, inputs)
            self.remember_saved(call, event.inputs, event.values[0])
        for number, tensor in enumerate(event.outputs):
            if tensor in event.inputs:
                continue
            if event.node:
                self.output(call, number, tensor)
            else:  # no gradient arrives at it
                self.calls[call].outputs[self.put(tensor, "tensor", tensor)] = None
            if event.view:
                self.views[inputs[0], self.at[tensor]] = None

    def remember_saved(self, call, inputs, result):
        """Note the saved inputs, if each input's parameter is certain; later events show what else the node saved."""
        record, known = self.trace.nodes[call], self.saved.setdefault(call, {})
        if len(inputs) == len(record.inputs):
            for name, tensor in zip(record.inputs, inputs, strict=True):
                if name in record.saves:
                    known.setdefault(name, self.entry(tensor)["value"])
        if "result" in record.saves:
            known.setdefault("result", result)

    def after_Changed(self, event):
        if is_inside(event):
            return
        before, others = self.latest_value(event.tensor), [self.latest_value(tensor) for tensor in event.inputs]
        if event.node in self.trace.nodes and event.node not in self.calls:
            self.within[event.node] = self.trace.within[event.index]
            self.add_node(event.node, others)
            self.remember_saved(event.node, event.inputs, event.value)
            self.output(event.node, 0, event.tensor, f"{event.tensor}@{event.node}")
            self.notes[before] = [SAY["OVERWRITTEN"]]
        for tensor, _ in event.others:
            self.rebase(tensor)

    def rebase(self, tensor):
        """Add a new value of a tensor whose storage another one changed, if its history continues in CopySlices."""
        before = self.latest_value(tensor)
        for call, record in self.slices:
            goes_on = call not in self.calls and self.keys.get(record.edges[0]) == before
            if goes_on and self.trace.tensor_at((call, 0)) == tensor:
                self.notes[before] = [SAY["OVERWRITTEN"]]
                self.add_node(call)
                self.output(call, 0, tensor, f"{tensor}@{call}")
                break

    def after_Started(self, event):
        """A pass begins: remove all that the pass before left on the graph, and open the edges of this one."""
        self.starts = event.roots
        for before in (self.sent, self.received, self.leaves, self.troubles):
            before.clear()
        for node in self.trace.below(node for node, _ in event.roots):
            record = self.trace.nodes[node]
            unseen = record.leaf is not None or node not in self.calls
            for value in [self.arriving((node, 0))] if unseen else self.calls[node].outputs:
                self.received[node, value] = {"kind": "backward"}
                if record.leaf is not None:
                    self.leaves[value] = node
            for number, (under, _) in enumerate(record.edges):
                if under:
                    self.sent[node, number] = {"kind": "backward"}
        for root, value in zip(event.roots, event.grads, strict=True):
            if root[0]:
                self.ends[self.arriving(root)] = None
                self.arrive(root, value)
        self.hang()

    def hang(self):
        """Mark each tensor that has a hook which this pass will call; the mark stays until the call."""
        for event in self.trace.events[self.count + 1 :]:
            if event.kind in ("Started", "Finished", "Failed"):
                break
            if event.kind == "Hooked":
                self.hooks_at(event).append(flag_of(event))

    def hooks_at(self, event):
        """The marks at the tensor whose hook was called; for a node's hook, a list that nobody sees."""
        key = self.arriving((event.node, event.output))
        if event.stage not in ("tensor", "accumulated_hooks") or key not in self.tensor_of:
            return []
        self.changed.add(key)
        return self.flags.setdefault(self.tensor_of[key], [])

    def arrive(self, edge, value, hook=""):
        """A gradient has come to a node, or to a leaf's .grad."""
        place = edge[0], self.arriving(edge)
        if None not in place and value is not None and (hook or self.hook_at(place) == ""):
            self.received[place] = gradient(value, hook, not hook and self.hints.get(edge))

    def hook_at(self, place):
        """The text of a hook's change to the gradient that arrived there; None if no gradient can arrive."""
        return self.received[place].get("hook", "") if place in self.received else None

    def after_Summed(self, event):
        self.hints.pop(event.edge, None)  # it was about one path only
        self.arrive(event.edge, event.total)

    def after_Ran(self, event):
        self.ran[event.node] = event
        for number, value in enumerate(event.grads):
            if (event.node, number) in self.keys:
                self.arrive((event.node, number), value)
        told = edges_in_words(self.trace, event) if len(self.trace.nodes) <= FEW_NODES else {}
        for number, value in enumerate(event.results):
            if value is not None and (event.node, number) in self.sent:
                self.sent[event.node, number] = sent = gradient(value, hint=told.get(number))
                under = self.trace.nodes[event.node].edges[number]
                way = self.received.get((under[0], self.keys.get(under)))
                if way is not None:
                    self.hints[under] = sent["hint"]
                    if way == {"kind": "backward"}:  # it waits there
                        self.received[under[0], self.keys[under]] = way | {
                            "label": in_line(value), "hint": sent["hint"]}  # fmt: skip

    def after_Hooked(self, event):
        marks, flag = self.hooks_at(event), flag_of(event)
        if flag in marks:
            marks.remove(flag)
        if event.before is None:
            return
        before, name = in_line(event.before), event.hook if event.hook.isidentifier() else ""
        text = f"{before} → {in_line(event.after)}" if event.after is not None else before
        if event.stage != "tensor":
            name = SAY["HOOK_AT"][event.stage]
        text = f"{name or VALUES['hooked']}: {text}" if name or event.after is None else text
        after = event.after or event.before
        if event.stage == "post_hooks":
            self.sent[event.edge] = gradient(after, text)
        else:
            place = event.node, self.arriving(event.edge)
            earlier = self.hook_at(place) or ""
            if event.after is None and earlier.endswith(f": {before}"):  # neither hook changed it
                text = f"{earlier.removesuffix(f': {before}')} · {text}"
            elif earlier:
                text = f"{earlier}, {text}"
            self.arrive(event.edge, after, text)

    def after_Accumulated(self, event):
        leaf = self.arriving((event.node, 0))
        if event.grad is not None:
            self.leaves[leaf] = event.node
            if not self.hook_at((event.node, leaf)):
                self.received[event.node, leaf] = gradient(event.grad)

    def after_Captured(self, event):
        key = self.arriving(event.edge)
        if self.leaves.pop(key, None):  # nothing is added up there
            self.changed.add(key)
        if event.value is not None:
            self.arrive(event.edge, event.value)
            self.notes[key] = [SAY["RETURNED"].format(in_line(event.value))]

    def after_Freed(self, event):
        self.freed[event.node] = None

    def after_FoundModified(self, event):
        is_result = event.name not in self.trace.nodes[event.node].inputs
        cause = self.at.get(event.tensor) or (self.keys.get((event.node, 0)) if is_result else None)
        self.troubles[cause] = SAY["CHANGED"]
        self.in_trouble[event.node] = None

    def after_Failed(self, event):
        self.troubles[event.node] = event.error

    # -- in words ----------------------------------------------------------------------------------------------------

    def name(self, key):
        return self.trace.labels.get(self.tensor_of.get(key), "")

    def title(self, key):
        node, _, number = key.partition(":")
        return self.trace.titles[(node, int(number)) if number else self.tensor_of.get(key)]

    def rule(self, key):
        """How a call turned gradients of its outputs into those of its inputs, with the numbers put in."""
        return on_ran(self.trace, self.ran[key]) if key in self.ran else ""
