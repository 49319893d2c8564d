# Written by `python tests/tools/write_stubs.py`.
# ruff: noqa
import builtins

from . import function as function
from . import functional as functional
from . import graph as graph
from . import jacobians as jacobians
from . import passes as passes
from . import variable as variable
from .. import Tensor
from ..engine.function import Function as Function
from ..engine.modes import enable_grad as enable_grad
from ..engine.modes import inference_mode as inference_mode
from ..engine.modes import no_grad as no_grad
from ..engine.modes import set_grad_enabled as set_grad_enabled
from .anomaly import detect_anomaly as detect_anomaly
from .anomaly import set_detect_anomaly as set_detect_anomaly
from .gradcheck import gradcheck as gradcheck
from .gradcheck import gradgradcheck as gradgradcheck
from .passes import backward as backward
from .passes import grad as grad
from .variable import Variable as Variable

