"""Chapter 20: what its cards ask for, found by running it."""


import autograd_nb as torch
from tests.course.proofs.proof import Proof


def _sizes(layer, gain=1.0, depth=20):
    """The norms of the gradients at the outputs of layers, the first layer's first."""
    torch.manual_seed(0)
    x, sizes = torch.randn(64, 64), []
    for _ in range(depth):
        w = (gain * torch.randn(64, 64) / 8).requires_grad_()
        x = layer(x, w)
        x.register_hook(lambda grad: sizes.append(grad.norm().item()))
    x.backward(torch.randn(64, 64) / 64)
    return sizes[::-1]


def _with_a_way_around():
    """The effect of residual connections: the gradient of layer 1 over the gradient of layer 20."""
    sizes = _sizes(lambda x, w: x + torch.sigmoid(x @ w))
    return "kept" if 0.5 < sizes[0] / sizes[-1] < 2 else "vanishes" if sizes[0] < sizes[-1] else "explodes"


def _normalised():
    norm = torch.nn.LayerNorm(64)
    small, large = (_sizes(lambda x, w: torch.tanh(norm(x @ w)), gain)[0] for gain in (0.5, 2.0))
    return "same" if abs(small / large - 1) < 0.01 else "small" if small > large else "large"


def _clipped_too_late():
    w = torch.tensor(1.0, requires_grad=True)
    (100 * w).backward()
    with torch.no_grad():
        w -= 0.01 * w.grad
    torch.nn.utils.clip_grad_norm_([w], 1.0)
    return w.item() != 1.0 - 0.01 * 1.0


p3 = Proof(_with_a_way_around)
p4 = Proof(_normalised)
p5 = Proof(_clipped_too_late, too_late=True, same=False)
