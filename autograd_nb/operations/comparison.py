"""Comparisons and logic: results are bool and carry no gradient."""

import operator

import numpy as np

from ..engine.table import ops
from .array_functions import axes_of
from .checks import dtype_name
from .rows import binary, function, operation, unary

# -- comparison ----------------------------------------------------------------------------------------------------


for name, words, shows in (
    ("eq", "equal to", "[False,  True, False]"), ("ne", "different from", "[ True, False,  True]"),
    ("lt", "less than", "[ True, False, False]"), ("le", "at most", "[ True,  True, False]"),
    ("gt", "greater than", "[False, False,  True]"), ("ge", "at least", "[False,  True,  True]"),
):  # fmt: skip
    binary(name, getattr(operator, name),
           text=f"Whether each element of *self* is {words} *other*, a tensor or a number.",
           example=(f"torch.{name}(torch.tensor([1., 2., 3.]), 2)", f"tensor({shows})"))  # fmt: skip


for name, test, words in (("isnan", np.isnan, "is not a number"), ("isinf", np.isinf, "is infinite"),
                          ("isfinite", np.isfinite, "is a finite number")):  # fmt: skip
    unary(name, test, line=f"Whether each element {words}.", floats=False, in_place=False)


@operation(tensors=("self", "other"))
def isclose(self, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether ``|self - other| <= atol + rtol * |other|``, element by element.  RuntimeError for different dtypes.

    >>> import autograd_nb as torch
    >>> torch.isclose(torch.tensor([1., 2.]), torch.tensor([1. + 1e-7, 2.1]))
    tensor([ True, False])
    """
    if self.dtype != other.dtype:
        raise RuntimeError(f"{dtype_name(self)} did not match {dtype_name(other)}")
    return np.isclose(self, other, rtol, atol, equal_nan)


@function
def allclose(self, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether :func:`isclose` holds for all elements, as a Python bool.

    >>> import autograd_nb as torch
    >>> torch.allclose(torch.tensor([1., 2.]), torch.tensor([1. + 1e-7, 2.]))
    True
    """
    return bool(np.all(ops.isclose(self, other, rtol, atol, equal_nan)._array))


@function
def equal(self, other):
    """Whether both tensors have the same shape and the same elements, as a Python bool.

    >>> import autograd_nb as torch
    >>> torch.equal(torch.tensor([1., 2.]), torch.tensor([1., 2.]))
    True
    """
    return np.array_equal(self._array, other._array)


# -- logic ---------------------------------------------------------------------------------------------------------


def of_whole_numbers(name, compute):
    """A function of the bits of integers and bools, which refuses floats."""

    def forward(*operands):
        if operands[0].dtype.kind == "f":
            raise NotImplementedError(f"\"{name}\" not implemented for '{dtype_name(operands[0])}'")
        return compute(*operands)

    return forward


for name, logic, bits, words in (("and", np.logical_and, operator.and_, "both are not zero"),
                                 ("or", np.logical_or, operator.or_, "one or both are not zero"),
                                 ("xor", np.logical_xor, operator.xor, "one but not both are not zero")):  # fmt: skip
    binary(f"logical_{name}", logic, numbers=0, in_place=True, text=f"Whether {words}, element by element.")
    binary(f"bitwise_{name}", of_whole_numbers(f"bitwise_{name}_cpu", bits), in_place=True,
           text=f"The bitwise {name} of integers or bools, such as masks.")
unary("logical_not", np.logical_not, line="Whether each element is zero.", floats=False)
unary("bitwise_not", of_whole_numbers("bitwise_not_cpu", operator.invert), floats=False,
      line="The bitwise not of integers or bools, such as masks.")

# -- any and all ---------------------------------------------------------------------------------------------------


def quantified(quantify, self, dim, keepdim):
    axes = () if isinstance(dim, tuple | list) and not dim else axes_of(dim, self.ndim)
    found = quantify(self, axis=axes, keepdims=keepdim)
    return found.astype(np.uint8) if self.dtype == np.uint8 else found  # as in PyTorch, for old masks


@operation()
def any(self, dim=None, keepdim=False):
    """Whether some elements are not zero, in the whole tensor or along *dim* (an int or several).

    >>> import autograd_nb as torch
    >>> torch.any(torch.tensor([0., 1.]))
    tensor(True)
    """
    return quantified(np.any, self, dim, keepdim)


@operation()
def all(self, dim=None, keepdim=False):
    """Whether no element is zero, in the whole tensor or along *dim* (an int or several).

    >>> import autograd_nb as torch
    >>> torch.all(torch.tensor([0., 1.]))
    tensor(False)
    """
    return quantified(np.all, self, dim, keepdim)
