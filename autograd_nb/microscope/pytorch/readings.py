"""Reads PyTorch's tensors and nodes as the engine's are read, without changing or keeping any of them.

PyTorch makes a new Python object each time a node is read.  A :class:`GraphNode` stands for a node of the graph, and
two of them are equal if they stand for the same node.
"""

import re
import sys
from contextlib import suppress
from ctypes import c_char, string_at
from functools import lru_cache
from operator import attrgetter

import numpy as np

from .. import presence
from ..events import AS_FLOAT32, MOST_BYTES, Value, snapshot, snapshot_of_bytes
from ..labels import LONGEST_NAME, SAY, clean
from ..readings import PLAIN, EngineReader, Saved, dtype_name, grad_fn_of, is_leaf_tensor, names_of, readers
from . import rows

torch = presence.loaded()
C = torch._C
if not hasattr(C._autograd.SavedTensor, "unpack_hook"):  # before 2.10 reading a saved tensor may call a learner's hook
    raise ImportError(f"autograd_nb reads PyTorch 2.10 or newer, and this is {torch.__version__}")
USUAL = torch.Tensor, torch.nn.Parameter
MEMORY = c_char * 2**40  # as far as any tensor reaches from its address
PACKED = object()  # a hook of the learner's made something else of a saved tensor
VERSIONS = re.compile(r"is at version (\d+); expected version (\d+)")


class GraphNode(tuple):
    """A node of PyTorch's graph; *arguments* are those of its operation, if the call was seen.

    As a tuple it is its key, so that two of the same node are equal, which Python compares fast.
    """

    def __new__(cls, real, arguments=None, variable=None):
        variable = getattr(real, "variable", variable)  # the leaf whose gradient is added up here
        sequence = 2**64 - 1 if variable is not None else real._sequence_nr()
        key = (real.name(), sequence) if variable is None else ("leaf", id(variable))
        self = tuple.__new__(cls, key)
        self.real, self.key, self.arguments, self.variable = real, key, arguments, variable
        self.is_leaf, self.sequence = variable is not None, sequence
        return self

    def __getattr__(self, name):
        """Its *name* or *row*, which somebody asks for the first time."""
        if name == "name":
            found = "AccumulateGrad" if self.is_leaf else shown_name(self.key[0])
        elif name == "row":
            found = None if self.is_leaf else rows.of_node(
                self.name, lambda name: getattr(self.real, f"_saved_{name}", None))  # fmt: skip
        else:
            raise AttributeError(name)
        setattr(self, name, found)
        return found


@lru_cache
def shown_name(name):
    return clean(name.removeprefix("torch::autograd::"), LONGEST_NAME)


