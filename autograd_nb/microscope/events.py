"""The immutable data of a trace: its events, the records of its tensors and nodes, and snapshots of values.

Tensors and nodes appear in events as keys (``t3``, ``n5``); the trace has a record for each key.  Code that makes
events, from this engine or another, needs only this file.
"""

import math
import weakref
from collections import deque, namedtuple
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

MOST_EVENTS, MOST_NODES = 10_000, 5_000  # a longer recording ends
WHOLE = 64  # elements up to which a snapshot keeps every value
THUMBNAIL = 8  # rows and columns of the sample kept of a larger one
BINS, SAMPLE = 8, 4096  # the bins of a histogram, and about how many elements it counts
MOST_WAITING = 2**25  # bytes of elements that snapshots keep until somebody reads their statistics
MOST_BYTES = MOST_WAITING // 100  # of elements that one snapshot keeps so
waiting, WAITING = deque(), [0]  # these snapshots, if they are still there, and the sum of their bytes
DETACHED, DATA = "detach", ".data"  # names of operations that cut a graph
AS_FLOAT32 = ("bfloat16", "float8_e4m3fn", "float8_e5m2")  # NumPy lacks these dtypes


class Waiting:
    """The slots of a snapshot that still has its elements, and no statistics yet."""

    __slots__ = ("elements", "__weakref__")


@dataclass(frozen=True, slots=True)
class Value(Waiting):
    """A snapshot of elements: *raw* holds all of them, or a sample of *grid* rows and columns, with statistics.

    *grid* is (0, 0) if nobody can read them, as in a sparse or quantised tensor, or one without memory.
    *low*, *high*, *mean* and *histogram* describe the finite elements; *zeros* is the share of zeros.
    """

    shape: tuple
    dtype: str
    raw: bytes
    grid: tuple | None = None
    low: float | None = None
    high: float | None = None
    mean: float | None = None
    norm: float | None = None
    zeros: float = 0.0
    nans: int = 0
    infs: int = 0
    histogram: tuple = ()  # how many elements of an even sample lie in each eighth of the range

    def __getattr__(self, name):
        """A field of the summary that nobody has read before."""
        if name in SUMMARY:
            self.complete()
        return object.__getattribute__(self, name)

    def complete(self):
        """Compute the summary, and let go of the elements."""
        elements = object.__getattribute__(self, "elements")
        if elements is not None:  # another thread may have completed it just now
            fill(self, SUMMARY, summed_up(self.shape, self.dtype, elements))
            object.__setattr__(self, "elements", None)

    @property
    def is_whole(self):
        return self.grid is None

    @property
    def is_readable(self):
        return self.grid != (0, 0)

    @property
    def is_zero(self):
        """Whether every element is known to be zero."""
        return not self.array.any() if self.grid is None else self.zeros == 1

    @property
    def array(self):
        """The elements kept, a read-only array: all in their shape, or the sample in two dimensions."""
        return np.ndarray(self.shape if self.grid is None else self.grid, kind_of(self.dtype), self.raw)

    @property
    def data(self):
        """All elements as nested lists (a number when there are no dimensions); None when only a sample is kept."""
        return self.array.tolist() if self.grid is None else None

    @property
    def size(self):
        """How many elements there are; 0 for a nested tensor, whose shape has a -1: its size is unknown."""
        return max(math.prod(self.shape), 0)

    def __repr__(self):
        kept = self.data if self.is_whole else f"{self.low} … {self.high}, mean {self.mean}"
        return f"Value({self.dtype}{list(self.shape)}: {kept})"


Value._fields = (*Value.__dataclass_fields__,)  # as those of the other records
SUMMARY = "raw", "low", "high", "mean", "norm", "zeros", "nans", "infs", "histogram"


def fill(value, names, contents):
    for name, content in zip(names, contents, strict=True):
        object.__setattr__(value, name, content)


@lru_cache(100)
def kind_of(dtype):
    """NumPy's dtype of the elements that a snapshot keeps of a tensor."""
    return np.dtype("float32" if dtype in AS_FLOAT32 else dtype)


def snapshot(array, dtype):
    """The :class:`Value` of an array or NumPy scalar; every NaN becomes the same NaN, so that it equals itself."""
    if array.size <= WHOLE:
        return whole(array.shape, dtype, array.tobytes())
    if array.nbytes > MOST_BYTES or 0 in array.strides:
        value = sampled_from(array.shape, dtype, None)
        fill(value, SUMMARY, summary(array))
        return value
    return snapshot_of_bytes(array.shape, dtype, array.tobytes())


