"""A trace: everything that happened while something was recorded, in order, as plain data."""

import sys
from collections import Counter
from contextlib import suppress
from functools import cached_property, partial
from html import escape
from itertools import accumulate

from ..torch_api.contents import homes, load_module
from . import files, sentences, steps
from .expressions import Titles, unlike
from .moments import Moment
from .names import scopes_of
from .presence import loaded
from .recorder import Recorder, recordings
from .turns import parted, turn_of


class Trace:
    """What was recorded: ``events`` in order, the ``tensors`` and ``nodes`` they speak of, and the learner's ``code``.

    ``len``, indexing and iteration are over events; :meth:`steps` puts them in sentences.  ``result`` is what a
    recorded function returned.  ``trace.step()``, ``trace.draw()`` and ``trace.why(x)`` show it.

    >>> import autograd_nb as torch
    >>> x = torch.tensor(5., requires_grad=True)
    >>> with torch.record() as trace:
    ...     y = x ** 3
    ...     y.backward()
    >>> [event.kind for event in trace]
    ['Operation', 'Started', 'Ready', 'Used', 'Ran', 'Freed', 'Ready', 'Accumulated', 'Finished']
    >>> print(trace)
    1. pow computes y = 125 from x; PowBackward0 is recorded for the way back.
    2. Backward pass starts at y with the gradient 1. PowBackward0 is ready: all gradients that lead to it have arrived.
    3. PowBackward0 turns ∂y/∂y into ∂y/∂x: grad_output · 3 · x² = 1 · 3 · 5² = 75.
    4. AccumulateGrad puts 75 into x.grad, which was None.
    5. The backward pass is done.
    """

    def __init__(self, events=(), tensors=None, nodes=None, lines=None, classes=None, calls=(), turns=(), result=None):
        vars(self).clear()  # also the cached properties
        self.events, self.result = tuple(events), result
        self.tensors, self.nodes = tensors or {}, nodes or {}
        self.lines = lines or {}  # {(file, line number): text}
        self.classes = classes or {}  # {path of a module: name of its class}
        self.calls = tuple(calls)  # of modules, in order: (path, index of its first event, and of the first after it)
        self.turns = tuple(turns)
        self.running = None  # the recorder that is at work
        self.derived = {}  # results computed on request: steps by detail
        self.living, self.files = {}, {}  # {id: (key, weak reference)} of tensors still there; {file: its path}

    def fill(self, recorder):
        self.__init__(*recorder.records(), result=self.result)
        self.living = recorder.tensors
        self.files = {name: path for path, name in recorder.names.code.files.items()}
        self.begun = vars(self).pop("turns")  # of any loop; see `turns`

    def __reduce__(self):
        """A copy or a pickle holds the recorded plain data, and neither live tensors nor ``result``."""
        now = self.so_far()
        return Trace, (now.events, now.tensors, now.nodes, now.lines, now.classes, now.calls, now.turns)

    def key_of(self, tensor):
        """The key of a tensor that is still there, or None."""
        key, reference = self.living.get(id(tensor), (None, None))
        return key if key and reference() is tensor else None

    def so_far(self):
        """The trace itself or, while the recording runs, a trace of all events until now."""
        if self.running is None:
            return self
        found = Trace()
        self.running.names.look()
        found.fill(self.running)
        return found

    def __len__(self):
        return len(self.events)

    def __iter__(self):
        return iter(self.events)

    def __getitem__(self, index):
        return self.events[index]

    @cached_property
    def labels(self):
        """``{key of a tensor: its label}``, all different: its name, with its line if several have the name; or ""."""
        counts, found, taken = Counter([record.name for record in self.tensors.values()]), {}, {}
        for key, record in self.tensors.items():
            several = counts[record.name] > 1 and record.name and record.names[0][1]
            label = "{} (line {})".format(*record.names[0]) if several else record.name
            found[key] = label and unlike(label, taken)
        return found

    @cached_property
    def titles(self):
        """The titles of tensors and of nodes' results: a label or, without one, an expression."""
        return Titles(self)

    @cached_property
    def operands(self):
        """``{node: {parameter: key}}`` of the tensors that nodes read."""
        found = {}
        for event in self.events:
            if event.kind == "Used" and event.value is not None:
                found.setdefault(event.node, {})[event.name] = event.tensor
        return found

    @cached_property
    def made(self):
        """The nodes that were made while it was recorded."""
        return {event.node for event in self.events if event.computes}

    @cached_property
    def outputs(self):
        """``{(node, output number): key}`` of the tensors whose gradients arrive at nodes."""
        found = {(record.node, record.output): key for key, record in self.tensors.items() if record.node}
        for event in self.events:
            if event.computes and event.node:
                found.update({(event.node, number): key for number, key in enumerate(event.outputs)})
        found.update({(key, 0): record.leaf for key, record in self.nodes.items() if record.leaf})
        return found

    @cached_property
    def passes(self):
        """For each event the Started of the backward pass that it is part of, or None."""
        found, begun = [], [None]
        for event in self.events:
            if event.kind == "Started":
                begun.append(event)
            found.append(begun[-1])
            if event.kind in ("Finished", "Failed") and begun[-1] and event.pass_number == begun[-1].pass_number:
                begun.pop()
        return found

    @cached_property
    def turns(self):
        """How many events came before each further turn of the loop around the backward passes."""
        return tuple(parted(self, self.begun))

    @cached_property
    def within(self):
        """For each event the modules whose calls it is part of, ``((path, number of the call), …)``, outermost first.

        A module inside another counts as called by that one, even if a container lies between them.
        """
        found = [()] * len(self.events)
        for number, (path, start, stop) in enumerate(self.calls):  # an outer one before those inside it
            above = found[start]
            known = {own for own, _ in above}
            outer = [(each, above[-1][1] if above else None) for each in levels_of(path, self.classes)[:-1]
                     if each not in known]  # fmt: skip
            for index in range(start, stop):
                found[index] = (*above, *outer, (path, number))
        return found

    turn = turn_of

    def tensor_at(self, edge):
        """The key of the tensor whose gradient travels along an edge ``(node, output number)``, or None."""
        return self.outputs.get(edge)

    def below(self, nodes):
        """The keys of nodes and of all that their edges lead to."""
        seen, waiting = {}, list(nodes)
        while waiting:
            key = waiting.pop()
            if key in self.nodes and key not in seen:
                seen[key] = True
                waiting += [node for node, _ in self.nodes[key].edges]
        return list(seen)

    @property
    def code(self):
        """The learner's lines in their order, as pairs ``((file, number), text)``."""
        order = list(dict.fromkeys(file for file, _ in self.lines))
        return sorted(self.lines.items(), key=lambda line: (order.index(line[0][0]), line[0][1]))

    @property
    def notice(self):
        """A sentence when the recording grew too long and ended, else ""."""
        return sentences.event_text(self, self[-1]) if len(self) and self[-1].kind == "Ended" else ""

    def steps(self, detail="fast"):
        """The trace as a list of :class:`Step`: "fast" has one per operation and node, "full" one per event."""
        if detail not in ("fast", "full"):
            raise ValueError(f"detail: expected 'fast' or 'full', got {detail!r}")
        return self.derived.get(detail) or self.derived.setdefault(detail, steps.steps_of(self, detail))

    step = property(lambda self: partial(public("step"), self), doc="``trace.step()`` is ``step(trace)``.")
    draw = property(lambda self: partial(public("draw"), self), doc="``trace.draw()`` is ``draw(trace)``.")
    why = property(lambda self: partial(public("why"), trace=self), doc="``trace.why(x)`` is ``why(x, trace)``.")

    def save(self, path, overwrite=False):
        """Write the trace to a file, ``"trace.json"``, which ``record.load`` reads; without its ``result``.

        One of several processes adds its rank, ``"trace.rank1.json"``.  FileExistsError where there is a file that
        save() did not write, unless *overwrite* is true.
        """
        files.save(files.of_rank(path), {".json": lambda: files.to_json(self)}, overwrite)

    def __str__(self):
        return self.text(len(self))

    def text(self, most=sentences.MOST_SHOWN):
        """The sentences of the steps, numbered, a line each; of more than *most*, only the first ones and the last."""
        steps = [f"{number}. {step.sentence}" for number, step in enumerate(self.steps(), 1)]
        if len(steps) > most:
            steps[most - 2 : -1] = [sentences.say("more", count=len(steps) - most + 1)]
        return "\n".join(steps) or sentences.say("empty")

    def __repr__(self):
        return sentences.summary(self)

    def _repr_html_(self):
        rows = "".join(f"<li>{escape(step.sentence)}</li>" for step in self.steps()[: sentences.MOST_SHOWN])
        return f"<p>{escape(sentences.summary(self))}</p><ol>{rows}</ol>"


