"""Sums of products over named dimensions: einsum, tensordot and their kin, made of permutations and matrix products."""

import math

from ..engine.table import ops, publish_call
from .checks import wrap_dim, wrap_dims
from .public import public

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def joined(sizes, dims):
    """The number of elements that dimensions *dims* have together."""
    return math.prod([sizes[dim] for dim in dims])


# -- einsum ----------------------------------------------------------------------------------------------------------


def einsum(equation, *operands):
    """Sums of products as the equation says: ``"ij,jk->ik"`` sums over j, which the output does not name.

    Operands may be given as a list.  RuntimeError for an equation that cannot be read or does not fit the operands.

    >>> import autograd_nb as torch
    >>> torch.einsum("i,i->", torch.tensor([1., 2.]), torch.tensor([3., 4.]))
    tensor(11.)
    """
    if len(operands) == 1 and isinstance(operands[0], list | tuple):
        operands = operands[0]
    for place, letter in enumerate(equation):
        if letter not in LETTERS + "., ->":
            raise RuntimeError(f"einsum(): invalid subscript given at index {place} in the equation string, "
                               "subscripts must be in [a-zA-Z]")
    left, arrow, right = equation.partition("->")
    terms = left.split(",")
    if len(terms) != len(operands):
        fewer = (
            "fewer operands were provided than" if len(operands) < len(terms) else "more operands were provided than"
        )
        raise RuntimeError(f"einsum(): {fewer} specified in the equation")
    labels = [read(term) for term in terms]
    spans = [ellipsis_span(each, operands[number], number) for number, each in enumerate(labels)]
    dots = [("...", number) for number in range(max(spans))]  # the dimensions that ellipses stand for
    labels = [with_dots(each, dots[len(dots) - span :]) for each, span in zip(labels, spans, strict=True)]
    if arrow:
        output = with_dots(read(right), dots)
    else:
        counts = [label for each in labels for label in each]
        output = [*dots, *(letter for letter in LETTERS if counts.count(letter) == 1)]
    check_labels(labels, output)
    contracted = [
        letter for letter in (*dots, *LETTERS) if letter not in output and any(letter in each for each in labels)
    ]
    order = [*output, *contracted]
    aligned = [align(operand, each, order, number) for number, (operand, each) in
               enumerate(zip(operands, labels, strict=True))]  # fmt: skip
    check_sizes(aligned, order)
    return contract(aligned, len(output))


def read(term):
    """The labels of one term of an equation, with None for an ellipsis."""
    return [None if letter == "." else letter for letter in term.replace("...", ".") if letter != " "]


def ellipsis_span(labels, operand, number):
    """How many dimensions the operand's ellipsis stands for."""
    named, ndim = len([label for label in labels if label]), operand._array.ndim
    if None in labels and named <= ndim:
        return ndim - named
    if None in labels or named != ndim:
        more = "is more than" if None in labels else "does not match"
        tail = "" if None in labels else " and no ellipsis was given"
        raise RuntimeError(f"einsum(): the number of subscripts in the equation ({named}) {more} the number of "
                           f"dimensions ({ndim}) for operand {number}{tail}")
    return 0


def with_dots(labels, dots):
    return [each for label in labels for each in (dots if label is None else [label])]


def check_labels(labels, output):
    for label in output:
        if output.count(label) > 1:
            raise RuntimeError(f"einsum(): output subscript {label} appears more than once in the output")
        if not isinstance(label, tuple) and not any(label in each for each in labels):
            raise RuntimeError(f"einsum(): output subscript {label} does not appear in the equation for any input "
                               "operand")


def align(operand, labels, order, number):
    """The operand with one dimension for each label in *order*: diagonals for repeated ones, length 1 for absent
    ones."""
    labels = list(labels)
    for label in dict.fromkeys(labels):
        while labels.count(label) > 1:
            first = labels.index(label)
            second = labels.index(label, first + 1)
            sizes = operand._array.shape
            if sizes[first] != sizes[second]:
                raise RuntimeError(f"einsum(): subscript {label} is repeated for operand {number} but the sizes don't "
                                   f"match, {sizes[second]} != {sizes[first]}")
            operand = ops.movedim(ops.diagonal(operand, 0, first, second), -1, first)
            del labels[second]
    for label in order:
        if label not in labels:
            operand = ops.unsqueeze(operand, len(labels))
            labels.append(label)
    return ops.permute(operand, [labels.index(label) for label in order])


def check_sizes(operands, order):
    for dim, label in enumerate(order):
        seen = 1
        for number, operand in enumerate(operands):
            size = operand._array.shape[dim]
            if seen != 1 and size not in (1, seen):
                raise RuntimeError(f"einsum(): subscript {label} has size {size} for operand {number} which does not "
                                   f"broadcast with previously seen size {seen}")
            seen = size if size != 1 else seen


def contract(operands, kept):
    """The product of aligned operands, two at a time, summed over all but the first *kept* dimensions as early as
    possible."""
    result, *others = operands
    dims = range(kept, result._array.ndim)
    left = {dim: sum(each._array.shape[dim] != 1 for each in operands) for dim in dims}  # operands still to be met
    for other in others:
        mine, its, both = [], [], []
        for dim in dims:
            long = result._array.shape[dim] != 1, other._array.shape[dim] != 1
            left[dim] -= all(long)
            if left[dim] == 1 and any(long):
                (both if all(long) else mine if long[0] else its).append(dim)
                left[dim] = 0
        if mine:
            result = ops.sum(result, mine, True)
        if its:
            other = ops.sum(other, its, True)
        result = sum_of_products(result, other, both) if both else result * other
    if not dims:
        return result
    return ops.view(result, result._array.shape[:kept]) if others else ops.sum(result, list(dims))


