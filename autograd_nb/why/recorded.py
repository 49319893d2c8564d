"""A recording: the operations that made each tensor from others, and the events of the backward passes.

Tensors and nodes go by their keys, as in the recording.
"""

import re
from functools import cached_property

from ..microscope.labels import NAMELESS, clean, short, tensor_name
from ..microscope.names import is_ours
from ..microscope.sentences import listed
from .code import SAY, first

CUT_OFF = ".data", "detach"
NUMBERED = re.compile(r" #\d+")  # the number that tells expressions apart


class Recorded:
    """A *trace*; without a trace this counts as False and has no events."""

    def __init__(self, trace, code, is_there):
        self.trace, self.code, self.is_there = trace, code, is_there
        self.tensors, self.nodes = trace.tensors, trace.nodes
        self.of_kinds = {}  # {kinds: their events}

    def __bool__(self):
        return self.is_there

    def events(self, *kinds):
        if kinds not in self.of_kinds:
            self.of_kinds[kinds] = [event for event in self.trace.events if event.kind in kinds]
        return self.of_kinds[kinds]

    # -- names -------------------------------------------------------------------------------------------------------

    @cached_property
    def living(self):
        """``{key: tensor}`` of those that are still there."""
        known = self.trace.living.values()
        return {key: tensor for key, reference in known if (tensor := reference()) is not None}

    def name_for(self, thing):
        """A name for a tensor, a module or an optimizer; None for one that is not in sight and was not recorded."""
        key = self.trace.key_of(thing)
        return self.code.sight.name_for(thing) or key and self.title(key)

    def title(self, key):
        """How an answer calls a tensor: its name, else the module that made it, else the calls that made it."""
        made = self.made_by(key)
        module = self.module_at(made.index if made else self.tensors[key].born)
        other = module and not self.tensors[key].name and SAY("result_of" if made else "factor_of", module=module)
        return self.name_in_sight(key) or other or NUMBERED.sub("", tensor_name(self.trace, key))

    def name_in_sight(self, key):
        return first(self.code.sight.known.get(id(self.living.get(key)), (None, ()))[1])

    def name_of(self, key):
        """The name of a tensor in the code, or ""."""
        return self.name_in_sight(key) or self.tensors[key].name

    def name_at(self, place):
        """The name of the tensor whose gradient arrives at a place, or ""."""
        key = self.trace.tensor_at(place)
        return self.name_of(key) if key else ""

    def source_of(self, key):
        """The key of the tensor whose memory a view, `.data` or detach() gives, or its own key."""
        while (made := self.made_by(key)) and made.inputs and (made.view or made.name in CUT_OFF):
            key = made.inputs[0]
        return key

    # -- forward -----------------------------------------------------------------------------------------------------

    @cached_property
    def made(self):
        """``{key: the event that made the tensor, and those that changed it}``."""
        found = {}
        for event in self.events("Operation", "Changed"):
            for key in (*event.outputs, *dict(getattr(event, "others", ()))):
                found.setdefault(key, []).append(event)
        return found

    def made_by(self, key, before=None):
        """The event that made a tensor, or the last one that made or changed it *before* an event; or None."""
        events = self.made.get(key)
        if events and before is not None:
            events = [each for each in reversed(events) if each.index < before]
        return events[0] if events else None

    @cached_property
    def of_node(self):
        """``{node: the operation that made it}``."""
        return {event.node: event for event in self.events("Operation", "Changed") if event.node}

    def value_before(self, key, index):
        """The value that a tensor had before an event; None if the recording met the tensor first as that changed."""
        for event in reversed(self.events("Changed")):
            found = dict(event.others) | {event.tensor: event.value}
            if event.index < index and key in found:
                return found[key]
        record = self.tensors[key]
        met = self.trace[record.born : record.born + 1]
        return None if any(event.kind == "Changed" and event.tensor == key for event in met) else record.value

    def given_to(self, event):
        """The inputs of an operation, as an answer writes them."""
        pairs = [(self.title(each), self.value_before(each, event.index)) for each in event.inputs]
        return listed(f"{title} = {short(value)}" if value else title for title, value in pairs)

    def upstream(self, keys):
        """These tensors and all that they were computed from, as far as operations show; a step takes numbers only."""
        seen, waiting = {}, list(keys)
        while waiting:
            key = waiting.pop()
            if key not in seen:
                seen[key] = True
                for event in self.made.get(key, ()):
                    if event.kind == "Operation" or event.name.islower():
                        waiting += event.inputs
        return seen

    def downstream(self, keys, cut=False):
        """The tensors from which a gradient could come back to these; *cut*: all that were computed from these."""
        seen = {*keys}
        for event in self.events("Operation", "Changed"):
            if (event.node or cut) and not seen.isdisjoint(event.inputs):
                seen.update(event.outputs)
        return seen

    # -- backward ----------------------------------------------------------------------------------------------------

    @property
    def started(self):
        """The event with which the last backward pass began, or None."""
        return first(self.events("Started")[::-1])

    def pass_of(self, event):
        """The event with which the pass of an event began, or None."""
        return self.trace.passes[event.index]

    def events_of(self, started):
        """The events of a pass."""
        return [event for event, begun in zip(self.trace, self.trace.passes, strict=True) if begun is started]

    def roots_of(self, passes):
        keys = [self.trace.tensor_at(root) for started in passes for root in started.roots]
        return [key for key in keys if key]

    @cached_property
    def roots(self):
        """The keys of the tensors from which the last backward pass started, or should have started."""
        failure, started = self.code.failure, self.started
        begun = failure.event and failure.event.pass_number is not None
        if not begun and (failure.roots or failure.event and (not started or failure.event.index > started.index)):
            return [key for key in map(self.trace.key_of, failure.roots) if key]
        return self.roots_of(self.events("Started")[-1:])

    @cached_property
    def all_roots(self):
        """The roots of the last pass, then those of all others."""
        return self.roots + self.roots_of(self.events("Started"))

    def again(self, started):
        """The first event of the first call of a module that a pass ran again, as checkpoint has it do; or None."""
        calls = [(path, self.trace[start]) for path, start, _ in self.trace.calls]
        inside = {path for path, event in calls if started and event.pass_number == started.pass_number}
        return first(event for path, event in calls if path in inside and event.pass_number is None)

    @property
    def failing(self):
        """The tensors from which the failed pass should have started, as far as they are still there."""
        failure = self.code.failure
        living = [self.living[key] for key in self.roots if key in self.living] if failure.event else []
        # if some do not require grad, PyTorch refuses to start from these
        found = sorted(failure.roots or living, key=lambda each: each.requires_grad)
        return found if self.code.lacking is None else []

    def read_by(self, ran):
        """The values that the formula of a node read, as an answer writes them."""
        given = [f"{self.named_as(each)} = {short(each[1])}" for each in ran.used if each[1] is not None]
        return SAY["and"].join(given) or SAY["its_input"]

    def named_as(self, used):
        """The name of one of the things that a formula read."""
        name, _, key = used
        title = self.title(key) if key else SAY("its_factor" if name == "other" else "its", name=name)
        return title.replace(NAMELESS, SAY["its_factor"])

    def module_at(self, index):
        """The library's module whose call an event was a part of, as an answer writes it; None if it was none."""
        path = first(path for path, start, stop in reversed(self.trace.calls) if start <= index < stop)
        module = path and self.code.sight.resolve(path)
        ours = module is not None and is_ours(type(module).forward.__code__.co_filename)
        return f"{path}, {clean(repr(module))}," if ours else None
