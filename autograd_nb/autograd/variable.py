"""``Variable(tensor, requires_grad=True)``, which programs from before PyTorch 0.4 call: it makes a Tensor."""

from ..engine.modes import warn
from ..engine.tensor import Tensor, kind_of
from ..torch_api.absent import absent_from

__getattr__ = absent_from("torch.autograd.variable")


class VariableType(type):
    """The class of Variable: a call makes a tensor, and every tensor is an instance."""

    def __call__(cls, data=None, requires_grad=False, volatile=False):
        if volatile:
            warn("volatile was removed and now has no effect. Use `with torch.no_grad():` instead.")
        data = Tensor() if data is None else data
        if not isinstance(data, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {kind_of(data)}")
        made = data.detach()
        if requires_grad and not made._dtype.is_floating_point:
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        return made.requires_grad_(requires_grad)

    def __instancecheck__(cls, thing):
        return isinstance(thing, Tensor)


class Variable(metaclass=VariableType):
    """The elements of a tensor as a leaf that may require grad.

    >>> from autograd_nb.autograd import Variable
    >>> import autograd_nb as torch
    >>> Variable(torch.ones(2), requires_grad=True)
    tensor([1., 1.], requires_grad=True)
    """


Variable.__module__ = "torch.autograd.variable"
