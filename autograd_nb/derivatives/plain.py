"""The path of ``dispatch.apply`` for plain calls of rows with several tensors and further arguments.

Plain is what a training step is made of: one dtype, no broadcasting between inputs that need gradients, one output,
nobody listening.  What a node needs then depends only on which inputs require grad, so it is worked out once for each
such pattern.  Whatever is not plain goes to ``apply``.
"""

from .. import dispatch
from ..dispatch import apply
from ..grad_mode import state
from ..graph import Node, next_sequence_number
from ..saved import keep
from ..tensors import Tensor, current_node, ndarray, new


def apply_plain(row, values):
    """``apply(row, values)`` by the short way if it can be taken."""
    run, _, special = state.hot
    self = values[0]
    dtype = self._dtype
    if special or dispatch.tell is not None or not dtype.is_floating_point:
        return apply(row, values)
    for position in row.positions:
        value = values[position]
        if value is not None and (not isinstance(value, Tensor) or value._dtype is not dtype):
            return apply(row, values)
    return recorded(row, values, run(row.forward, *[
        value._array if isinstance(value, Tensor) else value for value in values
    ]), dtype)  # fmt: skip


def recorded(row, values, array, dtype):
    """The result *array* of a plain call as a tensor, with its node if a gradient may be asked for."""
    if array.__class__ is ndarray and not array.shape:
        array = array[()]
    result = new(Tensor)
    result._array = array
    result._dtype = dtype
    result._node = None
    if not state.grad_enabled:
        return result
    edges = tuple(
        [
            None if value is None else value._node if value._counter is None else current_node(value)
            for value in [values[position] for position in row.positions]
        ]
    )
    pattern = tuple([edge is not None for edge in edges])
    if True not in pattern:
        return result
    known = _patterns.get((row, pattern))
    if known is None:
        needs = tuple(name for name, needed in zip(row.differentiable, pattern, strict=True) if needed)
        plan = row.plan(needs)
        constants = [None if name in row.tensors else index for index, name in enumerate(row.parameters)]
        known = _patterns[row, pattern] = plan, plan.positions, constants
    plan, positions, constants = known
    result._node = node = Node()
    node.plan = plan
    node.edges = edges
    if row.has_constants:
        shapes = [values[position]._array.shape for position in row.shape_positions]
        node.arguments = (*[None if index is None else values[index] for index in constants], *shapes)
    else:
        node.arguments = None
    saved = [_kept(values[position]) for position in positions]
    node.saved = tuple(saved) if len(saved) > 1 else saved[0] if saved else None
    node.extras = None
    node.sequence = next_sequence_number()
    return result


_patterns = {}  # (row, which inputs require grad) -> plan, positions of what it saves, positions of what is no tensor


def _kept(value):
    return value if value is None or value._counter is None else keep(value)
