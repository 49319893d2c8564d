"""Sums of products over named dimensions: einsum, made of permutations and matrix products."""

import math
from functools import lru_cache

import numpy as np

from ..engine.table import operations, ops
from .checks import tensor_list
from .products import BMM
from .rows import function
from .shapes import VIEW

PERMUTE = operations["permute"]


def count(sizes, dims):
    """The number of elements in the dimensions *dims*."""
    return math.prod([sizes[dim] for dim in dims])


@function(method=False)
def einsum(equation, *operands):
    """Sums of products, given by an equation: ``"ij,jk->ik"`` sums over j, which the output does not name.

    >>> import autograd_nb as torch
    >>> torch.einsum("i,i->", torch.tensor([1., 2.]), torch.tensor([3., 4.]))
    tensor(11.)
    """
    if len(operands) == 1 and isinstance(operands[0], list | tuple):
        operands = operands[0]
    if not operands:
        raise ValueError("einsum(): must specify the equation string and at least one operand, or at least one operand "
                         "and its subscripts list")
    shapes = [operand._array.shape for operand in tensor_list("einsum", operands)]
    alignments, steps, kept = planned(equation, *shapes)
    result, *others = map(align, operands, alignments)
    for other, (in_result, in_other, product) in zip(others, steps, strict=True):
        if in_result:
            result = ops.sum(result, in_result, True)
        if in_other:
            other = ops.sum(other, in_other, True)
        result = sum_of_products(result, other, *product) if product else result * other
    dims = range(kept, result._array.ndim)
    if not dims:
        return result
    return VIEW.call(result, result._array.shape[:kept]) if others else ops.sum(result, list(dims))


@lru_cache(256)
def planned(equation, *shapes):
    """The plan of an equation for operands of these shapes: how to align each, the products, the result's dimensions.

    RuntimeError for an invalid equation, or one that does not fit the shapes.
    """
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    check_sizes(shapes, terms)
    try:
        np.einsum_path(equation, *[np.broadcast_to(0.0, shape) for shape in shapes])
    except ValueError as error:
        raise RuntimeError(f"einsum(): {error}") from None
    spans = [len(shape) - len(term.replace("...", "")) for shape, term in zip(shapes, terms, strict=True)]
    dots = "".join(map(chr, range(max(spans))))  # a letter for each dimension that an ellipsis stands for
    terms = [term.replace("...", dots[len(dots) - span :]) for term, span in zip(terms, spans, strict=True)]
    named = "".join(terms)
    once = sorted(letter for letter in set(named) - set(dots) if named.count(letter) == 1)
    output = right.replace("...", dots) if arrow else dots + "".join(once)
    order = output + "".join(sorted(set(named) - set(output)))
    alignments = [alignment(*pair, order) for pair in zip(shapes, terms, strict=True)]
    sizes = [dict(zip(term, shape, strict=True)) for shape, term in zip(shapes, terms, strict=True)]
    aligned = [[each.get(letter, 1) for letter in order] for each in sizes]
    return alignments, contraction(aligned, len(output)), len(output)


def check_sizes(shapes, terms):
    """RuntimeError unless each dimension of an operand has a letter, and each letter one length, apart from 1."""
    sizes = {}
    for number, (shape, term) in enumerate(zip(shapes, terms)):  # noqa: B905 NumPy counts them
        if "..." in term:
            continue
        if len(term) != len(shape):
            raise RuntimeError(f"einsum(): the number of subscripts in the equation ({len(term)}) does not match the "
                               f"number of dimensions ({len(shape)}) for operand {number} and no ellipsis was given")
        for letter, size in zip(term, shape, strict=True):
            known = sizes.setdefault(letter, size)
            if known != size and 1 not in (known, size):
                raise RuntimeError(f"einsum(): subscript {letter} has size {size} for operand {number} which does not "
                                   f"broadcast with previously seen size {sizes[letter]}")  # fmt: skip


def alignment(shape, term, order):
    """The diagonals to take for repeated letters, how many dimensions of length 1 to add, and how to reach *order*."""
    letters, lengths, diagonals = list(term), list(shape), []
    for letter in dict.fromkeys(term):
        while letters.count(letter) > 1:
            first = letters.index(letter)
            second = letters.index(letter, first + 1)
            if lengths[first] != lengths[second]:
                raise RuntimeError(f"einsum(): subscript {letter} is repeated for dimensions of different sizes")
            diagonals.append((first, second))
            del letters[second], lengths[second]
    missing = [letter for letter in order if letter not in letters]
    return diagonals, len(missing), tuple([[*letters, *missing].index(letter) for letter in order])


def align(operand, alignment):
    """The operand with a dimension for each letter, in order."""
    diagonals, missing, order = alignment
    for first, second in diagonals:
        operand = ops.diagonal(operand, 0, first, second)
        order_of_all = [*range(operand._array.ndim)]
        order_of_all.insert(first, order_of_all.pop())
        operand = PERMUTE.call(operand, order_of_all)
    for _ in range(missing):
        operand = ops.unsqueeze(operand, operand._array.ndim)
    return PERMUTE.call(operand, order)


def contraction(shapes, kept):
    """For each further operand: the dimensions to sum in the result, those to sum in the operand, and their product.

    All but the first *kept* dimensions are summed, as early as possible; the product is None if none is in both.
    """
    (result, *others), steps = shapes, []
    dims = range(kept, len(result))
    remaining = {dim: sum(shape[dim] != 1 for shape in shapes) for dim in dims}  # how many operands have it
    for other in others:
        in_result, in_other, in_both = [], [], []
        for dim in dims:
            long = result[dim] != 1, other[dim] != 1
            remaining[dim] -= all(long)
            if remaining[dim] == 1 and any(long):
                (in_both if all(long) else in_result if long[0] else in_other).append(dim)
                remaining[dim] = 0
        left, right = ([1 if dim in summed else size for dim, size in enumerate(shape)]
                       for shape, summed in ((result, in_result), (other, in_other)))  # fmt: skip
        steps.append((in_result, in_other, product_of(left, right, in_both) if in_both else None))
        result = [1 if dim in in_both else right[dim] if size == 1 else size for dim, size in enumerate(left)]
    return steps


def product_of(a, b, dims):
    """How to make these operands batches of matrices whose product sums over *dims*, and how to arrange the product."""
    batch, rows, columns = [], [], []
    for dim in range(len(a)):
        if dim not in dims:
            (columns if a[dim] == 1 else rows if b[dim] == 1 else batch).append(dim)
    order = *batch, *rows, *dims, *columns
    shared = count(a, batch), count(a, dims)
    sizes = *(a[dim] for dim in (*batch, *rows)), *(1 for _ in dims), *(b[dim] for dim in columns)
    return ((order, (shared[0], count(a, rows), shared[1])),
            ((*batch, *dims, *columns, *rows), (*shared, count(b, columns))),
            (sizes, tuple([order.index(dim) for dim in range(len(a))])))  # fmt: skip


def sum_of_products(left, right, of_left, of_right, of_product):
    """left * right, summed: one product of batches of matrices."""
    matrices = [ops.reshape(PERMUTE.call(operand, order), shape)
                for operand, (order, shape) in ((left, of_left), (right, of_right))]  # fmt: skip
    sizes, order = of_product
    return PERMUTE.call(VIEW.call(BMM.call(*matrices), sizes), order)
