"""Initial values of parameters, set in place outside the graph; each function returns the tensor.

Random numbers are PyTorch's, so after ``manual_seed`` a layer starts with PyTorch's weights.
"""

import math

import numpy as np

from ..engine.modes import warn
from ..operations.checks import in_range
from ..torch_api import random_streams
from ..torch_api.keywords import stands_for


def _fill(tensor, array):
    counter = tensor._share()
    tensor._array[...] = array
    counter.version += 1
    return tensor


def uniform_(tensor, a=0.0, b=1.0, generator=None):
    """Uniformly distributed numbers in [a, b)."""
    return _fill(tensor, random_streams.uniform(tensor.shape, tensor._dtype.numpy, a, b, generator))


def normal_(tensor, mean=0.0, std=1.0, generator=None):
    """Normally distributed numbers."""
    return _fill(tensor, random_streams.normal(tensor.shape, tensor._dtype.numpy, mean, std, generator))


def constant_(tensor, val):
    """The number *val* everywhere."""
    return _fill(tensor, in_range(val, tensor._dtype.numpy))


def ones_(tensor):
    """Ones."""
    return constant_(tensor, 1.0)


def zeros_(tensor):
    """Zeros."""
    return constant_(tensor, 0.0)


def calculate_gain(nonlinearity, param=None):
    """The factor that makes up for how much a nonlinearity shrinks the spread of its input.

    >>> calculate_gain("leaky_relu", 0.2)
    1.3867504905630728
    """
    if nonlinearity == "leaky_relu":
        return math.sqrt(2.0 / (1 + (0.01 if param is None else param) ** 2))
    gains = {"linear": 1, "sigmoid": 1, "tanh": 5.0 / 3, "relu": math.sqrt(2.0), "selu": 3.0 / 4}
    if nonlinearity not in gains:
        raise ValueError(f"Unsupported nonlinearity {nonlinearity}")
    return gains[nonlinearity]


def _fans(tensor):
    """Fan in and fan out of a layer with these weights: the inputs of each output, the outputs of each input."""
    if tensor.ndim < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    field = math.prod(tensor.shape[2:])
    return tensor.shape[1] * field, tensor.shape[0] * field


def _spread_evenly(tensor, std, generator):
    bound = math.sqrt(3.0) * std
    return uniform_(tensor, -bound, bound, generator)


def _xavier(tensor, gain):
    return gain * math.sqrt(2.0 / float(sum(_fans(tensor))))


def xavier_uniform_(tensor, gain=1.0, generator=None):
    """Uniform numbers that let a linear layer keep the variance of its input and of its gradient (Glorot)."""
    return _spread_evenly(tensor, _xavier(tensor, gain), generator)


def xavier_normal_(tensor, gain=1.0, generator=None):
    """Normal numbers that let a linear layer keep the variance of its input and of its gradient (Glorot)."""
    return normal_(tensor, 0.0, _xavier(tensor, gain), generator)


def _kaiming(tensor, a, mode, nonlinearity):
    """The spread of He's initial values; it warns about a tensor without elements."""
    if 0 in tensor.shape:
        warn("Initializing zero-element tensors is a no-op")
        return 0
    fans = dict(zip(("fan_in", "fan_out"), _fans(tensor), strict=True))
    if mode not in fans:
        raise ValueError(f"Mode {mode} not supported, please use one of {[*fans]}")
    return calculate_gain(nonlinearity, a) / math.sqrt(fans[mode])


def kaiming_normal_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    """Normal numbers that let a layer followed by a rectifier keep the variance of its input (He)."""
    return normal_(tensor, 0, _kaiming(tensor, a, mode, nonlinearity), generator)


def kaiming_uniform_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    """Uniform numbers that let a layer followed by a rectifier keep the variance of its input (He)."""
    return _spread_evenly(tensor, _kaiming(tensor, a, mode, nonlinearity), generator)


def orthogonal_(tensor, gain=1, generator=None):
    """A random matrix whose columns, or rows if they are fewer, are at right angles and as long as *gain*.

    A tensor of more dimensions counts as a matrix with a row for each index of the first.
    """
    if tensor.ndim < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if not tensor.numel():
        return tensor
    rows, columns = len(tensor), tensor.numel() // len(tensor)
    flat = random_streams.normal((rows, columns), tensor._dtype.numpy, generator=generator)
    orthogonal, triangle = np.linalg.qr(flat if rows >= columns else flat.T)
    orthogonal = orthogonal * np.sign(np.diag(triangle))  # either sign is possible: this makes it the same everywhere
    orthogonal = orthogonal if rows >= columns else orthogonal.T
    _fill(tensor, orthogonal.reshape(tensor.shape))
    return _fill(tensor, tensor._array * in_range(gain, tensor._dtype.numpy))


__getattr__ = stands_for("torch.nn.init", globals())
