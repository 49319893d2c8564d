"""Changes in place: the elements of a tensor, its version and its history.

A change in place overwrites the elements, moves the version counter on, and rewrites the history:
the tensor's node is now the operation's.  Four changes are refused: of a leaf that requires grad;
of a view whose history is fixed; of elements that share memory with each other or with part of an
input; and with a result of another shape.

This file rests on call.py and views.py.  You may skip the refusals, its second half.
"""

import numpy as np

from . import events
from .call import compute, record
from .dtypes import PYTHON_NUMBERS
from .modes import notify, state
from .saved import name_maker
from .tensor import AccumulateGrad, Tensor, gradient_edge, wrap
from .views import CLONE, address, extent, rebase_history, refuse_view
from .vjp import plan_of


def in_place(row, values):
    """Run *row* on *values*, write the result into the first of them, and return that.

    The operation runs as always; then its node becomes the history of the tensor that was changed.
    If nothing is recorded, a row that can write into an array only does that.
    """
    self = values[0]
    run, recording, unusual = modes = state.for_calls
    if row.write and not unusual and write_unrecorded(row, values, run, recording):
        return self
    if recording and row.formulas:
        # so that a node may save self
        rereads = row.rereads and values[row.rereads[0]].__class__ is not float
        if rereads or self._view is not None or self._node.__class__ is AccumulateGrad:
            values = before_change(row, values)
    array, counter = self._array, self._counter
    overlapping = check_overlap(self, values, row)
    result = compute(row, values, modes) if unusual else row.call(*values)
    node, changed = result._node, result._array
    if changed.shape != array.shape or result._dtype is not self._dtype:
        check_result(self, result, row)
    if counter is None:
        counter = self._share()
        array = self._array
    if overlapping:  # an unchanged element must not undo a write to the same place
        np.copyto(array, changed, where=changed != array)
    elif changed.size:  # an empty array may be read-only
        array[...] = changed
    if self._inference and not state.inference:
        raise RuntimeError(INFERENCE_TENSOR)  # PyTorch too raises after the change
    counter.version += 1
    if node is not None:
        if values[0] is not self:
            node.edges = (gradient_edge(self), *node.edges[1:])
        take_history(self, node, result)
    if unusual:
        notify(events.Operation, row, node and self._node, (self, *values[1:]), [self], True)
    return self


def write_unrecorded(row, values, run, recording):
    """Run *row* in the array itself if nothing is recorded; True if that was possible."""
    self = values[0]
    if self._inference or recording and needing(row, values) or check_overlap(self, values, row):
        return False
    counter = self._share()
    arrays = [value if value.__class__ in PYTHON_NUMBERS else value._array for value in values]
    try:
        run(row.write, *arrays)
    except (AttributeError, ValueError, RuntimeError, IndexError):
        return False  # the usual way raises this error
    counter.version += 1
    return True


def needing(row, values):
    """The names of the inputs that require grad."""
    needs = ()
    for name, position in row.inputs:
        value = values[position]
        if isinstance(value, Tensor) and value.requires_grad:
            needs += (name,)
    return needs


def take_history(self, node, result):
    """Make *node*, whose result was written into the tensor, the tensor's history."""
    plan = node.plan
    rebase_history(self, node)
    if 0 in plan.output_numbers:  # the result that it saved has the new version
        result._array, result._counter = self._array, self._counter
        plan.result_shared(node, 0, result)
        if self._view is not None:
            name_maker(node, gradient_edge(self))


def before_change(row, values):
    """The values to run a row on: the first one copied if a formula needs its old elements.

    RuntimeError if that tensor must not be changed.
    """
    self, needs = values[0], needing(row, values)
    if needs and (self._view is not None or self._node.__class__ is AccumulateGrad):
        refuse_recorded(self)
    copied = needs and row.rereads and row.parameters[0] in plan_of(row, needs).saves
    return (copy_of(self), *values[1:]) if copied else values


def copy_of(self):
    """The tensor's elements before a change, with its place in the graph."""
    copy = wrap(self._array.copy(), self._dtype)
    if (edge := gradient_edge(self)) is not None:
        record(CLONE, (self, None), [edge], copy)
    return copy


# -- refusals --------------------------------------------------------------------------------------

INFERENCE_TENSOR = (
    "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone "
    "to get a normal tensor before doing inplace update.See "
    "https://github.com/pytorch/rfcs/pull/17 for more details."
)
PLEASE_CLONE = "Please clone() the tensor before performing the operation."


def refuse_recorded(self):
    """RuntimeError for a leaf, a view of one, and views whose history cannot be rewritten."""
    view, leaf = self._view, self._node.__class__ is AccumulateGrad
    if view is not None:
        # a view whose grad_fn nobody has read still counts as a leaf if its base has got a history
        unasked = self._node is None and view.version is not None
        leaf = leaf or unasked and view.base._node is not None
        if view.creation_meta is not None:
            refuse_view(self, view, "is being")
        owner = view.base._node
        if (owner is None or owner.__class__ is AccumulateGrad) and self.requires_grad:
            raise RuntimeError(
                "a view of a leaf Variable that requires grad is being used in an in-place "
                "operation."
            )
    if leaf:
        raise RuntimeError(
            "a leaf Variable that requires grad is being used in an in-place operation."
        )


def check_result(self, result, row):
    """RuntimeError unless the changed tensor can take the result's shape and dtype."""
    shape, found = self._array.shape, result._array.shape
    if found != shape:
        if not (row.promoted or row.broadcasts):
            raise RuntimeError(
                f"Bad in-place call: input tensor size {list(shape)} and output tensor size "
                f"{list(found)} should match"
            )
        raise RuntimeError(
            f"output with shape {list(shape)} doesn't match the broadcast shape {list(found)}"
        )
    if result._dtype.category > self._dtype.category:
        raise RuntimeError(
            f"result type {result._dtype.legacy_name} can't be cast to the desired output type "
            f"{self._dtype.legacy_name}"
        )


def check_overlap(self, values, row):
    """RuntimeError when written elements share memory with each other, or partly with an input.

    True if they share memory with each other and may do so.
    """
    array = self._array
    if self._counter is None and row.reads_overwritten is not None and 0 not in array.strides:
        return False  # it was never shared; an expanded gradient overlaps itself
    if (
        0 in array.strides
        and array.size
        and any(s == 0 and n > 1 for s, n in zip(array.strides, array.shape, strict=True))
    ):
        onto_itself = row.may_overlap == "itself" and same_elements(array, values[1]._array)
        if row.may_overlap is not True and not onto_itself:
            raise RuntimeError(
                "unsupported operation: more than one element of the written-to tensor refers to "
                f"a single memory location. {PLEASE_CLONE}"
            )
        return True
    for value in () if row.reads_overwritten else values[1:]:
        if value is self or isinstance(value, Tensor) and value._counter is not None:
            other = value._array
            # PyTorch checks only these
            without_gaps = extent(array) == array.size and extent(other) == other.size
            allowed = row.reads_overwritten is False and same_elements(array, other)
            shares = value is self or np.may_share_memory(array, other)
            if shares and without_gaps and not allowed:
                raise RuntimeError(
                    "unsupported operation: some elements of the input tensor and the written-to "
                    f"tensor refer to a single memory location. {PLEASE_CLONE}"
                )
    return False


def same_elements(a, b):
    """Whether two arrays are the same elements of one storage."""
    steps = [
        [step for step, length in zip(each.strides, each.shape, strict=True) if length > 1]
        for each in (a, b)
    ]
    return a.shape == b.shape and steps[0] == steps[1] and address(a) == address(b)
