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


FUNCTIONS = {
    "ReLU": F.relu, "LeakyReLU": F.leaky_relu, "ELU": F.elu, "SiLU": F.silu, "Mish": F.mish, "GELU": F.gelu,
    "Softplus": F.softplus, "LogSigmoid": F.logsigmoid, "Sigmoid": F.sigmoid, "Tanh": F.tanh, "Softmax": F.softmax,
    "LogSoftmax": F.log_softmax, "Flatten": complete("torch.flatten", ops.flatten),
    "MSELoss": F.mse_loss, "L1Loss": F.l1_loss, "HuberLoss": F.huber_loss, "SmoothL1Loss": F.smooth_l1_loss,
    "BCELoss": F.binary_cross_entropy, "BCEWithLogitsLoss": F.binary_cross_entropy_with_logits,
    "KLDivLoss": F.kl_div, "NLLLoss": F.nll_loss, "CrossEntropyLoss": F.cross_entropy,
}  # fmt: skip
# where they are not those of the function
SETTINGS = {"GELU": "approximate='none'", "Softmax": "dim=None", "LogSoftmax": "dim=None",
            "Flatten": "start_dim=1, end_dim=-1"}  # fmt: skip


def applied(name, function):
    """The module *name*, which calls *function* with the settings that its ``__init__`` keeps."""
    base = Loss if name.endswith("Loss") else Applied
    signature = inspect.signature(function)
    others = [*signature.parameters.values()][1 + (base is Loss) :]
    settings = SETTINGS.get(name, str(signature.replace(parameters=others))[1:-1])
    init = eval(f"lambda self, {settings}: keep(locals())")
    init.__qualname__ = f"{name}.__init__"  # its name in messages
    body = {"__doc__": (function.__doc__ or "").partition("\n")[0], "__module__": __name__, "__init__": init,
            "function": staticmethod(function), "names": parameter_names(init)[1:]}  # fmt: skip
    return type(name, (base,), body)


globals().update({name: applied(name, function) for name, function in FUNCTIONS.items()})
__all__ = [*FUNCTIONS]
