"""Views: tensors that share another's storage, and how a change in place rewrites their histories.

A view knows its base.  When a tensor is changed in place, the node of the change becomes its node.
When a view is changed, its base gets a CopySlices node, which sends the part of the gradient that
the view covers through the node of the change and the rest straight on.  The view itself, and every
other view of that base, then gets a node that leads to the base (AsStridedBackward0).

This file rests on vjp.py and tensor.py; without changes in place skip it and inplace.py.
"""

import re

import numpy as np

from . import dtypes
from .graph import (
    BasePlan,
    Node,
    extras_of,
    node_of_edge,
    numbered,
    retained_at,
)
from .modes import state
from .saved import value_of
from .table import Row, ops, tensor_names
from .tensor import AccumulateGrad, Tensor, gradient_edge, ndarray, wrap
from .vjp import plan_of


class View:
    """The view side of a tensor: its base, and the storage version that its node belongs to."""

    __slots__ = ("base", "version", "creation_meta")

    def __init__(self, source, version, creation_meta=None):
        parent = source._view
        self.base = source if parent is None else parent.base  # never itself a view
        self.version = version  # at another version (or None) the view needs a new node
        # "several", "no grad", "inference" and "function" forbid in-place changes; None does not
        inherited = None if parent is None else parent.creation_meta
        self.creation_meta = inherited if creation_meta is None else creation_meta

    def regenerate_grad_fn(self, tensor):
        """Give a view whose storage has changed a new node, which leads to its base."""
        edge = gradient_edge(self.base)
        if edge is None and (tensor._node is None or tensor._node.__class__ is AccumulateGrad):
            return
        if self.creation_meta is not None:
            refuse_view(tensor, self, "its base or another view of its base has been")
        self.version = tensor._counter.version
        arguments = Geometry(self.base._array, tensor._array), None  # no formula reads *array*
        node = numbered(Node(), plan_of(STRIDED_VIEW, ("self",)), (edge,), arguments)
        move_retained(tensor._node, node)
        tensor._node = node


def make_view(output, source, several=False):
    """Make *output*, whose elements are in the storage of *source*, a view of it."""
    output._counter = counter = source._share()
    if source._inference:
        output._inference = True
        return
    creation_meta = "several" if several else None
    if not state.recording:
        parent = source._view
        inherited = state.inference or parent is not None and parent.creation_meta == "inference"
        creation_meta = "inference" if inherited else "no grad"
    output._view = View(source, counter.version, creation_meta)


# -- where a view's elements lie -------------------------------------------------------------------


