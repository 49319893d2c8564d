"""Tools for all parameters of a module at once: limiting gradients, and one long vector."""

import math

from ...engine.modes import no_grad
from ...engine.table import ops
from ...engine.tensor import Tensor
from ...torch_api.absent import absent_from
from ..modules.module import typename


def _with_grads(parameters):
    parameters = [parameters] if isinstance(parameters, Tensor) else parameters
    return [parameter for parameter in parameters if parameter.grad is not None]


@no_grad()
def get_total_norm(tensors, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """The *norm_type*-norm of all the tensors' elements together; RuntimeError for inf or nan if those are errors."""
    tensors = [tensors] if isinstance(tensors, Tensor) else list(tensors)
    if not tensors:
        return ops.tensor(0.0)
    norms = [tensor.norm(float(norm_type)) for tensor in tensors]
    total = ops.stack(norms).norm(float(norm_type))
    if error_if_nonfinite and not math.isfinite(total.item()):
        raise RuntimeError(
            f"The total norm of order {float(norm_type)} for gradients from `parameters` is non-finite, so it cannot "
            "be "
            "clipped. To disable this error and scale the gradients by the non-finite norm anyway, set "
            "`error_if_nonfinite=False`"
        )
    return total


@no_grad()
def clip_grads_with_norm_(parameters, max_norm, total_norm, foreach=None):
    """Scale all gradients by max_norm / total_norm, unless that is more than 1."""
    factor = (float(max_norm) / (total_norm + 1e-6)).clamp(max=1.0)
    for parameter in _with_grads(parameters):
        parameter.grad.mul_(factor)


def clip_grad_norm_(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """Scale all gradients so that their common norm is *max_norm* at most; returns the norm they had.

    >>> import autograd_nb as torch
    >>> p = torch.nn.Parameter(torch.zeros(2))
    >>> p.grad = torch.tensor([3., 4.])
    >>> torch.nn.utils.clip_grad_norm_([p], 1.), p.grad
    (tensor(5.), tensor([0.6000, 0.8000]))
    """
    parameters = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    total = get_total_norm([each.grad for each in _with_grads(parameters)], norm_type, error_if_nonfinite)
    clip_grads_with_norm_(parameters, max_norm, total)
    return total


@no_grad()
def clip_grad_value_(parameters, clip_value, foreach=None):
    """Bring every element of the gradients between -clip_value and clip_value.  RuntimeError when there are none."""
    found = list(_with_grads(parameters))
    if not found:
        raise RuntimeError("Expected !nested_tensorlist[0].empty() to be true, but got false.  (Could this error "
                           "message be improved?  If so, please report an enhancement request to PyTorch.)")
    for parameter in found:
        parameter.grad.clamp_(-float(clip_value), float(clip_value))


def parameters_to_vector(parameters):
    """All parameters' elements in one vector.

    >>> import autograd_nb as torch
    >>> torch.nn.utils.parameters_to_vector([torch.ones(2), torch.zeros(1)])
    tensor([1., 1., 0.])
    """
    return ops.cat([parameter.view(-1) for parameter in parameters])


def vector_to_parameters(vec, parameters):
    """Let the parameters' elements be those of the vector, in order.  TypeError unless it is a tensor."""
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {typename(vec)}")
    start = 0
    for parameter in parameters:
        count = parameter.numel()
        parameter.data = vec[start : start + count].view_as(parameter).data
        start += count


__getattr__ = absent_from("torch.nn.utils")
