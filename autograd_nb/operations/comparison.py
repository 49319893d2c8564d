"""Comparisons and logic: results are bool and carry no gradient."""

import operator

import numpy as np

from .array_functions import axes_of
from .checks import dtype_name
from .publishing import tensor_argument
from .rows import binary, function, row, run_row, unary

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


@row("isclose", tensors=("self", "other"))
def close(self, other, rtol, atol, equal_nan):
    return np.isclose(self, other, rtol, atol, equal_nan)


@function
def isclose(self, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether ``|self - other| <= atol + rtol * |other|``, element by element.  RuntimeError for different dtypes.

    >>> import autograd_nb as torch
    >>> torch.isclose(torch.tensor([1., 2.]), torch.tensor([1. + 1e-7, 2.1]))
    tensor([ True, False])
    """
    tensor_argument(other, "isclose", "other", 2)
    if self._dtype is not other._dtype:
        raise RuntimeError(f"{self._dtype.legacy_name} did not match {other._dtype.legacy_name}")
    return run_row("isclose", self, other, rtol, atol, equal_nan)


@function
def allclose(self, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether :func:`isclose` holds for all elements, as a Python bool.

    >>> import autograd_nb as torch
    >>> torch.allclose(torch.tensor([1., 2.]), torch.tensor([1. + 1e-7, 2.]))
    True
    """
    return bool(np.all(isclose(self, other, rtol, atol, equal_nan)._array))


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


def add_quantifier(name, quantify):
    @row(name)
    def forward(self, dim, keepdim):
        axes = () if isinstance(dim, tuple | list) and not dim else axes_of(dim, self.ndim)
        found = quantify(self, axis=axes, keepdims=keepdim)
        return found.astype(np.uint8) if self.dtype == np.uint8 else found  # as in PyTorch, for old masks


add_quantifier("any", np.any)
add_quantifier("all", np.all)


@function
def any(self, dim=None, keepdim=False):
    """Whether some elements are not zero, in the whole tensor or along *dim* (an int or several).

    >>> import autograd_nb as torch
    >>> torch.any(torch.tensor([0., 1.]))
    tensor(True)
    """
    return run_row("any", self, dim, keepdim)


@function
def all(self, dim=None, keepdim=False):
    """Whether no element is zero, in the whole tensor or along *dim* (an int or several).

    >>> import autograd_nb as torch
    >>> torch.all(torch.tensor([0., 1.]))
    tensor(False)
    """
    return run_row("all", self, dim, keepdim)
