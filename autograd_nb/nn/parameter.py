"""Parameters: the tensors of a module that an optimizer changes."""

from ..engine.tensor import AccumulateGrad, Tensor, TensorType, refuse_foreign, wrap
from ..torch_api.absent import absent_from
from ..torch_api.nested import read

__getattr__ = absent_from("torch.nn.parameter")


class ParameterType(TensorType):
    def __repr__(cls):
        return "<class 'torch.nn.parameter.Parameter'>" if cls is Parameter else super().__repr__()


class Parameter(Tensor, metaclass=ParameterType):
    """A leaf tensor that becomes a parameter of a module when it is assigned to one of its attributes.

    It shares the elements of *data* and by default requires grad.

    >>> import autograd_nb as torch
    >>> torch.nn.Parameter(torch.ones(2))
    Parameter containing:
    tensor([1., 1.], requires_grad=True)
    """

    def __new__(cls, data=None, requires_grad=True):
        data = Tensor() if data is None else data
        refuse_foreign(data)
        if not isinstance(data, Tensor):
            raise AttributeError(f"'{type(data).__name__}' object has no attribute 'detach'")
        if requires_grad and not data._dtype.is_floating_point:
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        self = object.__new__(cls)
        self._counter = data._share()
        self._array = read(data, "Parameter")
        self._dtype = data._dtype
        self._node = AccumulateGrad(self) if requires_grad else None
        return self

    def __repr__(self, **options):
        return f"Parameter containing:\n{super().__repr__(**options)}"

    def __deepcopy__(self, memo):
        if id(self) not in memo:
            memo[id(self)] = Parameter(wrap(self._array.copy(), self._dtype), self.requires_grad)
        return memo[id(self)]


def clear_gradients(parameters, set_to_none):
    """Set the gradients of *parameters* to None, or else to zeros without a history."""
    for parameter in parameters:
        if set_to_none:
            parameter.grad = None
        elif parameter.grad is not None:
            grad = parameter.grad
            (grad.requires_grad_(False) if grad.grad_fn is None else grad.detach_()).zero_()
