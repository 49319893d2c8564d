"""``torch.autograd``: backward passes, user-written functions, checks and graph utilities.

Its modules load when one of their names is first used.  They import the engine, the operations through ``ops``, and
torch_api; nothing above.
"""

from importlib import import_module as _import_module

from ..engine.modes import enable_grad, inference_mode, no_grad, set_grad_enabled
from ..torch_api.keywords import complete as _complete
from ..torch_api.keywords import stands_for as _stands_for
from .gradcheck import gradcheck, gradgradcheck  # imported here: the module has the same name
from .variable import Variable

__all__ = [
    "Function", "Variable", "backward", "detect_anomaly", "enable_grad", "function", "functional", "grad",
    "gradcheck", "gradgradcheck", "graph", "inference_mode", "no_grad", "set_detect_anomaly", "set_grad_enabled",
]  # fmt: skip

_HOMES = {
    "Function": "function", "backward": "passes", "detect_anomaly": "anomaly", "function": "function",
    "functional": "functional", "grad": "passes", "graph": "graph",
    "set_detect_anomaly": "anomaly",
}  # fmt: skip
_absent = _stands_for("torch.autograd", globals())


def __getattr__(name):
    home = _HOMES.get(name)
    if home is None:
        return _absent(name)
    module = _import_module(f"{__name__}.{home}")
    value = module if name == home else _complete(f"torch.autograd.{name}", getattr(module, name))
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *_HOMES})
