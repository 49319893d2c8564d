"""Questions about objects and dtypes, and lines of PyTorch programs that have nothing to change here."""

from ..engine import dtypes, modes
from ..engine.table import functions, tensor_argument
from ..engine.tensor import Tensor
from .arguments import dtype_argument


def public(call):
    functions[call.__name__] = call
    return call


@public
def is_tensor(obj, /):
    """Whether *obj* is a tensor.

    >>> is_tensor([1.0])
    False
    """
    return isinstance(obj, Tensor)


@public
def is_inference(input):
    """Whether *input* was made in inference mode."""
    return tensor_argument(input, "is_inference").is_inference()


@public
def promote_types(type1, type2):
    """The smallest dtype that holds both, as for two tensors that both have dimensions.

    >>> promote_types(dtypes.int64, dtypes.float16)
    torch.float16
    """
    return dtypes.promote_types(
        dtype_argument("promote_types", type1, "type1", 1), dtype_argument("promote_types", type2, "type2", 2)
    )


@public
def can_cast(from_, to):
    """Whether a result of dtype *from_* may be written into a tensor of dtype *to*.

    >>> can_cast(dtypes.float64, dtypes.float32), can_cast(dtypes.float32, dtypes.int64)
    (True, False)
    """
    return dtypes.can_cast(dtype_argument("can_cast", from_, "from_", 1), dtype_argument("can_cast", to, "to", 2))


@public
def result_type(tensor1, tensor2):
    """The dtype in which an operation on both, tensors or numbers, is computed.

    >>> import autograd_nb as torch
    >>> torch.result_type(torch.tensor([1, 2]), 1.0)
    torch.float32
    """
    pairs = []
    for position, value in enumerate((tensor1, tensor2), 1):
        if isinstance(value, Tensor):
            pairs.append((value._dtype, 2 if value._array.shape else 1))
        elif isinstance(value, dtypes.PYTHON_NUMBERS):
            pairs.append((dtypes.of_number(value), 0))
        else:
            raise TypeError(f"result_type(): argument 'tensor{position}' (position {position}) must be Tensor or "
                            f"Number, not {type(value).__name__}")
    return dtypes.promote(pairs)


@public
def set_warn_always(b, /):
    """Whether warnings that are said once in a process are said every time."""
    modes.always = b


@public
def use_deterministic_algorithms(mode, *, warn_only=False):
    """Nothing to change: every operation here is deterministic."""


@public
def set_num_threads(num, /):
    """Nothing to change: how many threads compute is NumPy's affair."""


@public
def get_num_threads():
    """1: operations run in the thread that calls them."""
    return 1


def typename(obj):
    """The name of an object's type with its module; of a tensor the old name of its dtype's tensors."""
    if isinstance(obj, Tensor):
        return obj.type()
    if not hasattr(obj, "__qualname__"):
        obj = type(obj)
    if isinstance(obj, type):
        return repr(obj)[len("<class '") : -len("'>")]  # which for what is PyTorch's says torch
    return f"{obj.__module__}.{obj.__qualname__}"
