"""How calls are published: under which names, and how arguments are matched with PyTorch's parameters."""

from functools import cache, wraps
from os.path import dirname, join

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
from ..engine.vjp import compiled, written_at_first


@cache
def aliases():
    """``{name: second names}``, of which in-place forms have an underscore at their end too."""
    with open(join(dirname(__file__), "aliases.txt"), encoding="utf-8") as file:
        return {name: others.split() for name, others in (line.split(":") for line in file)}


def publish_call(name, call, text="", method=True, function=True, example=(), collects=None):
    """Put a call on tensors under a name and its second names, with the name and docstring that help() shows.

    *example*: a call and its output, for the docstring.  *collects*: the place of the parameter that takes several
    numbers, if one does.
    """
    if collects is not None:
        call = collecting(call, collects)
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
            functions[each] = of_one_tuple(call) if collects else call
    return call


def collecting(call, place):
    """The call, whose last argument by position, at *place*, may also be given as several numbers."""
    argument = parameter_names(getattr(call, "__wrapped__", call))[place]

    def collect(*args, **kwargs):
        given, name = args, collect.__name__
        if len(args) <= place:
            if argument not in kwargs:
                raise TypeError(f'{name}() missing 1 required positional arguments: "{argument}"')
            return call(*args, **kwargs)
        if args[place].__class__ is bool:
            require_ints(args[place:], name, argument, False)
        if not isinstance(args[place], (list, tuple)):
            args = *args[:place], args[place:]
        try:
            return call(*args, **kwargs)
        except TypeError:
            require_ints(args[place], name, argument, given is args)
            raise

    vars(collect).update({"__wrapped__": call, "collects": place} | vars(call))
    return collect


def of_one_tuple(call):
    """A function such as ``torch.flip``, which refuses the several numbers that the method takes."""

    @wraps(call)
    def function(*args, **kwargs):
        if len(args) > 2:
            raise TypeError(f"{call.__name__}() takes 2 positional arguments but {len(args)} were given")
        if len(args) > 1 and not isinstance(args[1], (list, tuple)):
            argument = parameter_names(call.__wrapped__)[1]
            raise TypeError(f"{call.__name__}(): argument '{argument}' (position 2) must be tuple of ints, not "
                            f"{kind_of(args[1])}")  # fmt: skip
        return call(*args, **kwargs)

    function.__wrapped__, function.collects = call.__wrapped__, None
    return function


def door(name, function, run):
    """The function *name* with the parameters and defaults of *function*, which gives their values to *run*.

    Its code is written at the first call, since a program calls few; for ``gather``:

        def gather(self, dim, index, *, sparse_grad=False):
            return run(self, dim, index, sparse_grad)

    So Python itself says which arguments are missing or unknown.
    """
    return written_at_first(name, opened, function, run=run)


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