class PyTorchReader(EngineReader):
    """Reads tensors and nodes of PyTorch."""

    identity, is_leaf, name_of, row_of = map(attrgetter, ("key", "is_leaf", "name", "row"))

    def place_of(self, tensor, current=True):
        """``(node, output number)`` where a tensor's gradient goes."""
        return self.graph_of(tensor)[3:]

    def graph_of(self, tensor, current=True):
        if not tensor.requires_grad:
            return False, not current or is_leaf_tensor(tensor), False, None, 0
        if (node := grad_fn_of(tensor)) is not None:
            return True, False, tensor.retains_grad, GraphNode(node), tensor.output_nr
        is_leaf = is_leaf_tensor(tensor)
        return True, is_leaf or not current, False, GraphNode(None, variable=tensor) if is_leaf else None, 0

    def grad_of(self, tensor, current=True):
        """The .grad; None, without PyTorch's warning, for a tensor that neither is a leaf nor retains it."""
        return tensor.grad if is_leaf_tensor(tensor) or tensor.retains_grad else None

    def version_of(self, tensor):
        return 0 if tensor.is_inference() else tensor._version

    def hooks_of(self, tensor):
        hooks = tensor._backward_hooks, tensor._post_accumulate_grad_hooks
        return names_of(hook for each in hooks for hook in (each or {}).values())

    def modes_for(self, tensor):
        """``(grad_enabled, inference)``: the modes in which operations run now."""
        return torch.is_grad_enabled(), torch.is_inference_mode_enabled()

    def snapshot_of(self, tensor):
        """The :class:`Value` of the elements, by their address: after `Tensor.numpy` no storage can be resized."""
        dtype, kind, may_be_conj = of_dtype(tensor.dtype)
        if type(tensor) not in USUAL:
            tensor = held_here(tensor)
        try:
            shape, memory = tuple(tensor.shape), tensor.is_cpu and C._data_address(tensor)
            if kind is None and tensor.is_quantized:  # a copy would warn
                return self.unread(tensor)
            is_lazy = tensor.is_neg() or may_be_conj and tensor.is_conj()
            if kind is None or memory is False or is_lazy or not memory and tensor._is_zerotensor():
                tensor = (tensor.detach().float() if dtype in AS_FLOAT32 else tensor.detach()).cpu()
                tensor = tensor.resolve_conj().resolve_neg().clone()
                (_, kind, _), memory = of_dtype(tensor.dtype), C._data_address(tensor)
            size, is_dense = tensor.nbytes, tensor.is_contiguous()
        except (RuntimeError, TypeError, ValueError):  # sparse, nested, of a transform, ...
            return self.unread(tensor)
        if kind is None or size and not memory:
            return self.unread(tensor)
        address = memory + tensor.storage_offset() * kind.itemsize
        if is_dense and size <= MOST_BYTES:
            return snapshot_of_bytes(shape, dtype, string_at(address, size) if size else b"")
        strides = [step * kind.itemsize for step in tensor.stride()]
        return snapshot(np.ndarray(shape, kind, MEMORY.from_address(address), strides=strides), dtype)

    def unread(self, tensor):
        """The :class:`Value` of a tensor whose elements cannot be read."""
        shape = [-1] * tensor.dim()  # of a nested tensor, which has no number there, or no shape at all
        with suppress(RuntimeError):
            shape = [each if type(each) is int else -1 for each in tensor.shape]
        return Value(tuple(shape), dtype_name(tensor), b"", (0, 0))

    def shard_of(self, tensor):
        """The part that this process holds of a DTensor, in words: "(4, 4) of (8, 4), Shard(dim=0), process 0 of 2"."""
        if type(tensor) in USUAL or held_here(tensor) is tensor:
            return ""
        shapes, mesh = [tuple(each.shape) for each in (tensor._local_tensor, tensor)], tensor.device_mesh
        return SAY("shard", part=shapes[0], whole=shapes[1], placements=", ".join(map(repr, tensor.placements)),
                   rank=mesh.get_rank(), processes=mesh.size())  # fmt: skip

    def twin_key(self, tensor):
        """A key that tensors with the very same elements in memory share, or None."""
        with suppress(RuntimeError):
            return tensor.data_ptr() and (tensor.data_ptr(), tensor.shape, tensor.stride()) or None

    def storage_key(self, tensor):
        """A key that tensors on the same storage share, or None.

        Where the storage has memory, that is its address: a storage that Python has seen counts as used by Python,
        and PyTorch adds no other gradient to that of it in place.
        """
        try:
            return C._data_address(tensor) or tensor.untyped_storage()._cdata
        except RuntimeError:
            return None

    def is_held(self, tensor):
        """Whether the storage of a tensor, which the program may have resized, still holds all of its elements."""
        end = tensor.storage_offset() + extent(tensor)
        return not tensor.numel() or end * tensor.itemsize <= tensor.untyped_storage().nbytes()

    def same_counter(self, a, b):
        """Whether two tensors share a version counter, tested by raising the version of one for a moment."""
        if a.is_inference() or b.is_inference() or self.storage_key(a) != self.storage_key(b):
            return False
        version, autograd = b._version, torch.autograd
        with autograd.grad_mode._unsafe_preserve_version_counter(a):
            autograd.graph.increment_version(a)
            return b._version != version

    def edges_of(self, node):
        if node.is_leaf:
            return []
        return [(below and GraphNode(below), number) for below, number in node.real.next_functions]

    def saved_names(self, node, saved):
        """The names of a node's saved entries; those of a user's Function have none."""
        names = [each.name.partition("[")[0] for each in saved]
        return tuple(dict.fromkeys(names)) if names and not is_function(node) else ()

    def is_freed(self, node):
        return any(isinstance(value, RuntimeError) and "second time" in str(value) for _, value, *_ in entries(node))

    def saved_of(self, node):
        found, row = [], node.row
        for name, value, kept, is_result in entries(node):
            if value is PACKED:
                found.append(Saved(name, None, None, packed=True))
            elif isinstance(value, RuntimeError):
                if match := VERSIONS.search(str(value)):
                    tensor = None if is_result else kept.data
                    found.append(Saved(name, tensor, kept.data, *map(int, match.groups())))
            elif value is not None:
                tensor = None if is_result or grad_fn_of(value) is node.real else value
                number, version = number_in(tensor, row, name, node), value._version
                found.append(Saved(name, tensor, value, version, version) if number is None
                             else Saved(name, None, number))  # fmt: skip
        return found

    held_by = saved_of

    def constants_of(self, node):
        """``(name, value)`` of the constants that a node's formulas read, if these are plain data."""
        given, found = node.arguments or {}, []
        for name, attribute, may_be_given in constants_in(type(node.real), node.row):
            value = given.get(name, ...) if may_be_given else ...
            if value.__class__ not in PLAIN and attribute:
                value = plain(getattr(node.real, attribute))
            if value.__class__ in PLAIN:
                found.append((name, value))
        return tuple(found)


