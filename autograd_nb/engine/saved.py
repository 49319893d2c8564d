"""What a node saved, and the check that it is still what it was.

A saved input is the very tensor; a saved result is its elements only, so that a graph holds no cycle.  While nobody
shares or changes the storage nothing more is kept.  Where a version has to be remembered (the tensor was changed
before, the result shared after, a hook packed it, the buffers were freed) a :class:`Kept` stands in its place.
"""

import re
from weakref import ref

import numpy as np

from . import dtypes
from .graph import Output, node_of_edge
from .modes import no_grad, state
from .tensor import Tensor, VersionCounter, current_node, wrap

FREED_ADVICE = (
    "Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify "
    "retain_graph=True if you need to backward through the graph a second time or if you need to access saved tensors "
    "after calling backward."
)
ADVICE = (
    "enable anomaly detection to find the operation that failed to compute its gradient, with "
    "torch.autograd.set_detect_anomaly(True, check_nan=False).",
    "the backtrace further above shows the operation that failed to compute its gradient. The variable in question was "
    "changed in there or anywhere later. Good luck!",
)
FREED_MESSAGE = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already been "
    "freed). " + FREED_ADVICE
)


class Kept:
    """A saved value with the version it had.

    *tensor* is the saved input, or None for a result; *array* its elements; *counter* and *version* what to compare.
    """

    __slots__ = ("tensor", "array", "_counter", "version", "number", "maker")

    def __init__(self, tensor, array, counter, version, number=None):
        self.tensor = tensor
        self.array = array
        self._counter = counter
        self.version = version
        self.number = number
        self.maker = None  # a weak reference to the node that an error names, if it is not the one that saved

    def value(self, node):
        if self._counter is not None and self._counter.version != self.version:
            if self.tensor is None:
                owner, number, array = self.maker and self.maker() or node, self.number, self.array
            else:
                refuse_detached(node, self.tensor)
                owner, number, array = *_maker(self.tensor), self.tensor._array
            raise modified(array, owner, number, self._counter.version, self.version)
        if self.tensor is not None and self.tensor._detached:
            refuse_detached(node, self.tensor)
        return self.array if self.tensor is None else self.tensor._array

    def as_tensor(self, node, number):
        self.value(node)
        if self.tensor is not None:
            return self.tensor
        result = result_tensor(node, number, self.array)
        result._counter = self._counter
        return result


class _Freed(Kept):
    """Stands for everything a node saved once its buffers are freed; any look at it raises."""

    def __init__(self):
        super().__init__(None, None, self, 0)

    def value(self, node):
        raise RuntimeError(FREED_MESSAGE)

    def as_tensor(self, node, number):
        raise RuntimeError(FREED_MESSAGE)

    def __iter__(self):
        raise RuntimeError(FREED_MESSAGE)


FREED = _Freed()


class Packed(Kept):
    """A value that the user's pack hook took; the unpack hook gives it back, and it takes its place in the graph again.

    *number* says which output of the node it is; an input keeps the edge that its gradient goes to.
    """

    __slots__ = ("packed", "unpack", "edge")

    def __init__(self, pack, unpack, tensor, number=None, edge=None):
        super().__init__(None, None, True, 0, number)  # a counter only has to be there, and self would be a cycle
        self.unpack = unpack
        self.edge = edge
        version = 0 if tensor._inference else tensor._version
        with no_grad():
            self.packed = pack(tensor)
        if not tensor._inference and tensor._version != version:
            raise RuntimeError(
                "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook "
                "cannot be modified by in-place operations as this can lead to unexpected side-effects. Please open "
                "an issue if you need to perform in-place operations on the input to a pack hook."
            )

    def value(self, node):
        value = state.call_user(self.unpack, self.packed)
        if not isinstance(value, Tensor):
            raise TypeError("Output of saved tensor unpack_hook expected to be a Tensor but got result of type "
                            f"{type(value).__name__}")
        return value._array if value._array.shape or value._array.__class__ is not np.ndarray else value._array[()]

    def as_tensor(self, node, number):
        array = np.asarray(self.value(node))
        dtype = dtypes.of_array(array)
        tensor = wrap(array, dtype, self.edge) if number is None else result_tensor(node, number, array)
        tensor._counter = VersionCounter()  # it is not the tensor that was saved, whatever its node says
        return tensor


class SavedTensor:
    """What ``node._raw_saved_NAME`` gives: hooks can be put on what the node saved."""

    def __init__(self, *arguments):
        raise RuntimeError("Trying to create a SavedTensor object from Python is forbidden.")

    @classmethod
    def of(cls, node, index, single, number):
        """Entry *index* of a node (None if it saved none), or its *single* one; *number* says which output it is."""
        self = object.__new__(cls)
        self._place = node, index, single, number
        return self

    def register_hooks(self, pack_hook, unpack_hook):
        """Keep ``pack_hook(tensor)`` in place of the tensor, and read it as ``unpack_hook`` of that."""
        node, index, single, number = self._place
        if not callable(pack_hook) or not callable(unpack_hook):
            raise TypeError("register_hooks(): incompatible function arguments. The following argument types are "
                            "supported:")
        if node.saved is FREED and index is not None:
            raise RuntimeError("Calling register_hooks on a saved tensor after it has been freed. " + FREED_ADVICE
                               .replace("saved tensors", "saved variables"))  # fmt: skip
        entry = None if index is None else node.saved if single else node.saved[index]
        if entry is None:
            raise RuntimeError("Calling register_hooks on a saved tensor with value None is forbidden")
        if isinstance(entry, Packed):
            raise RuntimeError("Calling register_hooks on a saved tensor whose hooks have already been set. Hint: "
                               "only one pair of hooks is allowed at a time.")
        if entry.__class__ in dtypes.PYTHON_NUMBERS:
            raise RuntimeError("autograd_nb packs saved tensors only, and this is a Python number")
        tensor = entry.tensor if isinstance(entry, Kept) else entry if isinstance(entry, Tensor) else None
        if tensor is not None:
            array = tensor._array  # as it is now, even if it was changed
        else:
            array = entry.array if isinstance(entry, Kept) else value_of(node, entry)
        edge = None if tensor is None else current_node(tensor)
        packed = Packed(pack_hook, unpack_hook, wrap(array, dtypes.of_array(array)), number, edge)
        node.saved = packed if single else (*node.saved[:index], packed, *node.saved[index + 1 :])


