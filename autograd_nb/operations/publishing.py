"""How calls are published: under which names, and how arguments are matched with PyTorch's parameters."""

from functools import cache

import numpy as np

from ..engine import dtypes
from ..engine.table import (
    also_functions,
    calls,
    functions,
    methods,
    ops,
    parameter_names,
)
from ..engine.tensor import Tensor, is_foreign, kind_of


def publish_call(name, call, text="", method=True, function=True, aliases=(), example=()):
    """Put a call on tensors under a name and its *aliases*, with the name and docstring that help() shows.

    *example*: a call and its output, for the docstring.
    """
    call.__name__ = call.__qualname__ = name
    if not text and name[:-1] in calls:
        text = f"In-place form of :func:`{name[:-1]}`; changes the tensor and returns it."
    if example:
        text = (text or "") + "\n\n>>> import autograd_nb as torch\n>>> {}\n{}\n".format(*example)
    call.__doc__ = text or call.__doc__
    for each in (name, *aliases):
        calls[each] = call
        vars(ops).pop(each, None)  # the next lookup finds the new one
        if method:
            methods[each] = call
        if each in also_functions if each.endswith("_") else function:
            functions[each] = call
    return call


def bound(name, function, args, kwargs):
    """The values of a function's parameters, in their order, in a call with these arguments."""
    code = function.__code__
    all_positional = len(args) == code.co_argcount and not (kwargs or code.co_kwonlyargcount)
    return args if all_positional else binder(name, function)(*args, **kwargs)


@cache
def binder(name, function):
    """A function with the parameters and defaults of *function* that returns the tuple of their values.

    Python itself says which are missing or unknown.
    """
    positional, parameters = function.__code__.co_argcount, parameter_names(function)
    listed = [*parameters[:positional], *(["*"] if positional < len(parameters) else []), *parameters[positional:]]
    values = eval(f"lambda {', '.join(listed)}: ({', '.join(parameters)},)")
    values.__defaults__, values.__kwdefaults__ = function.__defaults__, function.__kwdefaults__
    values.__qualname__ = name
    return values


def tensor_argument(value, name, argument="self", position=1):
    """The value if it is a tensor, else PyTorch's TypeError."""
    if not isinstance(value, Tensor):
        argument = "input" if argument == "self" else argument
        raise TypeError(f"{name}(): argument '{argument}' (position {position}) must be Tensor, not {kind_of(value)}")
    return value


def not_an_operand(value, name):
    """NotImplemented, for which Python tries the other operand's method; TypeError for a tensor of PyTorch."""
    return tensor_argument(value, name, "other", 2) if is_foreign(value) else NotImplemented


TENSOR_OR_NUMBER = Tensor, *dtypes.PYTHON_NUMBERS
OPERANDS = *TENSOR_OR_NUMBER, np.generic


def operand(value, name):
    """The second operand: a tensor or a Python number; TypeError for anything else."""
    if isinstance(value, TENSOR_OR_NUMBER):
        return value
    return value.item() if isinstance(value, np.generic) else tensor_argument(value, name, "other", 2)
