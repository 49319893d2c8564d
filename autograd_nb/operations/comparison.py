"""Comparisons and logic: results are bool and carry no gradient."""

import operator

import numpy as np

from ..engine import dtypes
from ..engine.dispatch import apply, operation
from ..engine.elementwise import binary, unary
from ..engine.inplace import in_place, publish_in_place
from ..engine.table import operand, operations
from ..engine.tensor import Tensor
from .axes import axes_of, check_dim
from .carriers import zeros_like
from .checks import broadcast_shape
from .public import alias, doc, public, require_tensor

# -- comparison ----------------------------------------------------------------------------------------------------

COMPARISONS = (
    ("eq", operator.eq, "equal to", "[False,  True, False]"),
    ("ne", operator.ne, "different from", "[ True, False,  True]"),
    ("lt", operator.lt, "less than", "[ True, False, False]"),
    ("le", operator.le, "at most", "[ True,  True, False]"),
    ("gt", operator.gt, "greater than", "[False, False,  True]"),
    ("ge", operator.ge, "at least", "[False,  True,  True]"),
)

for name, compare, words, shows in COMPARISONS:
    binary(name, compare, text=doc(f"Where *self* is {words} *other*, a tensor or a number, as bool.",
                                   f"torch.{name}(torch.tensor([1., 2., 3.]), 2)", f"tensor({shows})"))  # fmt: skip


def of_two(compare):
    def forward(self, other):
        return compare(self, other)

    return forward


def publish_comparison_in_place(name, compare):
    """Add NAME_, which writes 0 and 1 into the tensor and has a node of its own, through which no gradient comes."""
    options = dict(promoted=("self", "other"), method=False, function=False)
    operation(f"{name}_number", tensors=("self",), node_name=f"{name.capitalize()}Backward0", **options,
              self=lambda grad: zeros_like(grad))(of_two(compare))  # fmt: skip
    operation(f"{name}_tensor", broadcasts=True, node_name=f"{name.capitalize()}Backward1", **options,
              self=lambda grad: zeros_like(grad), other=lambda grad: zeros_like(grad))(of_two(compare))  # fmt: skip

    def call(self, other):
        row = operations[f"{name}_tensor" if isinstance(other, Tensor) else f"{name}_number"]
        return in_place(row, (self, operand(other, name + "_")))

    call.__doc__ = f"In-place form of :func:`{name}`; changes the tensor and returns it."
    public(name + "_", function=False)(call)


for name, compare, *_ in COMPARISONS:
    publish_comparison_in_place(name, compare)
for name, of in (("not_equal", "ne"), ("less", "lt"), ("less_equal", "le"), ("greater", "gt"), ("greater_equal", "ge")):
    alias(name, of)


unary("isnan", np.isnan, text=doc("Where elements are not a number.", "torch.isnan(torch.tensor([1., float('nan')]))",
                                  "tensor([False,  True])"))  # fmt: skip
unary("isinf", np.isinf, text=doc("Where elements are infinite.", "torch.isinf(torch.tensor([1., -float('inf')]))",
                                  "tensor([False,  True])"))  # fmt: skip
unary("isfinite", np.isfinite, text=doc("Where elements are finite numbers.",
                                        "torch.isfinite(torch.tensor([1., float('nan')]))",
                                        "tensor([ True, False])"))  # fmt: skip
unary("isposinf", np.isposinf, text=doc("Where elements are +inf.", "torch.isposinf(torch.tensor([1., float('inf')]))",
                                        "tensor([False,  True])"))  # fmt: skip
unary("isneginf", np.isneginf, text=doc("Where elements are -inf.", "torch.isneginf(torch.tensor([1., -float('inf')]))",
                                        "tensor([False,  True])"))  # fmt: skip
unary("signbit", lambda self: np.signbit(self) if self.dtype.kind == "f" else self < 0,
      text=doc("Where elements have a minus sign.", "torch.signbit(torch.tensor([1., -0.]))",
               "tensor([False,  True])"))  # fmt: skip


def require_same_dtype(self, other):
    if self._dtype is not other._dtype:
        raise RuntimeError(f"{self._dtype.legacy_name} did not match {other._dtype.legacy_name}")


@operation("isclose_row", tensors=("self", "other"), method=False, function=False)
def isclose_row(self, other, rtol, atol, equal_nan):
    """Where elements are equal up to tolerances."""
    same = self == other
    if equal_nan and self.dtype.kind == "f":
        same = same | np.isnan(self) & np.isnan(other)
    wide = self.astype(np.float64, copy=False) - other
    return same | np.isfinite(wide) & (np.abs(wide) <= atol + np.abs(rtol * other))