def public(name):
    """A function that the package publishes; one from a folder above this one loads when it is used."""
    return getattr(load_module(homes[name]), name)


def levels_of(path, classes):
    """A module's path after the paths of the modules around it, outermost first; all levels of an unknown path."""
    levels = [*accumulate(path.split("."), "{}.{}".format)]
    return [each for each in levels if each in classes] if path in classes else levels


def is_trace(thing):
    """Whether something is a trace, even one from before this module was reloaded."""
    kind = type(thing)
    return isinstance(thing, Trace) or (getattr(kind, "__module__", ""), kind.__qualname__) == (__name__, "Trace")


def within_reach(frame):
    """The traces of the recordings that run here, and in variables of a frame, as they are so far, latest first."""
    held = [value for variables in scopes_of(frame) for _, value in variables if is_trace(value)]
    held += [recorder.trace for recorder in recordings.get()]
    return [trace.so_far() for trace in reversed(held)]


class Recording:
    """The context manager of :func:`record`; ``as`` gives the trace, which is complete when the block ends."""

    recorder = None

    def __init__(self, frame):
        self.frame = frame
        self.trace = Trace()

    def __enter__(self) -> "Trace":
        self.recorder = Recorder(self.frame)
        try:
            self.recorder.begin()
            self.frame, self.trace.running, self.recorder.trace = None, self.recorder, self.trace
            return self.trace
        except BaseException:  # an interrupt: no __exit__ will come
            self.recorder.leave()
            raise

    def __exit__(self, kind, error, traceback):
        try:
            recorder = self.recorder
            recorder.finish(error)
            self.trace.fill(recorder)
            recorder.complain()
        except BaseException:
            self.recorder.leave()
            raise
        finally:
            self.recorder = None

    def __del__(self):
        if self.recorder is not None:  # an interrupt came just before __exit__ began
            self.recorder.leave()


