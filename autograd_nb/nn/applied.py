"""Modules that apply one function of nn.functional with settings of their own: activations, losses, Flatten.

Each is made from its function and a lambda with the signature that its ``__init__`` has, so that Python itself says
what is wrong with a call.
"""

from types import FunctionType

from . import functional as F
from .module import Module


class Applied(Module):
    """Calls its function with the settings it was made with, and shows them."""

    def extra_repr(self):
        shown = [name for name in self.names if name != "inplace" or self.inplace]
        return ", ".join(f"{name}={getattr(self, name)!r}" for name in shown)


class Loss(Module):
    """Calls its function on a prediction and a target."""


def keep(values):
    """What an ``__init__`` does with its arguments: they become attributes, a loss's weights buffers."""
    self = values.pop("self")
    Module.__init__(self)
    for name in values:
        if "weight" in name:
            self.register_buffer(name, values[name])
        else:
            setattr(self, name, values[name])


def renamed(function, name):
    """A copy of a function, whose errors call it *name*."""
    copy = FunctionType(function.__code__, globals(), name, function.__defaults__)
    copy.__qualname__ = name
    return copy


def apply_one(self, input):
    return self.function(input, **{name: getattr(self, name) for name in self.names})


def apply_two(self, input, target):
    return self.function(input, target, **{name: getattr(self, name) for name in self.names})


def applied(name, function, doc, init=None, base=Applied):
    """The module *name* that calls *function* with the settings that *init* keeps."""
    body = {"__doc__": doc, "__module__": __name__, "function": staticmethod(function), "names": (),
            "forward": renamed(apply_two if base is Loss else apply_one, f"{name}.forward")}  # fmt: skip
    if init is not None:
        body["names"] = init.__code__.co_varnames[1 : init.__code__.co_argcount]
        body["__init__"] = renamed(init, f"{name}.__init__")
    return type(name, (base,), body)


# -- activations -------------------------------------------------------------------------------------------------------

ReLU = applied("ReLU", F.relu, "The element where it is positive, else 0.", lambda self, inplace=False: keep(locals()))
LeakyReLU = applied("LeakyReLU", F.leaky_relu, "The element where positive, else a little of it.",
                    lambda self, negative_slope=1e-2, inplace=False: keep(locals()))  # fmt: skip
ELU = applied("ELU", F.elu, "The element where positive, else alpha * (exp(input) - 1).",
              lambda self, alpha=1.0, inplace=False: keep(locals()))  # fmt: skip
GELU = applied("GELU", F.gelu, "The input times the probability that a normal number is below it.",
               lambda self, approximate="none": keep(locals()))  # fmt: skip
SiLU = applied("SiLU", F.silu, "input * sigmoid(input).", lambda self, inplace=False: keep(locals()))
Softplus = applied("Softplus", F.softplus, "log(1 + exp(beta * input)) / beta.",
                   lambda self, beta=1.0, threshold=20.0: keep(locals()))  # fmt: skip
Sigmoid = applied("Sigmoid", F.sigmoid, "1 / (1 + exp(-input)).")
Tanh = applied("Tanh", F.tanh, "The hyperbolic tangent.")
Softmax = applied("Softmax", F.softmax, "exp(input) over its sum along *dim*.", lambda self, dim=None: keep(locals()))
LogSoftmax = applied("LogSoftmax", F.log_softmax, "The logarithm of the softmax along *dim*.",
                     lambda self, dim=None: keep(locals()))  # fmt: skip
Flatten = applied("Flatten", lambda input, start_dim, end_dim: input.flatten(start_dim, end_dim),
                  "Makes dimensions *start_dim* to *end_dim* one; by default all but the batch.",
                  lambda self, start_dim=1, end_dim=-1: keep(locals()))  # fmt: skip

# -- losses ------------------------------------------------------------------------------------------------------------

MSELoss = applied("MSELoss", F.mse_loss, """The mean of the squared differences.

    >>> import autograd_nb as torch
    >>> torch.nn.MSELoss()(torch.tensor([1., 2.]), torch.tensor([0., 4.]))
    tensor(2.5000)
    """, lambda self, reduction="mean": keep(locals()), Loss)  # fmt: skip
L1Loss = applied("L1Loss", F.l1_loss, "The mean of the absolute differences.",
                 lambda self, reduction="mean": keep(locals()), Loss)  # fmt: skip
SmoothL1Loss = applied(
    "SmoothL1Loss", F.smooth_l1_loss, "Absolute differences, a parabola in place of the kink where less than *beta*.",
    lambda self, reduction="mean", beta=1.0: keep(locals()), Loss)  # fmt: skip
HuberLoss = applied("HuberLoss", F.huber_loss, "Half the squared differences, continued by lines from *delta* on.",
                    lambda self, reduction="mean", delta=1.0: keep(locals()), Loss)  # fmt: skip
BCELoss = applied("BCELoss", F.binary_cross_entropy, "The binary cross-entropy of probabilities.",
                  lambda self, weight=None, reduction="mean": keep(locals()), Loss)  # fmt: skip
BCEWithLogitsLoss = applied(
    "BCEWithLogitsLoss", F.binary_cross_entropy_with_logits, "The binary cross-entropy of sigmoid(input).",
    lambda self, weight=None, reduction="mean", pos_weight=None: keep(locals()), Loss)  # fmt: skip
NLLLoss = applied("NLLLoss", F.nll_loss, "Minus the log-probability of each target's class.",
                  lambda self, weight=None, ignore_index=-100, reduction="mean": keep(locals()), Loss)  # fmt: skip
CrossEntropyLoss = applied(
    "CrossEntropyLoss", F.cross_entropy, "How unlikely the targets are under softmax(input).",
    lambda self, weight=None, ignore_index=-100, reduction="mean", label_smoothing=0.0: keep(locals()),
    Loss)  # fmt: skip

__all__ = [name for name, value in globals().items() if isinstance(value, type) and hasattr(value, "function")]
