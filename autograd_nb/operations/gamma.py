"""The logarithm of the gamma function and its derivatives: lgamma, digamma, polygamma, mvlgamma.

All are computed in double precision: elements are moved by the recurrence to where the asymptotic series (Abramowitz
and Stegun 6.3.18, 6.4.12 and 23.2.23) has converged, small ones first by the reflection formula.
"""

import math

import numpy as np

from ..engine.dispatch import apply, operation
from ..engine.elementwise import unary
from ..engine.formulas import tensor_names
from ..engine.inplace import in_place, publish_in_place
from ..engine.table import operations, publish_call, tensor_argument
from ..engine.tensor import wrap
from .axes import sum
from .carriers import elementwise
from .public import doc, public

# B(2k): the Bernoulli numbers of the series
BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798, -174611 / 330,
             854513 / 138, -236364091 / 2730)  # fmt: skip


def log_gamma(x):
    """log |gamma(x)|, infinite at 0 and the negative integers."""
    if math.isinf(x) or x <= 0 and x == math.floor(x):
        return math.inf
    return math.lgamma(x)


def digamma_of(x):
    """The derivative of :func:`log_gamma`."""
    if x == 0:
        return -math.copysign(math.inf, x)
    if x < 0:
        if math.isinf(x) or x == math.floor(x):
            return math.nan
        return digamma_of(1 - x) - math.pi / math.tan(math.pi * math.modf(x)[0])
    moved = 0.0
    while x < 10:
        moved -= 1 / x
        x += 1
    if x == math.inf:
        return x
    series, square = 0.0, 1 / (x * x)
    for k in range(7, 0, -1):
        series = (series + BERNOULLI[k - 1] / (2 * k)) * square
    return moved + math.log(x) - 0.5 / x - series


def trigamma_of(x, working=np.float64):
    """The derivative of :func:`digamma_of`, with the four terms that PyTorch takes of the series.

    How large it is at a pole, where a sine is almost zero, depends on the precision, *working*.
    """
    total, sign = 0.0, 1
    if x < 0.5:
        sine = float(np.sin(working(math.pi) * working(x))) if math.isfinite(x) else math.nan
        total, sign = (-math.pi * math.pi / (sine * sine) if sine else -math.inf), -1
        x = 1 - x
    for _ in range(6):
        total += 1 / (x * x)
        x += 1
    square = 1 / (x * x)
    return sign * (total + (1 + 1 / (2 * x) + square * (1 / 6 - square * (1 / 30 - square / 42))) / x)


def hurwitz_zeta(s, q):
    """The sum over n of (q + n) ** -s, for a whole s > 1."""
    if math.isinf(q) or math.isnan(q):
        return math.nan if q != -math.inf else math.inf
    if q <= 0 and q == math.floor(q):
        return math.inf
    total = 0.0
    for _ in range(9):
        total += q**-s
        q += 1
    while q < 9:
        total += q**-s
        q += 1
    total += q ** (1 - s) / (s - 1) + 0.5 * q**-s
    factor, power = s, q ** (-s - 1)
    for k, bernoulli in enumerate(BERNOULLI, 1):
        total += bernoulli / math.factorial(2 * k) * factor * power
        factor *= (s + 2 * k - 1) * (s + 2 * k)
        power /= q * q
    return total


def digamma(self):
    return elementwise(digamma_of, self)


def polygamma_row(self, n):
    """The derivative of order n of digamma."""
    if n == 1:
        working = np.float64 if self.dtype == np.float64 else np.float32
        return elementwise(lambda x: trigamma_of(x, working), self)
    if not n:
        return elementwise(digamma_of, self)
    factorial = math.factorial(n) * (1 if n % 2 else -1)
    return elementwise(lambda x: factorial * hurwitz_zeta(n + 1, x), self)


unary("digamma", digamma, lambda grad, self: grad * polygamma_row(self, 1), floats=True,
      text=doc("The derivative of :func:`lgamma` at each element.", "torch.digamma(torch.tensor([1., 2.]))",
               "tensor([-0.5772,  0.4228])"))  # fmt: skip
unary("lgamma", lambda self: elementwise(log_gamma, self), lambda grad, self: grad * digamma(self), floats=True,
      text=doc("The logarithm of the absolute value of the gamma function at each element.",
               "torch.lgamma(torch.tensor([3., 5.]))", "tensor([0.6931, 3.1781])"))  # fmt: skip
operation("polygamma_row", promoted=("self",), floats=True, method=False, function=False,
          node_name="PolygammaBackward0",
          self=lambda grad, self, n: grad * polygamma_row(self, n + 1))(polygamma_row)  # fmt: skip


def polygamma(n, self):
    if not isinstance(n, int) or isinstance(n, bool):
        raise TypeError(f"polygamma(): argument 'n' (position 1) must be int, not {type(n).__name__}")
    if n < 0:
        raise RuntimeError("polygamma(n, x) does not support negative n.")
    return operations["polygamma_row"], (tensor_argument(self, "polygamma", position=2), n)


def published(n, input):
    """The derivative of order *n* of :func:`digamma`; a method takes *n* alone.  RuntimeError for a negative *n*.

    >>> import autograd_nb as torch
    >>> torch.polygamma(1, torch.tensor([1., 2.]))
    tensor([1.6449, 0.6449])
    """
    return apply(*polygamma(n, input))


def method(self, n):
    return apply(*polygamma(n, self))


publish_call("polygamma", method, published.__doc__, function=False)
publish_call("polygamma", published, method=False)


@public("polygamma_", function=False)
def polygamma_in_place(self, n):
    """In-place form of :func:`polygamma`; changes the tensor and returns it."""
    return in_place(*polygamma(n, self))


# -- of several variables --------------------------------------------------------------------------------------------


def halves(self, p):
    """0, -1/2, -1, ... for the p arguments of a multivariate function, along a new last dimension."""
    return -np.arange(p, dtype=self.dtype) / 2


tensor_names["halves"] = lambda self, p: wrap(halves(self._array, p), self._dtype)


def unsqueeze(self, dim):
    return np.expand_dims(self, dim)


@operation("mvlgamma", promoted=("self",), floats=True,
           self=lambda grad, self, p: grad * sum(digamma(unsqueeze(self, -1) + halves(self, p)), -1))  # fmt: skip
def mvlgamma(self, p):
    """The logarithm of the gamma function of *p* variables.  RuntimeError for a *p* below 1.

    >>> import autograd_nb as torch
    >>> torch.mvlgamma(torch.tensor([2., 3.]), 2)
    tensor([0.4516, 1.5502])
    """
    if p < 1:
        raise RuntimeError("p has to be greater than or equal to 1")
    terms = elementwise(log_gamma, np.asarray(unsqueeze(self, -1) + halves(self, p)))
    return np.add.reduce(terms, -1) + self.dtype.type(p * (p - 1) / 4 * math.log(math.pi))


for name in ("lgamma", "digamma", "mvlgamma"):
    publish_in_place(name)
