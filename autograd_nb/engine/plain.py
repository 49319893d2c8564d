"""The short ways of ``dispatch.apply``: calls that need no promotion, no views and no broadcasting.

Plain is what a training step is made of: tensors of one floating dtype, one output, nobody listening.  What a node
needs then depends only on which inputs require grad, so it is found out once for each row and pattern.
A short way returns None when a call is not plain after all; ``apply`` then does everything.
"""

from itertools import compress

from . import dtypes
from .graph import ALONE, Node, next_sequence_number
from .saved import keep
from .tensor import Tensor, current_node, ndarray, new_tensor


def short_way(row):
    """The short way of a row, a function of ``(values, run, recording)``."""
    if row.of_one:
        return of_one(row)
    if row.variadic or row.view or row.several or row.broadcasts or not row.differentiable:
        return never
    if row.positions == (0, 1) and len(row.parameters) == 2:
        return of_two(row)
    return of_several(row)


def never(values, run, recording):
    """The short way of rows that have none."""


def of_one(row):
    """The short way of a row whose first parameter is a tensor and whose others are not."""
    forward, has_constants, with_shape = row.forward, row.has_constants, bool(row.shape_names)
    any_dtype = not row.promotes
    plan = row.plan(row.differentiable) if row.differentiable else None
    outputs = plan.output_numbers if plan else ()
    saves_self, saves_result = outputs == [None], outputs == [0]

    def call(values, run, recording):
        self, *others = values
        if not isinstance(self, Tensor):
            return None
        dtype = self._dtype
        if not (any_dtype or dtype.is_floating_point):
            return None
        node = None
        if recording and plan is not None:  # a view that may not be used says so before anything is computed
            node = self._node if self._counter is None else current_node(self)
        array = run(forward, self._array, *others)
        if array.__class__ is ndarray and not array.shape:
            array = array[()]
        if array.dtype is not dtype.numpy:
            dtype = dtypes.of_array(array)
        result = new_tensor()
        result._counter = result._node = None
        result._array = array
        result._dtype = dtype
        if node is None or not dtype.is_floating_point:
            return result
        result._node = made = Node()
        made.plan = plan
        made.first, made.second = node, ALONE
        made.extras = None
        if with_shape:
            made.arguments = None, *others, self._array.shape
        else:
            made.arguments = (None, *others) if has_constants else None
        if saves_self:
            made.saved = self if self._counter is None else keep(self)
        elif saves_result:
            made.saved = array
        else:
            made.saved = (self if self._counter is None else keep(self), array) if outputs else None
        made.sequence = next_sequence_number()
        return result

    return call


def of_two(row):
    """The short way of a row of two tensors, both differentiable, and nothing else: what derivatives are made of."""
    forward = row.forward
    # the plan, and which entries it saves, by whether the first and whether the second requires grad
    plans = {}
    for pattern in (True, False), (False, True), (True, True):
        plan = row.plan(tuple(compress(row.differentiable, pattern)))
        plans[pattern] = plan, [2 if position is None else position for position in plan.positions]

    def call(values, run, recording):
        first, second = values
        if not (isinstance(first, Tensor) and isinstance(second, Tensor)):
            return None
        dtype = first._dtype
        if dtype is not second._dtype or not dtype.is_floating_point:
            return None
        try:
            array = run(forward, first._array, second._array)
        except (ValueError, RuntimeError, IndexError):
            return None  # apply finds the words, and says first what is wrong with the graph
        if array.__class__ is ndarray and not array.shape:
            array = array[()]
        result = new_tensor()
        result._counter = result._node = None
        result._array = array
        result._dtype = dtype = dtype if array.dtype is dtype.numpy else dtypes.of_array(array)
        if not recording or not dtype.is_floating_point:
            return result
        first_edge = first._node if first._counter is None else current_node(first)
        second_edge = second._node if second._counter is None else current_node(second)
        if first_edge is second_edge is None:
            return result
        result._node = node = Node()
        node.plan, saves = plans[first_edge is not None, second_edge is not None]
        node.first, node.second = first_edge, second_edge
        entries = kept(first), kept(second), array
        saved = [entries[entry] for entry in saves]
        node.saved = tuple(saved) if len(saved) > 1 else saved[0] if saved else None
        node.arguments = node.extras = None
        node.sequence = next_sequence_number()
        return result

    return call


def of_several(row):
    """The short way of a row of several tensors."""
    forward = row.forward
    checked = sorted({*row.positions, *(row.promoted if row.promotes else ())})

    def call(values, run, recording):
        dtype = None
        for position in checked:
            value = values[position]
            if value is not None:
                if not isinstance(value, Tensor) or value._dtype is not (dtype or value._dtype):
                    return None
                dtype = value._dtype
        if dtype is None or not dtype.is_floating_point:
            return None
        try:
            array = run(forward, *[value._array if isinstance(value, Tensor) else value for value in values])
        except (ValueError, RuntimeError, IndexError):
            return None  # apply finds the words, and says first what is wrong with the graph
        return recorded(row, values, array, recording)

    return call


def recorded(row, values, array, recording):
    """The result *array* of a plain call as a tensor, with its node if a gradient may be asked for."""
    if array.__class__ is ndarray and not array.shape:
        array = array[()]
    result = new_tensor()
    result._counter = None
    result._array = array
    result._dtype = dtype = dtypes.BY_NUMPY.get(array.dtype) or dtypes.of_array(array)
    result._node = None
    if not recording or not dtype.is_floating_point:
        return result
    inputs = [values[position] for position in row.positions]
    edges = tuple([
        None if value is None else value._node if value._counter is None else current_node(value) for value in inputs
    ])
    pattern = tuple([edge is not None for edge in edges])
    if True not in pattern:
        return result
    result._node = node = Node()
    node.plan = plan = row.plan(tuple(compress(row.differentiable, pattern)))
    node.edges = edges
    node.arguments = None
    if row.has_constants:
        constants = [
            None if name in row.tensors else value for name, value in zip(row.parameters, values, strict=True)
        ]
        node.arguments = (*constants, *[values[position]._array.shape for position in row.shape_positions])
    saved = [array if position is None else kept(values[position]) for position in plan.positions]
    node.saved = tuple(saved) if len(saved) > 1 else saved[0] if saved else None
    node.extras = None
    node.sequence = next_sequence_number()
    return result


def kept(value):
    """What a node saves for an input: the tensor itself unless its storage is shared."""
    return keep(value) if isinstance(value, Tensor) and value._counter is not None else value
