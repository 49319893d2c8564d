"""Distributions, as functions of shapes that return NumPy arrays: they know nothing of tensors.

Each uses up exactly as many 32-bit words of a generator as PyTorch's CPU kernel does, so any mix of calls after
``manual_seed`` stays in step.  ``uniform``, ``integers``, ``permutation``, ``bernoulli`` and ``normal`` answer for
``rand``, ``randint``, ``randperm``, ``bernoulli`` (and dropout) and ``randn``.  All take ``generator=None`` for the
default one, and return an array of the shape and NumPy dtype asked for, an array of no dimensions included.
"""

import math

import numpy as np

from ..engine import dtypes
from ..engine.warning import warn_once
from .box_muller import multiply_add, normals
from .random import Generator, default_generator


def _source(generator):
    if generator is None:
        return default_generator
    if isinstance(generator, Generator):
        return generator
    raise TypeError(f"argument 'generator' must be torch.Generator, not {type(generator).__name__}")


def like(array, draw, *others):
    """What *draw* gives for a shape, in the order in which an array's elements lie in memory, as PyTorch fills them.

    Arrays that broadcast to that shape are given to *draw* in the same order.
    """
    if array.flags.c_contiguous:
        return draw(array.shape, *others)
    order = sorted(range(array.ndim), key=lambda axis: -array.strides[axis])
    others = [np.broadcast_to(other, array.shape).transpose(order) for other in others]
    return draw(array.transpose(order).shape, *others).transpose(np.argsort(order))


# ---- uniform numbers, integers, permutations, coins ------------------------------------------------------------------

# What PyTorch's messages call an element type: C++ type names.
_C_NAMES = {"float16": "c10::Half", "float32": "float", "float64": "double", "bool": "bool", "uint8": "unsigned char",
            "int8": "signed char", "int16": "short int", "int32": "int", "int64": "long"}


def _legacy_name(dtype):
    return getattr(dtypes, np.dtype(dtype).name).legacy_name


def _require_floating(dtype, kernel):
    if np.dtype(dtype).kind != "f":
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{_legacy_name(dtype)}'")


def _require_within(bounds, dtype):
    """Raise RuntimeError for the first of the named ``bounds`` that ``dtype`` cannot hold."""
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        lowest, highest = float(np.finfo(dtype).min), float(np.finfo(dtype).max)
    else:
        lowest, highest = (False, True) if dtype == np.bool_ else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    for name, value in bounds.items():
        if not lowest <= value <= highest:
            raise RuntimeError(f"{name} is out of bounds for {_C_NAMES[dtype.name]}")


def uniform(shape, dtype=np.float32, low=0.0, high=1.0, generator=None):
    """Numbers spread evenly over [low, high).

    Raises NotImplementedError unless ``dtype`` is floating, RuntimeError when the bounds are out of order or range.

    >>> uniform((2,), generator=Generator().manual_seed(0))
    array([0.4962566, 0.7682218], dtype=float32)
    """
    _require_floating(dtype, "check_uniform_bounds")
    _require_within({"from": low, "to": high}, dtype)
    if low > high:
        raise RuntimeError(f"uniform_ expects to return a [from, to) range, but found from={low:g} > to={high:g}")
    if high - low > float(np.finfo(dtype).max):
        raise RuntimeError(f"uniform_ expects to-from <= std::numeric_limits<{_legacy_name(dtype)}>::max(), but found "
                           f"to={high:g} and from={low:g} which result in to-from to exceed the limit")
    working = np.float64 if dtype == np.float64 else np.float32
    values = _source(generator)._unit(math.prod(shape), working)
    unit, low, high = (low, high) == (0, 1), working(low), working(high)
    if not unit:
        values = multiply_add(values, high - low, low)
    values = values.astype(dtype, copy=False)
    values[values == values.dtype.type(high)] = low  # rounding to float16 can reach the bound that is left out
    return values.reshape(shape)


def integers(shape, low, high, dtype=np.int64, generator=None):
    """Whole numbers from ``low`` up to but not including ``high``, of any dtype that can hold them.

    Raises RuntimeError when ``low`` is not below ``high`` or ``dtype`` cannot hold them.

    >>> integers((4,), 0, 10, generator=Generator().manual_seed(0))
    array([4, 9, 3, 0])
    """
    if not -(2**63) <= low < 2**63 or not -(2**63) <= high < 2**63:
        raise ValueError("Overflow when unpacking long long")
    if low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    _require_within({"from": low, "to - 1": high - 1}, dtype)
    if np.dtype(dtype).kind == "f":
        low, high = _whole_bounds(low, high, np.dtype(dtype))
    source, size, span = _source(generator), math.prod(shape), high - low
    if span >= 2**28:  # one word would favour the smaller remainders
        offsets = source._random64(size) % np.uint64(span)
    else:
        offsets = source._random(size) % np.uint32(span)
    return (offsets.astype(np.int64) + low).astype(dtype).reshape(shape)


