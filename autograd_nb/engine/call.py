"""The forward pass: a call computes a result on arrays and, if an input requires grad, records a node.

``general`` does this for every row and all inputs: promote, compute, wrap, record.  Nearly every call in a program is
simpler: its tensors have one floating dtype and there are no listeners.  For such calls a function is generated from
the row as Python source, which does the same with fewer checks.  For ``mul`` and two tensors it begins:

    def mul(self, other):
        run, recording, special = state.hot
        array = run(forward, self._array, other._array)

Everything else, errors included, it leaves to ``general``, which has the messages.
"""

from itertools import product
from types import FunctionType

from . import dtypes, events
from .dtypes import as_scalar
from .graph import Node, OutputEdge, next_sequence_number
from .modes import notify, state
from .saved import save_input, save_result
from .tensor import Tensor, gradient_edge, ndarray, new_tensor, wrap  # noqa: F401 used by generated code
from .views import make_view
from .vjp import compiled, plan_of

# -- the general way -----------------------------------------------------------------------------------------------


def apply(row, values):
    """Run the operation *row* on *values*, one for each of its parameters, and record it."""
    if row.call is None:
        row.call = fast_call(row)
    return row.call(*values)


def general(row, values):
    """Run an operation whatever it is given."""
    node, outputs = compute(row, values)
    for output in outputs:
        if row.view:
            make_view(output, values[0], row.several)
        if state.inference and not (row.view and not values[0]._inference):
            output._mark_inference()
    if state.listeners:
        inputs = [value for value in (values[0] if row.variadic else values) if isinstance(value, Tensor)]
        notify(events.Operation, row, node, inputs, outputs, False)
    return outputs if row.several else outputs[0]


def compute(row, values):
    """The node of an operation, None if it was not recorded, and its results as tensors."""
    inputs = [] if not state.hot[1] else values[0] if row.variadic else [values[each] for each in row.positions]
    edges = [gradient_edge(value) if isinstance(value, Tensor) else None for value in inputs]  # may raise, for a view
    dtype = common_dtype(row, values) if row.promoted else None
    try:
        results = state.run(row.forward, *state.run(arrays_of, row, values, dtype))
    except (ValueError, RuntimeError, IndexError) as error:  # the fast call may have met it first: show it once
        if isinstance(error, ValueError):  # NumPy's, where PyTorch raises a RuntimeError
            error = shapes_that_do_not_fit(row, values) or RuntimeError(str(error))
        raise error from None
    outputs = []
    for array in results if row.several else [results]:
        array = array if array.shape or row.view else array[()]
        outputs.append(wrap(array, dtypes.of_array(array)))
    recorded = any([edge is not None for edge in edges]) and any([each._dtype.is_floating_point for each in outputs])
    return record(row, values, edges, outputs, dtype) if recorded else None, outputs


def common_dtype(row, values):
    """The dtype in which an operation that promotes is computed."""
    operands = values[0] if row.variadic else [values[position] for position in row.promoted]
    found = {value._dtype for value in operands if isinstance(value, Tensor)}
    if len(found) == 1 and (dtype := found.pop()).is_floating_point:
        return dtype
    dtype = dtypes.promote([
        (value._dtype, 2 if value._array.shape else 1) if isinstance(value, Tensor) else (dtypes.of_number(value), 0)
        for value in operands
        if value is not None
    ])  # fmt: skip
    return dtypes.get_default_dtype() if row.floats and not dtype.is_floating_point else dtype


def arrays_of(row, values, dtype):
    """The values with tensors replaced by their elements, in the common *dtype* where the row promotes."""

    def cast(value):
        if isinstance(value, Tensor):
            return value._array if value._dtype is dtype else value._array.astype(dtype.numpy)
        return value if value is None else as_scalar(value, dtype)

    if row.view:
        values[0]._share()
    if row.variadic:
        return [[cast(each) if row.promoted else each._array for each in values[0]], *values[1:]]
    arrays = [value._array if isinstance(value, Tensor) else value for value in values]
    for position in row.promoted:
        arrays[position] = cast(values[position])
    return arrays


