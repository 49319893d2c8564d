"""PyTorch's random numbers: the same stream from the same seed, and the same numbers from its 32-bit words.

A :class:`Generator` is the Mersenne Twister MT19937, which Python has too but seeds in another way, and one cached
normal number.  The distributions below take shapes and return NumPy arrays.  Each consumes as many words as PyTorch's
CPU kernel, so any sequence of calls after ``manual_seed`` agrees; ``generator=None`` is the default generator.
"""

import math
import os
from _random import Random  # the module random takes ten times as long to load

import numpy as np

from ..engine import dtypes
from ..engine.dtypes import BY_NUMPY
from ..engine.tensor import refuse_foreign, wrap
from ..operations.checks import limits, require_floating
from .devices import CPU, require_cpu
from .fused import fused, multiply_add

# The bytes of torch.get_rng_state(): its words are 32 bits wide but stored in 64.
_STATE = np.dtype([("seed", "<u8"), ("left", "<i4"), ("seeded", "<i4"), ("next", "<u8"), ("words", "<u8", 624),
                   ("unused_x", "<f8"), ("normal", "<f8"), ("unused_rho", "<f8"), ("normal_is_kept", "<i4"),
                   ("unused", "V12")])

_LOW_24, _UNIT = np.array(2**24 - 1, np.uint32), np.array(2.0**-24, np.float32)


class Generator:
    """A stream of random numbers on the CPU; starts from PyTorch's default seed."""

    device = CPU

    def __init__(self, device="cpu"):
        require_cpu(device)
        self._start(67280421310721)

    def __repr__(self):
        return f"<torch._C.Generator object at {id(self):#x}>"

    def __reduce__(self):
        return _restored, (self.get_state(),)

    def _start(self, seed):
        self._seed = seed
        self._engine = None  # made at the first draw
        self._drawn = False
        self._kept_normal = None  # normals are made in pairs; the second one waits here for the next small request
        return self

    def manual_seed(self, seed):
        """Restart the stream from *seed*; a negative one counts back from 2**64.  Returns the generator."""
        return self._start(seed % 2**64)

    def seed(self):
        """Restart the stream from a random seed of the operating system, and return that seed."""
        return self._start(int.from_bytes(os.urandom(8), "little"))._seed

    def initial_seed(self):
        """The seed that this stream started from."""
        return self._seed

    def get_state(self):
        """The whole state as a uint8 tensor of 5056 elements, byte for byte as PyTorch lays it out."""
        *words, position = self._twister().getstate()
        state = np.zeros((), _STATE)
        state["seed"], state["words"], state["seeded"] = self._seed, words, 1
        state["next"] = position if self._drawn else 0
        state["left"] = 625 - position  # 1 after seeding and at the end of a block: new words are due
        if self._kept_normal is not None:
            state["normal"], state["normal_is_kept"] = self._kept_normal, 1
        return wrap(np.frombuffer(bytearray(state.tobytes()), np.uint8), dtypes.uint8)

    def set_state(self, new_state):
        """Continue from a state that :meth:`get_state`, ours or PyTorch's, returned.  Returns the generator."""
        refuse_foreign(new_state)
        state = np.frombuffer(new_state._array.tobytes(), _STATE)[0]
        position = int(state["next"])
        self._start(int(state["seed"]))
        self._twister().setstate((*state["words"].tolist(), 624 if state["left"] == 1 else position))
        self._drawn = position > 0
        self._kept_normal = float(state["normal"]) if state["normal_is_kept"] else None
        return self

    def _twister(self):
        if self._engine is None:
            words, self._engine = [self._seed & 0xFFFFFFFF], Random()  # PyTorch's engine uses only the low 32 bits
            for number in range(1, 624):
                words.append((1812433253 * (words[-1] ^ words[-1] >> 30) + number) & 0xFFFFFFFF)
            self._engine.setstate((*words, 624))
        return self._engine

    def _random(self, size):
        """The next words, of 32 bits each."""
        self._drawn = self._drawn or size > 0
        return np.frombuffer(self._twister().getrandbits(32 * size).to_bytes(4 * size, "little"), "<u4")

    def _random64(self, size):
        high, low = self._random(2 * size).reshape(-1, 2).T.astype(np.uint64)
        return high << np.uint64(32) | low

    def _unit(self, size, dtype):
        """Numbers in [0, 1) with all the bits that a float32 (from one word) or float64 (from two) can hold."""
        if dtype == np.float64:
            return (self._random64(size) & np.uint64(2**53 - 1)) * 2.0**-53
        return (self._random(size) & _LOW_24).astype(np.float32) * _UNIT


Generator.__module__ = "torch._C"


def _restored(state):
    """A generator with a state, for copies and pickles."""
    return Generator().set_state(state)


default_generator = Generator()
default_generator.seed()


# -- uniform numbers, integers, permutations, Bernoulli ----------------------------------------------------------------


def _source(generator):
    if generator is None:
        return default_generator
    if isinstance(generator, Generator):
        return generator
    raise TypeError(f"argument 'generator' must be torch.Generator, not {type(generator).__name__}")


