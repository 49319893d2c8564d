"""What the numbers of a dtype can be: finfo for floating-point ones, iinfo for integers."""

import numpy as np

from ..engine import dtypes
from .arguments import dtype_argument


class Limits:
    """The limits of one dtype, as Python numbers; equal to another's if the dtypes are."""

    names = ()

    def __init__(self, dtype, info):
        self.bits = info.bits
        self.dtype = dtype.name
        for name in self.names:
            value = getattr(info, name)
            if not isinstance(value, int):
                value = float(str(value) if name == "resolution" else value)  # 1e-06 also where a float32 is not
            setattr(self, name, value)

    def __repr__(self):
        shown = "".join(f"{name}={getattr(self, name):g}, " for name in self.names)
        return f"{self.__class__.__name__}({shown}dtype={self.dtype})"

    def __eq__(self, other):
        return self.__class__ is other.__class__ and self.dtype == other.dtype

    def __hash__(self):
        return hash(self.dtype)


class finfo(Limits):
    """The limits of a floating-point dtype (the default one unless given).  TypeError for any other.

    >>> finfo(dtypes.float32).eps
    1.1920928955078125e-07
    """

    names = ("resolution", "min", "max", "eps", "smallest_normal", "tiny")

    def __init__(self, type=None):
        dtype = dtypes.get_default_dtype() if type is None else dtype_argument("finfo", type, "type", 1)
        if not dtype.is_floating_point:
            raise TypeError(
                "torch.finfo() requires a floating point input type. Use torch.iinfo to handle 'torch.finfo'"
            )
        super().__init__(dtype, np.finfo(dtype.numpy))


class iinfo(Limits):
    """The limits of an integer dtype.  TypeError for any other.

    >>> iinfo(dtypes.int8)
    iinfo(min=-128, max=127, dtype=int8)
    """

    names = ("min", "max")

    def __init__(self, type):
        dtype = dtype_argument("iinfo", type, "type", 1)
        if dtype.is_floating_point:
            raise TypeError("torch.iinfo() requires an integer input type. Use torch.finfo to handle 'torch.iinfo'")
        if dtype is dtypes.bool:
            raise TypeError("torch.bool is not supported by torch.iinfo")
        super().__init__(dtype, np.iinfo(dtype.numpy))
