"""autograd_nb: PyTorch's autograd, small enough to read.

``import autograd_nb as torch`` runs PyTorch autograd code: the same results, the same text, the same errors.

Only the core is loaded here: tensors, modes and the path from a call to a row of the table.  Everything else loads
when one of its names is first used; ``contents`` says which module has which.
"""

# ruff: noqa: F401, I001 - these imports are the public namespace
from math import e, inf, nan, pi

from .torch_api import contents as _contents
from .torch_api.devices import device
from .engine.table import functions as _functions
from .engine.dtypes import bool, double, dtype, float, float16, float32, float64, half, int, int16, int32, int64, int8
from .engine.dtypes import get_default_dtype, long, set_default_dtype, short, uint8
from .engine.modes import enable_grad, inference_mode, is_grad_enabled, is_inference_mode_enabled, no_grad
from .engine.modes import set_grad_enabled
from .torch_api.install import install as _install
from .engine.dtypes import Size
from .engine.tensor import Tensor

__version__ = "2.13.0+autograd_nb.0.3.0.dev0"  # begins with PyTorch's version, which programs read
newaxis = None

_install()


def _public():
    """The public names here, without modules: a loaded module is an attribute too."""
    return {name for name, it in globals().items() if not (name.startswith("_") or isinstance(it, type(_contents)))}


__all__ = sorted(name for name in _public() | _contents.functions if not name.startswith("_"))


def __getattr__(name):
    if name in _contents.namespaces:
        value = _contents.load_module(_contents.namespaces[name])
    elif name in _contents.functions:
        module = _contents.load(name)
        from .torch_api.keywords import complete

        value = complete(f"torch.{name}", _functions[name] if name in _functions else getattr(module, name))
    elif name == "load_ipython_extension":
        value = _contents.load_module("why.ipython").load
    else:
        from .torch_api.absent import attribute

        return attribute("torch", name)
    globals()[name] = value
    return value


def __dir__():
    return sorted({*_public(), *__all__, *_contents.namespaces, *(name for name in globals() if name.startswith("__"))})