def snapshot_of_bytes(shape, dtype, raw):
    """The same of at most MOST_BYTES bytes in the order of the shape."""
    size = len(raw)
    if size <= WHOLE * kind_of(dtype).itemsize:
        return whole(shape, dtype, raw)
    value = sampled_from(shape, dtype, raw)
    waiting.append((weakref.ref(value), size))
    WAITING[0] += size
    while WAITING[0] > MOST_WAITING:
        reference, size = waiting.popleft()
        WAITING[0] -= size
        if (oldest := reference()) is not None:
            oldest.complete()
    return value


def sampled_from(shape, dtype, elements):
    value, put = object.__new__(Value), object.__setattr__
    put(value, "shape", shape)
    put(value, "dtype", dtype)
    put(value, "grid", grid_of(shape))
    put(value, "elements", elements)
    return value


@lru_cache(1000)
def whole(shape, dtype, raw):
    """The snapshot of these few elements; a recent snapshot often had the same ones."""
    kind = kind_of(dtype)
    if kind.kind == "f":
        array = np.ndarray(shape, kind, raw)
        if np.logical_or.reduce(np.isnan(array), axis=None):  # a method or count_nonzero would take longer
            raw = np.where(np.isnan(array), kind.type(np.nan), array).tobytes()
    return Value(shape, dtype, raw)


@contextmanager
def whole_values():
    """Snapshots keep all elements meanwhile, however many there are."""
    global WHOLE
    before, WHOLE = WHOLE, math.inf
    try:
        yield
    finally:
        WHOLE = before
        whole.cache_clear()


@lru_cache(100)
def summed_up(shape, dtype, raw):
    """The summary of these elements; another snapshot often has the same ones."""
    return summary(np.ndarray(shape, kind_of(dtype), raw))


def summary(array):
    """The sample and the statistics that a snapshot keeps of many elements."""
    with np.errstate(all="ignore"):
        return thumbnail(array).tobytes(), *statistics(array)