def _whole_bounds(low, high, dtype):
    """Bounds moved inwards so that rounding to ``dtype`` cannot leave them."""
    digits = np.finfo(dtype).nmant + 1
    for name, bound in (("from", low), ("to - 1", high - 1)):
        if abs(bound) > 2**digits:
            warn_once(f"{name} is out of bounds [-(2^{digits}), 2^{digits}]. Due to precision limitations "
                      f"{_C_NAMES[dtype.name]} can support discrete uniform distribution only within this range. "
                      "This warning will become an error in version 1.7 release, please fix the code in advance")
    above, below = int(dtype.type(low + 1)), int(dtype.type(high - 1))
    if above < low:
        low = above + 2 ** (abs(low + 1).bit_length() - digits)
    if high <= below < 2**63:  # what rounds to 2**63 is no int64, and PyTorch leaves it
        high = below - 2 ** (abs(high - 1).bit_length() - digits)
    if low >= high:
        raise RuntimeError("random_ expects 'from' casted to dtype to be less than 'to' casted to dtype, "
                           f"but got from={low} >= to={high}")
    return low, high


def permutation(n, dtype=np.int64, generator=None):
    """The numbers 0 to n-1 in random order: Fisher and Yates' shuffle, first place first.

    Raises RuntimeError when ``n`` is negative or ``dtype`` cannot tell the numbers apart.

    >>> permutation(5, generator=Generator().manual_seed(0))
    array([4, 0, 1, 3, 2])
    """
    dtype = np.dtype(dtype)
    if n < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {n}: [{n}]")
    if dtype == np.bool_:
        raise NotImplementedError("\"randperm\" not implemented for 'Bool'")
    if dtype.kind == "f" and n > 2 ** (digits := np.finfo(dtype).nmant + 1) + 1:
        limit = 2049 if dtype == np.float16 else f"2^{digits}+1"
        raise RuntimeError(f"n cannot be greater than {limit} for {_legacy_name(dtype)} type.")
    if dtype.kind in "iu" and n - 1 > np.iinfo(dtype).max:
        raise RuntimeError(f"value cannot be converted to type {dtype.name}_t without overflow")
    if n >= (2**32 - 1) // 20:  # PyTorch changes to 64-bit draws here; so many Python ints would not fit in memory
        raise RuntimeError(f"randperm: n must be below {(2**32 - 1) // 20}, but got {n}")
    places = np.arange(max(n - 1, 0))
    partners = places + _source(generator)._random(places.size) % (n - places)
    order = list(range(n))
    for place, partner in enumerate(partners.tolist()):
        order[place], order[partner] = order[partner], order[place]
    return np.array(order, dtype=dtype)


def bernoulli(probabilities, shape=None, dtype=None, generator=None):
    """Ones with the given probability (a number, or an array that ``shape`` broadcasts), zeros else.

    A number is compared with float64 draws, an array with draws of its own precision.  Shape and dtype
    are the array's, or () and float32, unless given.  Raises RuntimeError for a probability outside [0, 1].

    >>> bernoulli(0.5, (4,), generator=Generator().manual_seed(0))
    array([0., 0., 1., 0.], dtype=float32)
    """
    if isinstance(probabilities, np.ndarray):
        _require_floating(probabilities.dtype, "bernoulli_tensor_cpu_p_")
        shape = probabilities.shape if shape is None else shape
        dtype = dtype or probabilities.dtype
        probabilities = np.broadcast_to(probabilities, shape)
        if not ((probabilities >= 0) & (probabilities <= 1)).all():
            raise RuntimeError("Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error message "
                               "be improved?  If so, please report an enhancement request to PyTorch.)")
        working = np.float64 if probabilities.dtype == np.float64 else np.float32
    else:
        if not 0 <= probabilities <= 1:
            raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={probabilities:g}")
        shape, dtype, working = shape or (), dtype or np.float32, np.float64
    draws = _source(generator)._unit(math.prod(shape), working).reshape(shape)
    return np.less(draws, probabilities).astype(dtype)


def any_integers(shape, dtype, generator=None):
    """Whole numbers from 0 up to the largest that ``dtype`` tells from its neighbours."""
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        largest = 2 ** (np.finfo(dtype).nmant + 1)
    else:
        largest = 1 if dtype == np.bool_ else np.iinfo(dtype).max
    draw = _source(generator)._random64 if dtype.itemsize == 8 else _source(generator)._random
    return (draw(math.prod(shape)) % np.uint64(int(largest) + 1)).astype(dtype).reshape(shape)


