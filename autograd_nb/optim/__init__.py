"""Optimizers: they change parameters by their gradients, step by step."""

from ..torch_api.absent import absent_from
from . import lr_scheduler
from .algorithms import SGD, Adam, AdamW, RMSprop
from .optimizer import Optimizer

__all__ = ["SGD", "Adam", "AdamW", "Optimizer", "RMSprop", "lr_scheduler"]

__getattr__ = absent_from("torch.optim")
