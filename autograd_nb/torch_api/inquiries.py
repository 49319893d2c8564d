"""Properties of tensors, and PyTorch functions that have nothing to do here."""

import numpy as np

from ..engine import dtypes, modes
from ..engine.call import promoted_dtype
from ..engine.dtypes import Size
from ..engine.table import calls, functions, methods
from ..engine.tensor import Tensor, refuse_foreign
from ..operations.checks import wrap_dim
from ..operations.publishing import OPERANDS, tensor_argument
from .devices import CPU, require_cpu
from .nested import read


def method(call):
    """Decorate a function to be a method of Tensor under its own name."""
    methods[call.__name__] = calls[call.__name__] = call
    return call


def public(call):
    functions[call.__name__] = call
    return call


def short(*rows, add=method):
    """Publish one-line functions: each row has a name, a lambda and its docstring."""
    for name, call, text in rows:
        call.__name__ = call.__qualname__ = name
        call.__doc__ = text
        add(call)


short(
    ("dim", lambda self: self._array.ndim, "The number of dimensions."),
    ("element_size", lambda self: self._dtype.itemsize, "The size of an element in bytes."),
    ("tolist", lambda self: read(self, "tolist").tolist(), "The elements as nested lists; a number for a 0-d tensor."),
    ("is_inference", lambda self: self._inference, "Whether this tensor was made in inference mode."),
    ("_is_view", lambda self: self._view is not None, "Whether this tensor shares its storage with another."),
    ("cpu", lambda self, memory_format=None: self, "This tensor: all are on the CPU."),
)


@method
def size(self, dim=None):
    """The shape, or the length of dimension *dim*."""
    return Size(self._array.shape) if dim is None else self._array.shape[wrap_dim(dim, self._array.ndim)]


@public
@method
def numel(input):
    """The number of elements."""
    return input._array.size


@public
@method
def is_floating_point(input):
    """Whether the dtype is a floating-point one."""
    return input._dtype.is_floating_point


methods.update(
    ndimension=methods["dim"],
    nelement=numel,
    itemsize=property(methods["element_size"]),
    nbytes=property(lambda self: self._array.size * self._dtype.itemsize),
    device=property(lambda self: CPU),
    is_cuda=property(lambda self: False),
)


@method
def __len__(self):
    if not self._array.shape:
        raise TypeError("len() of a 0-d tensor")
    return self._array.shape[0]


@method
def __contains__(self, element):
    refuse_foreign(element)
    if not isinstance(element, OPERANDS):
        raise RuntimeError("Tensor.__contains__ only supports Tensor or scalar, but you passed in a "
                           f"{type(element)}.")  # fmt: skip
    return bool((self == element)._array.any())


short(
    ("is_tensor", lambda obj, /: isinstance(obj, Tensor), "Whether *obj* is a tensor."),
    ("is_inference", lambda input: tensor_argument(input, "is_inference").is_inference(),
     "Whether *input* was made in inference mode."),
    ("set_default_device", lambda device: require_cpu(device), "Does nothing: the CPU is the only device."),
    ("use_deterministic_algorithms", lambda mode, *, warn_only=False: None, "Does nothing: all are deterministic."),
    ("set_num_threads", lambda num, /: None, "Does nothing: NumPy decides how many threads it uses."),
    add=public,
)  # fmt: skip


@public
def set_warn_always(b, /):
    """Set whether warnings that appear once per process appear every time instead."""
    modes.always = b


@public
def result_type(tensor, other):
    """The dtype to which an operation on both, tensors or numbers, promotes them.

    >>> import autograd_nb as torch
    >>> torch.result_type(torch.tensor([1, 2]), 1.0)
    torch.float32
    """
    refuse_foreign(tensor, other)
    return promoted_dtype((tensor, other))


class finfo:
    """The limits of a floating *type*, by default the default dtype.

    >>> import autograd_nb as torch
    >>> torch.finfo(torch.float32).max
    3.4028234663852886e+38
    """

    of, wanted, other = np.finfo, "a floating point", "iinfo"
    names = "resolution", "min", "max", "eps", "smallest_normal", "tiny"

    def __init__(self, type=None):
        dtype, name = type or dtypes.get_default_dtype(), self.of.__name__
        if dtype.is_floating_point is not (name == "finfo"):
            raise TypeError(f"torch.{name}() requires {self.wanted} input type. Use torch.{self.other} to handle "
                            f"'torch.{name}'")  # fmt: skip
        if dtype.name == "bool":
            raise TypeError("torch.bool is not supported by torch.iinfo")
        found, self.dtype, self.bits = self.of(dtype.numpy), dtype.name, 8 * dtype.itemsize
        for each in self.names:
            setattr(self, each, np.asarray(getattr(found, each)).item())
        if name == "finfo":
            self.resolution = float(f"1e-{found.precision}")

    def __repr__(self):
        shown = "".join(f"{name}={getattr(self, name):g}, " for name in self.names)
        return f"{self.of.__name__}({shown}dtype={self.dtype})"


class iinfo(finfo):
    """The limits of an integer *type*."""

    of, wanted, other, names = np.iinfo, "an integer", "finfo", ("min", "max")

    def __init__(self, type):
        super().__init__(type)


functions.update(finfo=finfo, iinfo=iinfo, is_anomaly_enabled=lambda: modes.state.anomaly is not None)


def refuse(cls, function, types, args=(), kwargs=None):
    """PyTorch calls this when one of its functions gets a tensor of ours."""
    raise TypeError(f"{getattr(function, '__name__', 'this function')}() of PyTorch is given a tensor of autograd_nb; "
                    "change its import too")  # fmt: skip


def Parameter(self, is_parameter):  # noqa: N802, as errors call it
    """PyTorch's Parameter sets this attribute on a tensor of another library."""
    refuse(Tensor, Parameter, ())


methods.update(__torch_function__=classmethod(refuse), _is_param=property(None, Parameter))
