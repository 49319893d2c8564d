"""What can happen: the typed, immutable events of a trace, and snapshots of the values in them.

Tensors and nodes appear in events as keys (``t3``, ``n5``); the trace says what each key stands for.
"""

from dataclasses import dataclass, fields

import numpy as np

WHOLE = 64  # elements up to which a snapshot keeps every value
THUMBNAIL = 8  # rows and columns of the sample kept of a larger one


@dataclass(frozen=True, slots=True)
class Value:
    """A snapshot of elements: all of them as nested lists, or for many their shape, extremes, mean and a sample."""

    shape: tuple
    dtype: str
    data: object = None
    low: float | None = None
    high: float | None = None
    mean: float | None = None
    sample: object = None

    @property
    def is_whole(self):
        return self.data is not None


def snapshot(array, dtype):
    """The :class:`Value` of an array or NumPy scalar."""
    array = np.asarray(array)
    if array.size <= WHOLE:
        return Value(array.shape, dtype, array.tolist())
    with np.errstate(all="ignore"):
        numbers = array.astype(np.float64)
        low, high, mean = (float(measure(numbers)) for measure in (np.min, np.max, np.mean))
    grid = array.reshape(-1, array.shape[-1]) if array.ndim > 1 else array.reshape(1, -1)
    rows, columns = (np.unique(np.linspace(0, length - 1, THUMBNAIL).astype(int)) for length in grid.shape)
    return Value(array.shape, dtype, None, low, high, mean, grid[np.ix_(rows, columns)].tolist())


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened: its place in the trace, and the learner's line that led to it."""

    index: int
    line: int | None

    @property
    def kind(self):
        return type(self).__name__

    def as_dict(self):
        """The event as plain data."""
        return {"kind": self.kind} | {field.name: _plain(getattr(self, field.name)) for field in fields(self)}


def _plain(value):
    if isinstance(value, Value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)
                if getattr(value, field.name) is not None or field.name == "data"}  # fmt: skip
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return value


@dataclass(frozen=True, slots=True)
class Operation(Event):
    """A forward operation ran; *node* is None when it was not recorded."""

    name: str
    node: str | None
    inputs: tuple
    outputs: tuple
    values: tuple
    pass_number: int | None  # the backward pass that it was part of, under create_graph or in a hook


@dataclass(frozen=True, slots=True)
class Changed(Event):
    """A tensor was changed in place and its version moved on."""

    name: str
    node: str | None
    tensor: str
    inputs: tuple
    value: Value
    version: int
    pass_number: int | None


@dataclass(frozen=True, slots=True)
class Started(Event):
    """A backward pass began at these roots with these gradients."""

    pass_number: int
    roots: tuple
    grads: tuple
    retain_graph: bool
    create_graph: bool


@dataclass(frozen=True, slots=True)
class Ready(Event):
    """All gradients that lead to a node have arrived."""

    node: str


@dataclass(frozen=True, slots=True)
class Ran(Event):
    """A node turned the gradients of its outputs into gradients of its inputs."""

    node: str
    grads: tuple
    results: tuple
    used: tuple  # (name, Value) of what the node saved and its formula read


@dataclass(frozen=True, slots=True)
class Hooked(Event):
    """A hook saw the gradient of a tensor; *after* is None when it left it as it was."""

    node: str
    output: int
    hook: str
    before: Value
    after: Value | None


@dataclass(frozen=True, slots=True)
class Summed(Event):
    """A further gradient arrived at a node and was added to those before."""

    node: str
    added: Value
    total: Value


@dataclass(frozen=True, slots=True)
class Accumulated(Event):
    """A gradient was added into a leaf's .grad."""

    node: str
    tensor: str
    grad: Value
    before: Value | None
    total: Value


@dataclass(frozen=True, slots=True)
class Retained(Event):
    """A gradient was kept in the .grad of a tensor that is no leaf."""

    node: str
    tensor: str
    value: Value


@dataclass(frozen=True, slots=True)
class Freed(Event):
    """What a node had saved was let go."""

    node: str


@dataclass(frozen=True, slots=True)
class Zeroed(Event):
    """The .grad of a leaf was set to zero or to None by the learner."""

    tensor: str
    value: Value | None


@dataclass(frozen=True, slots=True)
class Failed(Event):
    """An error ended what was under way."""

    node: str | None
    error: str
    message: str


@dataclass(frozen=True, slots=True)
class Finished(Event):
    """A backward pass came to its end."""

    pass_number: int


KINDS = {cls.__name__: cls for cls in Event.__subclasses__()}


def event_from(data):
    """The event that :meth:`Event.as_dict` wrote."""
    cls = KINDS[data["kind"]]
    return cls(**{field.name: _typed(data[field.name]) for field in fields(cls)})


def _typed(data):
    if isinstance(data, dict):
        return Value(tuple(data["shape"]), data["dtype"], *(data.get(name) for name in
                                                             ("data", "low", "high", "mean", "sample")))  # fmt: skip
    return tuple(_typed(item) for item in data) if isinstance(data, list) else data
