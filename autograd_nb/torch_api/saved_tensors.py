"""The saved values of a node, for users: ``node._saved_NAME``, and ``node._raw_saved_NAME``, which takes hooks."""

from ..engine import dtypes
from ..engine.saved import FREED, FREED_ADVICE, PackedVariable, SavedVariable, tensor_of
from ..engine.table import calls
from ..engine.tensor import Tensor, gradient_edge, wrap


class SavedTensor:
    """The value that a node saved under one name; hooks can be registered on it."""

    def __init__(self, node, index, single, number):
        # entry *index* of a node (None if it saved nothing), or its *single* entry; *number* is the output's
        self._place = node, index, single, number

    def register_hooks(self, pack_hook, unpack_hook):
        """Save ``pack_hook(tensor)`` in place of the tensor; backward calls ``unpack_hook`` on the packed value."""
        node, index, single, number = self._place
        if node.saved is FREED and index is not None:
            raise RuntimeError("Calling register_hooks on a saved tensor after it has been freed. "
                               + FREED_ADVICE % "variables")  # fmt: skip
        entry = None if index is None else node.saved if single else node.saved[index]
        if entry is None or isinstance(entry, PackedVariable) or entry.__class__ in dtypes.PYTHON_NUMBERS:
            raise RuntimeError("hooks can be registered once, on a saved tensor; this is None, a Python number, or a "
                               "saved tensor that has hooks")
        tensor, array = (entry.tensor, entry.array) if isinstance(entry, SavedVariable) else (entry, entry)
        edge = None
        if isinstance(tensor, Tensor):
            array, edge = tensor._array, gradient_edge(tensor)  # with its current elements, even if they have changed
        packed = PackedVariable(pack_hook, unpack_hook, wrap(array, dtypes.of_array(array)), number, edge)
        node.saved = packed if single else (*node.saved[:index], packed, *node.saved[index + 1 :])


SavedTensor.__module__ = "torch._C._autograd"


def raw_saved_tensors(node):
    """``ctx._raw_saved_tensors`` of the node of a Function."""
    numbers = [getattr(entry, "number", None) for entry in node.saved or ()]
    return tuple([SavedTensor(node, index, False, number) for index, number in enumerate(numbers)])


def saved_attribute(node, name):
    """``node._saved_NAME`` or ``node._raw_saved_NAME`` of a node of the table."""
    short, raw = name.removeprefix("_raw").removeprefix("_saved_"), name.startswith("_raw")
    plan, row = node.plan, node.plan.row
    if short not in plan.readable or raw and short not in (*row.tensors, *plan.saves):
        raise AttributeError(f"'{plan.node_name}' object has no attribute '{name}'")
    if raw:
        index = plan.saves.index(short) if short in plan.saves else None
        return SavedTensor(node, index, len(plan.saves) == 1, index and plan.output_numbers[index])
    if short not in plan.saves:
        return dict(zip(plan.arguments, node.arguments or (), strict=False)).get(short)
    entry = plan.entries(node)[short]
    if entry.__class__ in dtypes.PYTHON_NUMBERS:  # by class: a saved float64 is an instance of float too
        dtype = dtypes.float64 if entry.__class__ is float else dtypes.of_number(entry)
        return wrap(dtype.scalar(entry), dtype)
    number = plan.output_numbers[plan.saves.index(short)]
    value = tensor_of(None if number is None else node, entry, number)  # without a node, a detached one is no error
    return value.shown() if hasattr(value, "shown") else value


calls.update(saved_attribute=saved_attribute, raw_saved_tensors=raw_saved_tensors)
