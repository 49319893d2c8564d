"""``torch.autograd``: backward passes, user-written functions, checks and graph utilities."""

from ..absent import absent_from
from ..function import Function
from ..grad_mode import enable_grad, inference_mode, no_grad, set_grad_enabled, set_multithreading_enabled
from . import function, functional, grad_mode, graph
from .anomaly import detect_anomaly, set_detect_anomaly
from .gradcheck import gradcheck, gradgradcheck
from .passes import backward, grad
from .variable import Variable

__all__ = [
    "Function", "Variable", "backward", "detect_anomaly", "enable_grad", "function", "functional", "grad",
    "grad_mode", "gradcheck", "gradgradcheck", "graph", "inference_mode", "no_grad", "set_detect_anomaly",
    "set_grad_enabled", "set_multithreading_enabled",
]  # fmt: skip

__getattr__ = absent_from("torch.autograd")