@public("isclose")
def isclose_of(self, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Where ``|self - other| <= atol + rtol * |other|``.

    RuntimeError for different dtypes or negative tolerances.

    >>> import autograd_nb as torch
    >>> torch.isclose(torch.tensor([1., 2.]), torch.tensor([1. + 1e-7, 2.1]))
    tensor([ True, False])
    """
    require_same_dtype(self, other)
    broadcast_shape(self._array.shape, other._array.shape)
    for name, tolerance in (("rtol", rtol), ("atol", atol)):
        if tolerance < 0:
            raise RuntimeError(f"{name} must be greater than or equal to zero, but got {tolerance:g}")
    return apply(operations["isclose_row"], (self, other, rtol, atol, equal_nan))


@public("allclose")
def allclose_of(self, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether :func:`isclose` holds for all elements, as a Python bool.

    >>> import autograd_nb as torch
    >>> torch.allclose(torch.tensor([1., 2.]), torch.tensor([1. + 1e-7, 2.]))
    True
    """
    return bool(np.all(isclose_of(self, other, rtol, atol, equal_nan)._array))


@public("equal")
def equal_of(self, other):
    """Whether both tensors have the same shape and the same elements, as a Python bool.

    >>> import autograd_nb as torch
    >>> torch.equal(torch.tensor([1., 2.]), torch.tensor([1., 2.]))
    True
    """
    if not isinstance(other, Tensor):
        raise TypeError(f"equal(): argument 'other' (position 2) must be Tensor, not {type(other).__name__}")
    return np.array_equal(self._array, other._array)


# -- logic ---------------------------------------------------------------------------------------------------------

for name, logic, words, shows in (
    ("logical_and", np.logical_and, "both are not zero", "[False, False,  True]"),
    ("logical_or", np.logical_or, "one or both are not zero", "[False,  True,  True]"),
    ("logical_xor", np.logical_xor, "one but not both are not zero", "[False,  True, False]"),
):
    binary(name, logic, text=doc(f"Where {words}, as bool.",
                                 f"torch.{name}(torch.tensor([0, 0, 1]), torch.tensor([0, 1, 1]))",
                                 f"tensor({shows})"))  # fmt: skip
for name in ("logical_and", "logical_or", "logical_xor"):
    require_tensor(name)
unary("logical_not", np.logical_not, text=doc("Where elements are zero, as bool.",
                                              "torch.logical_not(torch.tensor([0, 3]))",
                                              "tensor([ True, False])"))  # fmt: skip


def of_integers(name, act):
    """The forward of a bitwise operation: NotImplementedError for floating point."""

    def forward(self, other):
        if self.dtype.kind == "f":
            raise NotImplementedError(f"\"{name}_cpu\" not implemented for '{dtypes.of_array(self).legacy_name}'")
        return act(self, other)

    return forward


for name, act, words, example, shows in (
    ("bitwise_and", operator.and_, "and", 6, 2), ("bitwise_or", operator.or_, "or", 6, 7),
    ("bitwise_xor", operator.xor, "exclusive or", 6, 5), ("bitwise_left_shift", operator.lshift, "left shift", 3, 24),
    ("bitwise_right_shift", operator.rshift, "right shift", 3, 0),
):  # fmt: skip
    kernel = {"bitwise_left_shift": "lshift", "bitwise_right_shift": "rshift"}.get(name, name)
    binary(name, of_integers(kernel, act),
           text=doc(f"The bitwise {words} of integers or bools.",
                    f"torch.{name}(torch.tensor(3), torch.tensor({example}))", f"tensor({shows})"))  # fmt: skip


def invert(self):
    if self.dtype.kind == "f":
        raise TypeError("~ (operator.invert) is only implemented on integer and Boolean-type tensors")
    return ~self


unary("bitwise_not", invert, text=doc("The bitwise not of integers or bools.",
                                      "torch.bitwise_not(torch.tensor([True]))",
                                      "tensor([False])"))  # fmt: skip
for name in ("logical_and", "logical_or", "logical_xor", "logical_not", "bitwise_and", "bitwise_or", "bitwise_xor",
             "bitwise_not", "bitwise_left_shift", "bitwise_right_shift"):  # fmt: skip
    publish_in_place(name)

# -- any, all, count_nonzero ---------------------------------------------------------------------------------------


@operation("any_row", method=False, function=False)
def any_row(self, dim, keepdim):
    """Whether some elements are not zero."""
    return in_truth_dtype(np.any(self, axis=axes_of(dim, self.ndim), keepdims=keepdim), self)


@operation("all_row", method=False, function=False)
def all_row(self, dim, keepdim):
    """Whether no element is zero."""
    return in_truth_dtype(np.all(self, axis=axes_of(dim, self.ndim), keepdims=keepdim), self)


def in_truth_dtype(truth, self):
    """bool, but uint8 for uint8 tensors, which served as bools once."""
    return truth.astype(np.uint8) if self.dtype == np.uint8 else truth


def publish_quantifier(name, words, shows):
    def call(self, dim=None, keepdim=False):
        if dim is not None:
            check_dim(dim, name)
            axes_of(dim, self._array.ndim)
        return apply(operations[name + "_row"], (self, dim, keepdim))

    call.__doc__ = (
        f"Whether {words}, in the whole tensor or along *dim* (an int or several).\n\n"
        f">>> import autograd_nb as torch\n>>> torch.{name}(torch.tensor([0., 1.]))\n{shows}\n"
    )
    public(name)(call)


publish_quantifier("any", "some elements are not zero", "tensor(True)")
publish_quantifier("all", "no element is zero", "tensor(False)")


@operation("count_nonzero_row", method=False, function=False)
def count_nonzero_row(self, dim):
    """How many elements are not zero."""
    return np.add.reduce(self != 0, axis=axes_of(dim, self.ndim), dtype=np.int64)


@public("count_nonzero")
def count_nonzero_of(self, dim=None):
    """How many elements are not zero, in the whole tensor or along *dim* (an int or several).

    >>> import autograd_nb as torch
    >>> torch.count_nonzero(torch.tensor([0., 1., 2.]))
    tensor(2)
    """
    if dim is not None:
        check_dim(dim, "count_nonzero")
        axes_of(dim, self._array.ndim)
    return apply(operations["count_nonzero_row"], (self, dim))
