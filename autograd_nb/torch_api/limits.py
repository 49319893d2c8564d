"""What the numbers of a floating-point dtype can be."""

import numpy as np

from ..engine import dtypes
from ..engine.table import functions

NAMES = ("resolution", "min", "max", "eps", "smallest_normal", "tiny")


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


functions["finfo"] = finfo
