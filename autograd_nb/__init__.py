"""autograd_nb: PyTorch's autograd, small enough to read.

``import autograd_nb as torch`` runs PyTorch autograd code: the same results, the same text, the same errors.

The operations come from the table, creation and conversion from rooms of their own.  What is larger than the engine
(``nn``, ``optim``, pictures, the course) loads when first used, so that the import costs little more than NumPy's.
"""

# ruff: noqa: F401, I001 - what is imported here is the public namespace; the table comes before what stands on it
import importlib as _importlib

from . import conversions as _conversions
from . import copies as _copies
from . import derivatives as _derivatives
from . import legacy as _legacy
from . import ranges as _ranges
from . import sampling as _sampling
from .absent import absent_from as _absent_from
from .devices import contiguous_format, device, preserve_format, strided
from .dispatch import functions as _functions
from .dtypes import bool, double, dtype, float, float16, float32, float64, half, int, int8, int16, int32, int64, long
from .dtypes import get_default_dtype, set_default_dtype, short, uint8
from .grad_mode import enable_grad, inference_mode, is_grad_enabled, is_inference_mode_enabled, no_grad
from .grad_mode import set_grad_enabled
from .install import install as _install
from .limits import finfo, iinfo
from .printing import set_printoptions
from .queries import CONSTANTS as _CONSTANTS
from .random import Generator, default_generator, get_rng_state, initial_seed, manual_seed, seed, set_rng_state
from .tensors import Size, Tensor
from . import autograd, random

__version__ = "0.1.0"

_install()
globals().update(_CONSTANTS)
globals().update({name: call for name, call in _functions.items() if name not in globals()})

# What loads when first used: modules, and names in them.
_MODULES = (
    "backends", "course", "cuda", "drawing", "func", "linalg", "nn", "optim", "replay", "serialization", "utils",
    "widgets",
)  # fmt: skip
_NAMES = {
    "load": "serialization", "save": "serialization", "draw": "drawing", "info": "drawing", "predict": "course",
    "bench": "widgets", "record": "replay", "step": "widgets",
}  # fmt: skip
_absent = _absent_from("torch")


def __getattr__(name):
    home = _NAMES.get(name, name if name in _MODULES else None)
    try:
        module = home and _importlib.import_module(f"{__name__}.{home}")
    except ModuleNotFoundError as error:
        if error.name != f"{__name__}.{home}":
            raise
        module = None
    if module is None:
        return _absent(name)
    found = globals()[name] = module if name == home else getattr(module, name)
    return found


def __dir__():
    return sorted({*globals(), *_MODULES, *_NAMES})