readers[GraphNode] = READER = PyTorchReader()


def held_here(tensor):
    """The part of a DTensor that this process holds; any other tensor itself."""
    kind = getattr(sys.modules.get("torch.distributed.tensor"), "DTensor", None)
    held = tensor._local_tensor if kind is not None and isinstance(tensor, kind) else tensor
    return held if type(held) is torch.Tensor else tensor


@lru_cache
def of_dtype(dtype):
    """``(name of a dtype, NumPy's dtype of its elements or None, whether they are complex)``."""
    name, kind = str(dtype).removeprefix("torch."), None
    with suppress(TypeError):
        kind = np.dtype(name)
    return name, kind, dtype.is_complex


def extent(tensor):
    """How many elements of its storage a tensor reaches over, from its first to its last."""
    return 1 + sum([step * (length - 1) for step, length in zip(tensor.stride(), tensor.shape, strict=True)])


@lru_cache
def attributes(kind):
    """The names of the tensors that nodes of a class may save, and of everything else that they save."""
    tensors, others = ([name.removeprefix(start) for name in dir(kind) if name.startswith(start)]
                       for start in ("_raw_saved_", "_saved_"))  # fmt: skip
    return tensors, [name for name in others if name not in tensors]


@lru_cache
def constants_in(kind, row):
    """For all constants of nodes of a class: ``(name, its attribute, whether its operation's arguments have it)``."""
    others = attributes(kind)[1]
    wanted = others if row is None else dict.fromkeys((*row.parameters, *row.shape_names))
    return [(name, name in others and f"_saved_{name}",
             row is not None and (name in others or name not in row.tensors))  # but an operand may be a number
            for name in wanted]  # fmt: skip


def entries(node):
    """``(name, value, kept, is_result)`` for all that a node may have saved, in the order of its row.

    *value* is the value or the error that the node gets when it reads the entry; PACKED if a hook packed it, and the
    hook does not run.  *kept* is PyTorch's SavedTensor.
    """
    found = []
    for name, public, raw, is_result in saved_in_order(type(node.real), node.row):
        kept, several = [None], False
        try:
            kept = getattr(node.real, raw)
            several = isinstance(kept, tuple | list)
            kept = kept if several else [kept]
            if any([each.unpack_hook for each in kept]):
                values = [PACKED if each.unpack_hook else each.data for each in kept]
            else:
                value = getattr(node.real, public)
                values = value if several else [value]
        except RuntimeError as error:
            values = [error.with_traceback(None)] * len(kept)  # the frames of which would keep the program's tensors
        for place, (value, each) in enumerate(zip(values, kept, strict=True)):
            found.append((f"{name}[{place}]" if several else name, value, each, is_result))
    return found


@lru_cache
def saved_in_order(kind, row):
    """For all that nodes of a class may save: name, attributes of value and SavedTensor, whether the node made it."""
    if hasattr(kind, "_raw_saved_tensors"):
        return [("saved_tensors", "saved_tensors", "_raw_saved_tensors", False)]
    saved, inputs, results = attributes(kind)[0], (), ()
    if row is not None:
        inputs, results = row.parameters, row.returns or ()
    names = dict.fromkeys((*filter(saved.__contains__, (*inputs, *results)), *saved))
    return [(name, f"_saved_{name}", f"_raw_saved_{name}", name in results and name not in inputs) for name in names]


def is_function(node):
    """Whether it is the node of a Function written in Python."""
    return hasattr(type(node.real), "_raw_saved_tensors")  # reading it off the node fails once that is freed


def number_in(tensor, row, name, node):
    """The Python number that was an operand, which PyTorch keeps as a tensor without dimensions; else None."""
    if tensor is None or row is None or tensor.dim() or name not in row.differentiable or tensor.requires_grad:
        return None
    if node.arguments is None:
        return tensor.item() if dtype_name(tensor) in ("int64", "float64", "bool") else None
    return given if isinstance(given := node.arguments.get(name), int | float) else None


def plain(value):
    """A constant as Python has it: PyTorch shows -1 as 2**64 - 1."""
    if isinstance(value, tuple | list):
        return tuple(map(plain, value))
    return value - 2**64 if value.__class__ is int and value >= 2**63 else value
