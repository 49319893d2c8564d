"""Graph utilities, modes, copies and exchange with NumPy: PyTorch's value or error for each expression."""

import warnings
from contextlib import nullcontext

import pytest
from programs import shown

import autograd_nb
from autograd_nb.engine import speed
from tests.behaviours import forget_warnings

PROGRAMS = r"""
torch.autograd.grad(leaf(2).sum(), [3])
torch.set_default_dtype(3)
pickle.loads(pickle.dumps(torch.float64)) is torch.float64
(lambda x, y: (torch.autograd.backward([x.max(0)[0], y], [torch.ones(()), torch.ones(2)], inputs=[y]), x.grad))(leaf(2), leaf(2))[1]
(lambda x, s: (x.register_post_accumulate_grad_hook(lambda p: s.append(p.grad)), y := x * 2, x.requires_grad_(False), y.sum().backward(), s))(leaf(2), [])[-1]
(lambda x: (y := x * 2, x.requires_grad_(False), x.requires_grad_(), y.sum().backward(), x.grad))(leaf(2))[-1]
(lambda x: (n := (x * 2).grad_fn.next_functions[0][0], n(torch.ones(2)), n(torch.ones(2)), x.grad))(leaf(2))[-1]
(lambda x, w: (y := x.exp(), g := torch.autograd.grad(y, x, w, create_graph=True)[0], y[0].detach().fill_(5), torch.autograd.grad(g.sum(), w)))(leaf(2), leaf(2))
(lambda x: (v := x[:], v.__setitem__(0, x[1]), g := torch.autograd.grad((v ** 2).sum(), x, create_graph=True)[0], g.grad_fn.next_functions[1][0] and g.grad_fn.next_functions[1][0].name()))((leaf(2, 1) * 1))[3]
(lambda x: (v := x[:1], v.mul_(2), y := v * x, g := torch.autograd.grad(y.sum(), x, create_graph=True)[0], torch.autograd.grad((g ** 2).sum(), x)))((leaf(2, 1) * 1))[3:]
torch.nn.Softmax(1, 2, 3)
(lambda x: torch.autograd.grad(torch.autograd.graph.get_gradient_edge(x * 3), x, torch.ones(2)))(leaf(2))
(lambda m: [m.double() is m, m.cpu() is m, m.weight.dtype, m.float() is m, m.weight.dtype])(torch.nn.Linear(1, 1))
(torch.tensor([1., -2., 0., -0.]) % -0.5, torch.tensor([-2.]).remainder(1), -2. % torch.ones(1), torch.tensor(-2.) % 1)
""".strip().splitlines()  # noqa: E501


START = """
import pickle
def leaf(*shape):
    return torch.ones(*shape).requires_grad_()
"""


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_shows_what_it_shows_in_torch(torch, program):
    text = f"{START}print(repr({program}))"
    assert shown(autograd_nb, text) == shown(torch, text)


def test_anomaly_mode_names_the_node_whose_gradient_has_nan(torch):
    told = []
    for library in (autograd_nb, torch):
        y = library.tensor([-1.0], requires_grad=True).sqrt()
        with pytest.warns(UserWarning), library.autograd.detect_anomaly(), pytest.raises(RuntimeError) as raised:
            y.backward()
        told.append(str(raised.value))
    assert told[0] == told[1]


def test_the_warning_of_create_graph_comes_once():
    forget_warnings(autograd_nb)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(2):
            autograd_nb.ones(2, requires_grad=True).sum().backward(create_graph=True)
    assert [str(each.message)[:33] for each in caught] == ["Using backward() with create_graph"[:33]]


def told_of_a_nan(torch):
    """The warnings of anomaly mode about a NaN gradient."""
    x = torch.tensor([0.0, 4.0], requires_grad=True)
    with pytest.warns(UserWarning) as told, torch.autograd.detect_anomaly():
        y = x / x.sqrt()
        with pytest.raises(RuntimeError, match="Function 'DivBackward0' returned nan values in its 1th output"):
            y.sum().backward()
    return str(told[-1].message)


def test_a_nan_under_anomaly_mode_is_told_with_the_line_of_forward():
    said = told_of_a_nan(autograd_nb)
    assert said.startswith("Error detected in DivBackward0. Traceback of forward call") and "y = x / x.sqrt()" in said


def test_so_it_is_in_pytorch(torch):
    assert told_of_a_nan(torch).startswith("Error detected in DivBackward0. Traceback of forward call")


@pytest.mark.parametrize("plain", [False, True])
def test_hooks_of_a_root_are_called_and_its_gradient_is_kept_where_no_input_is_reached(plain, torch):
    def outcome(library):
        leaf, other = library.ones(2, requires_grad=True), library.ones(2, requires_grad=True)
        root, seen = leaf * 2, []
        root.retain_grad()
        root.register_hook(lambda grad: seen.append(grad.tolist()))
        found = library.autograd.grad(root, other, library.ones(2), allow_unused=True)
        return found, seen, root.grad.tolist(), leaf.grad

    with speed.off() if plain else nullcontext():
        assert outcome(autograd_nb) == outcome(torch) == ((None,), [[1.0, 1.0]], [1.0, 1.0], None)
