"""Networks of layers: modules, their parameters, the functions they apply, first values and tools."""

from ..absent import absent_from
from . import functional, init, modules, parameter, utils
from .modules import *  # noqa: F403
from .parameter import Buffer, Parameter

__all__ = ["Buffer", "Parameter", "functional", "init", "modules", "parameter", "utils", *modules.__all__]

__getattr__ = absent_from("torch.nn")
