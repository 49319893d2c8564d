"""``torch.nn``: modules, parameters, the functions that modules apply, initial values, gradient clipping.

Modules here import the engine, the rows of losses in operations, and torch_api; nothing above.
"""

# ruff: noqa: F401 - these imports are the public namespace
from ..torch_api.keywords import stands_for
from . import functional, init, parameter, utils
from .applied import *  # noqa: F403
from .containers import ModuleDict, ModuleList, ParameterList, Sequential
from .layers import BatchNorm1d, Dropout, Embedding, Identity, LayerNorm, Linear, PReLU
from .module import Module
from .parameter import Parameter

__getattr__ = stands_for("torch.nn", globals())
