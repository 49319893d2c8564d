"""``torch.nn``: modules, parameters, the functions that modules apply, initial values, gradient clipping.

Modules here import the engine, the rows of losses in operations, and torch_api; nothing above.
"""

from ..torch_api.keywords import stands_for
from . import functional, init, parameter, utils
from .applied import *  # noqa: F403
from .applied import __all__ as _applied
from .containers import ModuleDict, ModuleList, ParameterList, Sequential
from .layers import BatchNorm1d, Dropout, Embedding, Identity, LayerNorm, Linear, PReLU
from .module import Module
from .parameter import Parameter

__all__ = [
    "BatchNorm1d", "Dropout", "Embedding", "Identity", "LayerNorm", "Linear", "Module", "ModuleDict", "ModuleList",
    "PReLU", "Parameter", "ParameterList", "Sequential", "functional", "init", "parameter", "utils", *_applied,
]  # fmt: skip

__getattr__ = stands_for("torch.nn", globals())
