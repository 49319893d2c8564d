"""The functions of nn.functional on their samples, as test_table.py does for the operations of the table."""

import numpy as np
import pytest
from programs import shown
from rows import GRADIENT_ULPS, assert_close, assert_same, can_be_checked, checked, run
from samples_losses import FUNCTIONAL, TABLE, WEIGHTED

import autograd_nb
import autograd_nb.nn.functional as F

CASES = [pytest.param(name, each, id=f"{name}({each})") for name, samples in FUNCTIONAL.items() for each in samples]
SMOOTH = [case for case in CASES if case.values[1].smooth]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name, sample", CASES)
def test_a_function_gives_what_torch_gives(torch, name, sample, dtype):
    found = (run(library, getattr(place, name), sample, dtype)
             for library, place in ((autograd_nb, F), (torch, torch.nn.functional)))  # fmt: skip
    assert_same(*found, (max(sample.ulps, 4), True), max(GRADIENT_ULPS, sample.ulps))


@pytest.mark.parametrize("name, sample", SMOOTH)
def test_gradients_agree_with_differences_and_so_do_theirs(name, sample):
    function, inputs = checked(getattr(F, name), sample)
    if can_be_checked(function, inputs):
        assert autograd_nb.autograd.gradcheck(function, inputs)
        assert autograd_nb.autograd.gradgradcheck(function, inputs)


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("name", WEIGHTED)
def test_losses_are_weighted_as_in_torch(torch, name, reduction):
    def loss(library):
        made = library.tensor(1 / (1 + np.exp(-TABLE)), requires_grad=True)
        if name in ("nll_loss", "cross_entropy"):
            target = library.tensor([2, -100])
        else:
            target = library.tensor(np.array([[0.0, 1.0, 0.3], [1.0, 0.0, 0.6]]))
        weights = {key: library.tensor(value) for key, value in WEIGHTED[name].items()}
        result = getattr(library.nn.functional, name)(made, target, **weights, reduction=reduction)
        result.sum().backward()
        return result.detach().numpy(), made.grad.numpy()

    for mine, its in zip(loss(autograd_nb), loss(torch), strict=True):
        assert_close(mine, its, 8, of_largest=True)


START = """
F = nn.functional
def r(*shape):
    return torch.full(shape, 0.5, requires_grad=True)
def o(*shape):
    return torch.full(shape, 0.5)
def L(*values):
    return torch.tensor(values)
def show(result):
    print(tuple(result.shape), result.grad_fn and result.grad_fn.name())
"""
PROGRAMS = """
F.mse_loss(r(3), o(2))
F.cross_entropy(r(2, 3), L(0, 1), reduction='elementwise_mean')
F.binary_cross_entropy(r(3), o(2))
F.binary_cross_entropy(r(3), L(1, 0, 1))
F.binary_cross_entropy_with_logits(r(3), o(2))
F.binary_cross_entropy_with_logits(r(3), L(1, 0, 1))
F.nll_loss(r(3), L(0, 1))
F.cross_entropy(r(2, 2), L([0, 1], [1, 0]))
F.cross_entropy(r(2, 3, 4), L([0] * 4, [3] * 4))
F.cross_entropy(r(2, 3, 4), o(2, 4))
F.nll_loss(r(2, 3, 4, 5), L([0] * 4, [1] * 4))
F.nll_loss(r(2, 3, 4, 5), L(0, 1)[:, None, None].expand(2, 5, 4))
F.nll_loss(r(2, 3, 4, 5, 6), L(0, 1)[:, None, None].expand(2, 5, 4))
F.nll_loss(r(2, 3), L(0, 1), o(2))
F.nll_loss(r(), L())
F.dropout(r(3), 1.5)
F.layer_norm(r(2, 3), (2,))
F.layer_norm(r(2, 3), (3,), r(2))
F.batch_norm(r(2, 3), None, None)
F.batch_norm(r(1, 3), o(3), o(3), training=True)
F.batch_norm(r(2, 3), o(3), o(3), r(2), training=True)
F.batch_norm(L(1, 2), o(0), o(0))
torch.nn.BatchNorm1d(3)(r(3))
F.elu(L(1, 2))
F.silu(L(1, 2))
F.gelu(L(1, 2))
F.gelu(r(2), approximate='erf')
F.softplus(L(True, False))
F.logsigmoid(L(1, 2))
F.embedding(L(0, 5), r(5, 3))
F.embedding(L(0, 1), r(5, 3), padding_idx=9)
F.embedding(L(0, 1), r(5))
F.embedding(o(2), r(5, 3))
torch.nn.Embedding(3, 2, padding_idx=-4)
F.log_softmax(r(2, 3))
F.huber_loss(r(3), o(3), delta=0)
F.huber_loss(L(1, 2), L(1, 2))
F.smooth_l1_loss(r(3), o(3), beta=-1)
F.smooth_l1_loss(L(1, 2), L(1, 2))
F.prelu(r(2, 3), r(2))
F.prelu(r(2, 3), r(1).double())
F.cosine_similarity(r(2, 3), r(4, 3))
""".strip().split("\n")


@pytest.mark.parametrize("program", PROGRAMS)
def test_errors_and_warnings_are_torchs(torch, program):
    text = f"{START}show({program})"
    assert shown(autograd_nb, text) == shown(torch, text)


@pytest.mark.parametrize("call", ["F.leaky_relu(y, 0.2, True)", "F.elu(y, 0.7, inplace=True)", "F.silu(y, True)",
                                  "F.mish(y, inplace=True)", "nn.LeakyReLU(0.1, True)(y)", "nn.ELU(inplace=True)(y)",
                                  "nn.SiLU(True)(y)", "nn.Mish(True)(y)"])  # fmt: skip
def test_an_activation_in_place_is_torchs(torch, call):
    """Its node, the version, the first gradient and the second, of which PyTorch computes some through other nodes."""
    found = []
    for library in (autograd_nb, torch):
        x = library.tensor(TABLE, requires_grad=True)
        y = x * 1
        result = eval(call, {"F": library.nn.functional, "nn": library.nn, "y": y})
        assert result is y
        (grad,) = library.autograd.grad((y * y).sum(), x, create_graph=True)
        (second,) = library.autograd.grad((grad * grad).sum(), x)
        found.append((y.grad_fn.name(), y._version, [each.detach().numpy() for each in (y, grad, second)]))
    assert found[0][:2] == found[1][:2]
    for mine, its in zip(found[0][2], found[1][2], strict=True):
        np.testing.assert_allclose(mine, its, rtol=1e-10)


@pytest.mark.parametrize("call", ["F.gumbel_softmax(x)", "F.gumbel_softmax(x, 0.5, dim=0)",
                                  "F.gumbel_softmax(x, tau=2, hard=True)", "F.gumbel_softmax(x.double(), hard=True)"])
def test_a_choice_with_a_gradient_is_torchs_from_the_seed(torch, call):
    found = []
    for library in (autograd_nb, torch):
        library.manual_seed(5)
        x = library.tensor(TABLE, dtype=library.float32, requires_grad=True)
        y = eval(call, {"F": library.nn.functional, "x": x})
        (y * y.detach().exp()).sum().backward()
        found.append((y.grad_fn.name(), y.detach().numpy(), x.grad.numpy(), library.rand(1).item()))
    for mine, its in zip(*found, strict=True):
        np.testing.assert_allclose(mine, its, 1e-5) if isinstance(mine, np.ndarray) else None
    assert found[0][0] == found[1][0] and found[0][3] == found[1][3]
