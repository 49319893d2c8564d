"""The forward pass: a call computes a result and, if an input requires grad, records a node.

A call first needs a common dtype, the values to cast, and the node's plan. These depend only on the
kinds of the values: whether each is a tensor, its dtype, and whether it requires grad.  They form a
:class:`Recipe`, which the row remembers for the next values of the same kinds.

This file rests on all earlier ones; ``compute`` and ``record`` are its heart, the rest serves them.

Calls on tensors of one floating dtype run a function that speed.py writes, with the same results.
To see a call run here, make it within ``with engine.speed.off():``, or while recording.
"""

from . import dtypes, events
from .dtypes import PYTHON_NUMBERS, as_scalar
from .graph import DEAD_END, Node, OutputEdge, next_sequence_number, node_of_edge
from .modes import notify, state
from .saved import save_input, save_result
from .table import Row
from .tensor import Tensor, gradient_edge, ndarray, new_tensor, refuse_foreign
from .views import make_view
from .vjp import plan_of


def general(row, *values):
    """Run the operation *row* on *values*, one for each of its parameters, and record it."""
    modes = state.for_calls
    made = compute(row, values, modes)
    if row.view:
        for output in made if row.several else (made,):
            make_view(output, values[0], row.several)
    if modes[2]:  # something is unusual
        outputs = made if row.several else [made]
        for output in outputs if state.inference and not row.view else ():
            output._mark_inference()
        inputs = values[0] if row.variadic else values
        notify(events.Operation, row, recorded_node(outputs), inputs, outputs, False)
    return made


Row.call = general  # unless speed.py has a quicker function for a row


def compute(row, values, modes):
    """The result of an operation, a tensor or a list; recorded if an input requires grad."""
    run, recording, _ = modes
    inputs = values[0] if row.variadic else values
    if row.has_constants:
        inputs = values[: row.leading]
    if row.view:
        values[0]._share()  # turns a NumPy scalar into an array
    arrays, edges, kinds = [], [], []
    for value in inputs:
        edge = None
        if isinstance(value, Tensor):
            arrays.append(value._array)
            kinds.append(value._dtype)
            if recording:  # only a tensor with a version counter may be a view
                edge = value._node if value._counter is None else gradient_edge(value)
                if edge is not None:
                    kinds.append(edge and Node)  # DEAD_END, or Node for any other
        else:
            arrays.append(value)
            kinds.append(value.__class__)
        edges.append(edge)
    if row.has_fixed:
        edges = [edges[position] for position in row.positions]
    # in a list neither the order nor the number of the kinds matters
    kinds = frozenset(kinds) if row.variadic else tuple(kinds)
    recipe = row.recipes.get(kinds) or Recipe(row, inputs, edges, kinds, Node in kinds)
    result = forward(row, recipe, values, arrays, run)
    if row.several:
        made = [as_result(array, row, recipe) for array in result]
    else:
        made = as_result(result, row, recipe)
    if recipe.plan is not None:
        first = made if not row.several else made[0] if made else None
        if first is not None and first._dtype.is_floating_point:
            record(row, values, edges, made, recipe)
    return made


def refusing(row, inputs, forward):
    """The forward, which then raises if an input requires grad for which the row has no formula."""
    for name in row.constant_tensors:
        value = inputs[row.parameters.index(name)]
        if isinstance(value, Tensor) and value.requires_grad:

            def refuse(*arrays, name=name):
                forward(*arrays)  # it may have another error to tell
                raise RuntimeError(
                    f"The function '{row.kernel}' is not differentiable with respect to argument "
                    f"'{name}'. This input cannot have requires_grad True."
                )

            return refuse
    return forward


def forward(row, recipe, values, arrays, run):
    """Run the row's forward on *arrays* in a common dtype."""
    try:
        for position in recipe.casts:
            arrays[position] = run(cast, arrays[position], recipe.dtype)
        if recipe.numbers and arrays[recipe.first].__class__ is ndarray:
            for position in recipe.numbers:
                arrays[position] = recipe.dtype.numbers[arrays[position]]
        if row.has_constants:
            arrays += values[row.leading :]
        if row.variadic:
            arrays = (arrays, *values[1:])
        return run(recipe.forward, *arrays)
    except (ValueError, RuntimeError, IndexError) as error:
        raise pytorch_error(error, row, values, arrays) from None


