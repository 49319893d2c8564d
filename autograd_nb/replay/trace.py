"""A trace: everything that happened while something was recorded, in order, as plain data."""

import json
import sys
from dataclasses import asdict, dataclass

from . import events as _events

VERSION = 1


@dataclass(frozen=True, slots=True)
class TensorRecord:
    """What a trace knows of a tensor as it was at the end; *names* are ``(name, line)`` pairs, the learner's."""

    key: str
    names: tuple
    shape: tuple
    dtype: str
    requires_grad: bool
    is_leaf: bool
    retains_grad: bool
    node: str | None
    output: int
    value: _events.Value

    @property
    def name(self):
        """The learner's name for it, or an empty text."""
        return self.names[0][0] if self.names else ""


@dataclass(frozen=True, slots=True)
class NodeRecord:
    """What a trace knows of a node: its edges are ``(node or None, output number)`` pairs."""

    key: str
    name: str
    edges: tuple
    row: str | None
    saves: tuple
    freed: bool
    leaf: str | None


class Trace:
    """What was recorded: ``events`` in order, the ``tensors`` and ``nodes`` they speak of, and the learner's ``code``.

    >>> import autograd_nb as torch
    >>> x = torch.tensor(5., requires_grad=True)
    >>> with torch.record() as trace:
    ...     y = x ** 3
    ...     y.backward()
    >>> [event.kind for event in trace]
    ['Operation', 'Started', 'Ready', 'Ran', 'Freed', 'Accumulated', 'Finished']
    """

    def __init__(self, events=(), tensors=None, nodes=None, lines=None, dropped=0, result=None):
        self.events = tuple(events)
        self.tensors = tensors or {}
        self.nodes = nodes or {}
        self.lines = lines or {}  # (file, line number) -> text
        self.dropped = dropped
        self.result = result

    def __len__(self):
        return len(self.events)

    def __iter__(self):
        return iter(self.events)

    def __getitem__(self, index):
        return self.events[index]

    def to_json(self):
        """The whole trace as JSON text, but for its result."""
        return json.dumps({
            "version": VERSION,
            "events": [event.as_dict() for event in self.events],
            "tensors": {key: asdict(record) for key, record in self.tensors.items()},
            "nodes": {key: asdict(record) for key, record in self.nodes.items()},
            "lines": [[*place, text] for place, text in self.lines.items()],
            "dropped": self.dropped,
        })  # fmt: skip


class Recording:
    """The context manager of :func:`record`; ``as`` gives the trace, which is complete when the block ends."""

    def __init__(self, frame):
        self.frame = frame
        self.trace = Trace()

    def __enter__(self):
        from .recorder import start

        self.recorder = start(self.frame)
        self.frame = None
        return self.trace

    def __exit__(self, kind, error, traceback):
        self.recorder.finish(error)
        tensors, nodes = self.recorder.records()
        self.trace.__init__(self.recorder.events, tensors, nodes, self.recorder.lines, self.recorder.dropped,
                            self.trace.result)  # fmt: skip
        self.recorder = None


def record(function=None, *inputs):
    """Record what the engine does: in a ``with`` block, or while ``function(*inputs)`` runs.

    ``with record() as trace:`` fills the trace when the block ends; ``record(function, *inputs)`` returns the trace,
    whose ``result`` is what the function returned.
    """
    recording = Recording(sys._getframe(1))
    if function is None:
        return recording
    with recording as trace:
        trace.result = function(*inputs)
    return trace
