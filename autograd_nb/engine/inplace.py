"""Changes in place: the elements of a tensor, its version and its history.

Unless the change is refused the elements are overwritten, the version counter moves on, and the history is rewritten:
the tensor's node is now the operation's.  Refused are changes of a leaf that requires grad, of a view whose history is
fixed, of elements that share memory with each other or partly with an input, and results of another shape.
"""

import numpy as np

from . import dtypes, table
from .call import arrays_of, common_dtype, record, save_inputs, shapes_that_do_not_fit
from .modes import state, tell_operation, warn
from .saved import name_maker
from .table import binder, ops, publish_call, tensor_argument
from .tensor import AccumulateGrad, Tensor, current_node, ndarray, wrap
from .views import address, attach, extent, refuse_view


def in_place(row, values):
    """Run *row* on *values* and write the result into the first of them, which is returned."""
    self = values[0]
    view = self._view
    recording = False
    unasked = view is not None and self._node is None is not view.version
    if state.hot[1] and row.formulas:
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
    try:
        result = result_array(row, values)
    except (RuntimeError, IndexError):
        if recording:
            save_inputs(row, values, edges)
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
    if state.listeners:
        node = self._node if recording else None
        tell_operation(row, node, [value for value in values if isinstance(value, Tensor)], [self], True)
    return self


def before(row, values, edges):
    """The values of a change about to be made as its node saves them: the elements that change as a copy."""
    self = values[0]
    needs = tuple(name for name, edge in zip(row.differentiable, edges, strict=True) if edge is not None)
    saves = row.saves(needs)
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
    dtype = common_dtype(row, values) if row.promoted else None
    try:
        result = state.run(row.forward, *arrays_of(row, values, dtype))
    except ValueError as error:
        raise shapes_that_do_not_fit(row, values) or error from None
    found, own = dtypes.of_array(result), values[0]._dtype
    if not dtypes.can_cast(found, own):
        raise RuntimeError(
            f"result type {found.legacy_name} can't be cast to the desired output type {own.legacy_name}"
        )
    return result


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
            tensor_argument(values[1], name + "_", "other", 1)
        return in_place(row, values)

    call.__wrapped__ = template
    text = f"In-place form of :func:`{name}`; changes the tensor and returns it."
    return publish_call(name + "_", call, text, function=False)


# -- what is refused -----------------------------------------------------------------------------------------------

INFERENCE_TENSOR = (
    "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get a normal "
    "tensor before doing inplace update.See https://github.com/pytorch/rfcs/pull/17 for more details."
)
CLONE = "Please clone() the tensor before performing the operation."
def refuse_recorded(self, view, unasked=False):
    """RuntimeError for a leaf, a view of one, and views whose history cannot be rewritten.

    *unasked*: a view that nobody asked for its node yet, which counts as a leaf if its base got a history since.
    """
    if view is not None:
        if view.creation is not None:
            refuse_view(self, view, "is being")
        if self.requires_grad and current_node(view.base).__class__ in (AccumulateGrad, None.__class__):
            raise RuntimeError("a view of a leaf Variable that requires grad is being used in an in-place operation.")
    if self._node.__class__ is AccumulateGrad or unasked and view.base._node is not None:
        raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")


def recorded_refusal(self):
    """The error of :func:`refuse_recorded` for this tensor, or None."""
    try:
        refuse_recorded(self, self._view)
    except RuntimeError as error:
        return error


EXPANDED = (
    "Use of {0} on expanded tensors is deprecated. Please clone() the tensor before performing this operation. This "
    "also applies to advanced indexing e.g. tensor[{1}"
)
WRITES_OVER_ITSELF = {  # operations that PyTorch lets write to elements that share memory, and what it says of it
    "tril": None, "triu": None, "zero": None, "fill_with_number": None,
    "index_put_row": EXPANDED.format("index_put_", "indices] = tensor"),
    "masked_fill_with_number": EXPANDED.format("masked_fill_", "mask] = scalar"),
    "masked_fill_with_tensor": EXPANDED.format("masked_fill_", "mask] = scalar"),
    "index_fill_number": EXPANDED.format("index_fill_", "mask] = scalar"),
    "index_fill_tensor": EXPANDED.format("index_fill_", "mask] = scalar"),
}  # fmt: skip


def check_overlap(self, values, row):
    """RuntimeError when elements written to share memory with each other, or partly with an input.

    True when they do share it with each other and may.
    """
    array, name = self._array, row.name
    strict = name in ALSO_THE_SAME
    if array.__class__ is not ndarray and not strict or name == "copy" and same(self, values[1]):
        return False
    strides = array.strides
    if 0 in strides and array.size and any(s == 0 < n - 1 for s, n in zip(strides, array.shape, strict=True)):
        if name not in WRITES_OVER_ITSELF:
            raise RuntimeError(
                "unsupported operation: more than one element of the written-to tensor refers to a single memory "
                "location. " + CLONE
            )
        if WRITES_OVER_ITSELF[name]:
            warn(WRITES_OVER_ITSELF[name])
        if name == "index_put_row" and values[2]._array.size == 1 and values[1].is_mask():
            warn(WRITES_OVER_ITSELF["masked_fill_with_number"])  # which PyTorch calls for one mask and one number
        return True
    for value in () if name in LOOKS_AT_NO_INPUT else values[1:]:
        if isinstance(value, Tensor) and (strict if value is self else value._counter is not None):
            if value is self or np.may_share_memory(array, value._array) and partly(array, value._array, strict):
                raise RuntimeError(
                    "unsupported operation: some elements of the input tensor and the written-to tensor refer to a "
                    "single memory location. " + CLONE
                )
    return False


# operations whose input may not even be the very tensor written to
ALSO_THE_SAME = frozenset(("index_put_row", "index_add", "index_copy", "scatter_src", "scatter_add", "put"))
# operations that PyTorch lets read what they write over: the first two copy it, the others may read what is new
LOOKS_AT_NO_INPUT = frozenset(
    ("fill_with_tensor", "masked_fill_with_tensor", "masked_scatter", "addmm", "addmv", "baddbmm")
)
SHAPES_FIRST = ALSO_THE_SAME | {"addmm", "addmv", "baddbmm"}  # which look at memory after everything else


def same(a, b):
    """Whether two tensors show the same elements in the same way, so that to copy one into the other does nothing."""
    first, second = a._array, b._array
    return a is b or (
        first.dtype == second.dtype and first.shape == second.shape and first.strides == second.strides
        and address(first) == address(second)
    )  # fmt: skip


def partly(a, b, wholly=False):
    """Whether two arrays whose memory meets share it in part only, or *wholly* at all.

    False where PyTorch finds that too hard to say: when one of them leaves gaps.
    """
    if extent(a) != a.size or extent(b) != b.size:
        return False
    steps = [[step for step, length in zip(each.strides, each.shape, strict=True) if length > 1] for each in (a, b)]
    return wholly or not (address(a) == address(b) and a.shape == b.shape and steps[0] == steps[1])


def wrong_shape(row, array, result, values):
    """What PyTorch says when the result's shape is not that of the tensor to be changed."""
    shape = list(array.shape)
    if row.name in ("addmm", "addmv", "baddbmm"):
        return f"Bad in-place call: input tensor size {shape} and output tensor size {list(result.shape)} should match"
    if row.name == "addr":
        if len(shape) != 2:
            return f"2D tensor expected, got {len(shape)}D tensor for input"
        return f"size mismatch, input: {shape}, v1: {list(values[1].shape)}, v2: {list(values[2].shape)}"
    return f"output with shape {shape} doesn't match the broadcast shape {list(result.shape)}"
