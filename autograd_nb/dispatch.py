"""One path from a call to a row of the table: promote, compute, and record a node if a gradient may be asked for.

``apply`` is that path, complete, for every row.  ``unary`` and ``binary`` are the same path written
out for what nearly every step of a small graph is: plain tensors of one dtype and one shape.
Whatever is out of the ordinary they hand to ``apply``.

``tell`` is None unless somebody records or looks for anomalies; it is then told of every operation.
"""

from functools import cache
from types import FunctionType

import numpy as np

from . import dtypes
from .contents import load
from .grad_mode import state
from .graph import Node, Output, next_sequence_number
from .plain import short_way
from .plans import SCALARS, Fit, Row, parameter_names, tensor_names
from .saved import keep, keep_result
from .tensors import AccumulateGrad, Tensor, View, current_node, ndarray, new, wrap

operations = {}  # name -> Row, the whole table
functions = {}  # public name -> what is called, as autograd_nb.NAME
methods = {}  # public name -> the same as a method of Tensor
calls = {}  # name -> what is called on tensors, of internal operations too


class Operations:
    """Everything that can be called on tensors, by name: ``ops.mm(a, b)``; its module is loaded if need be."""

    def __getattr__(self, name):
        load(name)
        if name not in calls:
            raise AttributeError(f"no operation is named '{name}'")
        call = self.__dict__[name] = calls[name]
        return call


ops = Operations()
tell = None  # called as tell(row, node, inputs, outputs) after each operation while somebody listens


def apply(row, values):
    """Run the operation *row* on *values*, one for each of its parameters, and record it."""
    first = values[0]
    run, recording, special = state.hot
    if not special and tell is None:
        if row.plain is None:
            row.plain = short_way(row)
        result = row.plain(values, run, recording)
        if result is not None:
            return result
    if row.promotes:
        dtype = common_dtype(row, values)
        arrays = _promoted(row, values, dtype)
    else:
        dtype = None
        arrays = _arrays(row, values)
    try:
        results = run(row.forward, *arrays)
    except ValueError as error:
        raise (shapes_that_do_not_fit(row, arrays) or error) from None
    several = row.several
    outputs = [_tensor(row, array) for array in results] if several else [_tensor(row, results)]
    node = None
    if recording:
        edges = [current_node(value) if isinstance(value, Tensor) else None for value in _differentiable(row, values)]
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


def shapes_that_do_not_fit(row, arrays):
    """The RuntimeError, in PyTorch's words, that inputs which are brought together do not broadcast; None if they do."""
    from .derivatives.checks import broadcast_shape  # the table's room imports this one

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
        saved[index] = kept(values[position]) if number is None else keep_result(outputs[number], number)
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


def record_view(row, self, array, arguments):
    """The view *array* of a tensor that shares its storage, made by *row* with these arguments."""
    _, recording, special = state.hot
    if special or tell is not None or self._inference:
        return apply(row, (self, *arguments))
    made = new(Tensor)
    made._array = array
    made._dtype = self._dtype
    made._counter = counter = self._counter
    made._view = view = new(View)
    view.version = counter.version
    parent = self._view
    if parent is None:
        view.base = self
        view.creation = None
        before = self._node
    else:
        view.base = parent.base
        view.creation = parent.creation
        before = current_node(self) if recording else None
    if not recording and view.creation != "inference":
        view.creation = "no grad"
    elif before is not None:
        made._node = node = Node()
        node.plan = row.plan(SELF)
        node.edges = (before,)
        node.saved = node.extras = None
        node.arguments = (None, *arguments, self._array.shape)
        node.sequence = next_sequence_number()
        return made
    made._node = None
    return made


SELF = ("self",)


def apply_view(row, values):
    """``apply`` for a row that gives one view of its first value."""
    self = values[0]
    if not isinstance(self, Tensor) or state.hot[2] or tell is not None:
        return apply(row, values)
    if self._counter is None:
        self._share()
    return record_view(row, self, state.run(row.forward, self._array, *values[1:]), values[1:])


# -- the same path for plain cases ---------------------------------------------------------------------------------


