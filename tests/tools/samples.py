"""Inputs for every operation of the table, as NumPy arrays, from which the tests make tensors of either library.

A family's module (``samples_pointwise`` and so on) exports SAMPLES: the operation's public name -> a list of Sample.
Arrays of floats stand for tensors that require grad, other arrays for tensors that cannot.
"""

import importlib
import pkgutil
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np


@dataclass
class Sample:
    """The arguments of one call.

    *smooth*: it has a derivative there, so that differences of values can check it. *twice*: PyTorch has its second
    derivative too. *ulps*: the error that PyTorch's own value may have in float64, if that is over 2.
    """

    args: tuple
    kwargs: dict = field(default_factory=dict)
    smooth: bool = True
    twice: bool = True
    ulps: int = 2
    mixes: bool = False

    def __repr__(self):
        words = [*map(short, self.args), *(f"{name}={short(value)}" for name, value in self.kwargs.items())]
        return ", ".join(words)


def short(value):
    if isinstance(value, np.ndarray):
        return f"{value.dtype.char}{list(value.shape)}".replace(" ", "")
    return repr(value)


def sample(*args, smooth=True, twice=True, ulps=2, mixes=False, **kwargs):
    return Sample(args, kwargs, smooth, twice, ulps, mixes)


def spread(*shape, low=-2.0, high=2.0, seed=0):
    """Floats between *low* and *high*, apart from each other, in random order; none near a whole number or a half."""
    count = int(np.prod(shape))
    values = low + (high - low) * (np.arange(count) + 0.37) / max(count, 1)
    return np.random.default_rng(seed + count).permutation(values).reshape(shape)


def all_samples():
    """``{name: samples}`` of every family."""
    found = {}
    for module in pkgutil.iter_modules([str(Path(__file__).parent)]):
        if module.name.startswith("samples_"):
            found.update(importlib.import_module(module.name).SAMPLES)
    return found