def as_result(array, row, recipe):
    """The result of a forward as a tensor."""
    if array.__class__ is ndarray and not array.shape and not row.view:
        array = array[()]
    dtype = recipe.usual
    if not recipe.keeps_dtype and array.dtype is not dtype.numpy:
        dtype = dtypes.of_array(array)
    made = new_tensor()  # as wrap does, without a call
    made._array, made._dtype, made._node, made._counter = array, dtype, None, None
    return made


def recorded_node(outputs):
    """The node that made the outputs, or None."""
    edges = [output._node for output in outputs if output._node is not None]
    return node_of_edge(edges[0])[0] if edges else None


# -- recipes: these depend only on the kinds of the values -----------------------------------------


class Recipe:
    """How a row computes on values of given kinds.

    *forward* is the row's forward for them. Before it runs, the values at the positions *casts* are
    cast to *dtype*, and so are the Python numbers at *numbers*, since NumPy is quicker then.
    *plan* is the node's, or None if nothing is recorded.  *tensors* are the positions of the
    operands that are tensors.  *usual* is the dtype of nearly every result, and of every result if
    *keeps_dtype*.
    """

    def __init__(self, row, inputs, edges, kinds=None, recorded=False):
        refuse_foreign(*inputs)
        found = [value._dtype if isinstance(value, Tensor) else None for value in inputs]
        tensors = {*found} - {None}
        on_floats = len(tensors) == 1 and max(tensors).is_floating_point
        self.forward = row.on_floats if on_floats else row.forward
        if recorded:
            self.forward = refusing(row, inputs, self.forward)
        self.casts, self.numbers, self.plan = [], [], None
        self.first = next((number for number, each in enumerate(found) if each), None)
        self.keeps_dtype = on_floats and row.keeps_dtype
        self.usual = dtypes.get_default_dtype() if self.first is None else found[self.first]
        if row.promoted:
            positions = range(len(inputs)) if row.variadic else row.promoted
            self.dtype = common_dtype(row, [inputs[position] for position in positions])
            for position in positions:
                if found[position] is self.dtype:
                    continue
                # NumPy casts Python's own numbers itself
                if not (on_floats and found[0] and inputs[position].__class__ in PYTHON_NUMBERS):
                    self.casts.append(position)
                elif row.broadcasts:
                    self.numbers.append(position)
        casts_tensors = any([found[position] for position in self.casts])
        self.has_dead_ends = DEAD_END in edges
        if any([edge is not None for edge in edges]):
            self.tensors = [position for position in row.positions if found[position]]
            self.plan = self.plan_for(row, edges)
        one_fits = not row.promoted or len(self.casts) < len(row.promoted)
        if kinds and one_fits and not casts_tensors:  # the kinds decide the recipe
            row.recipes[kinds] = self

    def plan_for(self, row, edges):
        """The node's plan: which inputs need gradients."""
        needs, numbers = row.parameters[:1], []
        if not row.variadic:
            by_name = zip(row.differentiable, edges, strict=True)
            needs = [name for name, edge in by_name if edge]
        if row.broadcasts:
            numbers = [name for name, position in row.inputs if position not in self.tensors]
        return plan_of(row, tuple(needs), tuple(numbers))


def promoted_dtype(operands):
    """The dtype in which tensors and numbers, None among them, meet."""
    kinds = []
    for value in operands:
        if isinstance(value, Tensor):
            kinds.append((value._dtype, 2 if value._array.shape else 1))
        elif value is not None:
            kinds.append((dtypes.of_number(value), 0))
    return dtypes.promote(kinds)


