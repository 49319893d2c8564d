"""How calls are published: under which names, and how arguments are matched with PyTorch's parameters."""

from functools import cache
from os.path import dirname, join
from types import FunctionType

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
from ..engine.vjp import compiled


@cache
def aliases():
    """``{name: second names}``, of which in-place forms have an underscore at their end too."""
    with open(join(dirname(__file__), "aliases.txt"), encoding="utf-8") as file:
        return {name: others.split() for name, others in (line.split(":") for line in file)}


def publish_call(name, call, text="", method=True, function=True, example=()):
    """Put a call on tensors under a name and its second names, with the name and docstring that help() shows.

    *example*: a call and its output, for the docstring.
    """
    call.__name__ = call.__qualname__ = name
    first = name.removesuffix("_")
    if not text and name[:-1] in calls:
        text = f"In-place form of :func:`{name[:-1]}`; changes the tensor and returns it."
    if example:
        text = (text or "") + "\n\n>>> import autograd_nb as torch\n>>> {}\n{}\n".format(*example)
    call.__doc__ = text or call.__doc__
    for each in (name, *[alias + name[len(first) :] for alias in aliases().get(first, ())]):
        calls[each] = call
        vars(ops).pop(each, None)  # the next lookup finds the new one
        if method:
            methods[each] = call
        if each in also_functions if each.endswith("_") else function:
            functions[each] = call
    return call


def door(name, function, run):
    """The function *name* with the parameters and defaults of *function*, which gives their values to *run*.

    Its code is written at the first call, since a program calls few; for ``gather``:

        def gather(self, dim, index, *, sparse_grad=False):
            return run(self, dim, index, sparse_grad)

    So Python itself says which arguments are missing or unknown.
    """
    names = {"__name__": __name__, "run": run, "opened": opened}
    call = FunctionType(AT_FIRST, names, name)
    call.__qualname__, names["first"] = name, (call, function)
    return call


AT_FIRST = (lambda *args, **kwargs: opened(*first)(*args, **kwargs)).__code__  # noqa: F821 a door's globals


def opened(call, function):
    """Write the code of a door that is called for the first time."""
    positional, parameters = function.__code__.co_argcount, parameter_names(function)
    star = ["*"] if positional < len(parameters) else []
    listed = [*parameters[:positional], *star, *parameters[positional:]]
    source = f"def {call.__name__}({', '.join(listed)}):\n    return run({', '.join(parameters)})\n"
    call.__defaults__, call.__kwdefaults__ = function.__defaults__, function.__kwdefaults__
    call.__code__ = compiled(source, call.__globals__, call.__name__).__code__
    return call


def tensor_argument(value, name, argument="self", position=1):
    """The value if it is a tensor, else PyTorch's TypeError."""
    if not isinstance(value, Tensor):
        argument = "input" if argument == "self" else argument
        raise TypeError(f"{name}(): argument '{argument}' (position {position}) must be Tensor, not {kind_of(value)}")
    return value


def require_ints(values, name, argument, packed=True):
    """TypeError in PyTorch's words if one of *values* is not an int; *packed*: they came as one tuple."""
    for place, value in enumerate(values):
        if hasattr(value, "__index__") and (packed or place or type(value) is not bool):
            continue
        kind = kind_of(value)
        if place:
            said = (f"failed to unpack the object at pos {place + 1} with error "
                    f'"type must be tuple of ints,but got {kind}"')  # fmt: skip
        elif packed:
            said = f"(position 1) must be tuple of ints, but found element of type {kind} at pos 0"
        elif len(values) > 1:
            raise TypeError(f"{name}() takes 1 positional argument but {len(values)} were given")
        else:
            said = f"(position 1) must be tuple of ints, not {kind}"
        raise TypeError(f"{name}(): argument '{argument}' {said}")


def not_an_operand(value, name):
    """NotImplemented, so that Python tries the other operand's method; TypeError for a tensor of PyTorch."""
    if isinstance(value, complex):
        raise NotImplementedError("autograd_nb has no complex numbers")
    return tensor_argument(value, name, "other", 2) if is_foreign(value) else NotImplemented


TENSOR_OR_NUMBER = Tensor, *dtypes.PYTHON_NUMBERS
OPERANDS = *TENSOR_OR_NUMBER, np.generic


def operand(value, name):
    """The second operand: a tensor or a Python number; TypeError for anything else."""
    if isinstance(value, TENSOR_OR_NUMBER):
        return value
    return value.item() if isinstance(value, np.generic) else tensor_argument(value, name, "other", 2)
