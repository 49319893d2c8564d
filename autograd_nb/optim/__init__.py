"""``torch.optim``: optimizers, which update parameters by their gradients, and learning-rate schedules.

Modules here import the engine, nn's parameters and torch_api; nothing above.
"""

# ruff: noqa: F401 - these imports are the public namespace
from ..torch_api.keywords import stands_for
from . import lr_scheduler
from .algorithms import LBFGS, SGD, Adagrad, Adam, AdamW, RMSprop
from .optimizer import Optimizer

__getattr__ = stands_for("torch.optim", globals())
