"""How operations are published: PyTorch's argument names, errors and docstrings, in-place and operator forms."""

from functools import partial

import numpy as np

from ..engine import dtypes, table
from ..engine.call import apply
from ..engine.inplace import in_place
from ..engine.table import calls, parameter_names
from ..engine.tensor import Tensor
from ..torch_api import contents
from .publishing import (
    TENSOR_OR_NUMBER,
    not_an_operand,
    operand,
    publish_call,
    renamed,
    taken_for_tensor,
    tensor_argument,
)
from .rows import operation, publish_in_place, unary

# a row that other operations choose, without a public name
row = partial(operation, method=False, function=False, checks=False)


def public(name, *, method=True, function=True, numbers=False, run=None, text=None, example=()):
    """Decorate a function on tensors to publish it under *name*; NumPy's argument names (axis, …) are accepted.

    *numbers*: the first argument may be a Python number.  *run*, if given, is called with the row and the values that
    the function returns.  *example*: a call and its output, for the docstring.
    """

    def add(body):
        parameters = parameter_names(body)
        body.__qualname__ = name  # what Python calls it in errors

        def call(*args, **kwargs):
            if kwargs:
                kwargs = renamed(kwargs, parameters)
            if not (numbers or args and isinstance(args[0], Tensor)):
                tensor_argument(args[0] if args else kwargs.get(parameters[0]), name)
            try:
                result = body(*args, **kwargs)
                return result if run is None else run(*result)
            except AttributeError as error:
                raise taken_for_tensor(error, name, parameters, args, kwargs) from None

        call.__wrapped__ = body
        shown = doc(text or body.__doc__, *example) if example else text or body.__doc__
        publish_call(name, call, shown, method=method, function=function)
        return call

    return add


def in_place_form(name, run=None):
    """Decorate a function to publish it as the in-place form NAME_."""
    text = f"In-place form of :func:`{name}`; changes the tensor and returns it."
    return public(name + "_", function=False, run=run, text=text)


def chosen(name, **options):
    """Decorate a function that returns a row and its values, to publish the operation and its in-place form NAME_."""

    def add(choose):
        in_place_form(name, in_place)(choose)
        public(name, run=apply, **options)(choose)
        return choose

    return add


def pointwise(name, forward, gradient, line, given, shows, *, floats=True, node_name=None):
    """Add an element-wise function and its in-place form; the docstring has *line* and an example."""
    text = doc(line, f"torch.{name}(torch.tensor([{given}]))", f"tensor([{shows}])")
    unary(name, forward, gradient, floats=floats, node_name=node_name, text=text)
    publish_in_place(name)


def operator_form(name):
    """Decorate what a Python operator does; with other types Python tries the other operand's method."""

    def add(body):
        def call(self, other):
            if isinstance(other, TENSOR_OR_NUMBER):
                return body(self, other)
            return body(self, other.item()) if isinstance(other, np.generic) else not_an_operand(other, name)

        table.operators[name] = call
        return call

    return add


def operands(self, other, name):
    """Both operands, numbers allowed on either side but not on both; TypeError for anything else."""
    if not isinstance(self, Tensor) and not (isinstance(self, dtypes.PYTHON_NUMBERS) and isinstance(other, Tensor)):
        tensor_argument(self, name)
    return self, operand(other, name)


def require_tensor(name):
    """Make an operation of two tensors refuse a Python number as second operand."""
    original = calls[name]

    def call(self, other):
        return original(self, tensor_argument(other, name, "other", 2))

    public(name, text=original.__doc__)(call)


def alias(name, of):
    """Publish an operation, and its in-place form, under another name that PyTorch has for it."""
    for new, old in ((name, of), (name + "_", of + "_")):
        for names, listed in ((table.functions, contents.functions), (table.methods, contents.methods)):
            if old in names and new in listed:
                names[new] = names[old]
        if old in calls:
            calls[new] = calls[old]
            table.tensor_names.setdefault(new, calls[new])


def doc(line, call, shows):
    """A docstring: what the operation does, and an example of it."""
    return f"{line}\n\n>>> import autograd_nb as torch\n>>> {call}\n{shows}\n"
