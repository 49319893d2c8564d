"""What user-written Functions and hooks must not cost: garbage, recursion, the user's own NumPy settings."""

import gc
import warnings
import weakref

import numpy as np
import pytest

import autograd_nb as torch
from autograd_nb.autograd.graph import saved_tensors_hooks


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x * x * x
        ctx.save_for_backward(x, y)
        return y

    @staticmethod
    def backward(ctx, grad_output):
        x, _ = ctx.saved_tensors
        return grad_output * 3 * x * x


@pytest.fixture
def no_collector():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def with_hooks(x):
    y = x * 2
    y.register_hook(lambda grad: grad * 2)
    y.retain_grad()
    y.grad_fn.register_hook(lambda grads, outputs: None)
    return y


def with_packed(x):
    with saved_tensors_hooks(lambda tensor: tensor.detach(), lambda tensor: tensor):
        return x.exp() * x


@pytest.mark.parametrize("make", [Cube.apply, with_hooks, with_packed], ids=["Function", "hooks", "saved hooks"])
@pytest.mark.parametrize("run_backward", [False, True])
def test_a_graph_dies_with_its_last_tensor(no_collector, make, run_backward):
    x = torch.tensor(2.0, requires_grad=True)
    y = make(x)
    node = weakref.ref(y.grad_fn)
    if run_backward:
        y.backward()
    assert node() is not None
    del y
    assert node() is None


def test_a_long_chain_of_functions_and_hooks_needs_no_recursion():
    x = torch.tensor(1.0, dtype=torch.float64, requires_grad=True)
    y, seen = x, []
    for _ in range(5000):
        y = Cube.apply(y) * (1 / 3)
        y.register_hook(seen.append)
        y = y * 0 + 1
    y.backward()
    assert len(seen) == 5000
    del y


def test_backward_of_a_function_runs_under_the_users_own_numpy_settings():
    class Careful(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad_output):
            np.float64(1) / np.float64(0)
            return grad_output / 0

    y = Careful.apply(torch.tensor(1.0, requires_grad=True))
    with warnings.catch_warnings(record=True) as caught, np.errstate(divide="warn"):
        warnings.simplefilter("always")
        (y * 2).backward()
    assert [str(each.message) for each in caught] == ["divide by zero encountered in scalar divide"]
