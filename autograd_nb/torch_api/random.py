"""PyTorch's random numbers, from the seed on: the same words from the same stream, call after call.

A :class:`Generator` is the Mersenne Twister MT19937 (NumPy has the same one, seeded the same way) and one
normal number kept back.  The numbers that are made of its words are in distributions.py.
"""

import contextlib
import os

import numpy as np

from ..engine import dtypes
from ..engine.tensor import Tensor, wrap
from .absent import absent_from

# The bytes of torch.get_rng_state(): its words are 32 bits wide but stored in 64.
_STATE = np.dtype([("seed", "<u8"), ("left", "<i4"), ("seeded", "<i4"), ("next", "<u8"), ("words", "<u8", 624),
                   ("unused_x", "<f8"), ("normal", "<f8"), ("unused_rho", "<f8"), ("normal_is_kept", "<i4"),
                   ("unused", "V12")])


class Generator:
    """A stream of random numbers on the CPU; starts from PyTorch's default seed.

    >>> import autograd_nb as torch
    >>> generator = torch.Generator().manual_seed(0)
    >>> torch.rand(2, generator=generator)
    tensor([0.4963, 0.7682])
    """

    def __init__(self, device="cpu"):
        if device is not None and str(device).partition(":")[0] != "cpu":
            raise RuntimeError(f"Generator: device {str(device)!r} is not available, expected 'cpu'")
        self.device = device or "cpu"
        self._start(67280421310721)

    def __repr__(self):
        return f"<torch._C.Generator object at {id(self):#x}>"

    def _start(self, seed):
        self._seed = seed
        self._engine = None  # made at the first draw: importing numpy.random takes a third as long as numpy itself
        self._drawn = False
        self._kept_normal = None  # normals are made in pairs; the second one waits here for the next small request
        return self

    def manual_seed(self, seed):
        """Start the stream anew; a negative ``seed`` counts back from 2**64.  Returns the generator.

        Raises RuntimeError when ``seed`` is no int and ValueError when it does not fit in 64 bits.

        >>> Generator().manual_seed(-1).initial_seed() == 2**64 - 1
        True
        """
        if isinstance(seed, np.integer):
            raise TypeError("an integer is required")
        if not isinstance(seed, int) or isinstance(seed, bool):
            raise RuntimeError(f"manual_seed expected a long, but got {type(seed).__name__}")
        if not -(2**63) <= seed < 2**64:
            raise ValueError("Overflow when unpacking long long")
        return self._start(seed % 2**64)

    def seed(self):
        """Start anew from a seed the operating system draws, and return that seed."""
        return self._start(int.from_bytes(os.urandom(8), "little"))._seed

    def initial_seed(self):
        """The seed that this stream started from."""
        return self._seed

    def clone_state(self):
        """A new generator that will give the same numbers as this one from here on."""
        return Generator(self.device).set_state(self.get_state())

    def get_state(self):
        """The whole state as a uint8 tensor of 5056 elements, byte for byte as PyTorch lays it out."""
        _, words, position, *_ = self._twister().get_state()
        state = np.zeros((), _STATE)
        state["seed"], state["words"], state["seeded"] = self._seed, words, 1
        state["next"] = position if self._drawn else 0
        state["left"] = 625 - position  # 1 is both a fresh seed and a used-up block: new words are due
        if self._kept_normal is not None:
            state["normal"], state["normal_is_kept"] = self._kept_normal, 1
        return wrap(np.frombuffer(bytearray(state.tobytes()), np.uint8), dtypes.uint8)

    def set_state(self, new_state):
        """Go on from a state that :meth:`get_state` (ours or PyTorch's) gave.  Returns the generator.

        Raises TypeError when ``new_state`` is no uint8 tensor, RuntimeError when it is no state.
        """
        if not isinstance(new_state, Tensor):
            raise TypeError(f"expected a torch.ByteTensor, but got {type(new_state).__name__}")
        if new_state.dtype is not dtypes.uint8:
            raise TypeError("RNG state must be a torch.ByteTensor")
        array = np.asarray(new_state._array)
        if not array.flags.c_contiguous:
            raise RuntimeError("RNG state must be contiguous")
        if array.size != _STATE.itemsize:
            raise RuntimeError(f"Expected a CPUGeneratorImplState of size {_STATE.itemsize} "
                               f"but found the input RNG state size to be {array.size}")
        state = np.frombuffer(array.tobytes(), _STATE)[0]
        left, position = int(state["left"]), int(state["next"])
        if not (state["seeded"] and 0 < left <= 624 and position <= 624):
            raise RuntimeError("Invalid mt19937 state")
        self._start(int(state["seed"]))
        self._twister().set_state(("MT19937", state["words"].astype(np.uint32), 624 if left == 1 else position))
        self._drawn = position > 0
        self._kept_normal = float(state["normal"]) if state["normal_is_kept"] else None
        return self

    def _twister(self):
        if self._engine is None:
            from numpy.random import RandomState  # its stream is frozen by NumPy's promise, unlike default_rng's

            self._engine = RandomState(self._seed & 0xFFFFFFFF)  # PyTorch's engine too uses the low 32 bits alone
        return self._engine

    def _random(self, size):
        """The next ``size`` words of 32 bits."""
        self._drawn = self._drawn or size > 0
        return self._twister().randint(0, 2**32, size, dtype=np.uint32)

    def _random64(self, size):
        """The next ``size`` pairs of words, the first of a pair above the second."""
        high, low = self._random(2 * size).astype(np.uint64).reshape(-1, 2).T
        return high << np.uint64(32) | low

    def _unit(self, size, dtype):
        """Numbers in [0, 1) with all the bits that a float32 (from one word) or float64 (from two) can hold."""
        if dtype == np.float64:
            return (self._random64(size) & np.uint64(2**53 - 1)) * 2.0**-53
        return (self._random(size) & np.uint32(2**24 - 1)).astype(np.float32) * np.float32(2.0**-24)


default_generator = Generator()
default_generator.seed()


def manual_seed(seed):
    """Start the default generator anew from ``seed``, anything that ``int`` takes; returns that generator.

    >>> import autograd_nb as torch
    >>> torch.manual_seed(0).initial_seed()
    0
    """
    return default_generator.manual_seed(int(seed))


def seed():
    """Start the default generator anew from a seed the operating system draws, and return that seed."""
    return default_generator.seed()


def initial_seed():
    """The seed that the default generator started from."""
    return default_generator.initial_seed()


def get_rng_state():
    """The default generator's state, a uint8 tensor with the bytes that PyTorch would give."""
    return default_generator.get_state()


def set_rng_state(new_state):
    """Put the default generator where ``get_rng_state`` found it; raises as :meth:`Generator.set_state`."""
    default_generator.set_state(new_state)


@contextlib.contextmanager
def fork_rng(devices=None, enabled=True):
    """Leave the default generator at the end of a ``with`` block as it was at the start (``devices`` is for GPUs).

    >>> import autograd_nb as torch
    >>> generator = torch.manual_seed(0)
    >>> with torch.random.fork_rng():
    ...     inside = torch.rand(3)
    >>> torch.equal(inside, torch.rand(3))
    True
    """
    state = get_rng_state()
    try:
        yield
    finally:
        if enabled:
            set_rng_state(state)


__getattr__ = absent_from("torch.random")
