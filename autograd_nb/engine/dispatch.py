"""One path from a call to a row of the table: promote, compute, and record a node if a gradient may be asked for.

``apply`` is that path, complete, for every row.  The modules ``plain`` and ``elementwise`` have short ways for what
nearly every step of a small graph is, tensors of one dtype; whatever is out of the ordinary they hand to ``apply``.

``tell`` is None unless somebody records or looks for anomalies; it is then told of every operation.
"""

from types import FunctionType

import numpy as np

from . import dtypes
from .fitting import Fit
from .formulas import parameter_names, tensor_names
from .graph import ALONE, Node, Output, next_sequence_number
from .leaf import AccumulateGrad
from .modes import state
from .plain import short_way
from .plans import Row
from .saved import keep, keep_result
from .table import binder, publish
from .tensor import Tensor, View, current_node, ndarray, new, new_tensor, wrap

tell = None  # called as tell(row, node, inputs, outputs) after each operation while somebody listens


def apply(row, values):
    """Run the operation *row* on *values*, one for each of its parameters, and record it."""
    run, recording, special = state.hot
    if not special and tell is None:
        if row.plain is None:
            row.plain = short_way(row)
        result = row.plain(values, run, recording)
        if result is not None:
            return result
    first = values[0]
    edges = ()
    if recording:  # a view that may not be used says so before anything is computed
        edges = [current_node(value) if isinstance(value, Tensor) else None for value in _differentiable(row, values)]
    if row.promotes:
        dtype = common_dtype(row, values)
        arrays = _promoted(row, values, dtype)
    else:
        dtype = None
        arrays = _arrays(row, values)
    try:
        results = run(row.forward, *arrays)
    except (ValueError, RuntimeError, IndexError) as error:
        save_inputs(row, values, edges)
        if isinstance(error, ValueError):
            raise (shapes_that_do_not_fit(row, arrays) or error) from None
        raise
    several = row.several
    outputs = [_tensor(row, array) for array in results] if several else [_tensor(row, results)]
    node = None
    if any([edge is not None for edge in edges]):
        node = record(row, values, edges, outputs, dtype)
    if row.view:
        for output in outputs:
            _relate(values, output, several)
    if state.inference:
        for output in outputs:
            if not row.view or first._inference:
                output._mark_inference()
    if special and state.dual is not None:
        state.dual.propagate(row, values, outputs)
    if tell is not None:
        tensors = [value for value in (first if row.variadic else values) if isinstance(value, Tensor)]
        tell(row, node, tensors, outputs)
    return outputs if several else outputs[0]


def common_dtype(row, values):
    """The dtype in which an operation that promotes is computed."""
    operands = values[0] if row.variadic else [values[position] for position in row.promoted]
    first = operands[0]._dtype if isinstance(operands[0], Tensor) else None
    if first is not None and all([isinstance(value, Tensor) and value._dtype is first for value in operands]):
        dtype = first
    else:
        dtype = dtypes.promote([
            (value._dtype, 2 if value._array.shape else 1)
            if isinstance(value, Tensor) else (dtypes.of_number(value), 0)
            for value in operands
            if value is not None
        ])
    return dtypes.get_default_dtype() if row.floats and not dtype.is_floating_point else dtype


def save_inputs(row, values, edges):
    """Before an operation's error: its inputs are saved before it runs, which hooks see and which may be refused."""
    if not any([edge is not None for edge in edges]):
        return
    plan = row.plan(row.parameters[:1] if row.variadic else tuple([
        name for name, edge in zip(row.differentiable, edges, strict=True) if leads_on(edge)
    ]))  # fmt: skip
    for name in sorted(plan.saves):
        value = values[row.parameters.index(name)] if name in row.parameters else None
        if isinstance(value, Tensor):
            keep(value)


def shapes_that_do_not_fit(row, arrays):
    """The RuntimeError, in PyTorch's words, for inputs that are brought together and do not broadcast, or None."""
    from ..operations.checks import broadcast_shape  # the table's room imports this one

    shape = ()
    for position in row.promoted if row.promotes and not row.variadic else ():
        try:
            shape = broadcast_shape(shape, np.shape(arrays[position]))
        except RuntimeError as error:
            return error
    return None


def _differentiable(row, values):
    """The values of the inputs that have an edge."""
    return values[0] if row.variadic else [values[position] for position in row.positions]


