"""Every row of the table on its samples: against torch, and against differences of its own values."""

import doctest
import sys
import warnings
from contextlib import contextmanager, suppress
from itertools import product

import numpy as np
import pytest
from rows import (
    GRADIENT_ULPS,
    assert_close,
    assert_same,
    can_be_checked,
    checked,
    compare_in_place,
    ours,
    outputs,
    run,
    tensors,
    theirs,
)  # fmt: skip
from samples import all_samples

import autograd_nb
from autograd_nb.engine import table
from autograd_nb.torch_api import contents

contents.load_table()
SAMPLES = {name: samples for name, samples in all_samples().items() if samples}

of_each_row = pytest.mark.parametrize("name", SAMPLES)


@contextmanager
def on(name, sample):
    """Names the sample in an error."""
    try:
        yield
    except BaseException as error:
        error.add_note(f"on {name}({sample})")
        raise


@of_each_row
def test_a_row_does_what_torchs_does(name, torch):
    for sample in SAMPLES[name]:
        with on(name, sample):
            for dtype in ("float32", "float64"):
                ulps = sample.ulps if dtype == "float64" or sample.mixes else 2
                of_grads = sample.ulps if sample.mixes else GRADIENT_ULPS
                assert_same(run(autograd_nb, ours(name), sample, dtype), run(torch, theirs(torch, name), sample, dtype),
                            (ulps, sample.mixes), of_grads)  # fmt: skip
            assert_same_node(name, sample, torch)
            if name + "_" in table.methods and isinstance(sample.args[0], np.ndarray):
                compare_in_place(lambda library: getattr(library.Tensor, name + "_"), sample, torch)


@of_each_row
def test_a_formula_agrees_with_differences_and_can_be_differentiated_again(name):
    for sample in SAMPLES[name]:
        with on(name, sample):
            function, inputs = checked(ours(name), sample)
            if sample.smooth and can_be_checked(function, inputs):
                assert autograd_nb.autograd.gradcheck(function, inputs)
                assert not sample.twice or autograd_nb.autograd.gradgradcheck(function, inputs)


def readable(node):
    """The tensors that a node of torch saved, by attribute."""
    names = [name for name in dir(node) if name.startswith("_saved_")]
    return {name: value for name in names if hasattr(value := getattr(node, name), "grad_fn")}


# facts about the computation, which PyTorch keeps for its derivative
LEFT_OPEN = dict.fromkeys(("linalg_solve", "linalg_det", "det", "linalg_slogdet"), ["_saved_LU", "_saved_pivots"])


def assert_same_node(name, sample, torch):
    """Our node shows the tensors that torch's node saved, and wants as many gradients when somebody calls it."""
    roots = []
    for library, operation in ((autograd_nb, ours(name)), (torch, theirs(torch, name))):
        args, kwargs = tensors(library, sample.args, "float64"), tensors(library, sample.kwargs, "float64")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            roots.append(next((each for each in outputs(operation(*args, **kwargs)) if hasattr(each, "grad_fn")), None))
    mine, other = roots
    if other is None or other.grad_fn is None:
        return
    for count, keywords in product(range(4), ({}, {"grad": None})):
        assert says(mine.grad_fn, count, keywords) == says(other.grad_fn, count, keywords)
    for attribute, value in readable(other.grad_fn).items():
        if attribute in LEFT_OPEN.get(name, ()):
            continue
        saved = getattr(mine.grad_fn, attribute)
        assert repr(saved.dtype) == repr(value.dtype)
        assert_close(saved.detach().numpy(), value.detach().numpy(), max(2, sample.ulps), sample.mixes)


def says(node, count, keywords):
    """What a node says of the arguments when somebody calls it with so many gradients, none of which is there."""
    try:
        with suppress(RuntimeError):  # it may have no derivative
            node(*[None] * count, **keywords)
    except TypeError as error:
        return str(error)


PUBLISHED = sorted({**table.methods, **table.functions}.items())


@pytest.mark.parametrize("name, call", [pytest.param(name, call, id=name) for name, call in PUBLISHED])
def test_the_example_of_a_docstring_runs(name, call):
    home = sys.modules.get(getattr(call, "__module__", None))
    names = getattr(call, "__globals__", vars(home) if home else {})
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    for each in doctest.DocTestFinder(recurse=False).find(call, name, globs=dict(names)):
        report = []
        assert not runner.run(each, out=report.append).failed, "".join(report)


@pytest.mark.parametrize("kind", table.SCALARS.values(), ids=lambda kind: kind.__name__)
def test_a_number_of_a_formula_stands_left_of_a_tensor(kind):
    x = autograd_nb.tensor([2.0, 4.0], requires_grad=True, dtype=autograd_nb.float64)
    number = kind(3)
    assert (number / x).tolist() == [1.5, 0.75] and (number - x).tolist() == [1.0, -1.0]
    (grad,) = autograd_nb.autograd.grad((number / x + (number - x)).sum(), x, create_graph=True)
    assert grad.tolist() == [-1.75, -1.1875]
    assert autograd_nb.autograd.grad(grad.sum(), x)[0].tolist() == [0.75, 0.09375]
