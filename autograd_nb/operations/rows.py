"""The six ways to add an operation to the table; the decorated function has the operation's name.

A row has the name that the user calls.  If one name has several rows, the part after the point says which, as in the
names of PyTorch's overloads: ``sum`` and ``sum.dim_IntList``, ``pow.Tensor_Scalar`` and ``pow.Tensor_Tensor``.

    row        a row that a public function chooses: ``sum.dim_IntList``
    unary      an element-wise function of one tensor: ``sin``
    binary     an element-wise function of two tensors, or of a tensor and a number: ``mul``
    operation  any other row, whose parameters are those of the public function: ``gather``
    choice     a function on tensors that returns the name of a row and its values, in place too: ``pow``, ``pow_``
    function   any other function on tensors, which calls operations or runs rows: ``sum``, ``chunk``
"""

from functools import partial
from types import FunctionType

import numpy as np

from ..engine import dtypes
from ..engine.call import general
from ..engine.inplace import in_place as run_in_place
from ..engine.speed import fast_call
from ..engine.table import FORMULA_NUMBERS, Row, operations, operators, parameter_names, tensor_names
from ..engine.tensor import Tensor
from .publishing import (
    OPERANDS,
    door,
    not_an_operand,
    operand,
    publish_call,
    tensor_argument,
)

# the signatures of NumPy's functions, which have none
ONE_OPERAND, TWO_OPERANDS = lambda self: None, lambda self, other: None

# -- rows ------------------------------------------------------------------------------------------------------------


def operation(name=None, *, tensors=None, method=True, function=True, collects=None, checks=True,
              in_place=False, writes=False, formula=None, in_formulas=None, made=None, **row_options):
    """Decorate a NumPy forward to add it to the table as an operation with any parameters.

    A keyword argument that is a function is the derivative formula of the parameter with that name; *tensors* names
    tensor parameters without a formula, by default self if there is no formula at all.  *collects*: the place
    of a parameter whose numbers may also be given one by one, as in ``x.view(2, 3)``.  *checks*: the function
    refuses a value that is not a tensor.  *in_place*: adds NAME_ too.  *writes*: the forward changes its first array, a
    copy unless the call is in place.  *formula*: the name under which formulas call the row, if it is not the row's.
    *in_formulas*: a function that formulas on arrays call instead.  *made*: the row, if the engine has made it.  The
    other options are those of :class:`Row`.  The forward receives arrays in place of tensors; its name, signature and
    docstring are the public ones.
    """
    formulas = {key: row_options.pop(key) for key, value in list(row_options.items())
                if callable(value) and key != "on_floats"}  # fmt: skip
    if callable(tensors):  # the formula of a parameter that is a list of tensors
        formulas["tensors"], tensors = tensors, ()
    if tensors is None:
        tensors = () if formulas else ("self",)

    def add(forward, name=name):
        name = name or forward.__name__
        parameters = parameter_names(forward)
        positional = by_position(forward) if forward.__code__.co_kwonlyargcount else forward
        if writes:
            row_options["write"], positional = positional, after_copying(positional)
        row = operations[name] = made or Row(name, positional, formulas, parameters, tensors, **row_options)
        result, name = in_formulas or (positional if writes else forward), formula or name
        if "." in name:  # only its public function runs it
            return result
        required = [position for position, each in enumerate(parameters)
                    if checks and each in row.tensors and each not in row.optional and not row.variadic]  # fmt: skip

        def run(*values):
            for position in required:
                if not isinstance(values[position], Tensor):
                    tensor_argument(values[position], name, parameters[position], position + 1)
            return row.call(*values)

        call = door(name, forward, run)
        call.__wrapped__ = forward
        no_numbers = collects or row.tensors.issuperset(parameters)
        if no_numbers and not (row.promoted or row.variadic or forward.__defaults__):
            # formulas call such a row with tensors and a tuple only: nothing to bind, and no numbers to unmark
            tensor_names.setdefault(name, lambda *values: row.call(*values))
        call.row = row
        publish_call(name, call, forward.__doc__, method, function, collects=collects)
        if in_place:
            publish_in_place(row, forward)
        return result

    return add


def after_copying(write):
    """A forward that writes into a copy of its first array."""

    def forward(self, *values):
        changed = np.array(self)
        write(changed, *values)
        return changed

    return forward


row = partial(operation, method=False, function=False, checks=False)


def by_position(function):
    """The function, changed to take keyword-only parameters by position as well, as rows pass them."""
    code = function.__code__
    code = code.replace(co_argcount=code.co_argcount + code.co_kwonlyargcount, co_kwonlyargcount=0)
    return FunctionType(code, function.__globals__, function.__name__, closure=function.__closure__)