def _arrays(row, values):
    """The values with tensors replaced by their elements; a view's input gets storage that can be shared."""
    if row.view:
        values[0]._share()
    if row.variadic:
        return [[value._array for value in values[0]], *values[1:]]
    return [value._array if isinstance(value, Tensor) else value for value in values]


def _promoted(row, values, dtype):
    """The elements of the values in the one dtype in which the operation is computed."""

    def cast(value):
        if isinstance(value, Tensor):
            return value._array if value._dtype is dtype else value._array.astype(dtype.numpy)
        return value if value is None else as_scalar(value, dtype)

    if row.variadic:
        return [[cast(value) for value in values[0]], *values[1:]]
    arrays = [value._array if isinstance(value, Tensor) else value for value in values]
    for position in row.promoted:
        arrays[position] = cast(values[position])
    return arrays


def as_scalar(number, dtype):
    """A Python number as a NumPy scalar; RuntimeError when the dtype cannot hold it."""
    try:
        return dtype.scalar(number)
    except OverflowError:
        if dtype.category == dtypes.INTEGER:
            raise RuntimeError(
                f"value cannot be converted to type {CPP_TYPES[dtype.name]} without overflow"
            ) from None
        return dtype.scalar(float("inf") if number > 0 else float("-inf"))


CPP_TYPES = {"uint8": "uint8_t", "int8": "int8_t", "int16": "int16_t", "int32": "int", "int64": "int64_t"}


def _tensor(row, array):
    if array.__class__ is ndarray and not array.shape and not row.view:
        array = array[()]
    return wrap(array, dtypes.BY_NUMPY.get(array.dtype) or dtypes.of_array(array))


def record(row, values, edges, outputs, dtype=None):
    """Make the node of an operation that just ran, and let its differentiable outputs point at it."""
    if row.variadic:
        needs = row.parameters[:1]
    else:
        needs = tuple([name for name, edge in zip(row.differentiable, edges, strict=True) if leads_on(edge)])
    fit, numbers = None, ()
    if row.broadcasts:
        inputs = [values[position] for position in row.positions]
        shape = outputs[0]._array.shape
        for name, value in zip(row.differentiable, inputs, strict=True):
            if not isinstance(value, Tensor):
                numbers = (*numbers, name)
            elif value._dtype is not dtype:
                fit = "dtype"
            elif fit is None and value._array.shape != shape:
                fit = "shape"
    plan = row.plan(needs, numbers, fit)
    node = Node()
    node.plan = plan
    node.edges = tuple(edges)
    node.extras = None
    node.sequence = next_sequence_number()
    constants = None
    if row.has_constants:
        constants = [
            None if isinstance(value, Tensor) or name in row.tensors else value
            for name, value in zip(row.parameters, values, strict=True)
        ]
        constants += [_shape_of(values[position]) for position in row.shape_positions]
        constants = tuple(constants)
    if fit:
        shapes = [None if edge is None else value._array.shape for edge, value in zip(edges, inputs, strict=True)]
        found = [None if edge is None else value._dtype for edge, value in zip(edges, inputs, strict=True)]
        node.arguments = fit_to = Fit(shapes)
        fit_to.constants = constants
        if fit == "dtype":
            fit_to.dtypes, fit_to.dtype = found, dtype
    else:
        node.arguments = constants
    for number, output in enumerate(outputs):
        if output._dtype.is_floating_point:
            output._node = Output(node, number, len(outputs)) if plan.several_outputs else node
    if not plan.saves:
        node.saved = None
        return node
    pairs = [*zip(plan.positions, plan.output_numbers, strict=True)]
    order = range(len(pairs))
    if state.saved_hooks:  # which are called in alphabetical order, that of PyTorch's generated code
        order = sorted(order, key=lambda index: (pairs[index][0] is None, plan.saves[index]))
    saved = [None] * len(pairs)
    for index in order:
        position, number = pairs[index]
        value = keep_result(outputs[number], number) if number is not None else values[position]
        saved[index] = keep(value) if number is None and isinstance(value, Tensor) else value
    node.saved = tuple(saved) if len(saved) > 1 else saved[0]
    return node


def leads_on(edge):
    """Whether a gradient that goes to this edge gets anywhere."""
    return edge is not None and (edge.__class__ is not AccumulateGrad or edge.leaf is not None)


