"""Box and Muller's transformation, to the last bit as PyTorch's CPU kernels round it.

Two uniform numbers make two normal ones: the first a radius sqrt(-2 log u), the second an angle.  What takes
care is rounding: where a processor fuses a product and a sum, and which approximations of log, sin and cos.
"""

import math

import numpy as np


def multiply_add(a, b, c):
    """a * b + c rounded once, as processors with a fused instruction (and so PyTorch's kernels) compute it."""
    if a.dtype == np.float32:
        wide = a.astype(np.float64)  # where the product of two float32 is exact
        wide *= b
        wide += c
        return wide.astype(np.float32)
    # Dekker: halves of 26 bits multiply without error, so the part that rounding the product lost is known.
    with np.errstate(over="ignore", invalid="ignore"):
        product = a * b
        (a_high, a_low), (b_high, b_low) = _halves(a), _halves(b)
        lost = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
        total = product + c
        added = total - product
        lost += (product - (total - added)) + (c - added)
        exact = total + lost
    return np.where(np.isnan(exact), total, exact)  # halving overflows from 2**996 on


def _halves(x):
    scaled = x * (2.0**27 + 1)
    high = scaled - (scaled - x)
    return high, x - high


def normals(uniform):
    """Blocks of 16 standard normals from rows of 16 numbers in [0, 1): 8 of them for radii, then 8 for angles."""
    real = uniform.dtype.type
    first, second = np.hsplit(uniform, 2)
    radius = np.sqrt(real(-2) * _log(1 - first))
    sine, cosine = _sine_cosine(real(2 * math.pi) * second)
    return np.hstack([radius * cosine, radius * sine])


def _each(function, array):
    """The C library's function, which PyTorch calls too: NumPy's own may differ in the last bit."""
    return np.array([function(x) for x in array.ravel().tolist()]).reshape(array.shape)


# For float32 PyTorch uses the polynomials of Moshier's Cephes library (logf, sinf, cosf), eight numbers at a time;
# only the same polynomials, rounded at the same places, give the same last bit.
_LOG = np.float32([7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
                   -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1])
_SINE = np.float32([-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1])
_COSINE = np.float32([2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2])
_LOG_2 = np.float32([-2.12194440e-4, 0.693359375])  # sum: log(2); multiples of the second, of few bits, are exact
_QUARTER_PI = np.float32([0.78515625, 2.4187564849853515625e-4, 3.77489497744594108e-8])  # sum: pi/4, likewise
_HALF = np.float32(0.5)


def _polynomial(coefficients, x):
    value = np.full_like(x, coefficients[0])
    for coefficient in coefficients[1:]:
        value = multiply_add(value, x, coefficient)
    return value


def _log(x):
    """log(x) as 2**exponent times a number near 1, at which the series log(1+r) = r - r**2/2 + ... converges fast."""
    if x.dtype == np.float64:
        return _each(math.log, x)
    mantissa, exponent = np.frexp(x)
    small = mantissa < np.float32(math.sqrt(0.5))
    rest = np.where(small, 2 * mantissa, mantissa) - 1
    exponent = (exponent - small).astype(np.float32)
    square = rest * rest
    series = multiply_add(_polynomial(_LOG, rest) * rest, square, exponent * _LOG_2[0]) - square * _HALF
    return multiply_add(exponent, _LOG_2[1], rest + series)


def _sine_cosine(angle):
    """sin and cos of angles from 0 to 2 pi: reduced to at most pi/4 either way, then one of two polynomials."""
    if angle.dtype == np.float64:
        return _each(math.sin, angle), _each(math.cos, angle)
    octant = ((angle * np.float32(4 / math.pi)).astype(np.int32) + 1) & ~1
    rest = angle
    for part in _QUARTER_PI:
        rest = multiply_add(octant.astype(np.float32), -part, rest)
    square = rest * rest
    sine = multiply_add(_polynomial(_SINE, square) * square, rest, rest)
    cosine = multiply_add(_polynomial(_COSINE, square) * square, square, -square * _HALF) + 1
    swapped = (octant & 2) != 0
    return (np.where(swapped, cosine, sine) * np.where(octant & 4, -1, 1).astype(np.float32),
            np.where(swapped, sine, cosine) * np.where((octant + 2) & 4, -1, 1).astype(np.float32))
