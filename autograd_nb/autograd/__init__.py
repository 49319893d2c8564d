"""``torch.autograd``: backward passes, user-written functions, checks and graph utilities."""

from ..absent import absent_from
from ..function import Function
from ..grad_mode import enable_grad, inference_mode, no_grad, set_grad_enabled
from . import function, graph
from .anomaly import detect_anomaly, set_detect_anomaly
from .gradcheck import gradcheck, gradgradcheck
from .passes import backward, grad

__all__ = [
    "Function", "backward", "detect_anomaly", "enable_grad", "function", "grad", "gradcheck", "gradgradcheck", "graph",
    "inference_mode", "no_grad", "set_detect_anomaly", "set_grad_enabled",
]  # fmt: skip

__getattr__ = absent_from("torch.autograd")
