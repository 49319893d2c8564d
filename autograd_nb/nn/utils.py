"""Tools for all parameters of a module at once: clipping their gradients, and one vector of them all."""

from ..engine.modes import no_grad
from ..engine.table import ops
from ..engine.tensor import Tensor, refuse_foreign
from ..torch_api.keywords import stands_for


def gradients_of(parameters):
    """The gradients that one parameter or several have."""
    parameters = [parameters] if isinstance(parameters, Tensor) else [*parameters]
    refuse_foreign(*parameters)
    return [each.grad for each in parameters if each.grad is not None]


@no_grad()
def clip_grad_norm_(parameters, max_norm, norm_type=2.0, *, foreach=None):
    """Scale all gradients so that their total norm is at most *max_norm*; returns the norm before scaling.

    >>> import autograd_nb as torch
    >>> p = torch.nn.Parameter(torch.zeros(2))
    >>> p.grad = torch.tensor([3., 4.])
    >>> torch.nn.utils.clip_grad_norm_([p], 1.), p.grad
    (tensor(5.), tensor([0.6000, 0.8000]))
    """
    grads, power = gradients_of(parameters), float(norm_type)
    if not grads:
        return ops.tensor(0.0)
    total = ops.stack([grad.norm(power) for grad in grads]).norm(power)
    factor = (float(max_norm) / (total + 1e-6)).clamp(max=1.0)
    for grad in grads:
        grad.mul_(factor)
    return total


@no_grad()
def clip_grad_value_(parameters, clip_value, foreach=None):
    """Limit each element of all gradients to at most *clip_value* in size.

    >>> import autograd_nb as torch
    >>> p = torch.nn.Parameter(torch.zeros(2))
    >>> p.grad = torch.tensor([3., -0.4])
    >>> torch.nn.utils.clip_grad_value_([p], 1.)
    >>> p.grad
    tensor([ 1.0000, -0.4000])
    """
    for grad in gradients_of(parameters):
        grad.clamp_(-float(clip_value), float(clip_value))


def parameters_to_vector(parameters):
    """All elements of the parameters, one after the other, in one vector."""
    return ops.cat([parameter.view(-1) for parameter in parameters])


def vector_to_parameters(vec, parameters):
    """Let the parameters share the elements of a vector, in which :func:`parameters_to_vector` wrote them."""
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {type(vec).__name__}")
    start = 0
    for parameter in parameters:
        end = start + parameter.numel()
        parameter.data = vec[start:end].view_as(parameter).data
        start = end


__getattr__ = stands_for("torch.nn.utils", globals())
