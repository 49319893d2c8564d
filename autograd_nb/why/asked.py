"""The subject of a question: a tensor, :class:`Case`, or a module, an optimizer or a recording, :class:`Whole`."""

import re
from functools import cached_property

from ..microscope.labels import short
from ..microscope.names import is_module, parameters_of
from ..microscope.readings import grad_of, is_leaf, name_of, value_of
from ..microscope.sentences import exchange_of
from .code import SAY, enumerated, first
from .cuts import links_of
from .lost import changed_tensor
from .nodes import bad_kind, is_all_zero, node_of, was_freed
from .sight import params_of


class Asked:
    """The subject of a question, by its *name*, and the evidence."""

    above = frozenset()

    def __init__(self, name, evidence):
        self.name = name
        self.failure, self.sight, self.code, self.recorded = evidence

    @property
    def name_for(self):
        return self.recorded.name_for

    @property
    def record(self):
        return SAY("record", name="" if re.search(r"[ (]", self.name) else f"{self.name}, ")

    @property
    def behind(self):
        """The leaves from which a recorded result without a graph was computed, none of which requires grad."""
        recorded, own = self.recorded, [self.key] * bool(self.key)
        names = [name for key in recorded.upstream(own)
                 if key not in own and recorded.made_by(key) is None and (name := recorded.name_of(key))]  # fmt: skip
        return SAY("behind", names=enumerated(names)) if names else ""


class Case(Asked):
    """A tensor that somebody asks about, or None for an error that came before there was one."""

    node = grad = value = key = node_key = None
    is_leaf = False

    def __init__(self, tensor, name, evidence):
        super().__init__(name, evidence)
        self.tensor = tensor
        if tensor is not None:
            self.node = node_of(tensor)
            self.is_leaf = self.node is None or is_leaf(self.node)
            self.grad = grad_of(tensor)
            self.value = value_of(self.grad)
            self.key = self.recorded.trace.key_of(tensor)
            self.node_key = self.recorded.tensors[self.key].node if self.key else None

    @cached_property
    def about(self):
        """The kind of question: "failed", "constant", "none", "bad", "zero" or "value"."""
        if self.node and not self.is_leaf and changed_tensor(self):
            return "failed"
        if not self.is_leaf and bad_kind(value_of(self.tensor)):
            return "wrong"
        if self.is_apart and (links_of(self) or self.is_leaf):
            return "constant"
        if self.grad is None:
            return "constant" if self.node is None else "none"
        return "bad" if bad_kind(self.value) else "zero" if is_all_zero(self.value) else "value"

    @cached_property
    def is_apart(self):
        """Whether a pass started from it and reached no parameter that an optimizer or a module trains."""
        sight, trained = self.sight, self.sight.trained
        if self.node is None or self.tensor.numel() != 1 or not (self.is_leaf or trained):
            return False
        if self.recorded:
            started = self.key in self.recorded.all_roots
        else:  # the .grad of a number from which a pass starts is 1
            started = self.is_leaf and self.total == "1" or any(map(was_freed, sight.below(self.tensor)))
        return started and trained.isdisjoint(map(id, sight.leaves_behind(self.tensor)))

    @property
    def ends_here(self):
        """Whether the question is why no gradient goes on from here, and not why none comes here."""
        return not self.node or self.is_apart

    @property
    def is_parameter(self):
        """Whether a module in sight has it as a parameter."""
        return id(self.tensor) in self.sight.owned

    # -- facts that the words name ----------------------------------------------------------------------------------

    @property
    def head(self):
        kind = self.about if self.about in ("bad", "wrong", "zero", "value") else "none" if self.node else "frozen"
        if self.about == "constant" and self.node:
            kind = "untrained"
        told = {"bad": self.kinds, "wrong": self.kinds, "value": self.total}.get
        return SAY(kind, name=self.name, value=told(kind))

    @property
    def kinds(self):
        return bad_kind(self.value) or bad_kind(value_of(self.tensor))

    @property
    def total(self):
        return short(self.value)

    @property
    def that(self):
        return self.kinds or SAY["zeros"]

    @property
    def operation(self):
        return name_of(self.node)

    @cached_property
    def optimizer(self):
        """The name of an optimizer in sight that holds the tensor, or None."""
        return first(name for name, each in self.sight.optimizers for part in params_of(each) if part is self.tensor)

    # -- the graphs that it is in ------------------------------------------------------------------------------------

    @cached_property
    def graphs_in_sight(self):
        """``[(tensor, whether it leads to this one, whether its graph is freed)]`` of the other results in sight."""
        return [(each, self.node in self.sight.below(each), gone) for each, gone in self.sight.results
                if each is not self.tensor]  # fmt: skip

    @cached_property
    def above(self):
        """The keys of its own node and of the recorded nodes above it, whose edges lead to it."""
        found = {self.node_key} - {None}
        for key, record in self.recorded.nodes.items():  # an edge leads to one before it
            if any(node in found for node, _ in record.edges):
                found.add(key)
        return found

    def passed_on(self, event, but=None):
        """The gradients that a node passed on towards it, except to *but*."""
        pairs = zip(self.recorded.nodes[event.node].edges, event.results, strict=False)
        return [value for (node, _), value in pairs if value and node in self.above and node != but]

    @cached_property
    def node_output(self):
        """``(node, output number)`` where its gradient arrives."""
        record = self.recorded.tensors.get(self.key)
        return record and (record.node, record.output)

    def grad_before(self, event):
        """The snapshot of its .grad when an event happened."""
        events = [each for each in self.history if each.kind != "Changed"] + self.exchanges
        last = max((each for each in events if each.index < event.index), key=lambda each: each.index, default=None)
        if last is None:
            return self.recorded.tensors[self.key].grad
        return last.total if last.kind == "Accumulated" else last.value

    @property
    def exchanges(self):
        """The events by which other processes changed its .grad."""
        key = self.recorded.trace.key_of(self.grad)
        return [event for event in self.recorded.made.get(key, ()) if exchange_of(event)]

    @cached_property
    def history(self):
        """The recorded events of its .grad and of changes to itself, in order."""
        events = self.recorded.events("Accumulated", "Zeroed", "GradSet", "Changed")
        return [event for event in events if self.key and event.tensor == self.key]


class Whole(Asked):
    """A module, an optimizer or, for the tensors that somebody asks about, a recording."""

    tensor = key = None

    def __init__(self, thing, name, evidence):
        super().__init__(name, evidence)
        self.about = "trace" if thing is None else "module" if is_module(thing) else "optimizer"
        self.thing = thing

    @cached_property
    def parameters(self):
        """``[(name, tensor)]`` of a module's or an optimizer's parameters."""
        own = parameters_of(self.thing) or [("", each) for each in params_of(self.thing)]
        named = [(self.name_for(each) or path and self.name + path, each) for path, each in own]
        return [pair for pair in named if pair[0]]