def sum_of_products(left, right, dims):
    """left * right summed over *dims*, which stay with length 1, as one product of batches of matrices."""
    a, b = left._array.shape, right._array.shape
    batch, rows, columns = [], [], []
    for dim in range(len(a)):
        if dim not in dims:
            (batch if a[dim] != 1 != b[dim] else rows if a[dim] != 1 else columns).append(dim)
    order = [*batch, *rows, *dims, *columns]
    first = ops.reshape(ops.permute(left, order), (joined(a, batch), joined(a, rows), joined(a, dims)))
    second = ops.reshape(ops.permute(right, [*batch, *dims, *columns, *rows]),
                         (joined(a, batch), joined(a, dims), joined(b, columns)))  # fmt: skip
    sizes = [*(a[dim] for dim in (*batch, *rows)), *(1 for _ in dims), *(b[dim] for dim in columns)]
    return ops.permute(ops.view(ops.bmm(first, second), sizes), [order.index(dim) for dim in range(len(a))])


publish_call("einsum", einsum, method=False)

# -- tensordot -------------------------------------------------------------------------------------------------------


def tensordot(a, b, dims=2):
    """Products summed over the last *dims* dimensions of *a* and the first of *b*, or over two lists of dimensions.

    RuntimeError when the dimensions do not fit, IndexError for one that is not there.

    >>> import autograd_nb as torch
    >>> torch.tensordot(torch.ones(2, 3), torch.ones(3, 4), dims=1).shape
    torch.Size([2, 4])
    """
    if isinstance(dims, int):
        if dims > min(a._array.ndim, b._array.ndim):
            raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}")
        of_a, of_b = list(range(-dims, 0)), list(range(dims))
    else:
        of_a, of_b = (list(each) for each in dims)
    if len(of_a) != len(of_b):
        raise RuntimeError("both dimension lists should have same length")
    sizes_a, sizes_b = a._array.shape, b._array.shape
    for dim_a, dim_b in zip(of_a, of_b, strict=True):
        size_a, size_b = (sizes[wrap_dim(dim, len(sizes))] for sizes, dim in ((sizes_a, dim_a), (sizes_b, dim_b)))
        if size_b == 1:  # a length of 1 goes with any other
            a = ops.sum(a, dim_a, True)
        elif size_a == 1:
            b = ops.sum(b, dim_b, True)
        elif size_a != size_b:
            raise RuntimeError(f"contracted dimensions need to match, but first has size {size_a} in dim {dim_a} and "
                               f"second has size {size_b} in dim {dim_b}")
    named, (of_a, of_b) = (of_a, of_b), (wrap_dims(of_a, len(sizes_a)), wrap_dims(of_b, len(sizes_b)))
    rest_a, rest_b = ([dim for dim in range(len(sizes)) if dim not in dims]
                      for sizes, dims in ((sizes_a, of_a), (sizes_b, of_b)))  # fmt: skip
    shape = [*(sizes_a[dim] for dim in rest_a), *(sizes_b[dim] for dim in rest_b)]
    first, second = ops.permute(a, [*rest_a, *named[0]]), ops.permute(b, [*named[1], *rest_b])
    count = joined(first._array.shape, range(len(rest_a), first._array.ndim))
    if joined(shape, range(len(shape))) == 1:
        first, second = (each if each._array.ndim == 1 else ops.reshape(each, (count,)) for each in (first, second))
        return ops.reshape(ops.dot(first, second), shape)
    first = ops.reshape(first, (joined(sizes_a, rest_a), count))
    second = ops.reshape(second, (count, joined(sizes_b, rest_b)))
    return ops.reshape(ops.mm(first, second), shape)


publish_call("tensordot", tensordot, method=False)


@public("inner")
def _inner(self, other):
    """Products summed over the last dimension of both; with a 0-d tensor simply the product.

    RuntimeError when the last dimensions differ.

    >>> import autograd_nb as torch
    >>> torch.inner(torch.tensor([1., 2.]), torch.tensor([3., 4.]))
    tensor(11.)
    """
    a, b = self._array.shape, other._array.shape
    if not a or not b:
        return self * other
    if a[-1] != b[-1]:
        raise RuntimeError(f"inner() the last dimension must match on both input tensors but got shapes {list(a)} and "
                           f"{list(b)}")
    return tensordot(self, other, ([-1], [-1]))


@public("kron")
def _kron(self, other):
    """The Kronecker product: *other* times each element of *self*, put side by side.

    >>> import autograd_nb as torch
    >>> torch.kron(torch.tensor([1., 10.]), torch.tensor([1., 2.]))
    tensor([ 1.,  2., 10., 20.])
    """
    ndim = max(self._array.ndim, other._array.ndim)
    a, b = ((1,) * (ndim - each._array.ndim) + each._array.shape for each in (self, other))
    left = ops.unsafe_view(self, tuple(length for size in a for length in (size, 1)))
    right = ops.unsafe_view(other, tuple(length for size in b for length in (1, size)))
    return ops.unsafe_view(left * right, tuple(m * n for m, n in zip(a, b, strict=True)))