def record(function=None, *inputs):
    """Record what the engine does: in a ``with`` block, or while ``function(*inputs)`` runs.

    ``with record() as trace:`` fills the trace when the block ends; ``record(function, *inputs)`` returns the trace,
    whose ``result`` is what the function returned.  An error inside passes on; the trace is complete up to there.
    TypeError for a *function* that cannot be called.  ``trace.save("trace.json")`` writes a trace to a file, and
    ``record.load("trace.json")`` reads it.

    >>> import autograd_nb as torch
    >>> trace = torch.record(torch.exp, torch.tensor(0.))
    >>> trace.result
    tensor(1.)
    """
    recording = Recording(sys._getframe(1))
    if function is None:
        return recording
    if not callable(function):
        raise TypeError(f"record(): argument 'function' must be callable, got {type(function).__name__}")
    with recording as trace:
        trace.result = function(*inputs)
    return trace


def load(path):
    """The trace that a file of :meth:`Trace.save` holds; nothing in it runs, so it may come from anybody.

    ValueError for a file that is cut short or changed, of another version, or larger than 20 MB.
    """
    return files.from_json(path, checked)


def checked(*parts):
    """A trace of parts from a file; an error if its moments cannot be played to the end."""
    trace = Trace(*parts)
    Moment(trace).advance()
    return trace


record.load = load
if loaded() is not None:
    with suppress(Exception):  # of another version, of which a recording tells
        load_module("microscope.pytorch.forward")  # now, so that the first recording takes no longer than others
