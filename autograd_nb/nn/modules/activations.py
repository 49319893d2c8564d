"""Activation functions as modules, to stand in a Sequential between layers."""

from .. import functional as F
from .module import Module


class _Activation(Module):
    """Calls a function of nn.functional with the settings it was made with, and shows them."""

    function = None
    settings = {}  # names of the settings, with their defaults

    def __init__(self, *args, inplace=False, **kwargs):
        super().__init__()
        if len(args) > len(self.settings):
            *args, inplace = args
        unknown = kwargs.keys() - self.settings.keys()
        if unknown or len(args) > len(self.settings):
            what = f"an unexpected keyword argument '{min(unknown)}'" if unknown else "too many arguments"
            raise TypeError(f"{type(self).__name__}.__init__() got {what}")
        self.__dict__.update({**self.settings, **dict(zip(self.settings, args, strict=False)), **kwargs})
        self.inplace = inplace

    def forward(self, input):
        values = [self.__dict__[name] for name in self.settings]
        return getattr(F, self.function)(input, *values, **({"inplace": True} if self.inplace else {}))

    def extra_repr(self):
        shown = [f"{name}={self.__dict__[name]!r}" for name in self.settings]
        return ", ".join(shown + ["inplace=True"] if self.inplace else shown)


def _activation(name, function, text, **settings):
    return type(
        name, (_Activation,), {"function": function, "settings": settings, "__doc__": text, "__module__": __name__}
    )


ReLU = _activation("ReLU", "relu", "The element where it is positive, else 0.")
LeakyReLU = _activation(
    "LeakyReLU", "leaky_relu", "The element where positive, else a little of it.", negative_slope=0.01
)
ELU = _activation("ELU", "elu", "The element where positive, else alpha * (exp(input) - 1).", alpha=1.0)
CELU = _activation("CELU", "celu", "The element where positive, else alpha * (exp(input / alpha) - 1).", alpha=1.0)
SELU = _activation("SELU", "selu", "elu, with a scale and an alpha that keep mean 0 and variance 1.")
GELU = _activation("GELU", "gelu", "input times the probability that a normal number is below it.", approximate="none")
SiLU = _activation("SiLU", "silu", "input * sigmoid(input).")
Mish = _activation("Mish", "mish", "input * tanh(softplus(input)).")
Softplus = _activation("Softplus", "softplus", "log(1 + exp(beta * input)) / beta.", beta=1.0, threshold=20.0)
Sigmoid = _activation("Sigmoid", "sigmoid", "1 / (1 + exp(-input)).")
Tanh = _activation("Tanh", "tanh", "The hyperbolic tangent.")
Softmax = _activation("Softmax", "softmax", "exp(input) over its sum along *dim*.", dim=None)
LogSoftmax = _activation("LogSoftmax", "log_softmax", "The logarithm of the softmax along *dim*.", dim=None)
Softmin = _activation("Softmin", "softmin", "The softmax of -input along *dim*.", dim=None)
LogSigmoid = _activation("LogSigmoid", "logsigmoid", "The logarithm of the sigmoid.")
Hardtanh = _activation("Hardtanh", "hardtanh", "The input brought between two bounds.", min_val=-1.0, max_val=1.0)
Hardsigmoid = _activation("Hardsigmoid", "hardsigmoid", "(input + 3) / 6, brought between 0 and 1.")
Hardswish = _activation("Hardswish", "hardswish", "input * hardsigmoid(input).")
ReLU6 = _activation("ReLU6", "relu6", "The input brought between 0 and 6.")
Softsign = _activation("Softsign", "softsign", "input / (1 + |input|).")
Tanhshrink = _activation("Tanhshrink", "tanhshrink", "input - tanh(input).")
