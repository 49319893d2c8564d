"""Reading PyTorch's tensors and nodes, without changing or keeping any of them, as the engine's are read.

A :class:`Node` stands for a node of the graph, and two are equal if they stand for the same one: PyTorch makes a new
Python object each time a node is read.
"""

import re
import sys
from functools import lru_cache

from .. import presence
from ..labels import LONGEST_NAME, clean
from ..presence import loaded
from ..readings import Engine, names_of, saved_names
from ..things import PLAIN, Saved, dtype_name, grad_fn_of, is_leaf_tensor
from . import rows

VERSIONS = re.compile(r"is at version (\d+); expected version (\d+)")
AS_FLOAT32 = ("bfloat16", "float8")  # which NumPy lacks


class Node:
    """A node of PyTorch's graph; *arguments* are those of its operation, if the call was seen."""

    __slots__ = ("real", "key", "arguments", "variable")

    def __init__(self, real, arguments=None, variable=None):
        self.real, self.arguments = real, arguments
        self.variable = getattr(real, "variable", variable)  # the leaf whose gradient is added up here
        self.key = (real.name(), real._sequence_nr()) if self.variable is None else ("leaf", id(self.variable))

    def __eq__(self, other):
        return isinstance(other, Node) and self.key == other.key

    def __hash__(self):
        return hash(self.key)

    @property
    def grad(self):
        return self.variable.grad

    @property
    def sequence(self):
        return 2**64 - 1 if self.real is None else self.real._sequence_nr()

    @property
    def is_leaf(self):
        return self.variable is not None

    @property
    def name(self):
        name = "AccumulateGrad" if self.is_leaf else self.real.name().removeprefix("torch::autograd::")
        return clean(name, LONGEST_NAME)

    @property
    def row(self):
        if not self.is_leaf:
            return rows.of_node(self.name, lambda name: getattr(self.real, f"_saved_{name}", None))


