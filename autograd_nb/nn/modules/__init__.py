"""The modules, a file for each kind."""

from .activations import (
    CELU, ELU, GELU, SELU, Hardsigmoid, Hardswish, Hardtanh, LeakyReLU, LogSigmoid, LogSoftmax, Mish, ReLU, ReLU6, Sigmoid,
    SiLU, Softmax, Softmin, Softplus, Softsign, Tanh, Tanhshrink,
)  # fmt: skip
from .containers import ModuleDict, ModuleList, ParameterDict, ParameterList, Sequential
from .layers import (
    AvgPool2d, BatchNorm1d, BatchNorm2d, Conv1d, Conv2d, Dropout, Embedding, Flatten, Identity, LayerNorm, Linear, MaxPool2d,
)  # fmt: skip
from .losses import (
    BCELoss, BCEWithLogitsLoss, CrossEntropyLoss, HuberLoss, KLDivLoss, L1Loss, MSELoss, NLLLoss, SmoothL1Loss,
)  # fmt: skip
from .module import Module

__all__ = [name for name in dir() if name[0].isupper()]
