"""What user-written Functions and hooks must not cost: garbage, recursion, the user's own NumPy settings."""

import gc
import warnings
import weakref

import numpy as np
import pytest

import autograd_nb as torch
from autograd_nb.autograd.graph import saved_tensors_hooks
from autograd_nb.autograd.jacobians import analytical_jacobian, numerical_jacobian


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


def test_jacobians_of_both_kinds_can_be_had_apart():
    x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    k = torch.tensor(3.0, dtype=torch.float64)

    def function(x, k):
        return x * x * k, x.sum()

    numerical, analytical = numerical_jacobian(function, (x, k)), analytical_jacobian(function, (x, k))
    assert [[each is None for each in row] for row in numerical] == [[False, True]] * 2
    for a, b in zip(numerical, analytical, strict=True):
        assert np.allclose(a[0].numpy(), b[0].detach().numpy(), rtol=1e-6)
    assert analytical[0][0].tolist() == [[6.0, 0.0], [0.0, 12.0]] and analytical[1][0].tolist() == [[1.0], [1.0]]
