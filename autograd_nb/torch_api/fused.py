"""A multiplication and an addition that round once, as in PyTorch's kernels."""

import numpy as np


def multiply_add(a, b, c):
    """a * b + c rounded once, as a fused multiply-add instruction, and so PyTorch's kernels, compute it."""
    with np.errstate(over="ignore", invalid="ignore"):
        if a.dtype == np.float32:
            return fused(a, b, c)
        # Dekker: halves of 26 bits multiply without error, so the part that rounding the product lost is known.
        product = a * b
        (a_high, a_low), (b_high, b_low) = _halves(a), _halves(b)
        lost = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
        total = product + c
        added = total - product
        lost += (product - (total - added)) + (c - added)
        exact = total + lost
    return np.where(np.isnan(exact), total, exact)  # halving overflows from 2**996 on


def fused(a, b, c):
    """The same for float32: its product is exact in float64. NumPy is quickest if *b* and *c* are float64 already."""
    wide = a.astype(np.float64)
    wide *= b
    wide += c
    return wide.astype(np.float32)


def _halves(x):
    scaled = x * (2.0**27 + 1)
    high = scaled - (scaled - x)
    return high, x - high
