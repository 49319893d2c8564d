"""Comparisons and logic: results are bool and carry no gradient."""

import operator

import numpy as np

from ..engine.call import apply
from ..engine.inplace import in_place
from ..engine.table import operations
from ..engine.tensor import Tensor
from .carriers import axes_of, zeros_like
from .checks import dtype_name
from .public import alias, doc, in_place_form, public, require_tensor, row
from .publishing import operand, tensor_argument
from .rows import binary, publish_in_place, unary

# -- comparison ----------------------------------------------------------------------------------------------------


def publish_comparison(name, compare, words, shows):
    """Add NAME, and NAME_, which writes 0 and 1 into the tensor; its node passes on a gradient of zeros."""
    binary(name, compare, text=doc(f"Whether each element of *self* is {words} *other*, a tensor or a number.",
                                   f"torch.{name}(torch.tensor([1., 2., 3.]), 2)", f"tensor({shows})"))  # fmt: skip

    def forward(self, other):
        return compare(self, other).astype(self.dtype)

    def none(grad):
        return zeros_like(grad)

    pair, node = ("self", "other"), f"{name.capitalize()}Backward"
    row(name + "_number", promoted=pair, tensors=("self",), node_name=node + "0", self=none)(forward)
    row(name + "_tensor", promoted=pair, broadcasts=True, node_name=node + "1", self=none, other=none)(forward)

    @in_place_form(name, in_place)
    def values(self, other):
        kind = "tensor" if isinstance(other, Tensor) else "number"
        return operations[f"{name}_{kind}"], (self, operand(other, name + "_"))


publish_comparison("eq", operator.eq, "equal to", "[False,  True, False]")
publish_comparison("ne", operator.ne, "different from", "[ True, False,  True]")
publish_comparison("lt", operator.lt, "less than", "[ True, False, False]")
publish_comparison("le", operator.le, "at most", "[ True,  True, False]")
publish_comparison("gt", operator.gt, "greater than", "[False, False,  True]")
publish_comparison("ge", operator.ge, "at least", "[False,  True,  True]")
for name, of in (("not_equal", "ne"), ("less", "lt"), ("less_equal", "le"), ("greater", "gt"), ("greater_equal", "ge")):
    alias(name, of)
for name, test, words in (("isnan", np.isnan, "is not a number"), ("isinf", np.isinf, "is infinite"),
                          ("isfinite", np.isfinite, "is a finite number")):  # fmt: skip
    unary(name, test, text=f"Whether each element {words}.")


@row("isclose_row", tensors=("self", "other"))
def isclose_row(self, other, rtol, atol, equal_nan):
    return np.isclose(self, other, rtol, atol, equal_nan)


@public("isclose",
        example=("torch.isclose(torch.tensor([1., 2.]), torch.tensor([1. + 1e-7, 2.1]))", "tensor([ True, False])"))
def isclose_of(self, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether ``|self - other| <= atol + rtol * |other|``, element by element.  RuntimeError for different dtypes."""
    tensor_argument(other, "isclose", "other", 2)
    if self._dtype is not other._dtype:
        raise RuntimeError(f"{self._dtype.legacy_name} did not match {other._dtype.legacy_name}")
    return apply(operations["isclose_row"], (self, other, rtol, atol, equal_nan))


@public("allclose", example=("torch.allclose(torch.tensor([1., 2.]), torch.tensor([1. + 1e-7, 2.]))", "True"))
def allclose_of(self, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether :func:`isclose` holds for all elements, as a Python bool."""
    return bool(np.all(isclose_of(self, other, rtol, atol, equal_nan)._array))


@public("equal", example=("torch.equal(torch.tensor([1., 2.]), torch.tensor([1., 2.]))", "True"))
def equal_of(self, other):
    """Whether both tensors have the same shape and the same elements, as a Python bool."""
    return np.array_equal(self._array, tensor_argument(other, "equal", "other", 2)._array)


# -- logic ---------------------------------------------------------------------------------------------------------


def of_whole_numbers(name, function):
    """A function of bits, which floats do not have."""

    def forward(*operands):
        if operands[0].dtype.kind == "f":
            raise NotImplementedError(f"\"{name}\" not implemented for '{dtype_name(operands[0])}'")
        return function(*operands)

    return forward


for name, logic, bits, words in (("and", np.logical_and, operator.and_, "both are not zero"),
                                 ("or", np.logical_or, operator.or_, "one or both are not zero"),
                                 ("xor", np.logical_xor, operator.xor, "one but not both are not zero")):  # fmt: skip
    binary(f"logical_{name}", logic, text=f"Whether {words}, element by element.")
    require_tensor(f"logical_{name}")
    binary(f"bitwise_{name}", of_whole_numbers(f"bitwise_{name}_cpu", bits),
           text=f"The bitwise {name} of integers or bools, such as masks.")
unary("logical_not", np.logical_not, text="Whether each element is zero.")
unary("bitwise_not", of_whole_numbers("bitwise_not_cpu", operator.invert),
      text="The bitwise not of integers or bools, such as masks.")
for name in ("and", "or", "xor", "not"):
    publish_in_place(f"logical_{name}")
    publish_in_place(f"bitwise_{name}")

# -- any and all ---------------------------------------------------------------------------------------------------


def publish_quantifier(name, function, words, shows):
    def values(self, dim=None, keepdim=False):
        return operations[name + "_row"], (self, dim, keepdim)

    @row(name + "_row")
    def forward(self, dim, keepdim):
        found = function(self, axis=axes_of(dim, self.ndim), keepdims=keepdim)
        return found.astype(np.uint8) if self.dtype == np.uint8 else found  # as PyTorch, for the masks of long ago

    public(name, run=apply, text=doc(f"Whether {words}, in the whole tensor or along *dim* (an int or several).",
                                     f"torch.{name}(torch.tensor([0., 1.]))", shows))(values)  # fmt: skip


publish_quantifier("any", np.any, "some elements are not zero", "tensor(True)")
publish_quantifier("all", np.all, "no element is zero", "tensor(False)")
