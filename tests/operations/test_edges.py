"""Every row where functions bend or break: values, gradients, second gradients, and whether there is a graph for them.

Each sample's numbers are replaced by those of an edge point.  ``pytest tests/operations/test_edges.py --edges`` takes
all samples in both dtypes; otherwise the first two in float64.
"""

import warnings
from itertools import product

import numpy as np
import pytest
from rows import leaves, ours, outputs, tensors, theirs, weight_of
from samples import all_samples
from samples_losses import FUNCTIONAL

import autograd_nb
from autograd_nb.torch_api import contents

contents.load_table()
INF, NAN = float("inf"), float("nan")
POINTS = {
    "zeros": [0.0],
    "ones": [1.0],
    "ties": [2.0, 2.0, -2.0],
    "one zero": [0.0, 1.5, -0.7, 2.0, 3.0, -1.2, 0.4],
    "two zeros": [0.0, 3.0, 0.0, 2.0, -1.0, 0.5, 1.7],
    "negative zero": [-0.0, 1.0, -1.0],
    "halves": [0.5, -0.5, 1.5, 0.0, -1.0, 1.0, 2.5],
    "inf": [1.0, INF, 0.5, 2.0],
    "-inf": [-1.0, 2.0, -INF, 0.0],
    "nan": [1.0, 2.0, NAN, 0.0],
    "tiny": [1e-10, 1 - 1e-10, 1e-30, 1.0, 0.0],
    "large": [1e15, 3.0, 1e12, -1e9],
    "nearly 0 and 1": [1.0, 0.0, 1e-13, 1 - 1e-13, 0.5, 1e-7],
    "all at once": [INF, 0.0, -INF, NAN, 1.0],
}
INFINITE = ("inf", "-inf", "all at once")
SPREADS = ("large", "nearly 0 and 1")
# results that differ from PyTorch's: names, points (None: all), respects (None: all), and why
OTHERWISE = [
    ("linalg_solve linalg_det det linalg_slogdet logdet linalg_cholesky linalg_eigh layer_norm", INFINITE, None,
     "inf meets 0 in another order of the same steps"),
    ("linalg_det det", None, ("second", "with weights"), "PyTorch's is nan where singular values are equal"),
    ("linalg_eigh", None, None, "an eigenvector may have either sign, and those of equal eigenvalues any direction"),
    ("linalg_slogdet", ("nan",), ("value",), "the sign of nan"),
    ("atan2 arctan2", ("tiny", "nearly 0 and 1"), ("second", "with weights"), "1e-13 ** -4 is beyond float32"),
    ("gelu", ("inf", "all at once", "large"), None, "PyTorch's is nan where its vectorised kernel runs, else as ours"),
    ("std var", SPREADS, None, "the deviation of nearly equal numbers is a rounding error, in PyTorch too"),
    ("cross_entropy", ("large",), ("with weights",), "sums of 1e15 cancel"),
    ("norm", ("nearly 0 and 1",), ("second", "with weights"), "the cube of 1e-13 is below float32's smallest number"),
    ("batch_norm layer_norm", None, ("has a graph",), "PyTorch has one node for all gradients, that of the bias too"),
]


def of_table(name):
    return lambda library: ours(name) if library is autograd_nb else theirs(library, name)


def of_functional(name):
    return lambda library: getattr(library.nn.functional, name)


CALLS = [pytest.param(name, of_table(name), samples, id=name) for name, samples in all_samples().items()]
CALLS += [pytest.param(name, of_functional(name), samples, id=f"functional.{name}")
          for name, samples in FUNCTIONAL.items()]  # fmt: skip


def is_float(value):
    return isinstance(value, np.ndarray) and value.dtype.kind == "f"


def floats(sample):
    """The arrays of floats among a sample's arguments."""
    given = [*sample.args, *sample.kwargs.values()]
    flat = [each for value in given for each in (value if isinstance(value, list) else [value])]
    return [each for each in flat if is_float(each)]


def at(point, values):
    """The arguments with the point's numbers, starting at a different number for each argument."""
    begun = 0

    def put(value):
        nonlocal begun
        if isinstance(value, list):
            return [*map(put, value)]
        if not is_float(value):
            return value
        begun += 1
        return np.resize(np.roll(POINTS[point], 1 - begun), value.shape)

    return {name: put(value) for name, value in values.items()} if isinstance(values, dict) else [*map(put, values)]


def gradients(library, function, inputs, again, weights_too):
    """The first gradients of a function's results and, if *twice*, the gradients of these."""
    roots = [root for root in outputs(function()) if getattr(root, "requires_grad", False)]
    weights = [library.tensor(weight_of(root), dtype=root.dtype, requires_grad=weights_too) for root in roots]
    firsts = library.autograd.grad(roots, inputs, weights, create_graph=again, allow_unused=True) if roots else ()
    with_graph = [first for first in firsts if first is not None and first.requires_grad]
    if not (again and with_graph):
        return firsts, ()
    inputs = [*inputs, *weights] if weights_too else inputs
    cotangents = [library.tensor(weight_of(first) + 0.3, dtype=first.dtype) for first in with_graph]
    return firsts, library.autograd.grad(with_graph, inputs, cotangents, allow_unused=True)


