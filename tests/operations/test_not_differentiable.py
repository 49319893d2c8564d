"""Each tensor argument of each operation with requires_grad set, alone: a gradient or a refusal, as in PyTorch."""

import warnings

import numpy as np
import pytest
from rows import leaves, ours, outputs, tensors, theirs
from samples import Sample, all_samples, sample, spread
from samples_losses import FUNCTIONAL, WEIGHTED

import autograd_nb
from autograd_nb.torch_api import contents

contents.load_table()


def of_table(name):
    return lambda library: ours(name) if library is autograd_nb else theirs(library, name)


def of_functional(name):
    return lambda library: getattr(library.nn.functional, name)


def weighted(name, samples):
    """The samples, and those that take the loss's weights once more with these."""
    weights = WEIGHTED.get(name, {})
    fits = [each for each in samples if each.args[0].shape[-1:] == (3,) and each.args[0].ndim == 2]
    return [*samples, *(Sample(each.args, each.kwargs | weights) for each in fits if weights)]


RUNNING = [sample(spread(4, 3), spread(3), spread(3, low=0.5, high=1), training=training) for training in (True, False)]
CALLS = [pytest.param(of_table(name), samples, id=name) for name, samples in all_samples().items()]
CALLS += [pytest.param(of_functional(name), weighted(name, samples), id=f"functional.{name}")
          for name, samples in (*FUNCTIONAL.items(), ("batch_norm", RUNNING))]  # fmt: skip


def floats(values):
    for value in values:
        if isinstance(value, list):
            yield from floats(value)
        elif isinstance(value, np.ndarray) and value.dtype.kind == "f":
            yield value


def answer(library, call, sample, which):
    """What becomes of the gradient of one tensor: it is there, None, without a graph, or the error's text."""
    args, kwargs = tensors(library, sample.args, "float64"), tensors(library, sample.kwargs, "float64")
    found = leaves([*args, *kwargs.values()])
    for number, each in enumerate(found):
        each.requires_grad_(number == which)
    try:
        roots = [each for each in outputs(call(*args, **kwargs)) if getattr(each, "requires_grad", False)]
        ones = [library.ones_like(root) for root in roots]
        (grad,) = library.autograd.grad(roots, found[which], ones, allow_unused=True) if roots else ("no graph",)
        return grad if grad is None or isinstance(grad, str) else "a gradient"
    except Exception as error:
        return type(error).__name__, str(error).partition("\n")[0]


@pytest.mark.parametrize("find, samples", CALLS)
def test_an_operation_is_differentiated_in_the_tensors_in_which_torchs_is(find, samples, torch):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for sample in samples:
            for which in range(len([*floats([*sample.args, *sample.kwargs.values()])])):
                mine, other = (answer(library, find(library), sample, which) for library in (autograd_nb, torch))
                assert mine == other, f"{sample}, tensor {which}"


@pytest.mark.parametrize("name", WEIGHTED)
def test_weights_of_classes_may_be_neither_parameters_nor_views_of_them(name):
    parameter = autograd_nb.nn.Parameter(autograd_nb.ones(6))
    changed = parameter * 1
    view = changed[:3]
    changed.mul_(2)  # the view's node is made anew
    example = FUNCTIONAL[name][0]
    args = tensors(autograd_nb, example.args, "float32")
    for key in WEIGHTED[name]:
        for weights in (parameter[:3], view, autograd_nb.nn.Parameter(autograd_nb.ones(3))):
            with pytest.raises(RuntimeError, match=f"is not differentiable with respect to argument '{key}'"):
                getattr(autograd_nb.nn.functional, name)(*args, **{key: weights})
            with autograd_nb.no_grad():
                getattr(autograd_nb.nn.functional, name)(*args, **{key: weights})