def uniform(shape, dtype=np.float32, low=0.0, high=1.0, generator=None):
    """Uniformly distributed numbers in [low, high)."""
    require_floating(np.empty(0, dtype), "check_uniform_bounds")
    working, given = np.float64 if dtype == np.float64 else np.float32, (low, high) != (0, 1)
    for name, bound in (("from", low), ("to", high)) if given else ():
        if not abs(bound) <= limits(np.dtype(dtype))[1]:
            raise RuntimeError(f"{name} is out of bounds for {BY_NUMPY[np.dtype(dtype)].cpp_name}")
    if low > high:
        raise RuntimeError(f"uniform_ expects to return a [from, to) range, but found from={low:g} > to={high:g}")
    values = _source(generator)._unit(math.prod(shape), working)
    if given:
        low, high = working(low), working(high)
        values = multiply_add(values, high - low, low)
    if given or dtype == np.float16:
        values = values.astype(dtype, copy=False)
        values[values == values.dtype.type(high)] = low  # rounding can reach the excluded bound
    return values.reshape(shape)


def integers(shape, low, high, dtype=np.int64, generator=None):
    """Whole numbers from *low* up to but not including *high*, of any dtype that can hold them."""
    if low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    dtype = np.dtype(dtype)
    if dtype.kind != "f":
        bounds = (0, 1) if dtype.kind == "b" else (limits(dtype)[0] if dtype.kind == "i" else 0, limits(dtype)[1])
        for name, value in (("from", low), ("to - 1", high - 1)):
            if not bounds[0] <= value <= bounds[1]:
                raise RuntimeError(f"{name} is out of bounds for {BY_NUMPY[dtype].cpp_name}")
    source, size, span = _source(generator), math.prod(shape), high - low
    if span >= 2**28:  # one word would favour the smaller remainders
        offsets = source._random64(size) % np.uint64(span)
    else:
        offsets = source._random(size) % np.uint32(span)
    offsets = offsets.astype(np.int64)
    offsets += low
    return offsets.astype(dtype, copy=False).reshape(shape)


def permutation(n, dtype=np.int64, generator=None):
    """The numbers 0 to n-1 in random order, by a Fisher-Yates shuffle from the first element on."""
    if n < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {n}: [{n}]")
    places = np.arange(max(n - 1, 0), dtype=np.int64)
    partners = places + _source(generator)._random(places.size).astype(np.int64) % (n - places)
    order = list(range(n))
    for place, partner in enumerate(partners.tolist()):
        order[place], order[partner] = order[partner], order[place]
    return np.array(order, dtype=dtype)


def bernoulli(p, shape, dtype=np.float32, generator=None):
    """Ones with probability *p*, otherwise zeros: the mask of dropout."""
    draws = _source(generator)._unit(math.prod(shape), np.float64).reshape(shape)
    return np.less(draws, p).astype(dtype)


def exponential(shape, dtype=np.float32, generator=None):
    """Exponentially distributed numbers with the mean 1."""
    draws = _source(generator)._unit(math.prod(shape), np.float64).tolist()
    return np.array([-math.log1p(-each) for each in draws], np.float64).astype(dtype).reshape(shape)


def multinomial(weights, count, replacement=False, generator=None):
    """Indices into the last dimension, drawn by weight: with replacement, where uniform numbers fall among the sums of
    the weights; without, the largest quotients of weights and exponentially distributed numbers."""
    if weights.dtype.kind != "f":
        raise RuntimeError("multinomial only supports floating-point dtypes for input, got: "
                           + dtypes.of_array(weights).legacy_name)  # fmt: skip
    if weights.ndim not in (1, 2):
        raise RuntimeError("prob_dist must be 1 or 2 dim")
    if count <= 0:
        raise RuntimeError("cannot sample n_sample <= 0 samples")
    if count > weights.shape[-1] and not replacement:
        raise RuntimeError("cannot sample n_sample > prob_dist.size(-1) samples without replacement")
    if not ((weights >= 0) & (weights < np.inf)).all():
        raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
    if not weights.sum(-1).all():
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
    rows = np.atleast_2d(weights)
    if replacement and count > 1:
        sums = np.cumsum(rows, -1)
        sums /= sums[:, -1:]
        sums[:, -1] = 1
        draws = _source(generator)._unit(len(rows) * count, np.float64).reshape(-1, count)
        chosen = np.array([np.searchsorted(*each) for each in zip(sums, draws, strict=True)], np.int64)
    else:
        chosen = np.argsort(-rows / exponential(rows.shape, rows.dtype, generator), -1, "stable")[:, :count]
    return chosen.reshape(*weights.shape[:-1], count)