class PyTorch(Engine):
    """Reads tensors and nodes of PyTorch."""

    def has_made(self, thing):
        return type(thing) is Node or presence.is_tensor(thing)

    def identity(self, node):
        return node.key

    def place_of(self, tensor, current=True):
        """``(node, output number)`` where a tensor's gradient goes."""
        if not tensor.requires_grad:
            return None, 0
        node = grad_fn_of(tensor)
        if node is None:
            return Node(None, variable=tensor) if is_leaf_tensor(tensor) else None, 0
        return Node(node), tensor.output_nr

    def grad_of(self, tensor, current=True):
        """The .grad; None, without PyTorch's warning, for a tensor that neither is a leaf nor retains it."""
        return tensor.grad if is_leaf_tensor(tensor) or tensor.retains_grad else None

    def hooks_of(self, tensor):
        hooks = tensor._backward_hooks, tensor._post_accumulate_grad_hooks
        return names_of(hook for each in hooks for hook in (each or {}).values())

    def retains(self, tensor, current=True):
        return tensor.retains_grad

    def modes_for(self, tensor):
        """``(grad_enabled, inference)``: the modes in which operations run now."""
        return loaded().is_grad_enabled(), loaded().is_inference_mode_enabled()

    def elements_of(self, tensor):
        """The elements as an array, which shares their memory if it can; None if they cannot be read."""
        try:
            tensor = tensor.detach()
            if dtype_name(tensor).startswith(AS_FLOAT32):
                tensor = tensor.float()
            return tensor.resolve_conj().resolve_neg().cpu().numpy()
        except (RuntimeError, TypeError, NotImplementedError, ValueError):  # sparse, quantised, meta, a transform's
            return None

    def twin_key(self, tensor):
        """A key that tensors with the very same elements in memory share, or None."""
        try:
            return tensor.data_ptr() and (tensor.data_ptr(), tensor.shape, tensor.stride()) or None
        except (RuntimeError, NotImplementedError):
            return None

    def storage_key(self, tensor):
        """A key that tensors on the same storage share, or None."""
        try:
            return tensor.untyped_storage()._cdata
        except (RuntimeError, NotImplementedError):
            return None

    def same_counter(self, a, b):
        """Whether two tensors share a version counter, tested by raising the version of one for a moment."""
        if a.is_inference() or b.is_inference():
            return False
        if self.storage_key(a) != self.storage_key(b) or a._version != b._version:
            return False
        version = a._version
        set_version(a, version + 1)
        try:
            return b._version == version + 1
        finally:
            set_version(a, version)

    def edges_of(self, node):
        if node.is_leaf:
            return []
        return [(below and Node(below), number) for below, number in node.real.next_functions]

    def is_leaf(self, node):
        return node.is_leaf

    def name_of(self, node):
        return node.name

    def row_of(self, node):
        return node.row

    def made_shape(self, node):
        return next((tuple(each.shape) for each in getattr(node.real, "_input_metadata", ())), None)

    def saved_names(self, node):
        """What a node saved; the entries of a user's Function have no names."""
        if is_function(node):
            return ()
        held = (name for name, raw in raw_saved(node) if raw.data is not None or raw.unpack_hook is not None)
        return tuple(dict.fromkeys(name.partition("[")[0] for name in held))

    def is_freed(self, node):
        if is_function(node):
            return not_readable(lambda: node.real._raw_saved_tensors)
        raws = [(name, raw_at(node, name)) for name in attributes(type(node.real))[0]]
        return any(not_readable(lambda name=name: getattr(node.real, f"_saved_{name}")) for name, raw in raws
                   if isinstance(raw, tuple) or raw.data is None and raw.unpack_hook is None)  # fmt: skip

    def saved_of(self, node):
        row = node.row
        for name, raw in raw_saved(node):
            if raw.unpack_hook is not None:
                yield Saved(name, None, None, packed=True)
                continue
            if raw.data is None:
                continue
            is_result = row is not None and name in (row.returns or ()) and name not in row.parameters
            held, tensor = raw.data, None if is_result or isinstance(raw.data, str) else raw.data
            try:
                values = saved_at(node, name)
            except RuntimeError as error:
                if match := VERSIONS.search(str(error)):
                    yield Saved(name, tensor, held, *map(int, match.groups()))
                continue
            tensor = None if is_function(node) and self.place_of(values)[0] == node else tensor
            number, version = number_in(tensor, row, name, node), held._version
            yield Saved(name, tensor, values, version, version) if number is None else Saved(name, None, number)

    held_by = saved_of

    def constants_of(self, node):
        """``(name, value)`` of what a node's formulas read besides tensors, if it is plain data."""
        row, others = node.row, attributes(type(node.real))[1]
        if row is None:
            return tuple((name, plain(getattr(node.real, f"_saved_{name}"))) for name in others)
        arguments, pairs = node.arguments or {}, []
        for name in (*row.parameters, *row.shape_names):
            if name in row.tensors and name not in others:  # but an operand may be a number
                continue
            if name in arguments and arguments[name].__class__ in PLAIN:
                pairs.append((name, arguments[name]))
            elif name in others:
                pairs.append((name, plain(getattr(node.real, f"_saved_{name}"))))
        return tuple(pair for pair in pairs if pair[1].__class__ in PLAIN)


def set_version(tensor, version):
    try:
        loaded()._C._autograd._unsafe_set_version_counter((tensor,), (version,))
    except TypeError:  # PyTorch 2.6 takes a single tensor
        loaded()._C._autograd._unsafe_set_version_counter(tensor, version)


@lru_cache
def attributes(kind):
    """The names of the tensors that nodes of a class may save, and of everything else that they save."""
    names = [name for name in dir(kind) if name.startswith(("_saved_", "_raw_saved_"))]
    tensors = [name.removeprefix("_raw_saved_") for name in names if name.startswith("_raw_saved_")]
    others = [name.removeprefix("_saved_") for name in names if name.startswith("_saved_")]
    return tuple(tensors), tuple(name for name in others if name not in tensors)


