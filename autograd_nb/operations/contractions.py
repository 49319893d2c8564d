"""Sums of products over named dimensions: einsum, made of permutations and matrix products."""

import math
import re
from functools import lru_cache

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
    left, arrow, right = equation.partition("->")
    terms, start = [], 0
    for number, term in enumerate(left.split(",")):
        terms.append(letters_of(term, start, f"operand {number}", "for which an ellipsis"))
        start += len(term) + 1
    if len(terms) != len(shapes):
        raise RuntimeError(f"einsum(): {'fewer' if len(terms) > len(shapes) else 'more'} operands were provided than "
                           "specified in the equation")  # fmt: skip
    spans = [*map(span, range(len(terms)), terms, shapes)]
    dots = [*map(chr, range(max(spans)))]  # a letter for each dimension that an ellipsis stands for
    terms = [spelt(term, dots[len(dots) - length :]) for term, length in zip(terms, spans, strict=True)]
    check_sizes(shapes, terms)
    named = [letter for term in terms for letter in term]
    once = sorted(letter for letter in {*named}.difference(dots) if named.count(letter) == 1)
    output = spelt(letters_of(right, start + 1, "output", "but an ellipsis (...)"), dots) if arrow else dots + once
    for letter in output:
        if letter not in named or output.count(letter) > 1:
            raise RuntimeError(f"einsum(): output subscript {letter} " + (
                "appears more than once in the output" if letter in named
                else "does not appear in the equation for any input operand"))  # fmt: skip
    order = output + sorted({*named}.difference(output))
    sizes = [dict(zip(term, shape, strict=True)) for shape, term in zip(shapes, terms, strict=True)]
    aligned = [[each.get(letter, 1) for letter in order] for each in sizes]
    return [alignment(term, order) for term in terms], contraction(aligned, len(output)), len(output)


def letters_of(term, start, which, already):
    """The letters of a term that begins at *start* of an equation, with "..." for an ellipsis."""
    found = []
    for match in re.finditer(r"\.{3}|[^ ]", term):
        each = match.group()
        if each[0] == "." and "..." in found:
            raise RuntimeError(f"einsum(): found '.' for {which} {already} was already found")
        if each == ".":
            raise RuntimeError(f"einsum(): found '.' for {which} that is not part of any ellipsis")
        if each != "..." and not re.match("[a-zA-Z]", each):
            raise RuntimeError(f"einsum(): invalid subscript given at index {start + match.start()} in the equation "
                               "string, subscripts must be in [a-zA-Z]")  # fmt: skip
        found.append(each)
    return found


def span(number, term, shape):
    """How many dimensions of an operand the ellipsis of its term stands for."""
    dotted = "..." in term
    count, ndim = len(term) - dotted, len(shape)
    if count > ndim or count < ndim and not dotted:
        raise RuntimeError(f"einsum(): the number of subscripts in the equation ({count}) "
                           f"{'is more than' if dotted else 'does not match'} the number of dimensions ({ndim}) for "
                           f"operand {number}{'' if dotted else ' and no ellipsis was given'}")  # fmt: skip
    return ndim - count


def spelt(term, dots):
    """The letters of a term, with those of its ellipsis."""
    return [letter for each in term for letter in (dots if each == "..." else [each])]


def check_sizes(shapes, terms):
    """RuntimeError unless each letter has one length, apart from 1, and in one operand no other at all."""
    sizes = {}
    for number, (shape, term) in enumerate(zip(shapes, terms, strict=True)):
        for dim, (letter, size) in enumerate(zip(term, shape, strict=True)):
            first = shape[term.index(letter)]
            if size != first:
                raise RuntimeError(f"einsum(): subscript {letter} is repeated for operand {number} but the sizes don't "
                                   f"match, {size} != {first}")
            known = sizes.get(letter, 1)
            if 1 not in (known, size) and known != size:
                raise RuntimeError(
                    f"einsum(): subscript {letter} has size {size} for operand {number} which does not broadcast with "
                    f"previously seen size {known}" if letter.isalpha() else
                    f"einsum(): dimension {dim} covered by ellipsis in operand {number}has size {size} which does not "
                    f"broadcast with previously seen ellipsis with size {known} for the respective dimension"
                )  # fmt: skip
            sizes[letter] = max(known, size) if size else 0


def alignment(term, order):
    """The diagonals to take for repeated letters, how many dimensions of length 1 to add, and how to reach *order*."""
    letters, diagonals = list(term), []
    for letter in dict.fromkeys(term):
        while letters.count(letter) > 1:
            first = letters.index(letter)
            second = letters.index(letter, first + 1)
            diagonals.append((first, second))
            del letters[second]
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