def exponential(shape, dtype=np.float32, rate=1.0, generator=None):
    """Exponentially distributed numbers, as the time to the next of events that come at ``rate``.

    Raises NotImplementedError unless ``dtype`` is floating, RuntimeError unless ``rate`` is positive.

    >>> exponential((2,), generator=Generator().manual_seed(0))
    array([3.5083263, 1.2303847], dtype=float32)
    """
    if not rate > 0:
        raise RuntimeError(f"exponential_ expects lambda > 0.0, but found lambda={rate:g}")
    _require_floating(dtype, "exponential_kernel_cpu")
    draws = _source(generator)._unit(math.prod(shape), np.float64)
    return (-np.log1p(-draws) / rate).astype(dtype).reshape(shape)


def choices(weights, count, replacement=False, generator=None):
    """``count`` places in a vector of weights, or in each row of a matrix, drawn as often as their weights say.

    With replacement a draw is looked up among the summed weights; without, the largest quotients of the weights and
    exponential draws win.  Raises RuntimeError for weights or counts that make no sense.

    >>> choices(np.array([0.0, 3.0, 0.0]), 2, replacement=True)
    array([1, 1])
    """
    weights = np.asarray(weights)
    _require_weights(weights, count, replacement)
    if not replacement or count == 1:
        quotients = weights / exponential(weights.shape, weights.dtype, generator=generator)
        return np.argsort(-quotients, axis=-1, kind="stable")[..., :count]
    sums = np.cumsum(weights, axis=-1)
    sums /= sums[..., -1:]
    shape = (*weights.shape[:-1], count)
    draws = _source(generator)._unit(math.prod(shape), np.float64).reshape(shape)
    if weights.ndim == 1:
        return np.searchsorted(sums, draws)
    return np.array([np.searchsorted(row, row_draws) for row, row_draws in zip(sums, draws, strict=True)])


def _require_weights(weights, count, replacement):
    if weights.dtype.kind != "f":
        raise RuntimeError("multinomial only supports floating-point dtypes for input, got: "
                           f"{_legacy_name(weights.dtype)}")
    if weights.ndim not in (1, 2):
        raise RuntimeError("prob_dist must be 1 or 2 dim")
    if count <= 0:
        raise RuntimeError("cannot sample n_sample <= 0 samples")
    if not replacement and count > weights.shape[-1]:
        raise RuntimeError("cannot sample n_sample > prob_dist.size(-1) samples without replacement")
    if not (np.isfinite(weights) & (weights >= 0)).all():
        raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
    if not weights.sum(axis=-1).all():
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")


# ---- normal numbers --------------------------------------------------------------------------------------------------


def normal(shape, dtype=np.float32, mean=0.0, std=1.0, generator=None, contiguous=True):
    """Normally distributed numbers, by Box and Muller's transformation of pairs of uniform ones.

    PyTorch has two ways: one after the other in double precision (fewer than 16 numbers, or memory that is
    not ``contiguous``), keeping back the second of a pair; or blocks of 16 in the precision of the result.
    Raises NotImplementedError unless ``dtype`` is floating, RuntimeError for a negative ``std``.

    >>> normal((2,), generator=Generator().manual_seed(0))
    array([ 1.5409961, -0.2934289], dtype=float32)
    """
    if not std >= 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
    source, size = _source(generator), math.prod(shape)
    if size:
        _require_floating(dtype, "normal_kernel_cpu")
    if size >= 16 and contiguous:
        values = _normal_blocks(size, dtype, mean, std, source)
    else:
        values = multiply_add(np.array(_normal_pairs(size, source)), float(std), float(mean))
        if dtype == np.float16:
            values = values.astype(np.float32)  # PyTorch has no way from double to half but through float
    return values.astype(dtype, copy=False).reshape(shape)


def _normal_pairs(size, source):
    """A list of standard normals, the one that ``source`` kept back first."""
    values = []
    if size and source._kept_normal is not None:
        values, source._kept_normal = [source._kept_normal], None
    pairs = (size - len(values) + 1) // 2
    for first, second in source._unit(2 * pairs, np.float64).reshape(-1, 2).tolist():
        radius, angle = math.sqrt(-2 * math.log1p(-second)), 2 * math.pi * first
        values += [radius * math.cos(angle), radius * math.sin(angle)]
    if len(values) > size:
        source._kept_normal = values.pop()
    return values


def _normal_blocks(size, dtype, mean, std, source):
    """Blocks of 16: radii from the first 8 uniform numbers, angles from the other 8; the last 16 are drawn again."""
    working = np.float64 if dtype == np.float64 else np.float32
    whole = size - size % 16
    # float16 goes block by block through a buffer; the others fill the whole array with uniform numbers first.
    draws = source._unit(whole if dtype == np.float16 else size, working)[:whole]
    blocks = [draws] if whole == size else [draws, source._unit(16, working)]
    values = np.empty(size, working)
    for block, place in zip(blocks, (slice(whole), slice(-16, None)), strict=False):
        values[place] = multiply_add(normals(block.reshape(-1, 16)), working(std), working(mean)).ravel()
    return values
