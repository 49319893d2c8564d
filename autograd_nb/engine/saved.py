"""The values that a node saves for backward, and the check that nobody has changed them since.

For an input the node saves the tensor itself; for a result only the array, so that a graph has no
cycle.  That is enough while nobody changes the storage.  If a version must be remembered (the
tensor was changed before, or the result is shared later) a :class:`SavedVariable` takes the value's
place, as it does when a hook packs the value or the buffers are freed.

This file rests on tensor.py.  At first you may skip PackedVariable, for hooks, and the last part.
"""

import re
from weakref import ref

import numpy as np

from . import dtypes
from .graph import OutputEdge, node_of_edge
from .modes import no_grad, state
from .tensor import Tensor, VersionCounter, gradient_edge, kind_of, wrap

FREED_ADVICE = (
    "Saved intermediate values of the graph are freed when you call .backward() or "
    "autograd.grad(). Specify retain_graph=True if you need to backward through the graph a "
    "second time or if you need to access saved %s after calling backward."
)
HINTS = (
    "enable anomaly detection to find the operation that failed to compute its gradient, with "
    "torch.autograd.set_detect_anomaly(True, check_nan=False).",
    "the backtrace further above shows the operation that failed to compute its gradient. The "
    "variable in question was changed in there or anywhere later. Good luck!",
)


class SavedVariable:
    """A saved value with its version at that time.

    *tensor* is the saved input, or None for a result, and *array* has its elements; ``unpack``
    compares *counter* with *version*.
    """

    __slots__ = ("tensor", "array", "_counter", "version", "number", "maker")

    def __init__(self, tensor, array, counter, version, number=None):
        self.tensor, self.array, self.number = tensor, array, number
        self._counter, self.version = counter, version
        # a weak reference to the node that an error names, if another node saved the value
        self.maker = None

    def unpack(self, node):
        """The elements; RuntimeError when somebody has changed them since the node saved them."""
        tensor = self.tensor
        if tensor is not None and node is not None and node.sequence < tensor._detached:
            raise RuntimeError(
                "Trying to use a saved tensor that has been detached in-place, i.e. with "
                ".detach_().This is not supported, please use out-of-place `.detach()` instead"
            )
        array = self.array if tensor is None else tensor._array
        if self._counter.version != self.version:
            if tensor is None:
                maker, number = self.maker and self.maker() or node, self.number
            else:
                maker, number = (None, 0) if tensor.is_leaf else node_of_edge(gradient_edge(tensor))
            name = maker and re.sub("Backward0?$|Backward(?=[1-9]+$)", "", maker.revealed().name())
            which = f", which is output {number} of {name}," if name else ""
            raise RuntimeError(
                "one of the variables needed for gradient computation has been modified by an "
                f"inplace operation: [torch.{dtypes.of_array(array).legacy_name}Tensor "
                f"{list(array.shape)}]{which} is at version {self._counter.version}; expected "
                f"version {self.version} instead. Hint: {HINTS[state.anomaly is not None]}"
            )
        return array

    def as_tensor(self, node):
        """The same for a formula that runs on tensors."""
        self.unpack(node)
        if self.tensor is not None:
            return self.tensor
        result = result_tensor(node, self.number, self.array)
        result._counter = self._counter
        return result


class _Freed(SavedVariable):
    """Stands in for a node's saved values once its buffers are freed; reading it raises."""

    def unpack(self, *_):
        raise RuntimeError(
            "Trying to backward through the graph a second time (or directly access saved tensors "
            "after they have already been freed). " + FREED_ADVICE % "tensors"
        )

    as_tensor = __iter__ = unpack


FREED = object.__new__(_Freed)


