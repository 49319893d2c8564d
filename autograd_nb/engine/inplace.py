"""Changing a tensor in place, and what that does to the graph.

Unless refusals.py finds that it may not be, the elements change, the version counter moves on, and the history is
rewritten: the tensor's node is now the operation's (histories.py says what becomes of views).
"""

import operator
from functools import wraps

import numpy as np

from . import dispatch, dtypes, table
from .dispatch import apply, record, save_inputs
from .graph import Node, next_sequence_number
from .histories import attach
from .leaf import AccumulateGrad
from .modes import state
from .refusals import INFERENCE_TENSOR, SHAPES_FIRST, check_overlap, refuse_recorded, wrong_shape
from .saved import name_maker
from .table import binder, methods, ops, publish_call
from .tensor import Tensor, current_node, wrap


def in_place(row, values):
    """Run *row* on *values* and write the result into the first of them, which is returned."""
    self = values[0]
    view = self._view
    recording = False
    unasked = view is not None and self._node is None is not view.version
    _, recorded, special = state.hot
    if recorded and row.formulas:
        # a view's own edge is not asked for unless the change needs it: its base's stands for it
        edges = [self._node if view is None else view.base._node]
        recording = edges[0] is not None or self._node is not None
        for position in row.positions[1:]:
            value = values[position]
            edges.append(current_node(value) if isinstance(value, Tensor) else None)
            recording = recording or edges[-1] is not None
        if recording:
            refuse_recorded(self, view, unasked)
    late = row.name in SHAPES_FIRST
    over_itself = not late and check_overlap(self, values, row)
    tangent = state.dual.change(row, values) if special and state.dual is not None else None
    try:
        result = result_array(row, values)
    except (RuntimeError, IndexError) as error:
        if recording:
            save_inputs(row, values, edges)
        if hasattr(error, "written"):  # what there is before it fails
            self._array[...] = error.written
        raise
    if late:
        over_itself = check_overlap(self, values, row)
    array = self._array
    if result.shape != array.shape:
        raise RuntimeError(wrong_shape(row, array, result, values))
    counter = self._counter or self._share()
    if recording:
        changed = wrap(result.astype(array.dtype, copy=False), self._dtype)
        node = record(row, before(row, values, edges), edges, (changed,), self._dtype)
        result = changed._array
    if over_itself:  # an element that was not meant does not undo what was written to its place
        np.copyto(self._array, result, where=result != self._array)
    elif result.size:  # an array without elements may be one that NumPy lets nobody write to
        self._array[...] = result
    if self._inference and not state.inference:
        raise RuntimeError(INFERENCE_TENSOR)  # PyTorch too says so when it is done
    counter.version += 1
    if recording:
        changed._array, changed._counter = self._array, counter
        node.plan.result_shared(node, 0, changed)  # what it saved of the result is of the version just made
        attach(self, node)
        if view is not None and 0 in node.plan.output_numbers:
            name_maker(node, current_node(self))
    if tangent is not None:
        state.dual.changed(self, tangent)
    if dispatch.tell is not None:
        node = self._node if recording else None
        dispatch.tell(row, node, [v for v in values if isinstance(v, Tensor)], [self], True)
    return self


def before(row, values, edges):
    """The values of a change about to be made as its node saves them: the elements that change as a copy."""
    self = values[0]
    needs = tuple(name for name, edge in zip(row.differentiable, edges, strict=True) if edge is not None)
    saves = row.plan(needs).saves
    if saves and self._view is not None and edges[0] is not None:
        edges[0] = current_node(self)
    if row.differentiable[0] not in saves:
        return values
    copy = wrap(self._array.copy(), self._dtype)
    if edges[0] is not None:
        record(ops.clone.row, (self, None), edges[:1], (copy,))
    return (copy, *values[1:])


