"""Optimizers: they change parameters by their gradients, step by step."""

from ..torch_api.absent import absent_from
from . import lr_scheduler
from .adaptive import ASGD, Adadelta, Adamax, NAdam, RAdam, Rprop
from .algorithms import SGD, Adagrad, Adam, AdamW, RMSprop
from .lbfgs import LBFGS
from .optimizer import Optimizer

__all__ = [
    "ASGD", "LBFGS", "SGD", "Adadelta", "Adagrad", "Adam", "AdamW", "Adamax", "NAdam", "Optimizer", "RAdam", "RMSprop",
    "Rprop", "lr_scheduler",
]  # fmt: skip

__getattr__ = absent_from("torch.optim")
