"""How calls are published: under which names, and how arguments are matched with PyTorch's parameters."""

import numpy as np

from ..engine import dtypes
from ..engine.table import (
    FORMULA_NUMBERS,
    also_functions,
    calls,
    functions,
    methods,
    ops,
    tensor_names,
)
from ..engine.tensor import Tensor, is_foreign, kind_of


def publish_call(name, call, text="", method=True, function=True, aliases=()):
    """Put a call on tensors under a name and its *aliases*, with the name and docstring that help() shows."""
    call.__name__ = call.__qualname__ = name
    if not text and name[:-1] in calls:
        text = f"In-place form of :func:`{name[:-1]}`; changes the tensor and returns it."
    call.__doc__ = text or call.__doc__
    for each in (name, *aliases):
        calls[each] = call
        vars(ops).pop(each, None)  # the next lookup finds the new one
        tensor_names.setdefault(each, in_formulas(call))
        if method:
            methods[each] = call
        if each in also_functions if each.endswith("_") else function:
            functions[each] = call
    return call


def in_formulas(call):
    """An operation as formulas on tensors call it: it receives a formula's own numbers as ordinary ones."""

    def unmarked(*values, **options):
        return call(*[+value if value.__class__ in FORMULA_NUMBERS else value for value in values], **options)

    return unmarked


def binder(name, function, parameters):
    """A function from positional and keyword arguments to the tuple of values of *parameters*.

    *function* has the same parameters, with their defaults; Python itself says which are missing or unknown.
    """
    positional = function.__code__.co_argcount
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


def doc(line, call, shows):
    """A docstring: what the operation does, and an example of it."""
    return f"{line}\n\n>>> import autograd_nb as torch\n>>> {call}\n{shows}\n"
