"""``torch.autograd``: backward passes, user-written functions, checks and graph utilities.

What few programs use (``functional``, anomaly mode) loads when first used; the package's import need not pay for it.
"""

from importlib import import_module as _import_module

from ..absent import absent_from
from ..function import Function
from ..grad_mode import enable_grad, inference_mode, no_grad, set_grad_enabled, set_multithreading_enabled
from . import function, grad_mode, graph
from .gradcheck import gradcheck, gradgradcheck
from .passes import backward, grad
from .variable import Variable

__all__ = [
    "Function", "Variable", "backward", "detect_anomaly", "enable_grad", "function", "functional", "grad",
    "grad_mode", "gradcheck", "gradgradcheck", "graph", "inference_mode", "no_grad", "set_detect_anomaly",
    "set_grad_enabled", "set_multithreading_enabled",
]  # fmt: skip

_HOMES = {"functional": "functional", "detect_anomaly": "anomaly", "set_detect_anomaly": "anomaly"}
_absent = absent_from("torch.autograd")


def __getattr__(name):
    home = _HOMES.get(name)
    if home is None:
        return _absent(name)
    module = _import_module(f"{__name__}.{home}")
    found = globals()[name] = module if name == home else getattr(module, name)
    return found


def __dir__():
    return sorted({*globals(), *_HOMES})