def statistics(array):
    """The fields *low* to *histogram* of a :class:`Value` with many elements; complex ones give absolute values."""
    count, array = array.size, array[tuple(slice(None) if stride else slice(1) for stride in array.strides)]
    times = count // array.size  # how often each element repeats, as after `expand`
    array = np.abs(array) if array.dtype.kind == "c" else array
    flat, nans, infs = array.reshape(-1), 0, 0
    if flat.size <= SAMPLE:
        flat = flat.astype(np.float64)  # once, or each line below would do it
    total = float(np.add.reduce(flat, dtype=np.float64))  # a method takes twice as long as the function behind it
    if not math.isfinite(total):
        nans, infs = int(np.isnan(flat).sum()), int(np.isinf(flat).sum())
        flat = flat[np.isfinite(flat)]
        total = float(np.add.reduce(flat, dtype=np.float64))  # a method takes twice as long as the function behind it
    if not flat.size:
        return (*[math.nan] * 4, 0.0, nans * times, infs * times, ())
    low, high = float(np.minimum.reduce(flat)), float(np.maximum.reduce(flat))
    square = float(flat.dot(flat)) if flat.dtype.kind == "f" else math.inf
    if not 1e-30 < square < 1e30:  # a float32 sum is not exact enough there
        square = float(np.square(flat, dtype=np.float64).sum())
    zeros = 1 - int(np.count_nonzero(flat)) / array.size if not nans + infs else float((array == 0).mean())
    histogram = ()
    if low < high:
        some = flat[:: max(1, flat.size // SAMPLE)].astype(np.float64, copy=False)
        *counts, before, highest = np.bincount(((some - low) * (BINS / (high - low))).astype(int), minlength=BINS + 1)
        histogram = (*map(int, counts), int(before + highest))
    return low, high, total / flat.size, math.sqrt(square * times), zeros, nans * times, infs * times, histogram


def thumbnail(array):
    """At most eight rows and columns, evenly spread, of an array whose last dimension holds the columns."""
    array = np.atleast_2d(array)
    return array[sampled(array.shape)]


@lru_cache(256)
def sampled(shape):
    """The index of the rows and columns of a thumbnail."""
    count, length = math.prod(shape[:-1]), shape[-1]
    rows, columns = (np.arange(end) if end <= THUMBNAIL else np.linspace(0, end - 1, THUMBNAIL).astype(int)
                     for end in (count, length))  # fmt: skip
    return *(place[:, None] for place in np.unravel_index(rows, shape[:-1])), columns


@lru_cache(256)
def grid_of(shape):
    """How many rows and columns a thumbnail has."""
    rows, *_, columns = sampled((1,) * (2 - len(shape)) + shape)
    return len(rows), len(columns)


class Event:
    """What all events have: their *index*, and the *line* and the *file* of the learner's code that led to them."""

    __slots__ = ()

    @property
    def edge(self):
        return self.node, self.output


# The fields of each kind of event, in order.  A place is a pair (node, output number).  Events of the first two kinds
# compute elements, of new tensors or of one that was there.
TELLS = {
    # A forward operation ran; node is None when it was not recorded.  cut says why no gradient passes where one could:
    # "detach", "no_grad" or "inference_mode".  An operation inside a backward pass (under create_graph, in a hook, in
    # a user's Function) names the pass and the node that was running; one inside the forward of a user's Function
    # names its node.
    "Operation": "name node inputs outputs values view cut pass_number within",
    # A tensor was changed in place, and its version went up; others, pairs (tensor, Value), share its storage.
    "Changed": "name node tensor inputs value others version pass_number within",
    "Started": "pass_number roots grads retain_graph create_graph",  # a backward pass, at the places in roots
    "Ready": "node",  # all gradients that lead to it have arrived
    # A node is about to read a saved tensor, in the version that it saved; tensor is None for its own result.
    "Used": "node name tensor value version",
    "FoundModified": "node name tensor version expected",  # the same, but somebody changed it in place since
    # A node turned gradients of its outputs into those of its inputs (None where none is needed); used has the saved
    # tensors that its formula read, (name, Value, tensor).
    "Ran": "node grads results used",
    # A hook saw a gradient; after is None when it changed nothing.  stage is "tensor" (a tensor's own), "pre_hooks"
    # (of the node), "post_hooks" (output is the number of its input) or "accumulated_hooks" (after a leaf's .grad).
    "Hooked": "node output stage hook before after",
    "Summed": "node output added total",  # a further gradient arrived and was added to those before
    "Captured": "node output value",  # a gradient that autograd.grad asked for arrived; it is returned
    "Accumulated": "node tensor grad before total",  # a gradient went into a leaf's .grad
    "Retained": "node tensor value",  # a gradient went into the .grad of a tensor that is no leaf
    "Freed": "node",  # it let go of its saved tensors
    # The learner's code took the numbers of tensors, as item() does, and no graph follows them; lines has the lines of
    # the calls that led there, (file, line), the innermost first.  No step shows it, and a condition is left out.
    "Read": "name inputs lines",
    "Zeroed": "tensor value",  # the learner's code set its .grad to zeros, or to None
    "GradSet": "tensor value",  # the learner's code gave its .grad another value
    "Failed": "node error message pass_number",  # an error ended the operation or pass
    "Finished": "pass_number",
    "Unseen": "",  # a transform of torch.func began, inside which nothing can be recorded
    "Ended": "",  # the recording grew too long
}
KINDS = {
    name: type(name, (Event, namedtuple(name, f"index line file {details}")), {
        "__slots__": (), "__module__": __name__, "kind": name, "computes": name in ("Operation", "Changed")})
    for name, details in TELLS.items()
}  # fmt: skip
globals().update(KINDS)
# what a change has in common with an operation: the tensors whose elements it computes, their values, and that it cuts
# no graph
KINDS["Changed"].outputs = property(lambda event: (event.tensor,))
KINDS["Changed"].values = property(lambda event: (event.value,))
KINDS["Changed"].view = KINDS["Changed"].cut = None


class TensorRecord(NamedTuple):
    """A trace's record of a tensor; *node* and *output* say where its gradient went at the end of the recording."""

    key: str
    names: tuple  # the learner's names, as pairs (name, line); the line is None for a name from before the recording
    dtype: str
    requires_grad: bool
    is_leaf: bool
    retains_grad: bool
    node: str | None
    output: int
    born: int  # how many events came before it
    version: int
    value: Value  # when first seen, as .grad; the events say how they changed
    grad: Value | None
    place: str = ""  # the part that this process holds of a tensor spread over several processes

    @property
    def name(self):
        return self.names[0][0] if self.names else ""


class NodeRecord(NamedTuple):
    key: str
    name: str
    edges: tuple  # (node or None, output number) for each input
    inputs: tuple  # the names of the inputs' parameters
    row: str | None  # its row of the table, None for a user's Function
    saves: tuple  # names under which it saves something
    constants: tuple  # the other values that its formulas read, as pairs (name, value)
    freed: bool  # whether its buffers were already gone when it was first seen
    leaf: str | None  # the tensor that an AccumulateGrad adds to
