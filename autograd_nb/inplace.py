"""Changing a tensor in place, and what that does to the graph.

The elements change, the version counter moves on, and the history is rewritten: the tensor's node is now
the operation's.  When the tensor is a view, its base changed too: the base gets a CopySlices node, which
sends the part of the gradient that the view covers through the operation and the rest straight on.  The
view itself then reads its gradient off the base (AsStridedBackward0), as does every other view of it.
"""

import numpy as np

from . import dispatch, dtypes
from .dispatch import apply, operation, ops, publish_call, record
from .graph import Node, next_sequence_number
from .grad_mode import state
from .plans import Row
from .saved import FREED
from .tensors import AccumulateGrad, Tensor, current_node, new, wrap

IN_FUNCTION_OF_SEVERAL = (
    "This view is the output of a function that returns multiple views. Such functions do not allow the output views to be "
    "modified inplace. You should replace the inplace operation by an out-of-place one."
)


def in_place(row, values):
    """Run *row* on *values* and write the result into the first of them, which is returned."""
    self = values[0]
    inputs = dispatch._differentiable(row, values)
    edges = [current_node(value) if isinstance(value, Tensor) else None for value in inputs]
    recording = state.grad_enabled and any(edge is not None for edge in edges)
    check_in_place(self, recording)
    result = result_array(row, values)
    if result.shape != self._array.shape:
        raise RuntimeError(
            f"output with shape {list(self.shape)} doesn't match the broadcast shape {list(result.shape)}"
        )
    original = None
    if recording:
        needs = tuple(name for name, edge in zip(row.differentiable, edges, strict=True) if edge is not None)
        if "self" in row.saves(needs):
            original = wrap(self._array.copy(), self._dtype)
    write(self, result)
    if recording:
        if original is not None:
            original._node = edges[0]
        history(row, (original if original is not None else self, *values[1:]), edges, self)
    if dispatch.tell is not None:
        dispatch.tell(row, self._node if recording else None, [v for v in values if isinstance(v, Tensor)], [self], True)
    return self


def result_array(row, values):
    """The elements that an in-place operation writes, in the dtype of the tensor written to."""
    self = values[0]
    with_mode = state.grad_enabled
    state.set_grad_enabled(False)
    telling, dispatch.tell = dispatch.tell, None
    try:
        result = apply(row, values)
    finally:
        state.set_grad_enabled(with_mode)
        dispatch.tell = telling
    if not dtypes.can_cast(result._dtype, self._dtype):
        raise RuntimeError(
            f"result type {result._dtype.legacy_name} can't be cast to the desired output type {self._dtype.legacy_name}"
        )
    return result._array


def check_in_place(self, recording):
    """RuntimeError when the tensor may not be changed in place."""
    strides = self._array.strides
    if strides and 0 in strides and any(s == 0 < n - 1 for s, n in zip(strides, self._array.shape, strict=True)):
        raise RuntimeError(
            "unsupported operation: more than one element of the written-to tensor refers to a single memory location. "
            "Please clone() the tensor before performing the operation."
        )
    view = self._view
    if recording and view is not None:
        refuse_view(self, view)
        base_node = current_node(view.base)
        if base_node.__class__ is AccumulateGrad:
            raise RuntimeError("a view of a leaf Variable that requires grad is being used in an in-place operation.")
    if recording and self._node.__class__ is AccumulateGrad:
        raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")
    if self._inference and not state.inference:
        raise RuntimeError(
            "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get a normal "
            "tensor before doing inplace update.See https://github.com/pytorch/rfcs/pull/17 for more details."
        )


def refuse_view(self, view):
    """RuntimeError for views whose history cannot be rewritten."""
    if view.creation == "several":
        name = camel_of(current_node(self), view)
        raise RuntimeError(f"Output {view.number or 0} of {name} is a view and is being modified inplace. "
                           + IN_FUNCTION_OF_SEVERAL)
    if view.creation in ("no grad", "several without grad"):
        message = "A view was created in no_grad mode and is being modified inplace with grad mode enabled. "
        if view.creation == "no grad":
            raise RuntimeError(
                message + "Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code "
                "by moving both the view and the inplace either both inside the no_grad block (if you don't want the "
                "inplace to be tracked) or both outside (if you want the inplace to be tracked)."
            )
        raise RuntimeError(message + IN_FUNCTION_OF_SEVERAL)