class PackedVariable(SavedVariable):
    """A value from the user's pack hook; the result of the unpack hook takes its place.

    *number* says which output of the node it is; an input keeps the *edge* that its gradient goes
    to.
    """

    __slots__ = ("packed", "unpack_hook", "edge")

    def __init__(self, pack, unpack, tensor, number=None, edge=None):
        super().__init__(None, None, None, 0, number)
        self.unpack_hook, self.edge = unpack, edge
        counter = tensor._share()
        version = counter.version
        with no_grad():
            self.packed = pack(tensor)
        if counter.version != version:
            raise RuntimeError(
                "A saved tensor pack hook is modifying its input in place. Tensors provided as "
                "input to pack hook cannot be modified by in-place operations as this can lead to "
                "unexpected side-effects. Please open an issue if you need to perform in-place "
                "operations on the input to a pack hook."
            )

    def unpack(self, node):
        value = state.call_user(self.unpack_hook, self.packed)
        if not isinstance(value, Tensor):
            raise TypeError(
                "Output of saved tensor unpack_hook expected to be a Tensor but got result of "
                f"type {kind_of(value)}"
            )
        return value._array[()]

    def as_tensor(self, node):
        array = np.asarray(self.unpack(node))
        if self.number is None:
            tensor = wrap(array, dtypes.of_array(array), self.edge)
        else:
            tensor = result_tensor(node, self.number, array)
        # this is not the saved tensor, even if it has that tensor's node
        tensor._counter = VersionCounter()
        return tensor


def save_input(tensor):
    """The entry to save for an input: a tensor, None, or a list of these."""
    if not isinstance(tensor, Tensor) or tensor._counter is None and not state.saved_hooks:
        return tensor
    if tensor._inference:
        raise RuntimeError(
            "Inference tensors cannot be saved for backward. Please do not use Tensors created in "
            "inference mode in computation tracked by autograd. To work around this, you can make "
            "a clone to get a normal tensor and use it in autograd, or use `torch.no_grad()` "
            "instead of `torch.inference_mode()`."
        )
    if state.saved_hooks:
        return PackedVariable(*state.saved_hooks[-1], tensor, edge=gradient_edge(tensor))
    counter = tensor._counter
    return SavedVariable(tensor, None, counter, counter.version) if counter.version else tensor


def save_result(tensor, number):
    """The entry to save for a result whose storage may be shared."""
    if state.saved_hooks:
        edge, tensor._node = tensor._node, None
        tensor._share()  # its node does not learn of it: it has saved nothing yet
        tensor._node = edge
        return PackedVariable(*state.saved_hooks[-1], tensor, number)
    counter, array = tensor._counter, tensor._array
    if counter is None:
        return array
    return SavedVariable(None, array, counter, counter.version, number)


def name_maker(node, maker):
    """Let errors about the saved result of *node* name *maker*, the node of the view."""
    for entry in node.saved if isinstance(node.saved, tuple) else (node.saved,):
        if entry.__class__ is SavedVariable and entry.tensor is None:
            entry.maker = ref(maker)


def check_version(node, tensor):
    """A saved tensor; RuntimeError if somebody has changed it since."""
    counter = tensor._counter
    if tensor._detached or counter is not None and counter.version:
        SavedVariable(tensor, None, counter, 0).unpack(node)
    return tensor


def value_of(node, entry):
    """The elements, or the Python value, of a saved entry."""
    if isinstance(entry, Tensor):
        usual = entry._counter is None and not entry._detached
        return entry._array if usual else check_version(node, entry)._array
    return entry.unpack(node) if isinstance(entry, SavedVariable) else entry


def tensor_of(node, entry, number=None):
    """A saved entry as a tensor, for a formula that runs on tensors.

    *number* is the output number of a result, else None.
    """
    if isinstance(entry, Tensor):
        return check_version(node, entry)
    if isinstance(entry, SavedVariable):
        return entry.as_tensor(node)
    if number is None:
        return entry
    result = result_tensor(node, number, entry)
    if result._node is not None:
        result._share()  # so that a later change of the result is noticed wherever it is saved
    return result


def result_tensor(node, number, array):
    """The saved result of a node as a tensor of the graph again; without a node, unchanged."""
    dtype = dtypes.of_array(array)
    if node is None or not dtype.is_floating_point:  # indices beside the values
        return wrap(array, dtype)
    several = node.plan.several_outputs
    edge = OutputEdge(node, number, node.plan.output_count(node)) if several else node
    return wrap(array, dtype, edge)


def share_saved(node, index, count, number, tensor):
    """From now on the storage of output *number*, saved as entry *index* of *count*, is shared."""
    kept = SavedVariable(None, tensor._array, tensor._counter, tensor._counter.version, number)
    entry = node.saved if count == 1 or node.saved is FREED else node.saved[index]
    if isinstance(entry, SavedVariable):
        # another tensor stands for this output
        if entry.__class__ is SavedVariable:
            tensor._counter = entry._counter
            tensor._set_array(entry.array)
        return
    node.saved = kept if count == 1 else (*node.saved[:index], kept, *node.saved[index + 1 :])
