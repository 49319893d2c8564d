"""The modes in which users' Functions and hooks run, and the attributes of a node that dir() lists for drawers."""

import warnings
import weakref
from contextvars import ContextVar

import numpy as np
from programs import cube

import autograd_nb

cell = ContextVar("cell", default="import")


def test_a_long_chain_of_functions_and_hooks_needs_no_recursion():
    x = autograd_nb.tensor(1.0, dtype=autograd_nb.float64, requires_grad=True)
    y, seen, own = x, [], cube(autograd_nb).apply
    for _ in range(5000):
        y = own(y) * (1 / 3)
        y.register_hook(seen.append)
        y = y * 0 + 1
    y.backward()
    assert len(seen) == 5000
    del y


def test_a_function_lets_go_of_what_it_saved_when_it_is_freed():
    x = autograd_nb.ones(2, requires_grad=True)
    given = x * 2
    alive, y = weakref.ref(given), cube(autograd_nb).apply(given)
    del given
    assert alive() is not None
    y.sum().backward()
    assert alive() is None


def test_backward_runs_in_the_callers_context_and_under_the_users_own_numpy_settings():
    seen = []

    class Careful(autograd_nb.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad_output):
            seen.append(cell.get())
            np.float64(1) / np.float64(0)
            return grad_output / 0

    y = Careful.apply(autograd_nb.tensor(1.0, requires_grad=True))
    y.register_hook(lambda grad: seen.append(cell.get()))
    token = cell.set("later cell")
    with warnings.catch_warnings(record=True) as caught, np.errstate(divide="warn"):
        warnings.simplefilter("always")
        (y * 2).backward()
    cell.reset(token)
    assert [str(each.message) for each in caught] == ["divide by zero encountered in scalar divide"]
    assert seen == ["later cell", "later cell"]


def saved_tensors(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    nodes = [y.grad_fn for y in (x**3, x * x, x * 2, x.exp(), x / (x + 1))]
    return [
        {name for name in dir(node) if name.startswith("_saved") and isinstance(getattr(node, name), torch.Tensor)}
        for node in nodes
    ]


def test_dir_lists_what_torchs_node_saved(torch):
    both = {"_saved_self", "_saved_other"}
    assert saved_tensors(autograd_nb) == [{"_saved_self"}, both, {"_saved_other"}, {"_saved_result"}, both]
    assert saved_tensors(autograd_nb) == saved_tensors(torch)
