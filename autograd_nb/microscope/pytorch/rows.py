"""The row of the table for a node or an operation of PyTorch, so that both engines are described alike."""

from collections import defaultdict
from functools import cache

from ...engine.table import operations
from ...torch_api.contents import load_table

load_table()
BY_NODE = defaultdict(list)
for each in operations.values():
    BY_NODE[each.node_name].append(each)


@cache
def named(name):
    """The row of nodes with this name, and that of those with an *alpha*; or None."""
    rows = BY_NODE.get(name) or BY_NODE.get(name.replace("Backward1", "Backward0"), [])  # for a number as operand
    if not rows or not rows[0].formulas:
        return None, None
    if name == "SqueezeBackward4":
        return operations["squeeze_.first"], None  # more often made by a product than by squeeze_
    return rows[0], next((row for row in rows if row.name.endswith(".alpha")), None)


def of_node(name, saved):
    """The row of nodes with this name, or None; *saved* returns the node's saved value of a parameter."""
    row, scaled = named(name)
    return scaled if scaled and saved("alpha") not in (None, 1) else row


@cache
def of_operation(operation):
    """The row that does the same as an operation of PyTorch's dispatcher, or None."""
    packet, overload = operation.overloadpacket.__name__, operation._overloadname
    names = (f"{packet.rstrip('_')}.{overload}", packet, packet.rstrip("_"), packet.strip("_"))
    return next((operations[name] for name in names if name in operations), None)
