"""Tensors whose own shape changes in place: ours beside PyTorch's."""

import warnings

import pytest

import autograd_nb

CHANGES = {
    "t_": (), "unsqueeze_": (0,), "squeeze_": (), "transpose_": (0, 1), "swapaxes_": (0, -1), "swapdims_": (1, 0),
}  # fmt: skip
CALLS = [*CHANGES.items(), ("unsqueeze_", (-1,)), ("squeeze_", (0,)), ("squeeze_", ((0, 1),)), ("unsqueeze_", (5,)),
         ("transpose_", (0, 4)), ("squeeze_", (3,))]  # fmt: skip


def of_a_result(library, change, a):
    b = a * 1
    assert change(b) is b
    return [b, b._version, names(b), library.autograd.grad((b * b).sum(), a)]


def of_a_view(library, change, a):
    b = a * 1
    view = b[:1]
    change(view)
    return [view, view._version, names(view), names(b), view._base is b, library.autograd.grad(view.sum(), a)]


def of_a_base(library, change, a):
    b = a * 1
    view = b[:1]
    change(b)
    return [view, names(view), names(b), library.autograd.grad((view * view).sum(), a)]


def of_a_leaf(library, change, a):
    return change(a)


def of_what_a_node_saved(library, change, a):
    b = a * 1
    c = b * b
    change(b)
    return library.autograd.grad(c.sum(), a)


def of_a_view_whose_elements_then_change(library, change, a):
    b = a * 1
    view = b[:1]
    change(view)
    view.mul_(2)
    return [view, names(view), names(b), library.autograd.grad(b.sum(), a)]


def names(tensor):
    node = tensor.grad_fn
    return node and (node.name(), [edge and edge.name() for edge, _ in node.next_functions])


def outcome(library, scene, method, arguments):
    a = library.arange(6.0).reshape(2, 3).clone().requires_grad_()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return repr(scene(library, lambda tensor: getattr(tensor, method)(*arguments), a))
        except (RuntimeError, IndexError) as error:
            return type(error).__name__, str(error).partition("\n")[0]


@pytest.mark.parametrize("scene", [
    of_a_result, of_a_view, of_a_base, of_a_leaf, of_what_a_node_saved,
    of_a_view_whose_elements_then_change,
])  # fmt: skip
@pytest.mark.parametrize("method, arguments", CALLS)
def test_a_change_of_shape_is_torchs(torch, scene, method, arguments):
    assert outcome(autograd_nb, scene, method, arguments) == outcome(torch, scene, method, arguments)
