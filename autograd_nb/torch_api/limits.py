"""What the numbers of a dtype can be: finfo for floating-point ones, iinfo for integers."""

import numpy as np

from ..engine import dtypes
from ..engine.table import functions


class Limits:
    """The limits of one dtype, as Python numbers."""

    def __init__(self, dtype, info):
        self.bits, self.dtype = info.bits, dtype.name
        for name in self.names:
            value = getattr(info, name)
            if not isinstance(value, int):
                value = float(str(value) if name == "resolution" else value)  # 1e-06 also where a float32 is not
            setattr(self, name, value)

    def __repr__(self):
        shown = "".join(f"{name}={getattr(self, name):g}, " for name in self.names)
        return f"{self.__class__.__name__}({shown}dtype={self.dtype})"


class finfo(Limits):
    """The limits of a floating-point dtype, of the default one unless given.

    >>> finfo(dtypes.float32).eps
    1.1920928955078125e-07
    """

    names = ("resolution", "min", "max", "eps", "smallest_normal", "tiny")

    def __init__(self, type=None):
        dtype = type or dtypes.get_default_dtype()
        super().__init__(dtype, np.finfo(dtype.numpy))


class iinfo(Limits):
    """The limits of an integer dtype.

    >>> iinfo(dtypes.int8)
    iinfo(min=-128, max=127, dtype=int8)
    """

    names = ("min", "max")

    def __init__(self, type):
        super().__init__(type, np.iinfo(type.numpy))


functions.update(finfo=finfo, iinfo=iinfo)
