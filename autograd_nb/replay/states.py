"""What is so after each step of a trace: values and .grad of tensors, gradients on their way, what nodes have done.

A state is three plain dicts of plain dicts, so that two of them can be compared:

- ``tensors[key]``: value, grad (Value or None), version, retained, cut (why nothing passes into it, or None);
- ``nodes[key]``: status ("idle", "pending", "ready", "ran", "failed"), freed, and grads: what has arrived so far;
- ``edges["node:input"]``: value, the gradient that this input of the node was given, and whether it is on its way
  (moving) or has arrived; ``"start:number"`` is what a pass began with.
"""

from dataclasses import dataclass, field

PARTS = ("tensors", "nodes", "edges")


@dataclass(slots=True)
class State:
    tensors: dict = field(default_factory=dict)
    nodes: dict = field(default_factory=dict)
    edges: dict = field(default_factory=dict)

    def change(self, changes):
        """Let changes happen: ``{part: {key: {field: new value}, or None where it is gone}}``."""
        for part, entries in changes.items():
            mine = getattr(self, part)
            for key, news in entries.items():
                if news is None:
                    mine.pop(key, None)
                else:
                    mine[key] = mine.get(key, {}) | news

    def copy(self):
        return State(*(dict(getattr(self, part)) for part in PARTS))


def changes_of(trace, steps):
    """``(first, changes)``: the state before the first step, and what each step changes."""
    replay = Replay(trace)
    first = replay.state.copy()
    found = []
    for step in steps:
        replay.before = {}
        for event in step.events:
            replay.take(event)
        found.append(replay.changes())
    return first, found


class Replay:
    """A state that follows the events one by one; *before* holds what entries were that have changed since."""

    def __init__(self, trace):
        self.trace = trace
        self.state = State()
        self.before = {}
        self.moving = {}  # node -> keys of the edges on which gradients are on their way to it
        self.newborn = sorted(trace.tensors.values(), key=lambda record: record.born, reverse=True)
        self.appear(0)

    def changes(self):
        found = {}
        for (part, key), old in self.before.items():
            new = getattr(self.state, part).get(key)
            if new != old:
                news = new and {name: value for name, value in new.items() if old is None or old[name] != value}
                found.setdefault(part, {})[key] = news
        return found

    def put(self, part, key, entry):
        entries = getattr(self.state, part)
        self.before.setdefault((part, key), entries.get(key))
        if entry is None:
            entries.pop(key, None)
        else:
            entries[key] = entry

    def appear(self, index):
        """Tensors that were there before event *index* enter the state."""
        while self.newborn and self.newborn[-1].born <= index:
            self.enter(self.newborn.pop())

    def enter(self, record):
        if record.key not in self.state.tensors:
            self.put("tensors", record.key, {"value": record.value, "grad": record.grad, "version": record.version,
                                             "retained": False, "cut": None})  # fmt: skip
        if record.is_leaf and record.node:
            self.node(record.node)

    def tensor(self, key, **news):
        if key in self.trace.tensors:
            self.enter(self.trace.tensors[key])
            self.put("tensors", key, self.state.tensors[key] | news)

    def node(self, key, **news):
        if key in self.trace.nodes:
            new = {"status": "idle", "freed": self.trace.nodes[key].freed, "grads": ()}
            self.put("nodes", key, self.state.nodes.get(key, new) | news)

    def take(self, event):
        getattr(self, "on_" + event.kind.lower(), lambda event: None)(event)
        self.appear(event.index + 1)

    def on_operation(self, event):
        for key in event.outputs:
            self.tensor(key, cut=event.cut)
        self.node(event.node)

    def on_changed(self, event):
        self.tensor(event.tensor, value=event.value, version=event.version)
        for key, value in event.others:
            self.tensor(key, value=value, version=event.version)
        self.node(event.node)

    def on_started(self, event):
        for key in list(self.state.edges):
            self.put("edges", key, None)
        self.moving.clear()
        for key in sorted(below(self.trace, [node for node, _ in event.roots])):
            self.node(key, status="pending", grads=())
        for number, ((node, output), value) in enumerate(zip(event.roots, event.grads, strict=True)):
            self.travel(f"start:{number}", value, (node, output))

    def on_ready(self, event):
        self.node(event.node, status="ready")

    def on_summed(self, event):
        grads = dict(self.state.nodes.get(event.node, {}).get("grads", ()))
        self.node(event.node, grads=tuple(sorted((grads | {event.output: event.total}).items())))

    def on_ran(self, event):
        self.arrive(event.node)
        self.node(event.node, status="ran", grads=())
        self.send(event.node, event.results)

    def on_hooked(self, event):
        if event.after is None:
            return
        if event.stage == "post_hooks":
            self.send(event.node, {event.output: event.after})
        elif event.stage in ("tensor", "pre_hooks"):
            self.node(event.node, grads=((event.output, event.after),))

    def on_captured(self, event):
        self.arrive(event.node)

    def on_accumulated(self, event):
        self.arrive(event.node)
        self.node(event.node, status="ran", grads=())
        self.tensor(event.tensor, grad=event.total)

    def on_retained(self, event):
        self.tensor(event.tensor, grad=event.value, retained=True)

    def on_freed(self, event):
        self.node(event.node, freed=True)

    def on_zeroed(self, event):
        self.tensor(event.tensor, grad=event.value)

    on_gradset = on_zeroed

    def on_failed(self, event):
        self.node(event.node, status="failed")

    def send(self, node, results):
        edges = self.trace.nodes[node].edges if node in self.trace.nodes else ()
        for number, value in results.items() if isinstance(results, dict) else enumerate(results):
            if value is not None and number < len(edges) and edges[number][0] is not None:
                self.travel(f"{node}:{number}", value, edges[number])

    def travel(self, key, value, to):
        self.put("edges", key, {"value": value, "moving": True, "to": tuple(to)})
        self.moving.setdefault(to[0], []).append(key)

    def arrive(self, node):
        """All gradients that were on their way to a node have arrived."""
        for key in self.moving.pop(node, ()):
            self.put("edges", key, self.state.edges[key] | {"moving": False})


def below(trace, nodes):
    seen, waiting = {}, list(nodes)
    while waiting:
        key = waiting.pop()
        if key in trace.nodes and key not in seen:
            seen[key] = True
            waiting += [node for node, _ in trace.nodes[key].edges if node is not None]
    return list(seen)