def unary(name, forward, gradient=None, *, floats=False, text="", node_name=None):
    """Add an element-wise operation of one tensor to the table."""
    formulas = {} if gradient is None else {"self": gradient}
    row = Row(name, forward, formulas, ("self",), ("self",), node_name=node_name, promotes=floats, floats=floats,
              element_wise=True)  # fmt: skip
    row.promoted = (0,)
    plan = row.plan(("self",)) if gradient is not None else None
    saves_self = plan is not None and plan.saves == ("self",)
    saves_result = plan is not None and plan.saves == ("result",)

    def call(self):
        if not isinstance(self, Tensor) or tell is not None or plan is None:
            return apply(row, (tensor_argument(self, name),))
        dtype = self._dtype
        run, recording, special = state.hot
        if special or floats and not dtype.is_floating_point:
            return apply(row, (self,))
        result = new(Tensor)
        result._array = array = run(forward, self._array)
        result._dtype = dtype
        node = self._node if self._counter is None else current_node(self)
        if node is None or not recording:
            result._node = None
            return result
        result._node = made = Node()
        made.plan = plan
        made.edges = (node,)
        if saves_self:
            made.saved = kept(self)
        else:
            made.saved = array if saves_result else None
        made.arguments = made.extras = None
        made.sequence = next_sequence_number()
        return result

    return publish(row, call, text)


def binary(name, forward, self=None, other=None, *, floats=False, text="", node_name=None, check=None):
    """Add an element-wise operation of two tensors, or of a tensor and a number, to the table.

    *self* and *other* are the formulas of its two inputs; *check* is called with operands that are not of one floating
    dtype, before they are brought to one.
    """
    formulas = {} if self is None else {"self": self, "other": other}
    row = Row(name, forward, formulas, ("self", "other"), ("self", "other"), node_name=node_name,
              broadcasts=bool(formulas), promotes=True, floats=floats, element_wise=True)  # fmt: skip
    row.promoted = (0, 1)
    if formulas:
        only_self, only_other, both = (_with_saving(row, needs) for needs in (("self",), ("other",), PAIR))
        with_number = row.plan(("self",), ("other",))
        keeps_number = with_number.saves == ("other",)
        plain_number = len(with_number.saves) < 2 and "result" not in with_number.saves

    def as_function(self, other):
        if other.__class__ in FORMULA_NUMBERS and name in WITH_NUMBERS and isinstance(self, Tensor):
            return apply(with_formulas_number(row), (self, +other))
        values = tensor_argument(self, name), operand(other, name)
        if check is not None:
            check(*values)
        return apply(row, values)

    def as_operator(self, other):  # Python asks the other operand when this one does not know it
        known = isinstance(other, (Tensor, *dtypes.PYTHON_NUMBERS, np.generic))
        return as_function(self, other) if known else NotImplemented

    def build(otherwise):
        if not formulas:
            return otherwise

        def call(self, other):
            run, recording, special = state.hot
            dtype = self._dtype
            if special or tell is not None or not isinstance(self, Tensor) or not dtype.is_floating_point:
                return otherwise(self, other)
            if isinstance(other, Tensor):
                if other._dtype is not dtype:
                    return otherwise(self, other)
                a, b = self._array, other._array
                result = new(Tensor)
                try:
                    result._array = array = run(forward, a, b)
                except ValueError:
                    return otherwise(self, other)
                result._dtype = dtype
                unshared = self._counter is None and other._counter is None
                if unshared:
                    first, second = self._node, other._node
                else:
                    first, second = current_node(self), current_node(other)
                    if first is not None and not leads_on(first) or second is not None and not leads_on(second):
                        return otherwise(self, other)
                if first is second is None or not recording:
                    result._node = None
                    return result
                plan, fitted, saving = (
                    both if first is not None is not second else only_other if first is None else only_self
                )
                result._node = made = Node()
                made.edges = (first, second)
                if array.__class__ is ndarray and a.shape != b.shape:
                    made.plan = fitted
                    made.arguments = Fit((a.shape, b.shape))
                else:
                    made.plan = plan
                    made.arguments = None
                if saving is NOTHING:
                    made.saved = None
                elif saving is PAIR:
                    made.saved = (self, other) if unshared else (kept(self), kept(other))
                elif saving is OTHER:
                    made.saved = other if unshared else kept(other)
                else:
                    entries = {"self": self, "other": other, "result": array}
                    saved = tuple([kept(entries[name]) for name in saving])
                    made.saved = saved if len(saved) > 1 else saved[0]
            else:
                if not plain_number or other.__class__ is not float and other.__class__ is not int:
                    return otherwise(self, other)
                result = new(Tensor)
                result._array = run(forward, self._array, other)
                result._dtype = dtype
                node = self._node if self._counter is None else current_node(self)
                if node is None or not recording:
                    result._node = None
                    return result
                result._node = made = Node()
                made.plan = with_number
                made.edges = (node, None)
                made.arguments = None
                made.saved = other if keeps_number else kept(self) if with_number.saves else None
            made.extras = None
            made.sequence = next_sequence_number()
            return result

        return call

    operators[name] = build(as_operator)
    return publish(row, build(as_function), text)