def unary(name, forward, gradient=None, line="", shows="", given="0., 1.", *, floats=True, in_place=True,
          node_name=None):  # fmt: skip
    """Add an element-wise operation of one tensor, and NAME_ unless *in_place* is False.

    *gradient* is its formula.  *line*, *shows* and *given* make the docstring: the first line, the elements of a
    result, and those of the tensor.  *floats*: integers are computed in the default dtype.
    """
    row = Row(name, forward, {} if gradient is None else {"self": gradient}, ("self",), ("self",), node_name=node_name,
              promoted=("self",) if floats else (), floats=floats,
              on_floats=None if gradient is None else forward)  # fmt: skip
    call = fast_call(row, lambda self: general(row, self if isinstance(self, Tensor) else tensor_argument(self, name)))
    call.__wrapped__ = ONE_OPERAND
    example = (f"torch.{name}(torch.tensor([{given}]))", f"tensor([{shows}])") if shows else ()
    call.row = operations[name] = row
    publish_call(name, call, line, example=example)
    if in_place:
        publish_in_place(row, ONE_OPERAND)
    return call


def binary(name, forward, self=None, other=None, *, floats=False, text="", node_name=None, check=None, numbers=1,
           in_place=False, example=()):  # fmt: skip
    """Add an element-wise operation of two tensors, or of a tensor and a number.

    *self* and *other* are the formulas of its two inputs, *text* and *example* make the docstring.  *check* may refuse
    operands before type promotion; the fast path for operands of one floating dtype skips it.  *numbers*: 0 if both
    must be tensors, 1 if the second may be a Python number, 2 if either may.
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
        if numbers:
            values = operands(self, other, name, either=numbers == 2)
        else:
            values = tensor_argument(self, name), tensor_argument(other, name, "other", 2)
        if check is not None:
            check(*values)
        return row.call(*values)

    usual = (Tensor, float, int)[: 3 if numbers else 1]

    def as_operator(self, other):  # NotImplemented makes Python try the other operand's method
        if check is None and (other.__class__ in usual or isinstance(other, Tensor)):
            return row.call(self, other)
        if isinstance(other, OPERANDS):
            return as_function(self, other)
        return not_an_operand(other, name)

    operators[name] = fast_call(row, as_operator)
    as_function.__wrapped__ = TWO_OPERANDS
    as_function.row = operations[name] = row
    publish_call(name, as_function, text, example=example)
    if in_place:
        publish_in_place(row, TWO_OPERANDS)


def publish_in_place(row, signature):
    """Add the in-place form ``NAME_`` of a row."""
    name = row.name + "_"

    call = door(name, signature, lambda *values: run_in_place(row, values))
    call.__wrapped__ = signature
    publish_call(name, call)


# -- functions on tensors --------------------------------------------------------------------------------------------


def function(body=None, *, method=True, function=True, operator=False, usual_row=None, collects=None):
    """Decorate a function on tensors to publish it under its name.

    *operator*: it is a method behind one of Python's operators; *usual_row* names the row that it nearly always runs.
    *collects*: as for an operation.
    """

    def add(body):
        name = body.__name__
        if not operator:
            return publish_call(name, body, body.__doc__, method, function, collects=collects)
        operation = name.strip("_")

        def method_call(self, other):  # with other types Python tries the other operand's method
            if isinstance(other, Tensor):
                return body(self, other)
            if isinstance(other, OPERANDS):
                return body(self, operand(other, operation))
            return not_an_operand(other, operation)

        call = fast_call(operations[usual_row], method_call) if usual_row else method_call
        return publish_call(name, call, body.__doc__, function=False)

    return add if body is None else add(body)


internal = partial(function, method=False, function=False)  # for the table's own use: ``ops.NAME`` alone has it


def run_row(name, *values):
    """The result of the row of this name."""
    return operations[name].call(*values)


def change_by_row(name, *values):
    """The first of the values, changed in place by the row of this name."""
    return run_in_place(operations[name], values)


def choice(choose):
    """Decorate a function that returns a row's name and its values, to publish it and its in-place form NAME_."""
    publish_call(choose.__name__, dispatcher(choose, run_row), choose.__doc__)
    publish_call(choose.__name__ + "_", dispatcher(choose, change_by_row))
    return choose


def dispatcher(choose, run):
    def call(*args, **kwargs):
        name, values = choose(*args, **kwargs)
        return run(name, *values)

    call.__wrapped__ = choose
    return call


def operands(self, other, name, either=True):
    """Both operands; one may be a number, the first only with *either*; TypeError for anything else."""
    if not isinstance(self, Tensor):
        if not (either and isinstance(self, dtypes.PYTHON_NUMBERS) and isinstance(other, Tensor)):
            tensor_argument(self, name)
    return self, operand(other, name)
