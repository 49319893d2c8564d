"""The text of a tensor is live PyTorch's to the byte; test_recorded.py has recorded texts."""

import contextlib
import math
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograd_nb.engine import dtypes
from autograd_nb.torch_api import printing

DTYPES = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64"]


@pytest.fixture(autouse=True)
def default_options():
    """Settings are global, so each test begins and ends with the defaults."""
    printing.set_printoptions(profile="default")
    yield
    printing.set_printoptions(profile="default")


def text_of(array, **kwargs):
    return printing.tensor_text(array, getattr(dtypes, array.dtype.name), **kwargs)


@contextlib.contextmanager
def both_with(torch, chosen):
    """The same settings here and in PyTorch, inside a block."""
    before = torch._tensor_str.get_printoptions()
    for library in (torch, printing):
        library.set_printoptions(**chosen)
    try:
        yield
    finally:
        for library in (torch, printing):
            library.set_printoptions(**before)


@contextlib.contextmanager
def default_dtype(torch, name):
    torch.set_default_dtype(getattr(torch, name))
    dtypes.set_default_dtype(getattr(dtypes, name))
    try:
        yield
    finally:
        torch.set_default_dtype(torch.float32)
        dtypes.set_default_dtype(dtypes.float32)


# Values at which the rules change: the bounds of scientific notation, halves, zeros of both signs, non-finite values,
# the extremes of each type.
FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.5, 0.00005, 1e-4, 0.99999e-4, 999.0, 1000.0, 1001.0, 0.001, 0.1, 0.12345,
          1e8, 1e8 + 8, -1e8, 99999999.5, 65504.0, 6e-8, 1e-45, 3.4e38, 5e-324, 1.7976931348623157e308,
          math.inf, -math.inf, math.nan, -math.nan, 1 / 3, -2 / 3, 1e16, 123456.789]  # fmt: skip
OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "precision": st.integers(0, 12),
        "threshold": st.sampled_from([0, 1, 5, 20, 1000, math.inf]),
        "edgeitems": st.integers(1, 4),
        "linewidth": st.sampled_from([1, 10, 40, 79, 80, 81, 200]),
        "profile": st.sampled_from(["default", "short", "full", "no such profile"]),
        "sci_mode": st.sampled_from([None, True, False]),
    },
)


@st.composite
def arrays(draw):
    """Arrays of every dtype and shape, among them empty, summarised, strided and 0-d ones, with hostile values."""
    kind = np.dtype(draw(st.sampled_from(DTYPES)))
    shape = draw(
        st.lists(st.integers(0, 9), max_size=4)
        | st.lists(st.integers(1, 4), min_size=3, max_size=6)
        | st.sampled_from([[7], [1000], [1001], [31, 33], [2, 600], [600, 2], [8, 7, 19], [1100, 1], [3, 2, 9, 20]])
    )
    if kind.kind == "f":
        any_float = st.floats(width=8 * kind.itemsize) | st.integers(-2000, 2000).map(float) | st.floats(-9, 9)
        pool = draw(st.lists(st.sampled_from(FLOATS) | any_float, min_size=1, max_size=6))
    elif kind.kind == "b":
        pool = draw(st.lists(st.booleans(), min_size=1, max_size=3))
    else:
        bounds = np.iinfo(kind)
        within = st.integers(int(bounds.min), int(bounds.max))
        pool = draw(st.lists(within | st.integers(0, 12), min_size=1, max_size=6))
    with np.errstate(over="ignore"):
        pool = np.array(pool).astype(kind)
    seed = draw(st.integers(0, 2**32 - 1))
    array = np.random.default_rng(seed).choice(pool, size=shape)
    array = np.asarray(array, dtype=kind)
    return array.T if draw(st.booleans()) else array


@settings(max_examples=300, deadline=None)
@given(array=arrays(), chosen=OPTIONS | st.just({}), data=st.data())
def test_any_array_prints_as_in_pytorch(torch, array, chosen, data):
    tensor = torch.tensor(array)
    requires_grad = array.dtype.kind == "f" and data.draw(st.booleans())
    tensor.requires_grad_(requires_grad)
    grad_fn = None
    if requires_grad and data.draw(st.booleans()):
        tensor = tensor.clone()
        grad_fn = "CloneBackward0"
    default = data.draw(st.sampled_from(["float32", "float64"]))
    with both_with(torch, chosen), default_dtype(torch, default):
        stored = array[()] if array.ndim == 0 else array  # a 0-d tensor holds a NumPy scalar or a 0-d array
        assert text_of(stored, requires_grad=requires_grad, grad_fn=grad_fn) == repr(tensor)
        assert text_of(array, requires_grad=requires_grad, grad_fn=grad_fn) == repr(tensor)


def test_a_huge_tensor_is_read_at_its_edges_only():
    """Broadcast views stand in for 4 GB: the memory would show if printing the corners copied a whole one."""
    tracemalloc.start()
    try:
        row = np.arange(30_000, dtype=np.float32)
        views = np.broadcast_to(row, (30_000, 30_000)), np.broadcast_to(row, (2, 30_000)).T
        texts = [text_of(view) for view in views]
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()
    assert texts[0].startswith("tensor([[0.0000e+00, 1.0000e+00, 2.0000e+00,  ..., 2.9997e+04, 2.9998e+04,\n")
    assert len(texts[1].splitlines()) == 7 and "..." not in text_of(np.zeros(1000))
