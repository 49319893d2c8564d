"""Powers in their three forms, the roots and reciprocals they include, exponentials and logarithms."""

import operator

import numpy as np

from ..engine import dispatch, dtypes
from ..engine.dispatch import apply, operation
from ..engine.elementwise import unary
from ..engine.formulas import tensor_names
from ..engine.inplace import in_place, publish_in_place
from ..engine.modes import state
from ..engine.plain import short_way
from ..engine.table import operations, operators, ops
from ..engine.tensor import Tensor
from .carriers import exp, log, log_of, rsqrt, sqrt, where, zeros_like
from .public import doc, operator_form, public

# -- pow: which operand is a number decides the node ---------------------------------------------------------------

SPECIAL_POWERS = {  # computed as PyTorch computes them
    1: operator.pos, 2: lambda self: self * self, 3: lambda self: self * self * self, 0.5: np.sqrt, -0.5: rsqrt,
    -1: lambda self: 1 / self, -2: lambda self: 1 / (self * self),
}  # fmt: skip


def raised(self, exponent):
    return self if exponent == 1 else pow(self, exponent)


@operation("pow_number", promoted=("self", "exponent"), method=False, function=False, node_name="PowBackward0",
           self=lambda grad, self, exponent:
           grad * (exponent * raised(self, exponent - 1)) if exponent else zeros_like(self))  # fmt: skip
def pow(self, exponent):
    """A tensor to the power of a number."""
    special = SPECIAL_POWERS.get(exponent)
    return self**exponent if special is None else special(self)


@operation("pow_tensor", promoted=("self", "exponent"), broadcasts=True, method=False, function=False,
           node_name="PowBackward1",
           self=lambda grad, self, exponent: where(exponent == 0, 0, grad * (exponent * self ** (exponent - 1))),
           exponent=lambda grad, self, exponent, result:
           grad * where((self == 0) & (exponent >= 0), 0, result * log(self)))  # fmt: skip
def pow_tensor(self, exponent):
    """A tensor to the power of a tensor."""
    if self.dtype.kind == "f":
        return np.power(self, exponent)
    if self.dtype == bool:
        raise NotImplementedError("\"pow\" not implemented for 'Bool'")
    rounded = np.where(self == 1, 1, np.where(self == -1, 1 - 2 * (exponent % 2), 0))  # of a negative power
    return np.where(exponent < 0, rounded, self ** np.maximum(exponent, 0)).astype(self.dtype)


@operation("pow_base", promoted=("self", "exponent"), tensors=("exponent",), method=False, function=False,
           node_name="PowBackward2",
           exponent=lambda grad, self, exponent, result:
           grad * (result * log_of(self)) if self
           else grad * where(exponent >= 0, 0, result * log_of(self)))  # fmt: skip
def pow_base(self, exponent):
    """A number to the power of a tensor."""
    return pow_tensor(self, exponent) if exponent.dtype.kind != "f" else np.power(self, exponent)


tensor_names["raised"] = ops.pow_number
pow_number_row, pow_tensor_row, pow_base_row = (operations["pow_" + each] for each in ("number", "tensor", "base"))


def power_row(self, exponent):
    """The row for these operands; RuntimeError for an integer tensor to a negative whole power."""
    if isinstance(exponent, Tensor):
        return pow_tensor_row
    if exponent.__class__ is int and exponent < 0 and not self._dtype.is_floating_point:
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    return pow_number_row


POWER_ARGUMENTS = (
    "pow() received an invalid combination of arguments - got ({}, {}), but expected one of:\n"
    " * (Tensor input, Tensor exponent, *, Tensor out = None)\n"
    " * (Number self, Tensor exponent, *, Tensor out = None)\n"
    " * (Tensor input, Number exponent, *, Tensor out = None)\n"
)


def invalid_power(self, exponent):
    return TypeError(POWER_ARGUMENTS.format(type(self).__name__, type(exponent).__name__))


@public("pow", numbers=True)
def power_of(self, exponent):
    """*self* to the power *exponent*, element by element; one of the two may be a Python number.

    RuntimeError for an integer tensor and a negative whole number.

    >>> import autograd_nb as torch
    >>> torch.pow(torch.tensor([1., 2., 3.]), 2)
    tensor([1., 4., 9.])
    """
    if isinstance(self, Tensor):
        if isinstance(exponent, (Tensor, *dtypes.PYTHON_NUMBERS)):
            return apply(power_row(self, exponent), (self, exponent))
    elif isinstance(self, dtypes.PYTHON_NUMBERS) and isinstance(exponent, Tensor):
        return apply(pow_base_row, (self, exponent))
    raise invalid_power(self, exponent)


