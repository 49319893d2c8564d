"""Questions about objects and dtypes, and lines of PyTorch programs that have nothing to change here."""

import numpy as np

from ..engine import dtypes, modes
from ..engine.table import functions, tensor_argument
from ..engine.tensor import Tensor
from .arguments import dtype_argument


def public(call):
    functions[call.__name__] = call
    return call


@public
def is_tensor(obj, /):
    """Whether *obj* is a tensor."""
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
    """Whether a result of dtype *from_* may be written into a tensor of dtype *to*."""
    return dtypes.can_cast(dtype_argument("can_cast", from_, "from_", 1), dtype_argument("can_cast", to, "to", 2))


@public
def result_type(tensor1, tensor2):
    """The dtype in which an operation on both, tensors or numbers, is computed.

    >>> import autograd_nb as torch
    >>> torch.result_type(torch.tensor([1, 2]), 1.0)
    torch.float32
    """
    return dtypes.promote([
        (value._dtype, 2 if value._array.shape else 1) if isinstance(value, Tensor) else (dtypes.of_number(value), 0)
        for value in (tensor1, tensor2)
    ])  # fmt: skip


NAMES = ("resolution", "min", "max", "eps", "smallest_normal", "tiny")


@public
class finfo:
    """The limits of a floating-point dtype, of the default one unless given.

    >>> finfo(dtypes.float32).eps
    1.1920928955078125e-07
    """

    def __init__(self, type=None):
        dtype = type or dtypes.get_default_dtype()
        info = np.finfo(dtype.numpy)
        self.bits, self.dtype = info.bits, dtype.name
        for name in NAMES:  # 1e-06 also where a float32 is not
            setattr(self, name, float(str(getattr(info, name)) if name == "resolution" else getattr(info, name)))

    def __repr__(self):
        shown = "".join(f"{name}={getattr(self, name):g}, " for name in NAMES)
        return f"finfo({shown}dtype={self.dtype})"


# -- nothing to change here ------------------------------------------------------------------------------------------


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