NOTHING, OTHER, PAIR = (), ("other",), ("self", "other")  # what most nodes of two inputs save
FORMULA_NUMBERS = frozenset(SCALARS.values())
WITH_NUMBERS = ("add", "sub", "mul", "div")


def in_formulas(call):
    """An operation as formulas on tensors call it: numbers of their own are numbers like others to it."""

    def unmarked(*values, **options):
        return call(*[+value if value.__class__ in FORMULA_NUMBERS else value for value in values], **options)

    return unmarked


@cache
def with_formulas_number(row):
    """The row for a second operand that is a number of a formula's own; it is no input then."""
    formula = row.formulas["self"]
    return Row(row.name, row.forward, {"self": formula}, PAIR, node_name=row.node_name.replace("0", "1"))


def _with_saving(row, needs):
    """The plans for inputs of one shape and of several, and the names of what their nodes save."""
    plan = row.plan(needs)
    saving = next((each for each in (NOTHING, OTHER, PAIR) if each == plan.saves), plan.saves)
    return plan, row.plan(needs, (), "shape"), saving


def kept(value):
    """What a node saves for a value: the tensor itself unless its storage is shared or hooks pack what is saved."""
    if isinstance(value, Tensor) and (value._counter is not None or state.saved_hooks):
        return keep(value)
    return value


operators = {}  # name of a binary operation -> the same for use as Python's operator


def operand(value, name, position=2):
    """The second operand: a tensor or a Python number; TypeError for anything else."""
    if isinstance(value, (Tensor, *dtypes.PYTHON_NUMBERS)):
        return value
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{name}(): argument 'other' (position {position}) must be Tensor, not {type(value).__name__}")


def publish(row, call, text="", method=True, function=True):
    """Put a row and its call under the row's name."""
    call.row = row
    operations[row.name] = row
    return publish_call(row.name, call, text, method, function)


def publish_call(name, call, text="", method=True, function=True):
    """Put a call on tensors under a name, with the name and docstring that help() shows."""
    call.__name__ = call.__qualname__ = name
    call.__doc__ = text or call.__doc__
    calls[name] = call
    vars(ops).pop(name, None)  # who looks it up again gets the new one
    tensor_names.setdefault(name, in_formulas(call))
    if function:
        functions[name] = call
    if method:
        methods[name] = call
    return call


# -- operations with arguments of their own --------------------------------------------------------------------------

ALIASES = {"input": "self", "axis": "dim", "keepdims": "keepdim", "x": "self", "x1": "self", "x2": "other"}


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


def binder(name, function, parameters, collects=False):
    """A function from positional and keyword arguments to the tuple of values of *parameters*."""
    required = object()
    positional = function.__code__.co_argcount
    defaults = [required] * len(parameters)
    for index, value in enumerate(function.__defaults__ or (), positional - len(function.__defaults__ or ())):
        defaults[index] = value
    for index, parameter in enumerate(parameters[positional:], positional):
        defaults[index] = (function.__kwdefaults__ or {}).get(parameter, required)
    complete = len(parameters)

    def bind(args, kwargs):
        if collects and len(args) > 1 and not isinstance(args[1], list | tuple):
            args = (args[0], args[1:])
        if len(args) == complete == positional and not kwargs:
            return args
        if len(args) > positional:
            plural = "s" * (positional != 1)
            raise TypeError(f"{name}() takes {positional} positional argument{plural} but {len(args)} were given")
        values = [*args, *defaults[len(args) :]]
        for key, value in kwargs.items():
            key = key if key in parameters else ALIASES.get(key, key)
            if key not in parameters:
                raise TypeError(f"{name}() got an unexpected keyword argument '{key}'")
            index = parameters.index(key)
            if index < len(args):
                raise TypeError(f"{name}() got multiple values for argument '{key}'")
            values[index] = value
        missing = [parameter for parameter, value in zip(parameters, values, strict=True) if value is required]
        if missing:
            names = ", ".join(f'"{"input" if each == "self" else each}"' for each in missing)
            raise TypeError(f"{name}() missing {len(missing)} required positional arguments: {names}")
        return tuple(values)

    return bind


def composite(name, *, method=True, function=True):
    """Decorate a function on tensors that is made of other operations, or chooses between them."""

    def add(call):
        publish_call(name, call, method=method, function=function)
        return call

    return add


def tensor_argument(value, name, argument="self", position=1):
    """The value if it is a tensor, else PyTorch's TypeError."""
    if not isinstance(value, Tensor):
        argument = "input" if argument == "self" else argument
        raise TypeError(
            f"{name}(): argument '{argument}' (position {position}) must be Tensor, not {type(value).__name__}"
        )
    return value