@operator_form("pow")
def general_power(self, exponent):
    return apply(power_row(self, exponent), (self, exponent))


def power_operator(self, exponent):
    if (exponent.__class__ is int or exponent.__class__ is float) and self._dtype.is_floating_point:
        run, recording, special = state.hot
        if special or dispatch.tell is not None:
            return apply(pow_number_row, (self, exponent))
        return plain_power((self, exponent), run, recording)  # of x**3 nothing is left to choose or check
    return operator_for_any(self, exponent)


plain_power = short_way(pow_number_row)
operator_for_any = operators["pow"]
operators["pow"] = power_operator


@operator_form("rpow")
def reflected_power(self, base):
    return apply(pow_base_row, (base, self))


@public("pow_", function=False)
def power_in_place(self, exponent):
    """In-place form of :func:`pow`; changes the tensor and returns it."""
    return in_place(power_row(self, exponent), (self, exponent))


@public("square")
def square_of(self):
    """The square of each element, which is ``self ** 2``.

    >>> import autograd_nb as torch
    >>> torch.square(torch.tensor([1., -2.]))
    tensor([1., 4.])
    """
    return apply(power_row(self, 2), (self, 2))


@public("square_", function=False)
def square_in_place(self):
    """In-place form of :func:`square`; changes the tensor and returns it."""
    return in_place(pow_number_row, (self, 2))


# -- roots and reciprocals -----------------------------------------------------------------------------------------

unary("sqrt", sqrt, lambda grad, result: grad / (2 * result), floats=True,
      text=doc("The square root of each element; nan for negative ones.",
               "torch.sqrt(torch.tensor([4., 2.]))", "tensor([2.0000, 1.4142])"))  # fmt: skip
unary("rsqrt", rsqrt, lambda grad, result: -0.5 * grad * result**3, floats=True,
      text=doc("One over the square root of each element.",
               "torch.rsqrt(torch.tensor([4., 0.25]))", "tensor([0.5000, 2.0000])"))  # fmt: skip
unary("reciprocal", lambda self: 1 / self, lambda grad, result: -grad * (result * result), floats=True,
      text=doc("One over each element.", "torch.reciprocal(torch.tensor([4., 0.]))",
               "tensor([0.2500,    inf])"))  # fmt: skip

# -- exponentials and logarithms -----------------------------------------------------------------------------------

unary("exp", exp, lambda grad, result: grad * result, floats=True,
      text=doc("e to the power of each element.", "torch.exp(torch.tensor([0., 1.]))",
               "tensor([1.0000, 2.7183])"))  # fmt: skip
unary("exp2", np.exp2, lambda grad, result: grad * result * 0.6931471805599453, floats=True,
      text=doc("2 to the power of each element.", "torch.exp2(torch.tensor([0., 3.]))", "tensor([1., 8.])"))
unary("expm1", np.expm1, lambda grad, result: grad * (result + 1), floats=True,
      text=doc("exp(self) - 1, exact for small elements too.", "torch.expm1(torch.tensor([0., 1.]))",
               "tensor([0.0000, 1.7183])"))  # fmt: skip
def precise_log(self):
    """The logarithm; of float32 by way of float64, as PyTorch's is all but correctly rounded and NumPy's is not."""
    if self.dtype != np.float32 or self.size > 65536:
        return log(self)
    return log(self, dtype=np.float64).astype(np.float32)


unary("log", precise_log, lambda grad, self: grad / self, floats=True,
      text=doc("The natural logarithm of each element.", "torch.log(torch.tensor([1., 2.]))",
               "tensor([0.0000, 0.6931])"))  # fmt: skip
unary("log1p", np.log1p, lambda grad, self: grad / (self + 1), floats=True, node_name="Log1PBackward0",
      text=doc("log(1 + self), exact for small elements too.", "torch.log1p(torch.tensor([0., 1.]))",
               "tensor([0.0000, 0.6931])"))  # fmt: skip
unary("log2", np.log2, lambda grad, self: grad / (self * 0.6931471805599453), floats=True,
      text=doc("The logarithm to base 2 of each element.", "torch.log2(torch.tensor([1., 8.]))", "tensor([0., 3.])"))
unary("log10", lambda self: np.log10(self, dtype=np.float64).astype(self.dtype),
      lambda grad, self: grad / (self * 2.3025850929940456),
      floats=True,  # NumPy's float32 logarithm to base 10 is not exact at powers of 10
      text=doc("The logarithm to base 10 of each element.", "torch.log10(torch.tensor([1., 1000.]))",
               "tensor([0., 3.])"))  # fmt: skip


for name in ("exp", "exp2", "log", "log1p", "log2", "log10", "expm1", "sqrt", "rsqrt", "reciprocal"):
    publish_in_place(name)
