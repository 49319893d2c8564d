"""A gradient has the shape and the dtype of its tensor, whatever dtypes meet in a call.

A random search calls every row with tensors of random dtypes, also 0-d and in place, and looks at all first and second
gradients, and at those that hooks see.  ``pytest tests/operations/test_dtypes_of_gradients.py --edges`` tries more.
"""

import random
import warnings

import numpy as np
import pytest
from rows import ours, outputs
from samples import all_samples

import autograd_nb as torch
from autograd_nb.torch_api import contents

contents.load_table()
SAMPLES = {name: samples for name, samples in all_samples().items() if samples}
SEED, CALLS = 56, 6
REFUSALS = "not implemented", "is not differentiable", "derivative for", "returned an invalid gradient"  # as in PyTorch


def mixed(value, chance, small):
    """The value with tensors for its arrays, those of floats in random dtypes; *small*: 0-d."""
    if isinstance(value, list | tuple) and any(isinstance(each, np.ndarray) for each in value):
        return [mixed(each, chance, small) for each in value]
    if not isinstance(value, np.ndarray):
        return value
    if small and value.size:
        value = np.array(value.flat[0])
    if value.dtype.kind != "f":
        return torch.tensor(value)
    return torch.tensor(value, dtype=chance.choice((torch.float32, torch.float64)), requires_grad=True)


def flat(values):
    for value in values:
        yield from flat(value) if isinstance(value, list | tuple) else [value]


def hold(grads, inputs):
    """Each gradient is as its tensor is."""
    for grad, of in zip(grads, inputs, strict=True):
        if grad is not None:
            assert (grad.dtype, grad.shape) == (of.dtype, of.shape)


def look(call, args, kwargs):
    """Run a call and hold all its gradients against their tensors; returns whether there were any."""
    inputs = [each for each in flat([*args, *kwargs.values()]) if isinstance(each, torch.Tensor) and each.requires_grad]
    seen = []
    for each in inputs:
        each.register_hook(lambda grad, each=each: seen.append((grad, each)))
    try:
        results = outputs(call(*args, **kwargs))
    except (RuntimeError, TypeError, ValueError, IndexError):
        return False  # these dtypes or shapes do not meet in this row
    roots = [each for each in results if isinstance(each, torch.Tensor) and each.requires_grad]
    if not roots:
        return False
    weights = [torch.ones_like(root).requires_grad_() for root in roots]
    try:
        hold(torch.autograd.grad(roots, inputs, weights, retain_graph=True, allow_unused=True), inputs)
        grads = torch.autograd.grad(roots, inputs, weights, create_graph=True, allow_unused=True)
        hold(grads, inputs)
        again = [grad for grad in grads if grad is not None and grad.requires_grad]
        if again:
            inner, ones = [*inputs, *weights], [*map(torch.ones_like, again)]
            hold(torch.autograd.grad(again, inner, ones, retain_graph=True, allow_unused=True), inner)
        torch.autograd.backward(roots, weights)
    except RuntimeError as error:
        assert any(words in str(error) for words in REFUSALS), error
    hold([each.grad for each in inputs], inputs)
    hold(*zip(*seen, strict=True) if seen else ((), ()))
    return True


def in_place(name):
    """The call in place on a copy, so that leaves may be changed."""
    form = getattr(torch.Tensor, name + "_", None)
    return form and (lambda self, *args, **kwargs: form(torch.as_tensor(self).clone(), *args, **kwargs))


@pytest.mark.parametrize("name", SAMPLES)
def test_gradients_are_as_their_tensors_are(name, request):
    chance = random.Random(f"{SEED} {name}")
    calls = [call for call in (ours(name), in_place(name)) if call]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(40 * CALLS if request.config.getoption("--edges") else CALLS):
            sample, small = chance.choice(SAMPLES[name]), chance.random() < 0.3
            args = [mixed(each, chance, small) for each in sample.args]
            kwargs = {key: mixed(each, chance, small) for key, each in sample.kwargs.items()}
            if args and sum(each.numel() for each in flat([*args]) if isinstance(each, torch.Tensor)) < 2000:
                look(chance.choice(calls), args, kwargs)


PAIRS = [(a, b) for a in ("float16", "float32", "float64") for b in ("float16", "float32", "float64")]
WRITES = {
    "b[:] = w": lambda b, w: b.__setitem__(slice(None), w),
    "b[0] = w": lambda b, w: b.__setitem__(0, w.sum()),
    "copy_": lambda b, w: b.copy_(w),
    "copy_ into a view": lambda b, w: b.view(2, 1)[:, 0].copy_(w),
    "fill_": lambda b, w: b.fill_(w.sum()),
    "+=": lambda b, w: b.add_(w),
}


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("into, of", PAIRS)
def test_a_write_into_another_dtype_sends_back_a_gradient_of_the_writers(write, into, of):
    w = torch.ones(2, dtype=getattr(torch, of), requires_grad=True)
    b, seen = torch.zeros(2, dtype=getattr(torch, into)), []
    w.register_hook(lambda grad: seen.append(grad.dtype))
    WRITES[write](b, w)
    (b * b).sum().backward()
    assert w.grad.dtype is w.dtype and seen == [w.dtype]
    w.grad = w.grad  # which a gradient of another dtype would not allow