def common_dtype(row, operands):
    """The dtype in which an operation with type promotion computes."""
    dtype = promoted_dtype(operands)
    return dtypes.get_default_dtype() if row.floats and not dtype.is_floating_point else dtype


# -- running it ------------------------------------------------------------------------------------


def cast(value, dtype):
    """An array, or a number, in a dtype."""
    if hasattr(value, "astype"):
        return value.astype(dtype.numpy)
    return value if value is None else as_scalar(value, dtype)


def record(row, values, edges, made, recipe=None):
    """Make the node of an operation that just ran; point its floating results, *made*, at it."""
    recipe = recipe or Recipe(row, values, edges)
    if recipe.has_dead_ends:
        edges = [edge or None for edge in edges]
    inputs = [values[position] for position in recipe.tensors]
    plan = fitted_plan(recipe.plan, inputs, made[0] if row.several else made)
    node = Node()
    node.plan, node.edges, node.saved, node.extras = plan, tuple(edges), None, None
    node.arguments = tuple(arguments_of(plan, values, inputs)) if plan.arguments else None
    if row.returns is None:
        node.arguments = *node.arguments, len(made)
    node.sequence = next_sequence_number()
    if row.several:
        for number, output in enumerate(made):
            if output._dtype.is_floating_point:
                output._node = OutputEdge(node, number, len(made))
    else:
        made._node = node
    if plan.can_be_freed:
        saved, hooks = [], state.saved_hooks
        for position in plan.saved_inputs:
            value = values[position]
            unshared = value.__class__ is Tensor and value._counter is None and not hooks
            saved.append(value if unshared else save_input(value))
        for number in plan.saved_outputs:
            saved.append(save_result(made[number] if row.several else made, number))
        node.saved = saved[0] if len(saved) == 1 else tuple(saved)
    return node


def fitted_plan(plan, inputs, made):
    """The plan whose gradients regain the shape and the dtype of each input."""
    for each in inputs[0] if plan.row.variadic else inputs:
        if each._dtype is not made._dtype:
            return plan.with_dtypes
    shape = made._array.shape
    for each in inputs if plan.row.broadcasts and shape else ():
        if each._array.shape != shape:
            return plan.with_shapes
    return plan


def arguments_of(plan, values, inputs):
    """The value of ``node.arguments``, which :class:`Plan` describes."""
    row, found = plan.row, []
    for position in row.number_positions:
        found.append(values[position])
    for position in row.shape_positions:
        value = values[position]
        found.append([each._array.shape for each in value] if row.variadic else value._array.shape)
    for what in plan.restored:
        for value in inputs:
            of_each = value if row.variadic else [value]
            restored = [each._array.shape if what == "shape" else each._dtype for each in of_each]
            found.append(restored if row.variadic else restored[0])
    return found


def pytorch_error(error, row, values, arrays):
    """PyTorch's RuntimeError for a ValueError of NumPy; any other error as it is.

    TypeError if a tensor of PyTorch is the reason.
    """
    try:
        refuse_foreign(*values)
        if not isinstance(error, ValueError):
            return error
        if row.on_floats is not row.forward:
            row.forward(*arrays)  # it checks before it computes
        shape = ()
        for value in values if row.promoted and not row.variadic else ():
            shape = broadcast_shape(shape, value._array.shape if isinstance(value, Tensor) else ())
    except (RuntimeError, TypeError) as told:
        return told
    return RuntimeError(str(error))


def broadcast_shape(a, b):
    """The shape that tensors of shapes *a* and *b* broadcast to; RuntimeError when they do not."""
    length = max(len(a), len(b))
    a, b = (1,) * (length - len(a)) + tuple(a), (1,) * (length - len(b)) + tuple(b)
    for dim in reversed(range(length)):
        if a[dim] != b[dim] and a[dim] != 1 and b[dim] != 1:
            raise RuntimeError(
                f"The size of tensor a ({a[dim]}) must match the size of tensor b ({b[dim]}) at "
                f"non-singleton dimension {dim}"
            )
    return tuple([second if first == 1 else first for first, second in zip(a, b, strict=True)])
