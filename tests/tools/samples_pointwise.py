"""Inputs for arithmetic, element-wise functions, comparisons and choices."""

import numpy as np
from samples import sample, spread

INF, NAN = float("inf"), float("nan")
POSITIVE = spread(2, 3, low=0.1, high=3.0)
ANY = spread(2, 3)
INNER = spread(2, 3, low=-0.9, high=0.9)
SCALAR = np.array(0.7)
WHOLE = np.array([[1, 2, 3], [4, 5, 6]])
TRUTH = np.array([[True, False, True], [False, True, True]])
KINKS = np.array([-INF, -1.0, -0.0, 0.0, 1.0, INF, NAN])


def one(inputs, *, integers=True, kinks=KINKS, twice=True):
    """A function of one tensor: several dimensions, none, whole numbers, and the points where it bends or breaks."""
    given = [sample(inputs, twice=twice), sample(np.array(inputs.flat[0]), twice=twice)]
    given += [sample(WHOLE)] if integers else []
    return [*given, sample(kinks, smooth=False)]


def two(first, second, *, numbers=True, integers=True, kinks=True):
    """A function of two tensors: same shapes, broadcast, 0-d, a number, whole numbers, mixed dtypes, special values."""
    given = [sample(first, second), sample(first, second[0]), sample(first[:, :1], second), sample(first, SCALAR)]
    given += [sample(first, 2), sample(first, 0.5)] if numbers else []
    given += [sample(WHOLE, WHOLE), sample(first, WHOLE)] if integers else []
    a, b = np.meshgrid(KINKS, KINKS)
    return given + ([sample(a, b, smooth=False)] if kinks else [])


