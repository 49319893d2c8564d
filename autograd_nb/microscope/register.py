"""The keys of the tensors and nodes in a recording, and the record that a trace keeps of each.

References to tensors and nodes are weak: a recorded program keeps and frees the same ones as without a recorder.
"""

import weakref
from itertools import count

from .events import MOST_NODES, NodeRecord, TensorRecord
from .expressions import saved_numbers
from .names import Names, forgetting
from .readings import PLAIN, readers, value_of


class Register:
    """The records of tensors and nodes; a subclass keeps ``events``, says when they are too many, and meets tensors."""

    def __init__(self, frame):
        self.tensors = {}  # id -> (key, weak reference)
        self.nodes = {}  # identity -> key
        self.forgotten = []  # weak references to those whose identity may be given again
        self.tensor_records, self.node_records, self.numbers = {}, {}, count()
        self.sharing = {}  # key of a storage -> {id: weak reference} of the tensors on it, also of freed ones
        self.at_nodes = {}  # key of a node -> weak references to tensors that it made
        self.grads = {}  # key of a leaf -> (weak reference to .grad last seen, its value then)
        self.owners = {}  # id of a .grad -> key of its leaf
        self.grad_of = {}  # key of a tensor that takes part -> key of the leaf whose .grad it is, or None
        self.names = Names(frame)

    def key_of(self, tensor):
        key, reference = self.tensors.get(id(tensor), (None, None))
        return key if key and reference() is tensor else None

    def tensor(self, tensor, value=None, fresh=False):
        """The key of a tensor; a new one is written down as it is now, *value* if an operation just made it.

        *fresh*: it made the storage too.  Then the tensor counts as unchanged, whatever the operation did inside.
        """
        found = self.tensors.get(id(tensor))
        if found is not None and found[1]() is tensor:
            return found[0]
        made, reference = value is not None, weakref.ref(tensor)
        if not made:
            self.meet(tensor)
            value = value_of(tensor)
        key = f"t{next(self.numbers)}"
        self.tensors[id(tensor)] = key, reference
        self.tensor_records[key] = record = tensor_record(
            tensor, key, self.node, (), False, value, len(self.events) + made, 0 if fresh else None)  # fmt: skip
        if record.requires_grad and record.is_leaf:
            self.watch(key, readers[type(tensor)].grad_of(tensor, False), record.grad)
        self.names.meet(key, tensor, made)
        if record.node is not None:
            self.at_nodes.setdefault(record.node, []).append(reference)
        self.grad_of[key] = self.owner(tensor)
        self.share(tensor, reference)
        return key

    def share(self, tensor, reference):
        storage = readers[type(tensor)].storage_key(tensor)
        if storage is not None:
            self.sharing.setdefault(storage, {})[id(tensor)] = reference

    def node(self, node):
        """Write a node down with all below it; its key, or None for no node, or for one of too large a graph."""
        if node is None:
            return None
        read = readers[type(node)]
        own = read.identity(node)
        if own in self.nodes or self.is_full:
            return self.nodes.get(own)
        waiting = [node]
        while waiting:
            edges, unknown = [], []
            for below, number in read.edges_of(waiting[-1]):
                known = below and self.nodes.get(read.identity(below))
                edges.append((known, number))
                if known is None is not below:
                    unknown.append(below)
            if unknown:
                waiting += unknown
            else:
                each = waiting.pop()
                if read.identity(each) not in self.nodes:
                    self.write_node(read, each, tuple(edges))
            if len(self.node_records) + len(waiting) > MOST_NODES:
                if not self.is_full:
                    self.end()
                return None
        return self.nodes[own]

    def write_node(self, read, node, edges):
        key, identity = f"n{len(self.node_records)}", read.identity(node)
        self.nodes[identity] = key
        self.forgotten.append(forgetting(self.nodes, node, identity))
        leaf = self.tensor(node.variable) if read.is_leaf(node) else None
        saved = [] if leaf else [*read.saved_of(node)]
        constants = [] if leaf else [*read.constants_of(node), *saved_numbers(edges, saved)]
        constants = tuple([(name, frozen(it)) for name, it in constants])
        self.node_records[key] = record_of(node, key, edges, constants, leaf, saved)

    def sharers(self, tensor):
        """``(key, Value)`` of the others on the storage of a tensor that changed; that continues a base's history."""
        read = readers[type(tensor)]
        others = [each for reference in [*self.sharing.get(read.storage_key(tensor), {}).values()]
                  if (each := reference()) is not None and each is not tensor
                  and read.same_counter(tensor, each) and read.is_held(each)]  # fmt: skip
        sharers = [(self.tensor(each), value_of(each)) for each in others]
        for each in others:
            if each._base is None:
                self.update_place(each)
        return tuple(sorted(sharers, key=lambda pair: int(pair[0][1:])))

    def update_place(self, tensor):
        """Write down where a known tensor stands in the graph now."""
        record = self.tensor_records.get(self.key_of(tensor))
        if record is not None:
            place = place_in_graph(tensor, self.node, False)
            if place != record[3:8]:
                self.tensor_records[record.key] = TensorRecord(*record[:3], *place, *record[8:])

    def watch(self, key, grad, value):
        self.grads[key] = (lambda: None) if grad is None else weakref.ref(grad), value
        if grad is not None:
            self.owners[id(grad)] = key

    def owner(self, tensor):
        """The key of the leaf whose .grad a tensor is, or None."""
        key = self.owners.get(id(tensor))
        return key if key in self.grads and self.grads[key][0]() is tensor else None

    def names_of(self, key):
        """``((name, line), …)`` of a tensor; a .grad that has no name is called after its leaf."""
        found, leaf = self.names.of(key), self.grad_of.get(key)
        return found or leaf and tuple((f"{name}.grad", None) for name, _ in self.names.of(leaf)[:1]) or ()


def tensor_record(tensor, key, key_of, names=(), current=True, value=None, born=0, version=None):
    """The :class:`TensorRecord` of a tensor as it is now; *key_of* gives the key of a node, or None for no node."""
    read, value = readers[type(tensor)], value_of(tensor) if value is None else value
    return TensorRecord(key, names, value.dtype, *place_in_graph(tensor, key_of, current), born,
                        read.version_of(tensor) if version is None else version, value,
                        value_of(read.grad_of(tensor, current)), read.shard_of(tensor))  # fmt: skip


def place_in_graph(tensor, key_of, current):
    """The fields of a record that say where a tensor stands in the graph, from *requires_grad* to *output*."""
    *flags, node, number = readers[type(tensor)].graph_of(tensor, current)
    return *flags, key_of(node), number


def record_of(node, key, edges, constants, leaf, saved):
    """The :class:`NodeRecord` of a node that *saved* this."""
    read = readers[type(node)]
    row = read.row_of(node)
    names = () if leaf else read.saved_names(node, saved)
    is_freed = not saved and leaf is None and read.is_freed(node)
    return NodeRecord(key, read.name_of(node), edges, read.inputs_of(node), row and row.name, names, constants,
                      is_freed, leaf)  # fmt: skip


def frozen(value):
    if value.__class__ in (list, tuple):
        return tuple([frozen(each) if each.__class__ in PLAIN else str(each) for each in value])
    return value