def result_array(row, values):
    """The elements that an in-place operation writes, in a dtype that the tensor written to can take."""
    self = values[0]
    dtype = self._dtype
    if not row.promotes:  # the forward gives self's dtype
        return state.run(row.forward, *[value._array if isinstance(value, Tensor) else value for value in values])
    if dtype.is_floating_point and all([
        values[position]._dtype is dtype for position in row.promoted if isinstance(values[position], Tensor)
    ]):  # fmt: skip
        arrays = [value._array if isinstance(value, Tensor) else value for value in values]
        for position in row.promoted:
            if isinstance(values[position], dtypes.PYTHON_NUMBERS):
                arrays[position] = dispatch.as_scalar(values[position], dtype)
        try:
            return state.run(row.forward, *arrays)
        except ValueError:  # shapes that do not broadcast: the whole path says it in PyTorch's words
            pass
    recorded, telling = state.grad_enabled, dispatch.tell
    state.set_grad_enabled(False)
    dispatch.tell = None
    try:
        result = apply(row, values)
    finally:
        state.set_grad_enabled(recorded)
        dispatch.tell = telling
    if not dtypes.can_cast(result._dtype, dtype):
        raise RuntimeError(
            f"result type {result._dtype.legacy_name} can't be cast to the desired output type {dtype.legacy_name}"
        )
    return result._array


# -- the public forms ----------------------------------------------------------------------------------------------

TEMPLATES = {1: lambda self: None, 2: lambda self, other: None}  # signatures of NumPy's functions, which show none


def publish_in_place(name):
    """Add the in-place form ``NAME_`` of an operation."""
    row = table.operations[name]
    template = getattr(getattr(ops, name), "__wrapped__", None) or TEMPLATES[len(row.parameters)]
    bind = binder(name + "_", template, row.parameters)

    of_tensors = name in ("atan2", "hypot", "logical_and", "logical_or", "logical_xor")

    def call(self, *args, **kwargs):
        values = (self, *args)
        if kwargs or len(values) != len(row.parameters):
            values = bind(values, kwargs)
        if of_tensors:
            table.tensor_argument(values[1], name + "_", "other", 1)
        return in_place(row, values)

    call.__wrapped__ = template
    text = f"In-place form of :func:`{name}`; changes the tensor and returns it."
    return publish_call(name + "_", call, text, function=False)


CHANGES = {operator.add: operator.iadd, operator.sub: operator.isub, operator.mul: operator.imul,
           operator.truediv: operator.itruediv}  # fmt: skip


def shorten_arithmetic(name):
    """Put before ``NAME_`` of two operands what it comes to for plain ones: floating, of one dtype, not overlapping.

    It is ``in_place`` written out for these; whatever is out of the ordinary goes there.
    """
    row, whole = table.operations[name], methods[name + "_"]
    change = CHANGES[row.forward]
    with_number = row.plan(("self",), ("other",))
    only_self, only_other, both = (row.plan(needs) for needs in (("self",), ("other",), ("self", "other")))
    short = {plan for plan in (with_number, only_self, only_other, both) if plan.saves in ((), ("other",))}

    @wraps(whole)
    def call(self, other, **options):
        run, recording, special = state.hot
        dtype, view, kind, edge = self._dtype, self._view, other.__class__, None
        own = self._node if view is None else view.base._node
        if kind is Tensor:
            operand, edge = other._array, other._node
            if other._dtype is not dtype or other._counter is not None or other is self:
                return whole(self, other, **options)
        elif kind is float or kind is int:
            operand = dtype.numbers[other]
        else:
            return whole(self, other, **options)
        if (
            special or options or dispatch.tell is not None or not dtype.is_floating_point or self._inference
            or view is not None and (view.creation is not None or (
                self._node is not None if own is None else self._node is None is not view.version))
        ):  # fmt: skip
            return whole(self, other, **options)
        counter = self._counter or self._share()
        array = self._array
        recording = recording and (own is not None or edge is not None)
        if recording:
            if kind is not Tensor:
                plan = with_number
            else:
                plan = only_self if edge is None else only_other if own is None else both
                if edge is not None and operand.shape != array.shape:
                    return whole(self, other)
            if own.__class__ is AccumulateGrad or plan not in short:
                return whole(self, other)
        if 0 in array.strides:
            return whole(self, other)
        try:
            run(change, array, operand)
        except ValueError:
            return whole(self, other)
        counter.version += 1
        if recording:
            node = Node()
            node.plan = plan
            node.first, node.second = own, edge
            node.saved = other if plan.saves else None
            node.arguments = node.extras = None
            node.sequence = next_sequence_number()
            attach(self, node)
        return self

    publish_call(name + "_", call, function=False)
