"""Adding rows to the table: element-wise operations of one or two operands, any others, in-place forms."""

from types import FunctionType

import numpy as np

from ..engine import table
from ..engine.call import apply, general
from ..engine.inplace import in_place
from ..engine.speed import fast_call
from ..engine.table import FORMULA_NUMBERS, Row, operators, ops, parameter_names, tensor_names
from ..engine.tensor import Tensor
from .publishing import TENSOR_OR_NUMBER, binder, not_an_operand, operand, publish, publish_call, tensor_argument


def operation(name, *, tensors=("self",), method=True, function=True, collects=False, checks=True, **row_options):
    """Decorate a NumPy forward to add it to the table as an operation with any parameters.

    A keyword argument that is a function is the derivative formula of the parameter with that name; *tensors* names
    tensor parameters without a formula.  *collects*: the second parameter is a tuple of numbers, which may also be
    given one by one, as in ``x.view(2, 3)``.  *checks*: what is no tensor is refused.  The other options are those of
    :class:`Row`.  The forward receives arrays in place of tensors; its signature and docstring are the public ones.
    """
    formulas = {key: row_options.pop(key) for key, value in list(row_options.items()) if callable(value)}
    if callable(tensors):  # the formula of a parameter that is a list of tensors
        formulas["tensors"], tensors = tensors, ()

    def add(forward):
        parameters = parameter_names(forward)
        row = Row(name, by_position(forward), formulas, parameters, tensors, **row_options)
        bind = binder(name, forward, parameters, collects)
        required = [position for position, each in enumerate(parameters)
                    if checks and each in row.tensors and each not in row.optional and not row.variadic]  # fmt: skip

        def call(*args, **kwargs):
            values = bind(args, kwargs)
            for position in required:
                if not isinstance(values[position], Tensor):
                    tensor_argument(values[position], name, parameters[position], position + 1)
            return apply(row, values)

        call.__wrapped__ = forward
        if row.tensors.issuperset(parameters) and not (row.promoted or row.variadic or forward.__defaults__):
            # formulas call such a row with its tensors only: there are no arguments to bind and no numbers to unmark
            tensor_names.setdefault(name, lambda *values: apply(row, values))
        publish(row, call, forward.__doc__, method, function)
        return forward

    return add


def by_position(function):
    """The function, changed to take keyword-only parameters by position as well, as rows pass them."""
    code = function.__code__
    if not code.co_kwonlyargcount:
        return function
    code = code.replace(co_argcount=code.co_argcount + code.co_kwonlyargcount, co_kwonlyargcount=0)
    return FunctionType(code, function.__globals__, function.__name__, closure=function.__closure__)


def unary(name, forward, gradient=None, *, floats=False, text="", node_name=None):
    """Add an element-wise operation of one tensor to the table."""
    formulas = {} if gradient is None else {"self": gradient}
    row = Row(name, forward, formulas, ("self",), ("self",), node_name=node_name, promoted=("self",) if floats else (),
              floats=floats, quick=forward if formulas else None)  # fmt: skip
    call = fast_call(row, lambda self: general(row, tensor_argument(self, name)))
    call.__wrapped__ = TEMPLATES[1]
    return publish(row, call, text)


def binary(name, forward, self=None, other=None, *, floats=False, text="", node_name=None, check=None):
    """Add an element-wise operation of two tensors, or of a tensor and a number, to the table.

    *self* and *other* are the formulas of its two inputs.  *check* may refuse operands before type promotion; the fast
    path for operands of one floating dtype skips it.
    """
    formulas = {} if self is None else {"self": self, "other": other}
    both = "self", "other"
    row = Row(name, forward, formulas, both, both, node_name=node_name, broadcasts=bool(formulas), promoted=both,
              floats=floats)  # fmt: skip
    # for a second operand that is a formula's own number, which is not an input of the graph
    single = Row(name, forward, {"self": self}, both, node_name=row.node_name.replace("0", "1"), promoted=both,
                 floats=floats) if name in ("add", "sub", "mul", "div") else None  # fmt: skip

    def as_function(self, other):
        if other.__class__ in FORMULA_NUMBERS and single is not None and isinstance(self, Tensor):
            return general(single, self, +other)
        values = tensor_argument(self, name), operand(other, name)
        if check is not None:
            check(*values)
        return apply(row, values)

    def as_operator(self, other):  # NotImplemented makes Python try the other operand's method
        if isinstance(other, (*TENSOR_OR_NUMBER, np.generic)):
            return as_function(self, other)
        return not_an_operand(other, name)

    operators[name] = fast_call(row, as_operator)
    return publish(row, as_function, text)


TEMPLATES = {1: lambda self: None, 2: lambda self, other: None}  # signatures for NumPy's functions, which have none


def publish_in_place(name):
    """Add the in-place form ``NAME_`` of an operation."""
    row = table.operations[name]
    template = getattr(getattr(ops, name), "__wrapped__", None) or TEMPLATES[len(row.parameters)]
    bind, complete = binder(name + "_", template, row.parameters), len(row.parameters)

    def call(*args, **kwargs):
        return in_place(row, bind(args, kwargs) if kwargs or len(args) != complete else args)

    call.__wrapped__ = template
    text = f"In-place form of :func:`{name}`; changes the tensor and returns it."
    return publish_call(name + "_", call, text, function=False)