SavedTensor.__module__ = "torch._C._autograd"


def number_as_tensor(number):
    """The 0-d tensor that PyTorch saves for a Python number."""
    dtype = dtypes.float64 if number.__class__ is float else dtypes.of_number(number)
    return wrap(dtype.scalar(number), dtype)


def keep(tensor):
    """What to save for an input tensor whose storage has a version counter, or under pack hooks."""
    if tensor._inference:
        raise RuntimeError(
            "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in "
            "computation tracked by autograd. To work around this, you can make a clone to get a normal tensor and "
            "use it in autograd, or use `torch.no_grad()` instead of `torch.inference_mode()`."
        )
    if state.saved_hooks:
        return Packed(*state.saved_hooks[-1], tensor, edge=current_node(tensor))
    counter = tensor._counter
    return tensor if counter is None else Kept(tensor, None, counter, counter.version)


def keep_result(tensor, number):
    """What to save for a result whose storage may be shared."""
    if state.saved_hooks:
        edge, tensor._node = tensor._node, None
        tensor._share()  # which is of no concern to its node: it saves nothing yet
        tensor._node = edge
        return Packed(*state.saved_hooks[-1], tensor, number)
    counter = tensor._counter
    return tensor._array if counter is None else Kept(None, tensor._array, counter, counter.version, number)


def name_maker(node, maker):
    """Let an error about the result that a node saved name *maker*, which reads its gradient off the base."""
    for entry in node.saved if isinstance(node.saved, tuple) else (node.saved,):
        if entry.__class__ is Kept and entry.tensor is None:
            entry.maker = ref(maker)


def checked(node, entry):
    """The elements of a saved entry that is more than a plain tensor nobody touched."""
    if isinstance(entry, Tensor):
        counter = entry._counter
        if counter is not None and counter.version != 0:
            refuse_detached(node, entry)
            raise modified(entry._array, *_maker(entry), counter.version, 0)
        if entry._detached:
            refuse_detached(node, entry)
        return entry._array
    return entry.value(node)


def refuse_detached(node, tensor):
    """RuntimeError for a saved tensor that lost its history after the node saved it."""
    if node is not None and node.sequence < tensor._detached:
        raise RuntimeError("Trying to use a saved tensor that has been detached in-place, i.e. with .detach_().This is "
                           "not supported, please use out-of-place `.detach()` instead")


def value_of(node, entry):
    """The elements, or the Python value, of any saved entry."""
    return checked(node, entry) if isinstance(entry, (Tensor, Kept)) else entry


def tensor_of(node, entry, number):
    """Any saved entry for a formula that runs on tensors; *number* is the output number of a result, else None."""
    if isinstance(entry, Tensor):
        checked(node, entry)
        return entry
    if isinstance(entry, Kept):
        return entry.as_tensor(node, number)
    if number is None:
        return entry
    result = result_tensor(node, number, entry)
    if result._node is not None:
        result._share()  # so that a later change of the result is noticed wherever this one is saved
    return result


def result_tensor(node, number, array):
    """The saved result of a node as a tensor of the graph again."""
    dtype = dtypes.of_array(array)
    if not dtype.is_floating_point:  # indices beside the values
        return wrap(array, dtype)
    edge = Output(node, number, len(node.plan.row.returns)) if node.plan.several_outputs else node
    return wrap(array, dtype, edge)


def _maker(tensor):
    """The node that made the tensor and the output number; (None, 0) for a leaf."""
    return (None, 0) if tensor.is_leaf else node_of_edge(current_node(tensor))


def modified(array, maker, number, version, expected):
    """The error that a saved tensor was changed in place."""
    kind = dtypes.of_array(array).legacy_name
    which = ""
    if maker is not None:
        name = re.sub("Backward0?$|Backward(?=[1-9]+$)", "", maker.revealed().name())
        which = f", which is output {number} of {name},"
    return RuntimeError(
        "one of the variables needed for gradient computation has been modified by an inplace operation: "
        f"[torch.{kind}Tensor {list(array.shape)}]{which} is at version {version}; expected version {expected} "
        f"instead. Hint: {ADVICE[state.anomaly is not None]}"
    )


def share_saved(node, index, count, number, tensor):
    """The storage of output *number*, which the node saved as entry *index* of *count*, is shared from now on."""
    kept = Kept(None, tensor._array, tensor._counter, tensor._counter.version, number)
    entry = node.saved if count == 1 or node.saved is FREED else node.saved[index]
    if isinstance(entry, Kept):
        if entry.__class__ is Kept and entry._counter is not None:  # another tensor that stands for the same output
            tensor._counter = entry._counter
            tensor._set_array(entry.array)
        return
    node.saved = kept if count == 1 else (*node.saved[:index], kept, *node.saved[index + 1 :])
