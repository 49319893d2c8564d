"""``torch.autograd.Variable``: how tensors with gradients were made before tensors could require them."""

from ..engine.tensor import Tensor


class _VariableType(type):
    def __instancecheck__(cls, value):
        return isinstance(value, Tensor)


class Variable(metaclass=_VariableType):
    """``Variable(tensor, requires_grad)`` is a tensor that shares its elements; every tensor is an instance.

    >>> import autograd_nb as torch
    >>> torch.autograd.Variable(torch.ones(2), requires_grad=True)
    tensor([1., 1.], requires_grad=True)
    """

    def __new__(cls, data, requires_grad=False):
        return data.detach().requires_grad_(requires_grad)


Variable.__module__ = "torch.autograd.variable"