def account(library, call, args, kwargs, dtype):
    """The result of the call and its gradients, or the error: ``{respect: arrays or texts}``."""
    args, kwargs = tensors(library, args, dtype), tensors(library, kwargs, dtype)
    inputs = leaves([*args, *kwargs.values()])
    try:
        values = outputs(call(*args, **kwargs))
        firsts, _ = gradients(library, lambda: call(*args, **kwargs), inputs, False, False)
        again, seconds = gradients(library, lambda: call(*args, **kwargs), inputs, True, False)
        _, with_weights = gradients(library, lambda: call(*args, **kwargs), inputs, True, True)
    except Exception as error:
        text = "" if "LinAlgError" in type(error).__name__ else str(error).partition("\n")[0]
        return {"error": [type(error).__name__, text]}
    return {
        "value": [*map(array, values)], "first": [*map(array, firsts)], "first of a graph": [*map(array, again)],
        "has a graph": [str(first is not None and first.requires_grad) for first in again],
        "second": [*map(array, seconds)], "with weights": [*map(array, with_weights)],
    }  # fmt: skip


def array(value):
    if not hasattr(value, "requires_grad"):
        return value
    return value.detach().numpy() if isinstance(value, autograd_nb.Tensor) else value.numpy(force=True)


def agree(mine, other, digits):
    """Whether arrays have nan and inf at the same places and agree up to rounding; no gradient is one of zeros."""
    if mine is None or other is None:
        return mine is other or not np.any(other if mine is None else mine)
    if not isinstance(other, np.ndarray):
        return mine == other
    if mine.shape != other.shape or mine.dtype.kind != "f":
        return mine.shape == other.shape and np.array_equal(mine, other)
    finite = np.isfinite(mine)
    if not (np.array_equal(finite, np.isfinite(other)) and np.array_equal(mine[~finite], other[~finite], True)):
        return False
    largest = np.max(np.abs(other[finite]), initial=10.0 ** (3 - digits))  # terms of about 1 cancel to less
    return np.allclose(mine[finite], other[finite], rtol=0, atol=largest * 10.0**-digits)


def is_known(name, point, respect):
    """Whether this difference of ours is known."""
    return any(name in names.split() and (points is None or point in points)
               and (respects is None or respect in respects) for names, points, respects, _ in OTHERWISE)  # fmt: skip


def differences(name, mine, other, point, dtype):
    """The respects in which two accounts differ for no known reason."""
    digits = 9 if dtype == "float64" else 4
    for respect in {**mine, **other}:
        a, b = mine.get(respect, ["-"]), other.get(respect, ["-"])
        if respect in ("second", "with weights") and respect in mine and not (a and b):
            a, b = (each or [None] * len(a or b) for each in (a, b))
        same = len(a) == len(b) and all(agree(*each, digits) for each in zip(a, b, strict=True))
        if not same and not is_known(name, point, respect):
            yield f"{respect}\nours:    {a}\nPyTorch: {b}"


@pytest.mark.parametrize("name, find, samples", CALLS)
def test_a_row_at_its_edges_is_as_torchs(name, find, samples, torch, request):
    whole = request.config.getoption("--edges")
    small = [each for each in samples if floats(each) and all(value.size < 100 for value in floats(each))]
    for sample in small if whole else small[:2]:
        for dtype, point in product(("float64", "float32") if whole else ("float64",), POINTS):
            args, kwargs = at(point, sample.args), at(point, sample.kwargs)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                mine, its = (account(library, find(library), args, kwargs, dtype) for library in (autograd_nb, torch))
            found = [*differences(name, mine, its, point, dtype)]
            assert not found, f"{name}({sample}), {dtype}, {point}: {found[0]}"


def test_the_second_derivatives_of_a_product_with_zeros_and_of_a_singular_determinant():
    hessian = autograd_nb.autograd.functional.hessian
    product = hessian(lambda x: x.prod(), autograd_nb.tensor([0.0, 0.0, 3.0]))
    assert product.tolist() == [[0, 3, 0], [3, 0, 0], [0, 0, 0]]
    singular = hessian(autograd_nb.det, autograd_nb.tensor([[1.0, 2.0], [2.0, 4.0]]))
    assert singular.reshape(4, 4).tolist() == [[0, 0, 0, 1], [0, 0, -1, 0], [0, -1, 0, 0], [1, 0, 0, 0]]


def test_a_batch_of_padding_moves_no_parameter():
    scores = autograd_nb.ones(2, 3, requires_grad=True)
    loss = autograd_nb.nn.functional.cross_entropy(scores, autograd_nb.tensor([-100, -100]))
    loss.backward()
    assert loss.isnan() and scores.grad.tolist() == [[0, 0, 0], [0, 0, 0]]
