"""autograd_nb: PyTorch's autograd, small enough to read.

``import autograd_nb as torch`` runs PyTorch autograd code: the same results, the same text, the same errors.
"""

from . import creation as _creation, derivatives as _derivatives, dtypes as _dtypes, ranges as _ranges, sampling as _sampling
from . import conversions as _conversions, legacy as _legacy
from .dispatch import functions as _functions
from .dtypes import float32, float64, int64
from .grad_mode import enable_grad, inference_mode, is_grad_enabled, no_grad, set_grad_enabled
from .install import install as _install
from .random import Generator, manual_seed
from .tensors import Size, Tensor
from . import autograd

_install()
globals().update({name: call for name, call in _functions.items() if name not in globals()})