def normal(shape, dtype=np.float32, mean=0.0, std=1.0, generator=None):
    """Normally distributed numbers, by the Box-Muller transform of pairs of uniform ones.

    PyTorch makes fewer than 16 numbers pair by pair, in double precision, and keeps a second number that is left over.
    It makes 16 or more in blocks of 16, in the precision of the result.
    """
    if not std >= 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
    source, size = _source(generator), math.prod(shape)
    if size:
        require_floating(np.empty(0, dtype), "normal_kernel_cpu")
    if size >= 16:
        values = _normal_blocks(size, dtype, mean, std, source)
    else:
        values = multiply_add(np.array(_normal_pairs(size, source)), float(std), float(mean))
        if dtype == np.float16:
            values = values.astype(np.float32)  # PyTorch converts double to half by way of float
    return values.astype(dtype, copy=False).reshape(shape)


def _normal_pairs(size, source):
    """A list of standard normals; the first may be one that ``source`` kept."""
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
    real = np.float64 if dtype == np.float64 else np.float32
    whole = size - size % 16  # float16 goes block by block; the others fill the whole array with uniform numbers first
    draws = source._unit(whole if dtype == np.float16 else size, real)
    parts = [normals(draws[start : min(start + _AT_ONCE, whole)]) for start in range(0, whole, _AT_ONCE)]
    values = parts[0] if len(parts) == 1 else np.concatenate(parts)
    if whole < size:
        values = np.concatenate([values[: size - 16], normals(source._unit(16, real))])
    return multiply_add(values, float(real(std)), float(real(mean)))


# -- the Box-Muller transform, to the last bit -------------------------------------------------------------------------

_AT_ONCE = 8192  # as many numbers as fit in a processor's cache


def normals(uniform):
    """Blocks of 16 standard normals from as many numbers u in [0, 1): 8 for radii sqrt(-2 log u), 8 for angles."""
    halves = uniform.reshape(-1, 2, 8).swapaxes(0, 1).reshape(2, -1)
    radius, circle = (_of_doubles if uniform.dtype == np.float64 else _of_floats)(*halves)
    radius *= -2
    circle *= np.sqrt(radius, radius)
    return circle.reshape(2, -1, 8).swapaxes(0, 1).reshape(-1)


def _of_doubles(first, second):
    """log(1 - first), and [cos, sin] of 2 pi * second, by the C library, as in PyTorch; NumPy's last bit may differ."""
    turns = 2 * math.pi * second
    log, *circle = [np.vectorize(function)(given) for function, given in
                    ((math.log, 1 - first), (math.cos, turns), (math.sin, turns))]  # fmt: skip
    return log, np.array(circle)


# For float32 PyTorch uses the polynomials of Moshier's Cephes library (logf, cosf, sinf); only the same polynomials,
# rounded at the same places, give the same last bit.
def _singles(*numbers):
    """Numbers of single precision."""
    return np.float32(numbers).tolist()


_LOG = _singles(7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
                -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1)
_COSINE = _singles(2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2)
_SINE = _singles(-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1)
# log(2) in two parts.  The first has few bits, so its multiples are exact.  Both are divided by the value of the
# exponent's lowest bit.
_LOG_2, _LOG_2_REST = _singles(0.693359375 / 2**23, -2.12194440e-4 / 2**23)
# For each eighth of the circle: the nearest multiple of pi/2, in fourths of pi, and minus that angle.  PyTorch adds it
# in three parts; the sums before the last one are exact, so PyTorch too rounds once.
_FOURTHS = np.arange(1, 10) & ~1
_BACK = _FOURTHS * sum(_singles(-0.78515625, -2.4187564849853515625e-4, -3.77489497744594108e-8))
_SWAPPED = (_FOURTHS & [[2], [2]]) != 0  # whether the cosine of the rest is the sine of the angle
_SIGNS = np.where(_FOURTHS + [[2], [0]] & 4, np.float32(-1), np.float32(1))


def _of_floats(first, second):
    """The same for float32: of 1+r in x = 2**exponent * (1+r), and of an angle minus the nearest multiple of pi/2."""
    bits = (1 - first).view(np.int32)
    exponent = bits - 0x3F3504F3 & -0x800000  # the bits of the root of 1/2
    r, exponent = (bits - exponent).view(np.float32) - 1, exponent.astype(np.float32)
    square = r * r
    log = _in_cephes(_LOG, r, r, square, exponent * _LOG_2_REST)
    log += square * -0.5
    log += r
    log += exponent * _LOG_2
    angle = second * (2 * math.pi)
    eighth = (angle * (4 / math.pi)).astype(np.intp)
    rest = (_BACK.take(eighth) + angle).astype(np.float32)
    square = rest * rest
    circle = np.array([_in_cephes(_COSINE, square, square, square, square * -0.5) + 1,
                       _in_cephes(_SINE, square, square, rest, rest)])  # fmt: skip
    circle = np.where(_SWAPPED.take(eighth, 1), circle[::-1], circle)
    circle *= _SIGNS.take(eighth, 1)
    return log, circle


def _in_cephes(coefficients, x, a, b, c):
    """(p(x) * a) * b + c, where p is a polynomial, rounded to float32 after each step."""
    value, *others = coefficients
    wide = x.astype(np.float64)
    for coefficient in others:
        value = (wide * value + coefficient).astype(np.float32)
    return fused(value * a, b, c)
