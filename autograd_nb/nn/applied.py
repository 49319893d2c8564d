"""Modules that call one function of nn.functional with stored settings: activations, losses, Flatten.

Each is made from its function.  A lambda with the signature of the module's ``__init__``, the function's without its
inputs, keeps the settings, so that Python itself raises for a wrong call.
"""

import inspect

from ..engine.table import ops, parameter_names
from ..torch_api.keywords import complete
from . import functional as F
from .module import Module


class Applied(Module):
    """Calls its function with its settings, which its text shows."""

    def forward(self, input):
        return self._applied(input)

    def _applied(self, *inputs):
        return self.function(*inputs, **{name: getattr(self, name) for name in self.names})

    def extra_repr(self):
        shown = [name for name in self.names if name != "inplace" or self.inplace]
        return ", ".join(f"{name}={getattr(self, name)!r}" for name in shown)


class Loss(Applied):
    """Calls its function on a prediction and a target."""

    def forward(self, input, target):
        return self._applied(input, target)

    def extra_repr(self):
        return ""


def keep(values):
    """Keep the arguments of an ``__init__`` as attributes, the weights of a loss as buffers."""
    self = values.pop("self")
    Module.__init__(self)
    for name in values:
        if "weight" in name:
            self.register_buffer(name, values[name])
        else:
            setattr(self, name, values[name])


def applied(name, function, init=None, base=Applied, inputs=1):
    """The module *name*, which calls *function* with the settings that *init* keeps, by default all after *inputs*."""
    if init is None:
        signature = inspect.signature(function)
        settings = signature.replace(parameters=[*signature.parameters.values()][inputs:])
        init = eval(f"lambda self, {str(settings)[1:-1]}: keep(locals())")
    init.__qualname__ = f"{name}.__init__"  # its name in messages
    body = {"__doc__": (function.__doc__ or "").partition("\n")[0], "__module__": __name__, "__init__": init,
            "function": staticmethod(function), "names": parameter_names(init)[1:]}  # fmt: skip
    return type(name, (base,), body)


def loss(name, function):
    return applied(name, function, base=Loss, inputs=2)


ReLU = applied("ReLU", F.relu)
LeakyReLU = applied("LeakyReLU", F.leaky_relu)
ELU = applied("ELU", F.elu)
SiLU = applied("SiLU", F.silu)
Mish = applied("Mish", F.mish)
GELU = applied("GELU", F.gelu, lambda self, approximate="none": keep(locals()))
Softplus = applied("Softplus", F.softplus, lambda self, beta=1.0, threshold=20.0: keep(locals()))
LogSigmoid = applied("LogSigmoid", F.logsigmoid, lambda self: keep(locals()))
Sigmoid = applied("Sigmoid", F.sigmoid)
Tanh = applied("Tanh", F.tanh)
Softmax = applied("Softmax", F.softmax, lambda self, dim=None: keep(locals()))
LogSoftmax = applied("LogSoftmax", F.log_softmax, lambda self, dim=None: keep(locals()))
Flatten = applied("Flatten", complete("torch.flatten", ops.flatten),
                  lambda self, start_dim=1, end_dim=-1: keep(locals()))  # fmt: skip

MSELoss = loss("MSELoss", F.mse_loss)
L1Loss = loss("L1Loss", F.l1_loss)
HuberLoss = loss("HuberLoss", F.huber_loss)
SmoothL1Loss = loss("SmoothL1Loss", F.smooth_l1_loss)
BCELoss = loss("BCELoss", F.binary_cross_entropy)
BCEWithLogitsLoss = loss("BCEWithLogitsLoss", F.binary_cross_entropy_with_logits)
KLDivLoss = loss("KLDivLoss", F.kl_div)
NLLLoss = loss("NLLLoss", F.nll_loss)
CrossEntropyLoss = loss("CrossEntropyLoss", F.cross_entropy)

__all__ = [name for name, value in globals().items() if isinstance(value, type) and hasattr(value, "function")]