def record(row, values, edges, outputs, dtype=None):
    """Make the node of an operation that just ran, and let its differentiable outputs point at it."""
    node = Node()
    node.edges = tuple(edges)
    node.extras = None
    node.sequence = next_sequence_number()
    node.arguments = constants(row, values) if row.has_constants else None
    fit, numbers, inputs = None, (), [values[position] for position in row.positions]
    if row.broadcasts:
        numbers = tuple([row.differentiable[i] for i, value in enumerate(inputs) if not isinstance(value, Tensor)])
        tensors = [value if isinstance(value, Tensor) else None for value in inputs]
        shapes = tuple([each if each is None else each._array.shape for each in tensors])
        found = tuple([each if each is None else each._dtype for each in tensors])
        if any([each is not None and each is not dtype for each in found]):
            fit = "dtype"
        elif any([each is not None and each != outputs[0]._array.shape for each in shapes]):
            fit = "shape"
        if fit:
            node.arguments = node.arguments, shapes, found, dtype
    needs = row.parameters[:1] if row.variadic else tuple(
        [row.differentiable[i] for i, edge in enumerate(edges) if edge is not None and not edge.is_dead_end])
    node.plan = plan = plan_of(row, needs, numbers, fit)
    for number, output in enumerate(outputs):
        if output._dtype.is_floating_point:
            output._node = OutputEdge(node, number, len(outputs)) if row.several else node
    node.saved = saved_entries(plan, values, outputs) if plan.keeps else None
    return node


def constants(row, values):
    """What formulas read besides tensors: the other arguments, and shapes of tensors."""
    found = [None if isinstance(value, Tensor) or name in row.tensors else value
             for name, value in zip(row.parameters, values, strict=True)]  # fmt: skip
    for position in row.shape_positions:
        value = values[position]
        found.append([each._array.shape for each in value] if row.variadic else value._array.shape)
    return tuple(found)


def saved_entries(plan, values, outputs):
    """What a node saves, in the form of ``node.saved``."""
    saved = {}
    for name, position, number in plan.in_order:  # the order in which pack hooks are called
        value = save_result(outputs[number], number) if position is None else values[position]
        saved[name] = save_input(value) if position is not None and isinstance(value, Tensor) else value
    return tuple([saved[name] for name in plan.saves]) if len(saved) > 1 else saved.popitem()[1]


def shapes_that_do_not_fit(row, values):
    """PyTorch's RuntimeError for inputs that do not broadcast with each other, or None."""
    shape = ()
    for value in values if row.promoted and not row.variadic else ():
        other = value._array.shape if isinstance(value, Tensor) else ()
        try:
            shape = broadcast_shape(shape, other)
        except RuntimeError as error:
            return error
    return None


def broadcast_shape(a, b):
    """The shape that tensors of shapes *a* and *b* broadcast to; RuntimeError when they do not."""
    length = max(len(a), len(b))
    a, b = (1,) * (length - len(a)) + tuple(a), (1,) * (length - len(b)) + tuple(b)
    for dim in reversed(range(length)):
        if a[dim] != b[dim] and a[dim] != 1 and b[dim] != 1:
            raise RuntimeError(f"The size of tensor a ({a[dim]}) must match the size of tensor b ({b[dim]}) at "
                               f"non-singleton dimension {dim}")  # fmt: skip
    return tuple([second if first == 1 else first for first, second in zip(a, b, strict=True)])


# -- the fast way, generated from the row --------------------------------------------------------------------------


def fast_call(row, otherwise=None):
    """The function that a call runs; *otherwise* is what it calls in unusual cases, by default the general way."""
    otherwise = otherwise or (lambda *values: general(row, values))
    simple = row.parameters[0] in row.tensors and not (row.variadic or row.several or row.optional)
    if not simple or len(row.differentiable) > 3:
        return otherwise

    def first(*values):  # compiled at the first call, for most rows are never called
        call.__code__ = compile_call(row, names).__code__
        return call(*values)

    names = {"__name__": __name__, "first": first, "otherwise": otherwise}
    return (call := FunctionType(NOT_COMPILED, names, row.name))


NOT_COMPILED = (lambda *values: first(*values)).__code__  # noqa: F821 one of the call's globals


def compile_call(row, names):
    """Compile the fast call of a row, with a second function for a number as *other* if the row has two operands."""
    names.update(globals(), forward=row.quick)
    if row.broadcasts and row.tensors == {"self", "other"} and row.parameters == ("self", "other"):
        of_number = dict(names)
        names["with_number"] = compiled(call_source(row, of_number, ("self",), "with_number"), of_number, "with_number")
    return compiled(call_source(row, names, row.differentiable, row.name), names, row.name)


