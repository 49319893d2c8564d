"""Changing a tensor in place, and what that does to the graph.

The elements change, the version counter moves on, and the history is rewritten: the tensor's node is now
the operation's.  When the tensor is a view, its base changed too: the base gets a CopySlices node, which
sends the part of the gradient that the view covers through the operation and the rest straight on.  The
view itself then reads its gradient off the base (AsStridedBackward0), as does every other view of it.
"""

from functools import wraps

import numpy as np

from . import dispatch, dtypes, table
from .dispatch import apply, record
from .geometry import Geometry, address, extent
from .grad_mode import state
from .graph import Node, Output, next_sequence_number, node_of_edge, rare
from .saved import name_maker
from .table import binder, methods, ops, publish_call
from .tensors import AccumulateGrad, Tensor, View, current_node, ndarray, wrap
from .warning import warn


def in_place(row, values):
    """Run *row* on *values* and write the result into the first of them, which is returned."""
    self = values[0]
    view = self._view
    recording = False
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
            refuse_recorded(self, view)
    check_overlap(self, values, row)
    tangent = state.dual.change(row, values) if special and state.dual is not None else None
    result = result_array(row, values)
    array = self._array
    if result.shape != array.shape:
        raise RuntimeError(wrong_shape(row, array, result, values))
    counter = self._counter or self._share()
    if recording:
        changed = wrap(result.astype(array.dtype, copy=False), self._dtype)
        node = record(row, before(row, values, edges), edges, (changed,), self._dtype)
        result = changed._array
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


# -- what may not be changed ---------------------------------------------------------------------------------------

INFERENCE_TENSOR = (
    "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get a normal "
    "tensor before doing inplace update.See https://github.com/pytorch/rfcs/pull/17 for more details."
)
CLONE = "Please clone() the tensor before performing the operation."
OF_SEVERAL = (
    " This view is the output of a function that returns multiple views. Such functions do not allow the output "
    "views to be modified inplace. You should replace the inplace operation by an out-of-place one."
)
OF_FUNCTION = (
    " This view was created inside a custom Function (or because an input was returned as-is) and the autograd logic "
    "to "
    "handle view+inplace would override the custom backward associated with the custom Function, leading to incorrect "
    "gradients. This behavior is forbidden. You can fix this by cloning the output of the custom Function."
)
AMBIGUOUS = (
    " Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving "
    "both the "
    "view and the inplace either both inside the {0} block (if you don't want the inplace to be tracked) or both "
    "outside (if you want the inplace to be tracked)."
)


def refuse_recorded(self, view):
    """RuntimeError for a leaf, a view of one, and views whose history cannot be rewritten."""
    if view is not None:
        if view.creation is not None:
            refuse_view(self, view, "is being")
        if self.requires_grad and current_node(view.base).__class__ in (AccumulateGrad, None.__class__):
            raise RuntimeError("a view of a leaf Variable that requires grad is being used in an in-place operation.")
    if self._node.__class__ is AccumulateGrad:
        raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")


def refuse_view(self, view, changed):
    """RuntimeError for a view that *is being* changed, or whose base *has been*, and whose history is fixed."""
    creation = view.creation
    node, number = node_of_edge(self._node)
    mode = "inference" if creation == "inference" else "no_grad"
    made = f"created in {mode} mode and {changed} modified inplace"
    made += " in normal mode." if creation == "inference" else " with grad mode enabled."
    if node is None or node.__class__ is AccumulateGrad:
        message = f"A view was {made}"
    else:
        name = node.revealed().name().removesuffix("0").removesuffix("Backward")
        message = f"Output {number} of {name} is a view "
        message += f"of a view which was {made}" if creation in ("no grad", "inference") else (
            f"and {changed} modified inplace.")
    if creation == "several":
        message += OF_SEVERAL
    elif creation == "function":
        message += OF_FUNCTION
    else:
        message += AMBIGUOUS.format("inference_mode" if creation == "inference" else "no_grad")
    raise RuntimeError(message)


