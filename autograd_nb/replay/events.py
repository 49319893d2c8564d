"""What can happen: the typed, immutable events of a trace, and snapshots of the values in them.

Tensors and nodes appear in events as keys (``t3``, ``n5``); the trace says what each key stands for.
"""

from dataclasses import dataclass, fields

import numpy as np

WHOLE = 64  # elements up to which a snapshot keeps every value
THUMBNAIL = 8  # rows and columns of the sample kept of a larger one


@dataclass(frozen=True, slots=True)
class Value:
    """A snapshot of elements: *raw* holds the bytes of all of them, or of a sample of *grid* rows and columns.

    A sample comes with the extremes and the mean of all elements.  Two snapshots are equal when every bit is.
    """

    shape: tuple
    dtype: str
    raw: bytes
    grid: tuple | None = None
    low: float | None = None
    high: float | None = None
    mean: float | None = None

    @property
    def is_whole(self):
        """Whether every element is kept."""
        return self.grid is None

    @property
    def array(self):
        """The elements kept, a read-only array: all in their shape, or the sample in two dimensions."""
        return np.ndarray(self.shape if self.grid is None else self.grid, self.dtype, self.raw)

    @property
    def data(self):
        """All elements as nested lists (a number when there are no dimensions); None when only a sample is kept."""
        return self.array.tolist() if self.grid is None else None

    @property
    def sample(self):
        """The sample as nested lists, or None when all elements are kept."""
        return None if self.grid is None else self.array.tolist()

    @property
    def size(self):
        return int(np.prod(self.shape))

    def __repr__(self):
        kept = self.data if self.is_whole else f"{self.low} … {self.high}, mean {self.mean}"
        return f"Value({self.dtype}{list(self.shape)}: {kept})"


def snapshot(array, dtype):
    """The :class:`Value` of an array or NumPy scalar; every NaN becomes the same NaN, so that it equals itself."""
    if array.dtype.kind == "f" and np.isnan(array).any():
        array = np.where(np.isnan(array), array.dtype.type(np.nan), array)
    if array.size <= WHOLE:
        return Value(array.shape, dtype, array.tobytes())
    with np.errstate(all="ignore"):
        low, high, mean = float(array.min()), float(array.max()), float(array.mean(dtype=np.float64))
    grid = array.reshape(-1, array.shape[-1]) if array.ndim > 1 else array.reshape(1, -1)
    rows, columns = (np.unique(np.linspace(0, length - 1, THUMBNAIL).astype(int)) for length in grid.shape)
    sample = grid[np.ix_(rows, columns)]
    return Value(array.shape, dtype, sample.tobytes(), sample.shape, low, high, mean)


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened: its place in the trace, and the learner's line that led to it."""

    index: int
    line: int | None
    file: str

    @property
    def kind(self):
        return type(self).__name__


@dataclass(frozen=True, slots=True)
class Operation(Event):
    """A forward operation ran; *node* is None when it was not recorded.

    *cut* says why no gradient passes where one could: "detach", "no_grad" or "inference_mode".  An operation that was
    part of a backward pass (under create_graph, in a hook, in a user's Function) names the pass and the running node.
    """

    name: str
    node: str | None
    inputs: tuple
    outputs: tuple
    values: tuple
    view: bool
    cut: str | None
    pass_number: int | None
    within: str | None


@dataclass(frozen=True, slots=True)
class Changed(Event):
    """A tensor was changed in place and its version moved on; *others*, ``(tensor, Value)``, share its storage."""

    name: str
    node: str | None
    tensor: str
    inputs: tuple
    value: Value
    others: tuple
    version: int
    pass_number: int | None
    within: str | None


@dataclass(frozen=True, slots=True)
class Started(Event):
    """A backward pass began at these roots, ``(node, output number)`` each, with these gradients."""

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
class Used(Event):
    """A node is about to read a tensor it saved, in the version that it saved; *tensor* is None for its own result."""

    node: str
    name: str
    tensor: str | None
    value: Value | None
    version: int


@dataclass(frozen=True, slots=True)
class FoundModified(Event):
    """A node is about to read a tensor it saved, and that has been changed in place since."""

    node: str
    name: str
    tensor: str | None
    version: int
    expected: int


@dataclass(frozen=True, slots=True)
class Ran(Event):
    """A node turned the gradients of its outputs into gradients of its inputs (None where none is needed)."""

    node: str
    grads: tuple
    results: tuple
    used: tuple  # (name, Value, tensor or None as in Used) of what it saved and its formula read


@dataclass(frozen=True, slots=True)
class Hooked(Event):
    """A hook saw a gradient; *after* is None when it left it as it was.

    *stage*: "tensor" (a tensor's own, *output* says which output of the node), "pre_hooks" (of the node, before it
    runs), "post_hooks" (after; *output* is the number of its input) or "accumulated_hooks" (after a leaf's .grad).
    """

    node: str
    output: int
    stage: str
    hook: str
    before: Value | None
    after: Value | None


@dataclass(frozen=True, slots=True)
class Summed(Event):
    """A further gradient arrived at an output of a node and was added to those before."""

    node: str
    output: int
    added: Value
    total: Value


@dataclass(frozen=True, slots=True)
class Captured(Event):
    """A gradient that ``autograd.grad`` asked for arrived and is returned rather than accumulated."""

    node: str
    output: int
    value: Value | None


@dataclass(frozen=True, slots=True)
class Accumulated(Event):
    """A gradient was added into a leaf's .grad."""

    node: str
    tensor: str
    grad: Value | None
    before: Value | None
    total: Value | None


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
    """The .grad of a leaf was set to zeros, or to None (then *value* is None), by the learner's code."""

    tensor: str
    value: Value | None


@dataclass(frozen=True, slots=True)
class GradSet(Event):
    """The .grad of a leaf was given another value by the learner's code."""

    tensor: str
    value: Value


@dataclass(frozen=True, slots=True)
class Failed(Event):
    """An error ended what was under way; *node* is the one that was running, if any."""

    node: str | None
    error: str
    message: str
    pass_number: int | None


@dataclass(frozen=True, slots=True)
class Finished(Event):
    """A backward pass came to its end."""

    pass_number: int


@dataclass(frozen=True, slots=True)
class Summarised(Event):
    """Here events were counted and not kept, because the recording grew too long: ``(kind, count)`` pairs."""

    counts: tuple


KINDS = {cls.__name__: cls for cls in Event.__subclasses__()}
FIELDS = {name: tuple(field.name for field in fields(cls)) for name, cls in KINDS.items()}