def _shape_of(value):
    if isinstance(value, Tensor):
        return value._array.shape
    return [item._array.shape for item in value] if isinstance(value, list | tuple) else None


def _relate(values, output, several):
    """Remember that *output* is a view of the first value: same storage, same version counter."""
    source = values[0]
    output._counter = counter = source._share()
    if source._inference:
        output._inference = True
        return
    parent = source._view
    if state.inference or parent is not None and parent.creation == "inference":
        creation = "inference"
    elif not state.grad_enabled:
        creation = "no grad"
    elif several:
        creation = "several"
    else:
        creation = None if parent is None else parent.creation
    output._view = View(source if parent is None else parent.base, counter.version, creation)


def record_view(row, self, array, arguments, index=None):
    """The view *array* of a tensor that shares its storage, made by *row* with these arguments.

    *index* is what the tensor's elements were indexed with, if they were.
    """
    _, recording, special = state.hot
    if special or tell is not None or self._inference:
        return apply(row, (self, *arguments))
    made = new_tensor()
    made._array = array
    made._dtype = self._dtype
    made._counter = counter = self._counter
    made._view = view = new(View)
    view.version = counter.version
    parent = self._view
    if parent is None:
        view.base = self
        view.creation = None
        view.cut = None if index is None else (self._array, index, array)
        before = self._node
    else:
        view.base = parent.base
        view.creation = parent.creation
        view.cut = None
        before = current_node(self) if recording else None
    if not recording and view.creation != "inference":
        view.creation = "no grad"
    elif before is not None:
        made._node = node = Node()
        node.plan = row.plans.get(OF_SELF) or row.plan(*OF_SELF)
        node.first, node.second = before, ALONE
        node.saved = node.extras = None
        node.arguments = (None, *arguments, self._array.shape)
        node.sequence = next_sequence_number()
        return made
    made._node = None
    return made


OF_SELF = ("self",), (), None  # the key of the plan of a view


def apply_view(row, values):
    """``apply`` for a row that gives one view of its first value."""
    self = values[0]
    if not isinstance(self, Tensor) or state.hot[2] or tell is not None:
        return apply(row, values)
    if self._counter is None:
        self._share()
    try:
        array = state.run(row.forward, self._array, *values[1:])
    except (RuntimeError, IndexError):
        if state.hot[1]:
            current_node(self)  # a view that may not be used says so first
        raise
    return record_view(row, self, array, values[1:])


# -- rows with arguments of their own --------------------------------------------------------------------------------


def operation(name, *, tensors=("self",), method=True, function=True, collects=False, promoted=(), **row_options):
    """Decorate a NumPy forward to add it to the table as an operation with any parameters.

    Keyword arguments that are functions are the formulas of the parameters they are named after; *tensors* names
    parameters that are tensors but have none.  *promoted* names those brought to one dtype first.  *collects*: the
    second parameter is a tuple of numbers, which may be given one by one, as in ``x.view(2, 3)``.  The other options
    are those of :class:`Row`.  The forward gets arrays for tensors; its signature and docstring are the public ones.
    """
    formulas = {key: row_options.pop(key) for key, value in list(row_options.items()) if callable(value)}
    if callable(tensors):  # the formula of a list of tensors by that name
        formulas["tensors"], tensors = tensors, ()

    def add(forward):
        parameters = parameter_names(forward)
        row = Row(name, by_position(forward), formulas, parameters, tensors, promotes=bool(promoted), **row_options)
        row.promoted = tuple(parameters.index(each) for each in promoted)
        bind = binder(name, forward, parameters, collects)

        run = apply_view if row.view and row.returns == ("result",) else apply

        def call(*args, **kwargs):
            return run(row, bind(args, kwargs))

        call.__wrapped__ = forward
        if row.tensors.issuperset(parameters) and not (promoted or row.variadic or forward.__defaults__):
            # formulas give such a row nothing but its tensors: there is nothing to bind and no number to unmark
            tensor_names.setdefault(name, lambda *values: run(row, values))
        publish(row, call, forward.__doc__, method, function)
        return forward

    return add


def by_position(function):
    """The function with its keyword-only parameters taken by position too, which is how rows pass them."""
    code = function.__code__
    if not code.co_kwonlyargcount:
        return function
    code = code.replace(co_argcount=code.co_argcount + code.co_kwonlyargcount, co_kwonlyargcount=0)
    return FunctionType(code, function.__globals__, function.__name__, closure=function.__closure__)
