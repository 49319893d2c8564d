"""No ``.grad`` shares memory with another tensor, nor with one that a hook or the caller holds.

Each program returns tensors by name. If PyTorch itself lets two of them share memory, ours may too. The ``.grad`` of
leaves and of tensors that retain theirs, and the tensors that hooks received, never share memory with each other.
"""

from itertools import combinations

import numpy as np
import pytest

import autograd_nb

SHAPES = {"scalar": (), "vector": (3,), "matrix": (2, 3), "large": (200, 100)}
PROGRAMS = {}


def program(function):
    PROGRAMS[function.__name__] = function
    return function


def leaves(torch, shape, count=2):
    return [torch.full(shape, 0.5 + index).requires_grad_() for index in range(count)]


@program
def both_inputs_of_a_sum(torch, shape):
    x, y = leaves(torch, shape)
    (x + y).sum().backward()
    return {"x.grad": x.grad, "y.grad": y.grad}


@program
def a_spread_sum(torch, shape):
    x, y = leaves(torch, shape)
    x.sum().backward()
    (y.sum() + x.sum()).backward()
    return {"x.grad": x.grad, "y.grad": y.grad, "x": x, "y": y}


@program
def hooks_that_keep(torch, shape):
    x, y = leaves(torch, shape)
    kept = {}
    z = x + y
    for name, tensor in {"x": x, "y": y, "z": z}.items():
        tensor.register_hook(lambda grad, name=name: kept.update({f"seen by {name}": grad}))
    z.sum().backward()
    return {"x.grad": x.grad, "y.grad": y.grad, **kept}


@program
def a_hook_that_returns_what_it_holds(torch, shape):
    x, y = leaves(torch, shape)
    mine = torch.full(shape, 3.0)
    x.register_hook(lambda grad: mine)
    y.register_hook(lambda grad: mine)
    (x + y).sum().backward()
    return {"x.grad": x.grad, "y.grad": y.grad, "mine": mine}


@program
def retained_gradients(torch, shape):
    x, y = leaves(torch, shape)
    z = x + y
    w = z.view(-1)
    z.retain_grad()
    w.retain_grad()
    w.sum().backward()
    return {"x.grad": x.grad, "y.grad": y.grad, "z.grad": z.grad, "w.grad": w.grad}


@program
def results_of_grad_through_nothing(torch, shape):
    x, y = leaves(torch, shape)
    given = torch.ones(shape)
    of_x, of_y = torch.autograd.grad(x + y, [x, y], given)
    return {"of x": of_x, "of y": of_y, "given": given}


@program
def saved_inputs_as_gradients(torch, shape):
    x, y = leaves(torch, shape)
    given = torch.ones(shape)
    (x * y).backward(given)
    return {"x.grad": x.grad, "y.grad": y.grad, "x": x, "y": y, "given": given}


@program
def a_function_that_gives_one_gradient_twice(torch, shape):
    class Both(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a, b):
            return a + b

        @staticmethod
        def backward(ctx, grad):
            return grad, grad

    x, y = leaves(torch, shape)
    Both.apply(x, y).sum().backward()
    return {"x.grad": x.grad, "y.grad": y.grad}


@program
def gradients_with_a_graph(torch, shape):
    x, y = leaves(torch, shape)
    (x * 1 + y * 1).sum().backward(create_graph=True)
    found = {"x.grad": x.grad.detach(), "y.grad": y.grad.detach()}
    x.grad = y.grad = None
    return found


@program
def a_view_changed_in_place(torch, shape):
    x, y = leaves(torch, (2, *shape))
    z = x.clone()
    z[0].add_(y[0])
    given = torch.ones(2, *shape)
    z.backward(given)
    return {"x.grad": x.grad, "y.grad": y.grad, "given": given}


def leafs_node_called_alone(torch, shape):
    """A leaf, and copies of it and its gradient after each call of its node."""
    x, given = leaves(torch, shape)
    node = (x * 2).grad_fn.next_functions[0][0]
    for grad, recording in ((given, True), (given.detach(), True), (None, True), (given, False), (given, True)):
        held = x.grad
        with torch.set_grad_enabled(recording):
            assert node(grad) == ()
        before = None if held is None else held.tolist()
        yield x, given, x.grad, (x.grad is held, x.grad.requires_grad, x.grad.tolist(), before)


@program
def a_leafs_node_called_alone(torch, shape):
    (x, given, first, _), *_, (*_, last, _) = leafs_node_called_alone(torch, shape)
    return {"x.grad": last, "first": first, "given": given, "x": x}


def shared(torch, name, shape):
    """The pairs of a program's tensors that share memory."""
    found = {label: tensor.detach().numpy() for label, tensor in PROGRAMS[name](torch, SHAPES[shape]).items()}
    return {pair for pair in combinations(found, 2) if np.shares_memory(found[pair[0]], found[pair[1]])}


@pytest.mark.filterwarnings("ignore:Using backward")
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_gradients_are_apart_and_nothing_shares_that_is_apart_in_torch(name, shape, torch):
    pairs = shared(autograd_nb, name, shape)
    assert not {pair for pair in pairs if any(label.endswith(".grad") for label in pair)}
    assert pairs <= shared(torch, name, shape)


@pytest.mark.filterwarnings("ignore:Using backward")
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_an_element_of_a_gradient_can_be_changed_alone(name, shape):
    for label, grad in PROGRAMS[name](autograd_nb, SHAPES[shape]).items():
        if label.endswith(".grad"):
            with autograd_nb.no_grad():
                before = grad.clone()
                grad.view(-1)[0] += 1
                assert (grad != before).sum().item() == 1, label


def test_a_leafs_node_called_alone_does_what_torchs_does(torch):
    ours, theirs = ([told for *_, told in leafs_node_called_alone(each, (3,))] for each in (autograd_nb, torch))
    assert ours == theirs
