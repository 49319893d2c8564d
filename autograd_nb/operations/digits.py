"""Functions that look at how numbers are made: of powers of two, of prime factors, of a real part alone.

heaviside, ldexp, frexp, nextafter; gcd and lcm of integers; and what of the complex numbers real ones have.
"""

import math

import numpy as np

from ..engine import dtypes
from ..engine.dispatch import apply, operation
from ..engine.elementwise import unary
from ..engine.formulas import tensor_names
from ..engine.inplace import in_place
from ..engine.table import operations, tensor_argument
from ..engine.tensor import wrap
from .carriers import as_type_of, exp2, where, zeros_like
from .public import chosen, doc, public
from .remainders import no_derivative
from .return_types import return_type

# -- steps and powers of two ---------------------------------------------------------------------------------------


def step(self, values):
    return where(self == 0, values, self > 0).astype(self.dtype)


STEP = dict(promoted=("self", "values"), broadcasts=True, node_name="NotImplemented", method=False, function=False)
operation("heaviside_row", no_forward="aten::heaviside", self=lambda grad: no_derivative("heaviside"),
          values=lambda grad: no_derivative("heaviside"), **STEP)(step)  # fmt: skip
operation("heaviside_over", no_forward="aten::heaviside_", self=lambda grad: no_derivative("heaviside_"),
          values=lambda grad: no_derivative("heaviside_"), **STEP)(step)  # fmt: skip


def of_one_dtype(self, values):
    if tensor_argument(values, "heaviside", "values", 2)._dtype is not self._dtype:
        raise RuntimeError("heaviside is not yet implemented for tensors with different dtypes.")
    return self, values


@public("heaviside")
def heaviside_of(self, values):
    """0 below zero, 1 above it, and at zero the element of *values*.

    RuntimeError for another dtype.  It has no derivative.

    >>> import autograd_nb as torch
    >>> torch.heaviside(torch.tensor([-1., 0., 2.]), torch.tensor(0.5))
    tensor([0.0000, 0.5000, 1.0000])
    """
    return apply(operations["heaviside_row"], of_one_dtype(self, values))


@public("heaviside_", function=False)
def heaviside_in_place(self, values):
    """In-place form of :func:`heaviside`; changes the tensor and returns it."""
    return in_place(operations["heaviside_over"], of_one_dtype(self, values))


@operation("ldexp_row", promoted=("self", "other"), floats=True, broadcasts=True, method=False, function=False,
           node_name="LdexpBackward0", self=lambda grad, other, whole: grad * two_to(other, whole),
           other=lambda grad, result: grad * result * 0.6931471805599453)  # fmt: skip
def ldexp_row(self, other, whole):
    """self * 2**other."""
    return self * exp2(other)


def two_to(other, whole):
    """2**other; PyTorch computes it in whole numbers if the exponents are."""
    return where(other < 0, 0, exp2(other)) if whole else exp2(other)


tensor_names["two_to"] = lambda other, whole: 2**other  # a power in PyTorch's graph


@chosen("ldexp")
def ldexp_of(self, other):
    """self * 2**other for two tensors.

    >>> import autograd_nb as torch
    >>> torch.ldexp(torch.tensor([1., 3.]), torch.tensor([2, -1]))
    tensor([4.0000, 1.5000])
    """
    whole = not tensor_argument(other, "ldexp", "other", 2)._dtype.is_floating_point
    return operations["ldexp_row"], (self, other, whole)


@operation("frexp_row", returns=("mantissa", "exponent"), method=False, function=False, node_name="FrexpBackward0",
           self=lambda grad, exponent: grad[0] / as_type_of(two_to(exponent, False), grad[0]))  # fmt: skip
def frexp_row(self):
    """A number of at least a half and less than one, and the power of two that it is to be multiplied by."""
    if self.dtype.kind != "f":
        raise RuntimeError("torch.frexp() only supports floating-point dtypes")
    return np.frexp(self)


@public("frexp")
def frexp_of(self):
    """The mantissa (0.5 <= |mantissa| < 1) and the int32 exponent of each element: mantissa * 2**exponent.

    >>> import autograd_nb as torch
    >>> torch.frexp(torch.tensor([3., 0.25])).exponent
    tensor([ 2, -1], dtype=torch.int32)
    """
    return return_type("frexp", "mantissa", "exponent")(apply(operations["frexp_row"], (self,)))


@operation("nextafter_row", promoted=("self", "other"), broadcasts=True, method=False, function=False,
           node_name="NextafterBackward0",
           self=lambda grad, self, other: where(self == other, 0, grad),
           other=lambda grad: zeros_like(grad))  # fmt: skip
def nextafter_row(self, other):
    """The next number from *self* towards *other*."""
    if self.dtype.kind != "f":
        raise NotImplementedError(f"\"nextafter_cpu\" not implemented for '{dtypes.of_array(self).legacy_name}'")
    return np.nextafter(self, other)


@chosen("nextafter")
def nextafter_of(self, other):
    """The next floating-point number after each element, towards *other*.

    >>> import autograd_nb as torch
    >>> torch.nextafter(torch.tensor([1.]), torch.tensor([2.])) > 1
    tensor([True])
    """
    return operations["nextafter_row"], (self, tensor_argument(other, "nextafter", "other", 2))


# -- factors -------------------------------------------------------------------------------------------------------


def publish_factors(name, act, words, shows):
    @operation(name + "_row", promoted=("self", "other"), method=False, function=False, element_wise=True)
    def row(self, other):
        if self.dtype.kind not in "iu":
            raise NotImplementedError(f"\"{name}_cpu\" not implemented for '{dtypes.of_array(self).legacy_name}'")
        return act(self, other)

    def choose(self, other):
        return operations[name + "_row"], (self, tensor_argument(other, name, "other", 2))

    choose.__doc__ = doc(f"The {words} of integers.", f"torch.{name}(torch.tensor([4, 6]), torch.tensor(10))",
                         f"tensor({shows})")  # fmt: skip
    chosen(name)(choose)


publish_factors("gcd", np.gcd, "greatest common divisor", "[2, 2]")
publish_factors("lcm", np.lcm, "least common multiple", "[20, 30]")

# -- the real numbers among the complex ones -----------------------------------------------------------------------


unary("angle", lambda self: where(np.isnan(self), self, where(self < 0, self.dtype.type(math.pi), self.dtype.type(0))),
      lambda grad, self: zeros_like(grad), floats=True,
      text=doc("The angle of each element as a complex number: 0, or pi for negative ones.",
               "torch.angle(torch.tensor([-1., 2.]))", "tensor([3.1416, 0.0000])"))  # fmt: skip


def same(name, words):
    def call(self):
        return self

    call.__doc__ = f"{words}; for a real tensor itself."
    public(name)(call)


same("conj", "The conjugate of each element")
same("conj_physical", "The conjugate of each element, as elements of memory")
same("resolve_conj", "The tensor with conjugates written into memory")
same("resolve_neg", "The tensor with signs written into memory")


@public("is_conj")
def is_conj(self):
    """Whether the tensor is the conjugate of what is in memory: never for real ones."""
    return False


@public("is_neg")
def is_neg(self):
    """Whether the tensor is the negative of what is in memory: never for real ones."""
    return False


@public("isreal")
def isreal(self):
    """Where elements are real: everywhere, as nothing here is complex.

    >>> import autograd_nb as torch
    >>> torch.isreal(torch.tensor([1., 2.]))
    tensor([True, True])
    """
    return wrap(np.ones(self._array.shape, bool)[()], dtypes.bool)
