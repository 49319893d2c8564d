"""The backward functions of the shapes that most nodes have.

Each is what the general one (``Plan._general``) does, written out: a saved tensor is taken as it is unless its storage
was ever shared.
"""

from operator import itemgetter

from . import dtypes
from .fitting import fitted, fitted_tensor, repeated, sum_to
from .formulas import handed_on, scalar
from .saved import Kept, checked, tensor_of, value_of
from .tensor import Tensor, ndarray


def fast_backward(plan, formulas, only, tensors=False):
    """The backward function of a plan, or None; *only* is the index of the one formula when there are no others."""
    row, saves = plan.row, plan.saves
    if not plan.needs or only is None and None in formulas:  # of inputs whose gradients lead nowhere
        return None
    if row.has_constants and row.of_one and len(saves) < 2:
        return _fast_with_constants(plan, saves, formulas[0], tensors)
    if row.variadic or row.has_constants or plan.several_outputs or len(saves) > 2:
        return None
    if only is not None:
        name = row.differentiable[only]
        if row.reads[name] == saves:
            fast = _fast_single(plan, saves, formulas[only], tensors)
        else:
            fast = _one_of_pair(row, saves, formulas[only], only, tensors)
        if fast and plan.fit:
            fit = fitted_tensor if tensors else fitted
            return lambda node, grad: fit(fast(node, grad), node.arguments[only])
    else:
        fast = _fast_pair(row, saves, *formulas, tensors) if len(formulas) == 2 else None
        if fast and plan.fit:
            return _handed_on_fitted if fast is _handed_on and not tensors else _pair_fitted(fast, tensors)
    return fast


def _pair_fitted(fast, tensors):
    fit = fitted_tensor if tensors else fitted

    def fitted_pair(node, grad):
        first, second = fast(node, grad)
        first_shape, second_shape = node.arguments
        return fit(first, first_shape), fit(second, second_shape)

    return fitted_pair


def _handed_on(node, grad):
    """The backward of a sum of two terms."""
    return grad, grad


def _handed_on_fitted(node, grad):
    first_shape, second_shape = node.arguments
    shape = grad.shape
    return (
        grad if shape == first_shape else sum_to(grad, first_shape),
        grad if shape == second_shape else sum_to(grad, second_shape),
    )


def _fast_with_constants(plan, saves, formula, tensors):
    row = plan.row
    names = (*row.parameters, *row.shape_names)
    places = {name: index for index, name in enumerate(names)}
    places |= {name: len(names) for name in saves}
    pick = picker([places[name] for name in row.reads[row.parameters[0]]])
    if not saves:
        if tensors:
            return lambda node, grad: formula(grad, *map(scalar, pick(node.arguments)))
        return lambda node, grad: formula(grad, *pick(node.arguments))

    number = plan.output_numbers[0]
    if tensors:
        return lambda node, grad: formula(
            grad, *map(scalar, pick((*node.arguments, tensor_of(node, node.saved, number))))
        )

    def from_constants_and_saved(node, grad):
        entry = node.saved
        plain = entry.__class__ is Tensor and entry._counter is None
        return formula(grad, *pick((*node.arguments, entry._array if plain else value_of(node, entry))))

    return from_constants_and_saved


def _fast_single(plan, saves, formula, tensors):
    if not saves:
        return lambda node, grad: formula(grad)
    if len(saves) > 1:
        return None
    if saves[0] in plan.row.returns:

        if tensors:
            return lambda node, grad: formula(grad, tensor_of(node, node.saved, 0))

        def from_result(node, grad):
            result = node.saved
            return formula(grad, result.value(node) if isinstance(result, Kept) else result)

        return from_result
    if saves[0] in plan.numbers:

        def from_number(node, grad):
            number = node.saved
            if isinstance(number, Kept):
                number = number.value(node)
            if grad.__class__ is ndarray:
                number = dtypes.BY_NUMPY[grad.dtype].numbers[number]
                if grad.base is not None and not any(grad.strides):
                    return repeated(formula(grad[(slice(1),) * grad.ndim], number), grad.shape)  # of a sum, for one
            return formula(grad, number)

        return from_number

    if tensors:
        return lambda node, grad: formula(grad, unchanged(node, node.saved))

    def from_input(node, grad):
        entry = node.saved
        return formula(grad, entry._array if entry._counter is None else checked(node, entry))

    return from_input


def _fast_pair(row, saves, first, second, tensors):
    if not saves:
        if first is second is handed_on:
            return _handed_on
        return lambda node, grad: (first(grad), second(grad))
    if saves == row.differentiable and [row.reads[name] for name in saves] == [saves[1:], saves[:1]]:

        if tensors:

            second_first = row.differentiable[1] < row.differentiable[0]

            def tensors_from_each_other(node, grad):
                a, b = node.saved
                if second_first:
                    second_grad = second(grad, unchanged(node, a))
                    return first(grad, unchanged(node, b)), second_grad
                return first(grad, unchanged(node, b)), second(grad, unchanged(node, a))

            return tensors_from_each_other

        # as those of a product are, but not those of a product of matrices
        alike = len({(each.__code__.co_code, each.__code__.co_consts, each.__code__.co_names)
                     for each in (first, second)}) == 1  # fmt: skip

        def from_each_other(node, grad):
            a, b = node.saved
            if a is b and alike:  # x * x
                both = first(grad, b._array if b._counter is None else checked(node, b))
                return both, both
            return (
                first(grad, b._array if b._counter is None else checked(node, b)),
                second(grad, a._array if a._counter is None else checked(node, a)),
            )

        return from_each_other
    return None


def _one_of_pair(row, saves, formula, only, tensors):
    """Of two inputs' gradients, each made of the other input, one; both inputs were saved and are looked at."""
    if saves != row.differentiable or len(saves) != 2 or row.reads[saves[only]] != (saves[1 - only],):
        return None
    look = unchanged if tensors else value_of

    def from_other(node, grad):
        first, second = node.saved
        values = look(node, first), look(node, second)
        return formula(grad, values[1 - only])

    return from_other


def unchanged(node, entry):
    """A saved input as a tensor, checked to be what it was."""
    return entry if entry._counter is None else tensor_of(node, entry, None)


def picker(indices):
    """A function from a tuple to the tuple of its elements at *indices*."""
    if len(indices) > 1:
        return itemgetter(*indices)
    return itemgetter(slice(indices[0], indices[0] + 1)) if indices else itemgetter(slice(0))
