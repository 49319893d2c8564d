"""What may not be changed in place, and what PyTorch says of it.

A leaf that requires grad, a view of one, or a view whose history is fixed; elements that share memory with each other
or partly with an input; a result of another shape.
"""

import re

import numpy as np

from .geometry import address, extent
from .graph import node_of_edge
from .leaf import AccumulateGrad
from .tensor import Tensor, current_node, ndarray
from .warning import warn

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
    "to handle view+inplace would override the custom backward associated with the custom Function, leading to "
    "incorrect gradients. This behavior is forbidden. You can fix this by cloning the output of the custom Function."
)
AMBIGUOUS = (
    " Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving "
    "both the view and the inplace either both inside the {0} block (if you don't want the inplace to be tracked) or "
    "both outside (if you want the inplace to be tracked)."
)


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
        name = re.sub("Backward0?$|Backward(?=[1-9]+$)", "", node.revealed().name())
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
