"""A derivative's formula, written once and run on two carriers.

A formula such as ``lambda grad, other: grad * other`` runs on arrays as it stands.  Under create_graph it runs on
tensors: the same code, bound to another set of global names, which stand for operations that are recorded.
"""

from types import CodeType, FunctionType

from ..torch_api.contents import load

tensor_names = {}  # the formulas' global names when they run on tensors; dispatch fills it from the table


def parameter_names(function):
    """The names of a plain function's parameters."""
    code = function.__code__
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def handed_on(grad):
    """The formula of an input whose gradient is that of the output: a term of a sum."""
    return grad


class WholeScalar(int):
    """A number of a formula's own: operations with one of these have nodes of one edge, as in PyTorch's C++ code."""


class FloatScalar(float):
    __doc__ = WholeScalar.__doc__


SCALARS = {int: WholeScalar, float: FloatScalar}


def scalar(value):
    """The value, a number marked as a formula's own."""
    marked = SCALARS.get(value.__class__)
    return value if marked is None else marked(value)


def on_tensors(function):
    """A formula, or a part of some, with its names bound to operations on tensors and its numbers marked."""
    code = function.__code__
    code = code.replace(co_consts=tuple(map(scalar, code.co_consts)))
    return FunctionType(code, tensor_names, function.__name__, function.__defaults__)


def load_names(code, seen):
    """Load the modules of the operations that code names, and those that parts of formulas named in it name."""
    seen.add(code)
    for name in code.co_names:
        load(name)
        part = tensor_names.get(name)
        if isinstance(part, FunctionType) and part.__globals__ is tensor_names and part.__code__ not in seen:
            load_names(part.__code__, seen)
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            load_names(inner, seen)