SAMPLES = {
    # of one tensor
    **{
        name: one(ANY)
        for name in (
            "neg square exp exp2 expm1 sin cos atan sinh cosh tanh erf abs sign sgn floor ceil trunc sigmoid relu "
            "logical_not"
        ).split()
    },
    **{name: one(POSITIVE) for name in "sqrt rsqrt reciprocal log log1p log2 log10".split()},
    **{name: one(INNER) for name in "tan asin acos".split()},
    # arithmetic
    "add": [
        *two(ANY, POSITIVE), sample(ANY, POSITIVE, alpha=2), sample(ANY, 3, alpha=2), sample(2, ANY),
        sample(TRUTH, TRUTH), sample(WHOLE, 1.5),
    ],
    "sub": [*two(ANY, POSITIVE), sample(ANY, POSITIVE, alpha=2), sample(ANY, 3, alpha=2), sample(WHOLE, 1.5)],
    "mul": [*two(ANY, POSITIVE), sample(2, ANY), sample(TRUTH, TRUTH), sample(TRUTH, 2), sample(WHOLE, 1.5)],
    "div": [
        *two(ANY, POSITIVE), sample(ANY, POSITIVE, rounding_mode="floor"), sample(ANY, 0.7, rounding_mode="trunc"),
        sample(ANY, POSITIVE, rounding_mode=None),
        sample(WHOLE, -2, rounding_mode="floor"), sample(WHOLE, -2, rounding_mode="trunc"), sample(TRUTH, TRUTH),
    ],
    "true_divide": [sample(ANY, POSITIVE[0]), sample(ANY, 2)],
    "__rsub__": [sample(ANY, 2), sample(WHOLE, 2)],
    "__rtruediv__": [sample(ANY, 2), sample(WHOLE, 2)],
    "__rpow__": [
        sample(ANY, 2), sample(WHOLE, 2), sample(ANY, 2.5), sample(KINKS, 0, smooth=False),
        sample(KINKS, -2, smooth=False), sample(ANY, 1),
    ],
    "positive": [sample(WHOLE)],
    "floor_divide": [
        sample(WHOLE, WHOLE), sample(WHOLE, -2), sample(ANY, 2, smooth=False), sample(ANY, POSITIVE, smooth=False),
    ],
    "__rfloordiv__": [sample(WHOLE, 7), sample(POSITIVE, 2, smooth=False)],
    "__rmod__": [sample(WHOLE, 7), sample(POSITIVE, 2, smooth=False)],
    "remainder": [sample(ANY, 0.7), sample(ANY, POSITIVE), sample(WHOLE, -4), sample(ANY, -0.7),
                  sample(KINKS, 1.0, smooth=False)],
    # powers
    "pow": [
        *two(POSITIVE, ANY), *(sample(POSITIVE, p) for p in (0, 1, 2, 3, 4, -1, -2, -3, 0.5, -0.5, 1.7, 2.0)),
        *(sample(KINKS, p, smooth=False) for p in (0, 1, 2, 3, 0.5, -1, 1.5)), sample(2, ANY), sample(0.5, WHOLE),
        sample(SCALAR, 3), sample(SCALAR, 2.5), sample(WHOLE, 2), sample(WHOLE, 0.5), sample(TRUTH, 2),
        sample(WHOLE, -WHOLE), sample(TRUTH, WHOLE), sample(0, KINKS, smooth=False),
    ],
    "round": [*one(ANY), sample(ANY, decimals=1), sample(ANY * 100, decimals=-1)],
    # activations
    "leaky_relu": [*one(ANY, integers=False), sample(ANY, 0.3)],
    # of two and three
    "atan2": two(ANY, POSITIVE, numbers=False), "arctan2": [sample(ANY, POSITIVE)],
    "lerp": [
        sample(ANY, POSITIVE, 0.3), sample(ANY, POSITIVE, 0.8), sample(ANY, POSITIVE[0], 0.3),
    ],
    "addcmul": [sample(ANY, POSITIVE, INNER), sample(ANY, POSITIVE[0], INNER, value=2)],
    "addcdiv": [sample(ANY, POSITIVE, INNER), sample(ANY, POSITIVE, POSITIVE[0], value=2)],
    # choices
    "where": [
        sample(TRUTH, ANY, POSITIVE), sample(TRUTH, ANY, 0.5), sample(TRUTH, 2.0, ANY), sample(TRUTH, 1, 2),
        sample(TRUTH, 1.0, 2), sample(TRUTH, ANY, WHOLE), sample(TRUTH[0], ANY, SCALAR), sample(TRUTH),
    ],
    "maximum": two(ANY, POSITIVE, numbers=False),
    "minimum": two(ANY, POSITIVE, numbers=False),
    "clamp": [
        sample(ANY, -1.0, 1.0), sample(ANY, min=0.1), sample(ANY, max=0.1), sample(KINKS, -1, 1, smooth=False),
        sample(WHOLE, 2), sample(WHOLE, 1.5), sample(ANY, 1.0, -1.0), sample(TRUTH, 0),
    ],
    **{name: [sample(ANY, 0.1), sample(KINKS, 1, smooth=False), sample(WHOLE, 1.5), sample(TRUTH, 0)]
       for name in ("clamp_min", "clamp_max")},
    # comparisons and logic
    **{name: two(ANY, POSITIVE) for name in ("eq", "ne", "lt", "le", "gt", "ge")},
    **{
        name: [sample(KINKS), sample(WHOLE), sample(SCALAR)]
        for name in ("isnan", "isinf", "isfinite")
    },
    "isclose": [
        sample(KINKS, KINKS), sample(KINKS, KINKS, equal_nan=True), sample(ANY, ANY + 1e-6), sample(WHOLE, WHOLE),
    ],
    "allclose": [sample(ANY, ANY), sample(ANY, POSITIVE)],
    "equal": [sample(ANY, ANY), sample(ANY, POSITIVE), sample(WHOLE, ANY)],
    **{
        name: [sample(TRUTH, TRUTH[0]), sample(ANY, WHOLE), sample(KINKS, KINKS)]
        for name in ("logical_and", "logical_or", "logical_xor")
    },
    **{
        name: [sample(TRUTH, TRUTH[0]), sample(WHOLE, WHOLE), sample(WHOLE, 3)]
        for name in ("bitwise_and", "bitwise_or", "bitwise_xor")
    },
    "bitwise_not": [sample(TRUTH), sample(WHOLE)],
}
