"""``torch.autograd``: backward passes, user-written functions, checks and graph utilities.

Its modules import the engine, the operations through ``ops``, and torch_api; nothing above.
"""

# ruff: noqa: F401 - these imports are the public namespace
from ..engine.modes import enable_grad, inference_mode, no_grad, set_grad_enabled
from ..torch_api.keywords import stands_for
from . import function, functional, graph
from .anomaly import detect_anomaly, set_detect_anomaly
from .function import Function
from .gradcheck import gradcheck, gradgradcheck
from .passes import backward, grad
from .variable import Variable

__getattr__ = stands_for("torch.autograd", globals())