class Geometry:
    """The elements of a base that a view shows, as positions of both arrays in their storage.

    *length* is the storage's, in elements; *whole* and *part* are ``(shape, strides, offset)`` of
    base and view, in bytes.  PyTorch's CopySlices and AsStridedBackward0 keep the same, not the
    operations that made the view.
    """

    __slots__ = "whole", "part", "length"

    def __init__(self, base, part):
        offset, size = address(part) - address(base), base.itemsize
        lowest = min(0, offset)  # a view may begin before its base
        self.length = max(extent(base), offset // size + extent(part)) - lowest // size
        self.whole = base.shape, base.strides, -lowest
        self.part = part.shape, part.strides, offset - lowest

    def lay(self, dtype):
        """``(whole, part)`` of a new storage of zeros: the base's shape, and the view's part."""
        storage = np.zeros(self.length, dtype)
        return strided(storage, *self.whole), strided(storage, *self.part)

    def overlaps(self):
        """Whether the view contains some element more than once."""
        (shape, strides, _), reach = self.part, 0
        for stride, length in sorted(zip(strides, shape, strict=True)):
            if length > 1:
                if stride <= reach:
                    return True
                reach += stride * (length - 1)
        return False

    def places(self, itemsize):
        """The positions of the view's elements in storage."""
        shape, strides, offset = self.part
        steps = zip(shape, strides, strict=True)
        along = np.ix_(*[np.arange(length) * stride for length, stride in steps])
        return (offset + sum(along)) // itemsize


def address(array):
    """Where an array's elements begin in memory."""
    return array.__array_interface__["data"][0]


def extent(array):
    """The number of storage elements from an array's first element to its last."""
    if array.flags.c_contiguous:
        return array.size
    steps = [step // array.itemsize for step in array.strides]
    return 1 + sum([step * max(0, n - 1) for step, n in zip(steps, array.shape, strict=True)])


def strided(storage, shape, strides, offset):
    """An array over flat *storage*, strides and offset counted in bytes."""
    return ndarray(shape, storage.dtype, storage, offset, strides)


# -- the parts of a view's history -----------------------------------------------------------------

CLONE = Row(
    "clone",
    lambda self, memory_format: np.array(self, order="C" if memory_format == "contiguous" else "K"),
    {"self": lambda grad: grad},
    ("self", "memory_format"),
)
# *array* is on the tensor's storage
STRIDED_VIEW = Row(
    "strided_view",
    lambda self, geometry, array: array,
    {"self": lambda grad, geometry: spread(grad, geometry)},
    ("self", "geometry", "array"),
    node_name="AsStridedBackward0",
    view=True,
)


def spread(grad, geometry):
    """Zeros of the base's shape with the gradient added at the elements of the view."""
    whole, part = geometry.lay(grad.dtype)
    if geometry.overlaps():
        np.add.at(whole.base, geometry.places(whole.itemsize), grad)
    else:
        part[...] = grad
    return whole


def spread_tensor(grad, geometry):
    """The same with operations, as in PyTorch's graph: into storage viewed as the base."""
    whole, part = geometry.lay(grad._array.dtype)
    for dim in reversed(range(part.ndim)):
        if part.shape[dim] == 1:
            grad = ops.squeeze(grad, dim)
    storage = wrap(whole.base, grad._dtype)
    if geometry.overlaps():
        index = wrap(geometry.places(whole.itemsize).reshape(-1), dtypes.int64)
        storage = ops.index_add(storage, 0, index, ops.reshape(grad, (-1,)))
        storage._share()
        whole = strided(storage._array, *geometry.whole)
    else:
        ops.copy_(strided_view(storage, part.squeeze()), grad)
    return strided_view(storage, whole)


tensor_names["spread"] = spread_tensor


def strided_view(tensor, array):
    """A view of the tensor on the elements of *array*, which lie in the tensor's storage."""
    return STRIDED_VIEW.call(tensor, Geometry(tensor._array, array), array)


# -- histories after a change in place -------------------------------------------------------------


def rebase_history(self, node):
    """Make *node*, whose first edge is the changed tensor's old one, that tensor's history."""
    view = self._view
    before = self._node
    if view is None:
        if before is None and self._inactive is not None:
            extras_of(self._inactive).inactive = "moved"
        move_retained(before, node)
        self._node = node
        return
    base = view.base
    own = base._node
    saved = node, base._array, self._array
    base._node = slices = numbered(Node(), COPY_SLICES, (own, *node.edges[1:]), saved=saved)
    move_retained(own, slices)
    # otherwise the node that replaces it, made on demand, takes over the retained gradient
    if not retained_at(before):
        self._node = view.version = None


def move_retained(before, after):
    """Let a tensor that retains its gradient do so at its new node; hooks stay at the old one."""
    if retained_at(before):
        node, number = node_of_edge(before)
        owner, place = node_of_edge(after)
        extras_of(owner).retained[place] = node.extras.retained.pop(number)


class CopySlices(BasePlan):
    """The plan of a base whose view was changed in place.

    The view's part of the gradient goes through the node of the change; the rest passes it by.
    """

    node_name = "CopySlices"
    can_be_freed = True

    def apply(self, node, grads):
        if grads[0] is None:
            return [None] * len(node.edges)
        changed, base, part = value_of(node, node.saved)
        if isinstance(grads[0], Tensor):
            return self.on_tensors(changed, Geometry(base, part), grads[0])
        return state.run(self.on_arrays, changed, base, part, grads[0])

    def laid_out(self, base, part, grad):
        """A copy of a base's gradient, in the base's layout, and the part at a view's elements."""
        whole, part = Geometry(base, part).lay(grad.dtype)
        whole[...] = grad
        return whole, part

    def on_arrays(self, changed, base, part, grad):
        rest, part = self.laid_out(base, part, grad)
        # a copy if another input may get this array
        given = part if part.shape and not any(changed.edges[1:]) else part.copy()[()]
        first, *others = changed.plan.on_arrays(changed, given)
        if first is not given:
            part[...] = 0 if first is None else first
        return [rest if rest.shape else rest[()], *others]

    def on_tensors(self, changed, geometry, grad):
        array, shown = geometry.lay(grad._array.dtype)
        whole = ops.copy_(wrap(array, grad._dtype), grad)
        part = strided_view(whole, shown)
        first, *others = changed.plan.apply(changed, [CLONE.call(part, None)])
        if first is None:
            ops.zero_(part)
        else:
            ops.copy_(part, first)
        return [whole, *others]


COPY_SLICES = CopySlices()


# -- views that may not be changed -----------------------------------------------------------------

OF_SEVERAL = (
    " This view is the output of a function that returns multiple views. Such functions do not "
    "allow the output views to be modified inplace. You should replace the inplace operation by "
    "an out-of-place one."
)
OF_FUNCTION = (
    " This view was created inside a custom Function (or because an input was returned as-is) and "
    "the autograd logic to handle view+inplace would override the custom backward associated with "
    "the custom Function, leading to incorrect gradients. This behavior is forbidden. You can fix "
    "this by cloning the output of the custom Function."
)
AMBIGUOUS = (
    " Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify "
    "your code by moving both the view and the inplace either both inside the {0} block (if you "
    "don't want the inplace to be tracked) or both outside (if you want the inplace to be "
    "tracked)."
)


def refuse_view(self, view, changed):
    """RuntimeError for a view whose history is fixed; *changed* names the changed tensor."""
    creation_meta = view.creation_meta
    node, number = node_of_edge(self._node)
    mode, block, outside = "no_grad", "no_grad", "with grad mode enabled"
    if creation_meta == "inference":
        mode, block, outside = "inference", "inference_mode", "in normal mode"
    made = f"created in {mode} mode and {changed} modified inplace {outside}."
    if node is None or node.__class__ is AccumulateGrad:
        message = f"A view was {made}"
    else:
        name = re.sub("Backward0?$|Backward(?=[1-9]+$)", "", node.revealed().name())
        of_view = creation_meta in ("no grad", "inference")
        what = f"of a view which was {made}" if of_view else f"and {changed} modified inplace."
        message = f"Output {number} of {name} is a view {what}"
    if creation_meta == "several":
        message += OF_SEVERAL
    elif creation_meta == "function":
        message += OF_FUNCTION
    else:
        message += AMBIGUOUS.format(block)
    raise RuntimeError(message)