def camel_of(node, view):
    """The name of the view operation as messages give it."""
    name = view.row.node_name if node is None else getattr(node, "node", node).plan.node_name
    return name.removesuffix("Backward0")


def write(self, array):
    """Put *array* into the tensor's storage and count it."""
    counter = self._share()
    self._array[...] = array
    counter.version += 1


def history(row, values, edges, self):
    """Give a tensor just changed the node of the change; through its base when it is a view."""
    carrier = wrap(self._array, self._dtype)
    carrier._counter = self._counter
    node = record(row, values, edges, (carrier,), self._dtype)
    attach(self, node)


def attach(self, node):
    """Let *node*, whose first edge is the tensor's old one, be the history of a tensor changed in place."""
    view = self._view
    if view is None:
        self._node = node
        return
    base = view.base
    slices = new(Node)
    slices.plan = COPY_SLICES
    slices.edges = (current_node(base), *node.edges[1:])
    slices.saved = node, view
    slices.arguments = slices.extras = None
    slices.sequence = next_sequence_number()
    base._node = slices


class CopySlices:
    """The plan of a base whose view was changed in place."""

    node_name = "CopySlices"
    keeps, only, several_outputs, calls_user_code = True, None, False, False

    def backward(self, node, grad):
        changed, view = node.saved
        rest = np.array(grad)
        part = view.of(rest)
        grads = changed.plan.for_edges(changed, part.copy()[()], tensors=False)
        part[...] = 0 if grads[0] is None else grads[0]
        return (rest[()] if not rest.shape else rest, *grads[1:])

    def backward_tensors(self, node, grad):
        changed, view = node.saved
        index = view.index()
        grads = changed.plan.for_edges(changed, ops.view_of(grad, index), tensors=True)
        part = ops.zeros_like(ops.view_of(grad, index)) if grads[0] is None else grads[0]
        return (ops.with_part(grad, part, index), *grads[1:])

    def result_shared(self, node, number, tensor):
        pass

    def saved_attribute(self, node, name):
        raise AttributeError(f"'CopySlices' object has no attribute '{name}'")

    def call(self, node, grad_outputs):
        return self.backward_tensors(node, grad_outputs[0])


COPY_SLICES = CopySlices()


@operation("view_of", method=False, function=False, node_name="AsStridedBackward0",
           self=lambda grad, index, self_sym_sizes: spread(grad, index, self_sym_sizes))  # fmt: skip
def view_of(self, index):
    """The elements at flat places *index*."""
    return np.reshape(self, -1)[index]


@operation("spread", method=False, function=False, self=lambda grad, index: view_of(grad, index))
def spread(self, index, shape):
    """Zeros of *shape* with the elements added at flat places *index*."""
    total = np.zeros(shape, self.dtype)
    np.add.at(total.reshape(-1), index, self)
    return total[()]


@operation("with_part", tensors=("self", "part"), method=False, function=False,
           self=lambda grad, index: with_part(grad, zero_part(grad, index), index),
           part=lambda grad, index: view_of(grad, index))  # fmt: skip
def with_part(self, part, index):
    """A copy with the elements at flat places *index* replaced."""
    changed = np.array(self)
    changed.reshape(-1)[index] = part
    return changed


@operation("zero_part", method=False, function=False)
def zero_part(self, index):
    """Zeros of the shape of *index*."""
    return np.zeros(np.shape(index), self.dtype)


def reader(view):
    """A node through which a view reads its gradient off its base; None when the base has none."""
    edge = current_node(view.base)
    if edge is None:
        return None
    node = new(Node)
    row = dispatch.operations["view_of"]
    node.plan = row.plan(("self",))
    node.edges = (edge,)
    node.saved = node.extras = None
    node.arguments = (None, view.index(), view.base._array.shape)
    node.sequence = next_sequence_number()
    return node


Row.reader = staticmethod(reader)


def publish_in_place(name):
    """Add the in-place form ``NAME_`` of an operation."""
    row = dispatch.operations[name]
    complete = dispatch.functions[name]

    def call(self, *args, **kwargs):
        values = (self, *args)
        if kwargs or len(values) != len(row.parameters):
            values = complete.bind(values, kwargs)
        return in_place(row, values)

    return publish_call(name + "_", call, f"In-place form of :func:`{name}`; changes the tensor and returns it.", function=False)


__all__ = ["FREED", "in_place", "publish_in_place"]
