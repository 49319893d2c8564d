"""What can be asked about a tensor: its shape, size and dtype, and where it is."""

from ..engine.dtypes import Size
from ..engine.table import calls, functions, methods, tensor_argument
from ..engine.tensor import Tensor
from ..operations.checks import wrap_dim
from .devices import CPU
from .nested import NUMBERS


def method(call):
    """Decorate a function to be a method of Tensor under its own name."""
    methods[call.__name__] = calls[call.__name__] = call
    return call


def function(call):
    """Decorate a function of tensors to be public, as a method too."""
    functions[call.__name__] = methods[call.__name__] = call
    return call


@method
def size(self, dim=None):
    """The shape, or the length of dimension *dim*."""
    if dim is None:
        return Size(self._array.shape)
    return self._array.shape[wrap_dim(dim, self._array.ndim)]


@method
def dim(self):
    """The number of dimensions."""
    return self._array.ndim


@function
def numel(input):
    """The number of elements."""
    return tensor_argument(input, "numel")._array.size


@method
def element_size(self):
    """The size of an element in bytes."""
    return self._dtype.itemsize


@function
def is_floating_point(input):
    """Whether the dtype is a floating-point one."""
    return tensor_argument(input, "is_floating_point")._dtype.is_floating_point


methods.update(
    ndimension=dim,
    nelement=numel,
    itemsize=property(element_size),
    nbytes=property(lambda self: self._array.size * self._dtype.itemsize),
    device=property(lambda self: CPU),
    is_cuda=property(lambda self: False),
)


@method
def __contains__(self, element):
    if not isinstance(element, (Tensor, complex, *NUMBERS)):
        raise RuntimeError(
            f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {element.__class__}."
        )
    return bool((self == element)._array.any())


def names(self):
    """The names of all that a tensor has."""
    return [name for name in object.__dir__(self) if name in self.__dict__ or hasattr(self.__class__, name)]


methods["__dir__"] = names  # under its own name it would be asked what this module has
