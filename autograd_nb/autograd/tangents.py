"""The tangent of an operation's result, from its operands and their tangents, without a second set of formulas.

A row's formula is linear in the gradient that goes in, and what a tangent needs is the transpose of that map:

- a row marked element-wise is its own transpose: its formula runs with the tangent in place of the gradient;
- a row marked linear is run once more on the tangents; the tangent of a view is the same view of the tangent;
- any other formula runs on an open gradient, and is transposed by walking it back once from the tangents.
"""

from ..engine.dispatch import apply
from ..engine.formulas import load_names, on_tensors
from ..engine.modes import enable_grad, state
from ..engine.table import ops
from ..engine.tensor import Tensor, current_node
from .passes import grad


def linear(row, values, tangents):
    """The operation on the tangents; views that name places in storage are read off later."""
    if row.name == "strided_view":
        return [None]
    if row.variadic:
        tangents = [ops.zeros_like(value) if each is None else each
                    for each, value in zip(tangents, values[0], strict=True)]  # fmt: skip
        found = apply(row, (tangents, *values[1:]))
    else:
        found = apply(row, (tangents[0], *values[1:]))
    return found if row.several else [found]


def reads(row, name, values, outputs, dtype):
    """What the formula of an input reads, tensors in the dtype of the computation."""
    known = dict(zip(row.parameters, values, strict=True))
    known |= dict(zip(row.returns or (), outputs, strict=False))
    for each in row.shape_names:
        value = known[each.removesuffix("_sym_sizes")]
        known[each] = [item._array.shape for item in value] if isinstance(value, list | tuple) else (
            value._array.shape if isinstance(value, Tensor) else None)  # fmt: skip

    def cast(value):
        if row.promotes and isinstance(value, Tensor) and value._dtype.name != "bool" and value._dtype is not dtype:
            return value.to(dtype)
        return value

    return [cast(known[each]) for each in row.reads[name]]


def formula_of(row, name):
    formula = on_tensors(row.formulas[name])
    load_names(formula.__code__, set())
    return formula


def element_wise(row, values, output, tangents):
    """The formulas with the tangents in place of the gradient, added up."""
    total, dtype, shape = None, output._dtype, output._array.shape
    for position, name in zip(row.positions, row.differentiable, strict=True):
        tangent = tangents[position]
        if tangent is not None:
            tangent = tangent.to(dtype)
            part = formula_of(row, name)(tangent, *reads(row, name, values, [output], dtype))
            total = part if total is None else total + part
    return total if total._array.shape == shape else ops.expand(total, shape)


def transposed(row, values, outputs, tangents):
    """The formulas run on an open gradient, and walked back from the tangents to it."""
    recording = state.hot[1] and any(
        current_node(each) is not None
        for each in (*tangents, *(values[0] if row.variadic else values)) if isinstance(each, Tensor)
    )  # fmt: skip
    dtype = outputs[0]._dtype
    with enable_grad():
        opened = [
            ops.zeros_like(each.detach()).requires_grad_() if each._dtype.is_floating_point else None
            for each in outputs
        ]
        incoming = opened if row.several else opened[0]
        pairs = []
        for position, name in zip(row.positions, row.differentiable, strict=True):
            if not row.variadic and tangents[position] is None:
                continue
            found = formula_of(row, name)(incoming, *reads(row, name, values, outputs, dtype))
            pairs += zip(found, tangents, strict=True) if row.variadic else [(found, tangents[position])]
        ends, weights = [], []
        for found, tangent in pairs:
            if found is not None and tangent is not None and found.requires_grad:
                if found._array.shape != tangent._array.shape:
                    found = ops.sum_to_size(found, tangent._array.shape)
                ends.append(found)
                weights.append(tangent.to(found._dtype))
        inputs = [each for each in opened if each is not None]
        if not ends:
            found = [None] * len(inputs)
        else:
            found = grad(ends, inputs, weights, create_graph=recording, allow_unused=True)
    found = iter(found)
    made = [None if each is None else next(found) for each in opened]
    return [ops.zeros_like(each.detach()) if each is not None and tangent is None else tangent
            for each, tangent in zip(opened, made, strict=True)]  # fmt: skip
