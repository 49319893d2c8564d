"""The table's names: what is published under which, and how arguments are matched with parameters.

The rows themselves stand in derivatives/; each is published here as a function, a method, an operator.
"""

import numpy as np

from ..torch_api.contents import functions as listed
from ..torch_api.contents import load
from . import dtypes
from .formulas import SCALARS, tensor_names
from .tensor import Tensor

operations = {}  # name -> Row, the whole table
functions = {}  # public name -> what is called, as autograd_nb.NAME
methods = {}  # public name -> the same as a method of Tensor
calls = {}  # name -> what is called on tensors, of internal operations too


class Operations:
    """Everything that can be called on tensors, by name: ``ops.mm(a, b)``; its module is loaded if need be."""

    def __getattr__(self, name):
        load(name)
        if name not in calls:
            raise AttributeError(f"no operation is named '{name}'")
        call = self.__dict__[name] = calls[name]
        return call


ops = Operations()
operators = {}  # name of a binary operation -> the same for use as Python's operator
FORMULA_NUMBERS = frozenset(SCALARS.values())


def publish(row, call, text="", method=True, function=True):
    """Put a row and its call under the row's name."""
    call.row = row
    operations[row.name] = row
    return publish_call(row.name, call, text, method, function)


def publish_call(name, call, text="", method=True, function=True):
    """Put a call on tensors under a name, with the name and docstring that help() shows."""
    call.__name__ = call.__qualname__ = name
    call.__doc__ = text or call.__doc__
    calls[name] = call
    vars(ops).pop(name, None)  # who looks it up again gets the new one
    tensor_names.setdefault(name, in_formulas(call))
    if function:
        functions[name] = call
    elif name[-1] == "_" and name in listed:
        functions[name] = twin(name, call)
    if method:
        methods[name] = call
    return call


def twin(name, method):
    """The function that does what an in-place method does: ``torch.relu_(x)`` is ``x.relu_()``."""

    def call(*args, **kwargs):
        if not args and "input" in kwargs:
            args = (kwargs.pop("input"),)
        if not args:
            raise TypeError(f'{name}() missing 1 required positional arguments: "input"')
        return method(tensor_argument(args[0], name), *args[1:], **kwargs)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = method.__doc__
    call.__wrapped__ = getattr(method, "__wrapped__", method)
    return call


def in_formulas(call):
    """An operation as formulas on tensors call it: numbers of their own are numbers like others to it."""

    def unmarked(*values, **options):
        return call(*[+value if value.__class__ in FORMULA_NUMBERS else value for value in values], **options)

    return unmarked


def composite(name, *, method=True, function=True):
    """Decorate a function on tensors that is made of other operations, or chooses between them."""

    def add(call):
        publish_call(name, call, method=method, function=function)
        return call

    return add


# -- arguments -----------------------------------------------------------------------------------------------------

ALIASES = {"input": "self", "axis": "dim", "keepdims": "keepdim", "x": "self", "x1": "self", "x2": "other"}


def binder(name, function, parameters, collects=False):
    """A function from positional and keyword arguments to the tuple of values of *parameters*."""
    required = object()
    positional = function.__code__.co_argcount
    defaults = [required] * len(parameters)
    for index, value in enumerate(function.__defaults__ or (), positional - len(function.__defaults__ or ())):
        defaults[index] = value
    for index, parameter in enumerate(parameters[positional:], positional):
        defaults[index] = (function.__kwdefaults__ or {}).get(parameter, required)
    complete = len(parameters)

    def bind(args, kwargs):
        if collects and len(args) > 1 and not isinstance(args[1], list | tuple):
            args = (args[0], args[1:])
        if len(args) == complete == positional and not kwargs:
            return args
        if len(args) > positional:
            plural = "s" * (positional != 1)
            raise TypeError(f"{name}() takes {positional} positional argument{plural} but {len(args)} were given")
        values = [*args, *defaults[len(args) :]]
        for key, value in kwargs.items():
            key = key if key in parameters else ALIASES.get(key, key)
            if key not in parameters:
                raise TypeError(f"{name}() got an unexpected keyword argument '{key}'")
            index = parameters.index(key)
            if index < len(args):
                raise TypeError(f"{name}() got multiple values for argument '{key}'")
            values[index] = value
        missing = [parameter for parameter, value in zip(parameters, values, strict=True) if value is required]
        if missing:
            names = ", ".join(f'"{"input" if each == "self" else each}"' for each in missing)
            raise TypeError(f"{name}() missing {len(missing)} required positional arguments: {names}")
        return tuple(values)

    return bind


def tensor_argument(value, name, argument="self", position=1):
    """The value if it is a tensor, else PyTorch's TypeError."""
    if not isinstance(value, Tensor):
        argument = "input" if argument == "self" else argument
        raise TypeError(
            f"{name}(): argument '{argument}' (position {position}) must be Tensor, not {type(value).__name__}"
        )
    return value


def operand(value, name, position=2):
    """The second operand: a tensor or a Python number; TypeError for anything else."""
    if isinstance(value, (Tensor, *dtypes.PYTHON_NUMBERS)):
        return value
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{name}(): argument 'other' (position {position}) must be Tensor, not {type(value).__name__}")