EXPANDED = (
    "Use of {0} on expanded tensors is deprecated. Please clone() the tensor before performing this operation. This "
    "also applies to advanced indexing e.g. tensor[{1}]"
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
    """RuntimeError when elements written to share memory with each other, or partly with an input."""
    array = self._array
    if array.__class__ is not ndarray or row is not None and row.name == "copy" and values[1] is self:
        return
    strides = array.strides
    if 0 in strides and array.size and any(s == 0 < n - 1 for s, n in zip(strides, array.shape, strict=True)):
        if row is not None and row.name in WRITES_OVER_ITSELF:
            if WRITES_OVER_ITSELF[row.name]:
                warn(WRITES_OVER_ITSELF[row.name])
            return
        raise RuntimeError(
            "unsupported operation: more than one element of the written-to tensor refers to a single memory location. "
            + CLONE
        )
    if row is not None and row.name == "fill_with_tensor":  # of which a copy is made first
        return
    strict = row is not None and row.name in ALSO_THE_SAME
    for value in values[1:]:
        if isinstance(value, Tensor) and value._counter is not None and (strict or value is not self):
            if np.may_share_memory(array, value._array) and (value is self or partly(array, value._array, strict)):
                raise RuntimeError(
                    "unsupported operation: some elements of the input tensor and the written-to tensor refer to a "
                    "single "
                    "memory location. " + CLONE
                )


# operations whose input may not even be the very tensor written to
ALSO_THE_SAME = frozenset(
    ("index_put_row", "index_add", "index_copy", "scatter_src", "scatter_add", "put", "masked_scatter")
)


def partly(a, b, wholly=False):
    """Whether two arrays whose memory meets share it in part only, or *wholly* at all.

    False where PyTorch finds that too hard to say: when one of them leaves gaps.
    """
    if extent(a) != a.size or extent(b) != b.size:
        return False
    steps = [[step for step, length in zip(each.strides, each.shape, strict=True) if length > 1] for each in (a, b)]
    return wholly or not (address(a) == address(b) and a.size == b.size and steps[0] == steps[1])


# -- the history after a change ------------------------------------------------------------------------------------


def attach(self, node):
    """Let *node*, whose first edge is the tensor's old one, be the history of a tensor changed in place."""
    view = self._view
    before = self._node
    if view is None:
        if before is not None and (before.__class__ is Output or before.extras is not None):
            move_retained(before, node)
        self._node = node
        return
    base = view.base
    own = base._node
    slices = Node()
    slices.plan = COPY_SLICES
    slices.edges = (own, *node.edges[1:])
    slices.saved = node, Geometry(base._array, self._array)
    slices.arguments = slices.extras = None
    slices.sequence = next_sequence_number()
    base._node = slices
    if own is not None and (own.__class__ is Output or own.extras is not None):
        move_retained(own, slices)
    if before is not None and (before.__class__ is Output or before.extras is not None) and retained_at(before):
        current_node(self)  # takes what it retains along
    else:
        self._node = None  # until somebody asks


def retained_at(edge):
    """Whether a tensor whose gradients go to this edge retains its gradient."""
    node, number = node_of_edge(edge)
    return node is not None and node.extras is not None and number in getattr(node.extras, "retained", ())


def move_retained(before, after):
    """A tensor that retains its gradient does so at its new node; hooks stay with the old."""
    if before is not None and retained_at(before):
        node, number = node_of_edge(before)
        owner, place = node_of_edge(after)
        rare(owner).own("retained")[place] = node.extras.retained.pop(number)


def read_off_base(tensor, view):
    """Give a view whose base changed since a node that reads its gradient off the base, if the base has one."""
    edge = current_node(view.base)
    if edge is None and (tensor._node is None or tensor._node.__class__ is AccumulateGrad):
        return
    if view.creation is not None:
        refuse_view(tensor, view, "its base or another view of its base has been")
    view.version = tensor._counter.version
    node = Node()
    node.plan = ops.strided_view.row.plan(("self",))
    node.edges = (edge,)
    node.saved = node.extras = None
    node.arguments = (None, Geometry(view.base._array, tensor._array), None)
    node.sequence = next_sequence_number()
    move_retained(tensor._node, node)
    tensor._node = node


View.read_off_base = staticmethod(read_off_base)


class CopySlices:
    """The plan of a base whose view was changed in place.

    The view's part of the gradient goes through the node of the change, the rest past it.
    """

    node_name = "CopySlices"
    keeps, only, several_outputs, calls_user_code = True, None, False, False

    def backward(self, node, grad):
        changed, geometry = node.saved
        rest, part = geometry.lay(grad)
        plan = changed.plan
        if plan.only == 0 and part.shape:  # no other input's gradient can be this array, which saves a copy
            first, others = plan.backward(changed, part), [None] * (len(node.edges) - 1)
        else:
            first, *others = plan.for_edges(changed, part.copy()[()], tensors=False)
        if first is not part:
            part[...] = 0 if first is None else first
        return (rest if rest.shape else rest[()], *others)

    def backward_tensors(self, node, grad):
        changed, geometry = node.saved
        array, shown = geometry.lay(dtype=grad._array.dtype)
        whole = ops.copy_(wrap(array, grad._dtype), grad)
        part = ops.strided_view(whole, Geometry(array, shown), shown)
        first, *others = changed.plan.for_edges(changed, ops.clone(part), tensors=True)
        if first is None:
            ops.zero_(part)
        else:
            ops.copy_(part, first)
        return (whole, *others)

    def for_edges(self, node, grad, tensors):
        return self.backward_tensors(node, grad) if tensors else self.backward(node, grad)

    def result_shared(self, node, number, tensor):
        pass

    def saved_attribute(self, node, name):
        raise AttributeError(f"'CopySlices' object has no attribute '{name}'")

    def call(self, node, grad_outputs):
        grads = self.backward_tensors(node, grad_outputs[0])
        return grads[0] if len(grads) == 1 else grads


COPY_SLICES = CopySlices()


# -- the public forms ----------------------------------------------------------------------------------------------


TEMPLATES = {1: lambda self: None, 2: lambda self, other: None}  # signatures of NumPy's functions, which show none


def publish_in_place(name):
    """Add the in-place form ``NAME_`` of an operation."""
    row = table.operations[name]
    template = getattr(getattr(ops, name), "__wrapped__", None) or TEMPLATES[len(row.parameters)]
    bind = binder(name + "_", template, row.parameters)

    of_tensors = name in ("atan2", "hypot")

    def call(self, *args, **kwargs):
        values = (self, *args)
        if kwargs or len(values) != len(row.parameters):
            values = bind(values, kwargs)
        if of_tensors:
            table.tensor_argument(values[1], name + "_", "other", 1)
        return in_place(row, values)

    text = f"In-place form of :func:`{name}`; changes the tensor and returns it."
    return publish_call(name + "_", call, text, function=False)


def shorten_arithmetic(name):
    """Put before ``NAME_`` of two operands what it comes to for plain ones: floating, of one dtype, not overlapping.

    It is ``in_place`` written out for these; whatever is out of the ordinary goes there.
    """
    row, whole = table.operations[name], methods[name + "_"]
    forward = row.forward
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
            operand = other
        else:
            return whole(self, other, **options)
        if (
            special or options or dispatch.tell is not None or not dtype.is_floating_point or self._inference
            or view is not None and (view.creation is not None or own is None is not self._node)
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
        try:
            result = run(forward, array, operand)
        except ValueError:
            return whole(self, other)
        if result.shape != array.shape or 0 in array.strides:
            return whole(self, other)
        array[...] = result
        counter.version += 1
        if recording:
            node = Node()
            node.plan = plan
            node.edges = (own, edge)
            node.saved = other if plan.saves else None
            node.arguments = node.extras = None
            node.sequence = next_sequence_number()
            attach(self, node)
        return self

    publish_call(name + "_", call, function=False)
