"""Activation functions as modules, to stand in a Sequential between layers."""

from functools import partial

from ...engine.table import ops
from ...engine.warning import warn
from .. import functional as F
from .. import init
from ..parameter import Parameter
from .applied import applied
from .module import Module


def _in_place(text):
    """A text that says so when the module writes over its input."""
    return lambda self: ", ".join([*([text.format(**self.__dict__)] if text else []),
                                   *(["inplace=True"] if self.inplace else [])])  # fmt: skip


_activation = partial(applied, __name__)

ReLU = _activation("ReLU", F.relu, "The element where it is positive, else 0.",
                   lambda self, inplace=False: locals(), _in_place(""))  # fmt: skip
LeakyReLU = _activation("LeakyReLU", F.leaky_relu, "The element where positive, else a little of it.",
                        lambda self, negative_slope=1e-2, inplace=False: locals(),
                        _in_place("negative_slope={negative_slope}"))  # fmt: skip
ELU = _activation("ELU", F.elu, "The element where positive, else alpha * (exp(input) - 1).",
                  lambda self, alpha=1.0, inplace=False: locals(), _in_place("alpha={alpha}"))  # fmt: skip
CELU = _activation("CELU", F.celu, "The element where positive, else alpha * (exp(input / alpha) - 1).",
                   lambda self, alpha=1.0, inplace=False: locals(), _in_place("alpha={alpha}"))  # fmt: skip
SELU = _activation("SELU", F.selu, "elu, with a scale and an alpha that keep mean 0 and variance 1.",
                   lambda self, inplace=False: locals(), _in_place(""))  # fmt: skip
GELU = _activation("GELU", F.gelu, "input times the probability that a normal number is below it.",
                   lambda self, approximate="none": locals(), "approximate={approximate!r}")  # fmt: skip
SiLU = _activation("SiLU", F.silu, "input * sigmoid(input).", lambda self, inplace=False: locals(), _in_place(""))
Mish = _activation("Mish", F.mish, "input * tanh(softplus(input)).", lambda self, inplace=False: locals(),
                   _in_place(""))  # fmt: skip
Softplus = _activation("Softplus", F.softplus, "log(1 + exp(beta * input)) / beta.",
                       lambda self, beta=1.0, threshold=20.0: locals(),
                       "beta={beta}, threshold={threshold}")  # fmt: skip
Sigmoid = _activation("Sigmoid", F.sigmoid, "1 / (1 + exp(-input)).")
Tanh = _activation("Tanh", F.tanh, "The hyperbolic tangent.")
Softmax = _activation("Softmax", F.softmax, "exp(input) over its sum along *dim*.", lambda self, dim=None: locals(),
                      "dim={dim}")  # fmt: skip
Softmin = _activation("Softmin", F.softmin, "The softmax of -input along *dim*.", lambda self, dim=None: locals(),
                      "dim={dim}")  # fmt: skip
LogSoftmax = _activation("LogSoftmax", F.log_softmax, "The logarithm of the softmax along *dim*.",
                         lambda self, dim=None: locals(), "dim={dim}")  # fmt: skip
LogSigmoid = _activation("LogSigmoid", F.logsigmoid, "The logarithm of the sigmoid.")


def _bounds(settings):
    """The settings with the bounds under their newer names, and in order."""
    for name in ("min", "max"):
        older = settings.pop(f"{name}_value")
        if older is not None:
            warn(f"keyword argument `{name}_value` is deprecated and renamed to `{name}_val`", FutureWarning)
            settings[f"{name}_val"] = older
    if settings["max_val"] <= settings["min_val"]:
        raise AssertionError(f"max_val ({settings['max_val']}) must be greater than min_val ({settings['min_val']})")
    return settings


Hardtanh = _activation(
    "Hardtanh", F.hardtanh, "The input brought between two bounds.",
    lambda self, min_val=-1.0, max_val=1.0, inplace=False, min_value=None, max_value=None: _bounds(locals()),
    _in_place("min_val={min_val}, max_val={max_val}"), without=("min_value", "max_value"))  # fmt: skip
Hardsigmoid = _activation("Hardsigmoid", F.hardsigmoid, "(input + 3) / 6, brought between 0 and 1.",
                          lambda self, inplace=False: locals())  # fmt: skip
Hardswish = _activation("Hardswish", F.hardswish, "input * hardsigmoid(input).", lambda self, inplace=False: locals())
ReLU6 = _activation("ReLU6", F.relu6, "The input brought between 0 and 6.", lambda self, inplace=False: locals(),
                    _in_place(""))  # fmt: skip
Softsign = _activation("Softsign", F.softsign, "input / (1 + |input|).")
Tanhshrink = _activation("Tanhshrink", F.tanhshrink, "input - tanh(input).")
Softshrink = _activation("Softshrink", F.softshrink, "The element brought nearer to zero by *lambd*.",
                         lambda self, lambd=0.5: locals(), "{lambd}")  # fmt: skip
Hardshrink = _activation("Hardshrink", F.hardshrink, "The element, or 0 where it is no larger than *lambd*.",
                         lambda self, lambd=0.5: locals(), "{lambd}")  # fmt: skip
Threshold = _activation("Threshold", F.threshold, "The element where it is above *threshold*, else *value*.",
                        lambda self, threshold, value, inplace=False: locals(),
                        _in_place("threshold={threshold}, value={value}"))  # fmt: skip
GLU = _activation("GLU", F.glu, "The first half along *dim* times the sigmoid of the second.",
                  lambda self, dim=-1: locals(), "dim={dim}")  # fmt: skip
RReLU = _activation("RReLU", F.rrelu, "The element where positive, else times a slope drawn anew each time.",
                    lambda self, lower=1 / 8, upper=1 / 3, inplace=False: locals(),
                    _in_place("lower={lower}, upper={upper}"), more=("training",))  # fmt: skip


def _over_channels(input):
    if input.dim() not in (3, 4):
        raise ValueError(f"Softmax2d: expected input to be 3D or 4D, got {input.dim()}D instead")
    return F.softmax(input, -3)


Softmax2d = _activation("Softmax2d", _over_channels, "The softmax over the channels of pictures.")


class PReLU(Module):
    """The element where positive, else times a slope that is learnt: one, or one for each channel.

    >>> import autograd_nb as torch
    >>> torch.nn.PReLU()
    PReLU(num_parameters=1)
    """

    def __init__(self, num_parameters=1, init=0.25, device=None, dtype=None):
        super().__init__()
        self.num_parameters, self.init = num_parameters, init
        self.weight = Parameter(ops.empty(num_parameters, dtype=dtype, device=device))
        self.reset_parameters()

    def reset_parameters(self):
        """The slopes as they were at first."""
        init.constant_(self.weight, self.init)

    def forward(self, input):
        return F.prelu(input, self.weight)

    def extra_repr(self):
        return f"num_parameters={self.num_parameters}"
