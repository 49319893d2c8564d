"""Tools for all gradients of a module at once: clipping their norm."""

from ..engine.modes import no_grad
from ..engine.table import ops
from ..engine.tensor import Tensor, refuse_foreign
from ..torch_api.keywords import stands_for


@no_grad()
def clip_grad_norm_(parameters, max_norm, norm_type=2.0, *, foreach=None):
    """Scale all gradients so that their total norm is at most *max_norm*; returns the norm before scaling.

    >>> import autograd_nb as torch
    >>> p = torch.nn.Parameter(torch.zeros(2))
    >>> p.grad = torch.tensor([3., 4.])
    >>> torch.nn.utils.clip_grad_norm_([p], 1.), p.grad
    (tensor(5.), tensor([0.6000, 0.8000]))
    """
    parameters, power = [parameters] if isinstance(parameters, Tensor) else [*parameters], float(norm_type)
    refuse_foreign(*parameters)
    grads = [parameter.grad for parameter in parameters if parameter.grad is not None]
    if not grads:
        return ops.tensor(0.0)
    total = ops.stack([grad.norm(power) for grad in grads]).norm(power)
    factor = (float(max_norm) / (total + 1e-6)).clamp(max=1.0)
    for grad in grads:
        grad.mul_(factor)
    return total


__getattr__ = stands_for("torch.nn.utils", globals())
