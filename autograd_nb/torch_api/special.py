"""``torch.special``: what the table has of special functions, under PyTorch's names.

>>> import autograd_nb as torch
>>> torch.special.expit(torch.tensor([0.]))
tensor([0.5000])
"""

from ..engine.dispatch import apply
from ..engine.table import operations, ops, tensor_argument
from .absent import absent_from

_NAMES = {  # the name here: the operation's own
    "expit": "sigmoid", **{name: name for name in "erf exp2 expm1 log1p logsumexp xlogy".split()},
}  # fmt: skip


def _named(name, operation):
    call = getattr(ops, operation)

    def function(*args, **kwargs):
        if name != "xlogy":  # whose first argument may be a number
            if not args and "input" in kwargs:
                args = (kwargs.pop("input"),)
            if not args:
                raise TypeError(f'special_{name}() missing 1 required positional arguments: "input"')
            tensor_argument(args[0], f"special_{name}")
        return call(*args, **kwargs)

    function.__name__ = function.__qualname__ = f"special_{name}"
    function.__doc__ = f"The same as :func:`torch.{operation}`.\n\n{call.__doc__}"
    return function


globals().update({name: _named(name, operation) for name, operation in _NAMES.items()})


def softmax(input, dim, *, dtype=None):
    """The same as :func:`torch.softmax`."""
    return ops.softmax(tensor_argument(input, "special_softmax"), dim, dtype=dtype)


def log_softmax(input, dim, *, dtype=None):
    """The same as :func:`torch.log_softmax`."""
    return ops.log_softmax(tensor_argument(input, "special_log_softmax"), dim, dtype=dtype)


def round(input, *, decimals=0):
    """Each element rounded to so many decimals, as by :func:`torch.round`."""
    return apply(operations["round_decimals"], (tensor_argument(input, "special_round"), decimals))


__all__ = ["log_softmax", "round", "softmax", *_NAMES]
__getattr__ = absent_from("torch.special")
