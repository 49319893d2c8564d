"""Rows of plain element-wise operations, with the path of ``dispatch.apply`` written out for them.

Nearly every step of a small graph is one: tensors of one dtype, of one shape or broadcast.  Whatever is out of the
ordinary is handed to ``apply``.
"""

from functools import cache

import numpy as np

from . import dispatch, dtypes
from .dispatch import apply, leads_on
from .graph import ALONE, Node, next_sequence_number
from .modes import state
from .plain import kept
from .plans import Row
from .table import FORMULA_NUMBERS, operand, operators, publish, tensor_argument
from .tensor import Tensor, current_node, ndarray, new_tensor

WITH_NUMBERS = ("add", "sub", "mul", "div")


def unary(name, forward, gradient=None, *, floats=False, text="", node_name=None):
    """Add an element-wise operation of one tensor to the table."""
    formulas = {} if gradient is None else {"self": gradient}
    row = Row(name, forward, formulas, ("self",), ("self",), node_name=node_name, promotes=floats, floats=floats,
              element_wise=True)  # fmt: skip
    row.promoted = (0,)

    def otherwise(self):
        return apply(row, (tensor_argument(self, name),))

    return publish(row, otherwise if gradient is None else of_self(row, forward, otherwise), text)


def of_self(row, forward, otherwise=lambda self: None):
    """The short way of a row of one tensor; the row's other parameters, if it has any, are None then.

    *forward* is called with the elements alone.  Tensors of a floating dtype go this way, the others *otherwise*.
    """
    plan = row.plan(("self",))
    blanks = (None,) * (len(row.parameters) - 1)
    saves_self, saves_result = plan.saves == ("self",), plan.saves == ("result",)

    def call(self):
        run, recording, special = state.hot
        if special or dispatch.tell is not None or not isinstance(self, Tensor) or not self._dtype.is_floating_point:
            return otherwise(self)
        node = None
        if recording:
            node = self._node if self._counter is None else current_node(self)
        result = new_tensor()
        result._counter = result._node = None
        result._array = array = run(forward, self._array)
        result._dtype = self._dtype
        if node is None:
            return result
        result._node = made = Node()
        made.plan = plan
        made.first, made.second = node, ALONE
        if saves_self:
            made.saved = kept(self)
        else:
            made.saved = array if saves_result else None
        made.arguments = (None, *blanks, self._array.shape) if blanks else None
        made.extras = None
        made.sequence = next_sequence_number()
        return result

    return call


def binary(name, forward, self=None, other=None, *, floats=False, text="", node_name=None, check=None):
    """Add an element-wise operation of two tensors, or of a tensor and a number, to the table.

    *self* and *other* are the formulas of its two inputs; *check* is called with operands that are not of one floating
    dtype, before they are brought to one.
    """
    formulas = {} if self is None else {"self": self, "other": other}
    row = Row(name, forward, formulas, ("self", "other"), ("self", "other"), node_name=node_name,
              broadcasts=bool(formulas), promotes=True, floats=floats, element_wise=True)  # fmt: skip
    row.promoted = (0, 1)
    if formulas:
        only_self, only_other, both = (_with_saving(row, needs) for needs in (("self",), ("other",), PAIR))
        with_number = row.plan(("self",), ("other",))
        keeps_number = with_number.saves == ("other",)
        plain_number = len(with_number.saves) < 2 and "result" not in with_number.saves

    def as_function(self, other):
        if other.__class__ in FORMULA_NUMBERS and name in WITH_NUMBERS and isinstance(self, Tensor):
            return apply(with_formulas_number(row), (self, +other))
        values = tensor_argument(self, name), operand(other, name)
        if check is not None:
            check(*values)
        return apply(row, values)

    def as_operator(self, other):  # Python asks the other operand when this one does not know it
        known = isinstance(other, (Tensor, *dtypes.PYTHON_NUMBERS, np.generic))
        return as_function(self, other) if known else NotImplemented

    def build(otherwise):
        def call(self, other):
            run, recording, special = state.hot
            dtype = self._dtype
            if special or dispatch.tell is not None or not dtype.is_floating_point:
                return otherwise(self, other)
            if isinstance(other, Tensor):
                if other._dtype is not dtype:
                    return otherwise(self, other)
                a, b = self._array, other._array
                result = new_tensor()
                result._counter = result._node = None
                result._dtype = dtype
                try:
                    result._array = array = run(forward, a, b)
                except ValueError:
                    return otherwise(self, other)
                if not recording:
                    return result
                if self._counter is None is other._counter:
                    unshared = True
                    first, second = self._node, other._node
                else:
                    unshared = False
                    first, second = current_node(self), current_node(other)
                    if first is not None and not leads_on(first) or second is not None and not leads_on(second):
                        return otherwise(self, other)
                if first is None:
                    if second is None:
                        return result
                    plan, fitted, saving = only_other
                elif second is None:
                    plan, fitted, saving = only_self
                else:
                    plan, fitted, saving = both
                result._node = made = Node()
                made.first, made.second = first, second
                made.plan, made.arguments = plan, None
                if array.__class__ is ndarray:
                    shapes = a_shape, b_shape = a.shape, b.shape
                    if a_shape != b_shape:
                        made.plan, made.arguments = fitted, shapes
                if saving is NOTHING:
                    made.saved = None
                elif saving is PAIR:
                    made.saved = (self, other) if unshared else (kept(self), kept(other))
                elif saving is OTHER:
                    made.saved = other if unshared else kept(other)
                else:
                    entries = {"self": self, "other": other, "result": array}
                    saved = tuple([kept(entries[name]) for name in saving])
                    made.saved = saved if len(saved) > 1 else saved[0]
            else:
                if not plain_number or other.__class__ is not float and other.__class__ is not int:
                    return otherwise(self, other)
                result = new_tensor()
                result._counter = result._node = None
                result._dtype = dtype
                array = self._array
                result._array = run(forward, array, dtype.numbers[other] if array.__class__ is ndarray else other)
                if not recording:
                    return result
                node = self._node
                if self._counter is not None:
                    node = current_node(self)
                    if node is not None and not leads_on(node):
                        return otherwise(self, other)
                if node is None:
                    return result
                result._node = made = Node()
                made.plan = with_number
                made.first, made.second = node, None
                made.arguments = None
                made.saved = other if keeps_number else kept(self) if with_number.saves else None
            made.extras = None
            made.sequence = next_sequence_number()
            return result

        return call

    if not formulas:
        operators[name] = as_operator
        return publish(row, as_function, text)
    operators[name] = build(as_operator)
    short = build(as_function)

    def function(self, other):
        return short(self, other) if isinstance(self, Tensor) else as_function(self, other)

    return publish(row, function, text)


NOTHING, OTHER, PAIR = (), ("other",), ("self", "other")  # what most nodes of two inputs save


@cache
def with_formulas_number(row):
    """The row for a second operand that is a number of a formula's own; it is no input then."""
    formula = row.formulas["self"]
    return Row(row.name, row.forward, {"self": formula}, PAIR, node_name=row.node_name.replace("0", "1"))


def _with_saving(row, needs):
    """The plans for inputs of one shape and of several, and the names of what their nodes save."""
    plan = row.plan(needs)
    saving = next((each for each in (NOTHING, OTHER, PAIR) if each == plan.saves), plan.saves)
    return plan, row.plan(needs, (), "shape"), saving