def call_source(row, names, inputs, function):
    """The source of the fast call of a row whose differentiable *inputs* are tensors, a number in place of others."""
    numbers = [name for name in row.differentiable if name not in inputs]
    tensors = [name for name in row.parameters if name in row.tensors and name not in numbers]
    given = ", ".join(row.parameters)
    lines = [f"def {function}({given}):"]
    if "with_number" in names and not numbers:
        lines += ["    if other.__class__ is float or other.__class__ is int:",
                  "        return with_number(self, other)"]  # fmt: skip
    lines.append("    run, recording, special = state.hot")
    conditions = ["special", *(f"{name}._dtype is not common" for name in tensors[1:])]
    conditions += ["not common.is_floating_point"] if row.promoted or row.keeps_dtype else []
    conditions += [f"{name}.__class__ is not float and {name}.__class__ is not int"
                   for name in map(row.parameters.__getitem__, row.promoted) if name not in row.tensors]  # fmt: skip
    lines += ["    try:", f"        common = {tensors[0]}._dtype", f"        if {' or '.join(conditions)}:",
              f"            return otherwise({given})"]  # fmt: skip
    if row.view:
        lines += ["        if self._counter is None:", "            self._share()"]
    arrays = [f"{name}._array" if name in tensors else name for name in row.parameters]
    if numbers:
        lines += ["        array = self._array",
                  "        number = common.numbers[other] if array.__class__ is ndarray else other"]  # fmt: skip
        arrays = ["array", "number"]
    lines += [f"        array = run(forward, {', '.join(arrays)})",
              "    except (AttributeError, ValueError, RuntimeError, IndexError):  # not a tensor, or it does not fit",
              f"        return otherwise({given})"]  # fmt: skip
    same = row.keeps_dtype
    if not row.promoted and not row.view and not same:
        lines += ["    if array.__class__ is ndarray and not array.shape:", "        array = array[()]"]
    lines += ["    made = new_tensor()", "    made._array = array", "    made._counter = made._node = None"]
    if same:
        lines.append("    made._dtype = common")
    else:
        lines.append("    made._dtype = common if array.dtype is common.numpy else dtypes.of_array(array)")
    if row.view:
        lines.append("    make_view(made, self)")
    lines += record_source(row, names, inputs, numbers, same) if row.formulas else []
    return "\n".join([*lines, "    return made", ""])


def record_source(row, names, inputs, numbers, floating):
    """The lines that record the call, one arm for each pattern of inputs that require grad."""
    given = ", ".join(row.parameters)
    lines = ["    if not recording" + ("" if floating else " or not made._dtype.is_floating_point") + ":",
             "        return made"]  # fmt: skip
    edges = ", ".join(map("edge_{}".format, inputs))
    lines += [f"    {edges} = {', '.join(map('{}._node'.format, inputs))}",
              f"    if {' or '.join(f'{name}._counter is not None' for name in inputs)}:  # perhaps a view",
              f"        {edges} = {', '.join(f'gradient_edge({name})' for name in inputs)}",
              f"        if {' or '.join(f'edge_{name} is not None and edge_{name}.is_dead_end' for name in inputs)}:",
              f"            return otherwise({given})"]  # fmt: skip
    word = "if"
    for pattern in sorted(product((False, True), repeat=len(inputs)), key=sum):
        needs = tuple([name for name, needed in zip(inputs, pattern, strict=True) if needed])
        tests = " and ".join(f"edge_{name} is None" for name in inputs if name not in needs)
        lines.append(f"    {word} {tests}:" if tests else "    else:")
        if not needs:
            lines.append("        return made")
        else:
            suffix = "_".join(needs)
            names["plan_" + suffix] = plan = plan_of(row, needs, tuple(numbers))
            lines += ["        made._node = node = Node()", f"        node.plan = plan_{suffix}",
                      f"        node.saved = {saved_source(plan, numbers)}"]  # fmt: skip
        word = "elif"
    edges = [f"edge_{name}" if name in inputs else "None" for name in row.differentiable]
    lines += [f"    node.edges = {', '.join(edges)},"]
    values = ["None" if name in row.tensors else name for name in row.parameters]
    values += [f"{row.parameters[position]}._array.shape" for position in row.shape_positions]
    lines.append(f"    node.arguments = {'(' + ', '.join(values) + ',)' if row.has_constants else None}")
    if row.broadcasts and not numbers:
        shapes = [f"{name}._array.shape" for name in row.differentiable]
        lines += [f"    if array.__class__ is ndarray and not {' == '.join(shapes)}:",
                  "        node.plan = node.plan.with_shapes",
                  f"        node.arguments = node.arguments, ({', '.join(shapes)})"]  # fmt: skip
    return [*lines, "    node.extras = None", "    node.sequence = next_sequence_number()"]


def saved_source(plan, numbers):
    """The expression for what a node saves."""
    entries = [
        "array" if number is not None else name if name in numbers
        else f"{name} if {name}._counter is None else save_input({name})"
        for name, number in zip(plan.saves, plan.output_numbers, strict=True)
    ]  # fmt: skip
    return "None" if not entries else entries[0] if len(entries) == 1 else ", ".join(f"({each})" for each in entries)