def raw_saved(node):
    """``(name, SavedTensor)`` of all that a node may have saved, in the order of its row."""
    names, row = attributes(type(node.real))[0], node.row
    if row is not None:
        order = [*row.parameters, *(row.returns or ())]
        names = sorted(names, key=lambda name: order.index(name) if name in order else len(order))
    pairs = []
    for name in names:
        raw, name = raw_at(node, name), "saved_tensors" if is_function(node) else name
        several = isinstance(raw, tuple)  # as indices are
        pairs += [(f"{name}[{place}]", each) for place, each in enumerate(raw)] if several else [(name, raw)]
    return pairs


def raw_at(node, name):
    """What a node saved under a name, as PyTorch keeps it; a list of indices is a tuple, empty once freed."""
    try:
        raw = getattr(node.real, f"_raw_saved_{name}") or ()
    except RuntimeError:
        return ()
    several = isinstance(raw, tuple | list)
    if all(hasattr(each, "unpack_hook") for each in (raw if several else (raw,))):
        return raw
    # older versions of PyTorch do not show what is kept, only what a node gets when it reads that, by a hook perhaps
    before, name = sys.getprofile(), "saved_tensors" if is_function(node) else f"_saved_{name}"
    sys.setprofile(stop_at_a_call)
    try:
        read = getattr(node.real, name)
    except HookCalled:
        return (Kept(None, "a hook"),) * len(raw) if several else Kept(None, "a hook")
    except RuntimeError as error:
        told = None if "second time" in str(error) else str(error)
        read = (told if len(raw) == 1 else None,) * len(raw) if several else told
    finally:
        sys.setprofile(before)
    return tuple(map(Kept, read)) if several else Kept(read)


class Kept:
    """What stands for PyTorch's SavedTensor where that does not show what it keeps."""

    def __init__(self, data, unpack_hook=None):
        self.data, self.unpack_hook = data, unpack_hook


class HookCalled(Exception):
    pass


def stop_at_a_call(frame, event, argument):
    code, dispatching = frame.f_code, ("find_torch_dispatch_rule", "__torch_dispatch__")
    if event == "call" and frame.f_back.f_code is raw_at.__code__ and code.co_name not in dispatching:
        raise HookCalled


def is_function(node):
    """Whether it is the node of a Function written in Python."""
    return hasattr(type(node.real), "_raw_saved_tensors")  # reading it off the node fails once that is freed


def keeps(node):
    """Whether a node saved anything that a pass frees."""
    return is_function(node) or node.name == "CopySlices" or bool(saved_names(node))


def not_readable(read):
    try:
        read()
    except RuntimeError as error:
        return "second time" in str(error)
    return False


def saved_at(node, name):
    """What a node saved under a name such as ``self`` or ``indices[0]``."""
    name, _, place = name.partition("[")
    if not place:
        return getattr(node.real, f"_saved_{name}")
    raws = node.real._raw_saved_tensors if is_function(node) else ()
    if any(getattr(raw, "unpack_hook", None) for raw in raws):  # do not call a user's hook
        return raws[int(place[:-1])].data
    return getattr(node.real, name if is_function(node) else f"_saved_{name}")[int(place[:-1])]


def number_in(tensor, row, name, node):
    """The Python number that was an operand, which PyTorch keeps as a tensor without dimensions; else None."""
    if tensor is None or row is None or tensor.dim() or name not in row.differentiable or tensor.requires_grad:
        return None
    if node.arguments is not None:
        given = node.arguments.get(name)
        return given if isinstance(given, bool | int | float) else None
    return None if dtype_name(tensor) not in ("int64", "float64", "bool") else tensor.item()


def plain(value):
    """A constant as Python has it: PyTorch shows -1 as 2**64 - 1."""
    if isinstance(value, tuple | list):
        return tuple(map(plain, value))
    if isinstance(value, int) and not isinstance(value, bool) and value >= 2**63:
        return value - 2**64
    return value
