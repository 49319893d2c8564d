"""``torch.random``, and tensors of random numbers: new ones, and tensors filled in place."""

from functools import reduce
from operator import index

import numpy as np

from ..engine import dtypes
from ..engine.inplace import in_place
from ..engine.table import Row, functions, parameter_names
from ..engine.tensor import Tensor
from ..operations.checks import as_int, broadcast_shape
from ..operations.publishing import door, publish_call
from ..operations.rows import by_position, operation
from . import random_streams
from .absent import absent_from
from .arguments import as_number, creates, size_tuple
from .random_streams import Generator, default_generator

__getattr__ = absent_from("torch.random")

# -- the default generator -------------------------------------------------------------------------------------------


def manual_seed(seed):
    """Restart the default generator from *seed*, anything that ``int`` accepts, and return it."""
    return default_generator.manual_seed(int(seed))


seed, initial_seed = default_generator.seed, default_generator.initial_seed
get_rng_state = default_generator.get_state


def set_rng_state(new_state):
    """Restore a state of the default generator that ``get_rng_state`` returned."""
    default_generator.set_state(new_state)


functions.update(
    Generator=Generator, default_generator=default_generator, manual_seed=manual_seed, seed=seed,
    initial_seed=initial_seed, get_rng_state=get_rng_state, set_rng_state=set_rng_state,
)  # fmt: skip

# -- new tensors -----------------------------------------------------------------------------------------------------


def drawn(name, draw, numbers, shows):
    """Publish ``rand`` and ``rand_like``, or the same two for other *numbers*."""

    def plain(size, *, generator=None, dtype):
        return draw(size, dtype.numpy, generator=generator)

    def like(input, *, generator=None, dtype):
        return draw(input.shape, dtype.numpy, generator=generator)

    plain.__name__, like.__name__ = name, name + "_like"
    plain.__doc__ = f"""{numbers}, of the shape *size*; PyTorch's after the same seed.

    >>> import autograd_nb as torch
    >>> torch.{name}(2, generator=torch.Generator().manual_seed(0))
    tensor({shows})
    """
    like.__doc__ = f"Like :func:`{name}`, in the shape and dtype of *input*."
    creates(plain), creates(like)


drawn("rand", random_streams.uniform, "Uniformly distributed random numbers in [0, 1)", "[0.4963, 0.7682]")
drawn("randn", random_streams.normal, "Normally distributed random numbers (mean 0, variance 1)", "[ 1.5410, -0.2934]")


@creates
def normal(mean=0.0, std=1.0, size=None, *, generator=None, dtype):
    """Normal random numbers with this mean and standard deviation: numbers and *size*, or tensors that broadcast."""
    tensors = [each for each in (mean, std) if isinstance(each, Tensor)]
    if tensors:
        mean, factor = (each._array if isinstance(each, Tensor) else each for each in (mean, std))
        if np.any(factor < 0) and isinstance(std, Tensor):
            raise RuntimeError("normal expects all elements of std >= 0.0")
        std, factor = (1, factor) if isinstance(std, Tensor) else (std, 1)
        shape, dtype = reduce(broadcast_shape, [each._array.shape for each in tensors]), tensors[0]._dtype.numpy
        return (random_streams.normal(shape, dtype, 0, std, generator) * factor + mean).astype(dtype)
    if size is None:
        raise TypeError('normal() missing 1 required positional argument: "size"')
    return random_streams.normal(size, dtype.numpy, as_number(mean), as_number(std), generator)


@operation(tensors=("input",))
def multinomial(input, num_samples, replacement=False, *, generator=None):
    """Indices drawn with the probabilities in *input*, or in each of its rows, which need not add up to one.

    >>> import autograd_nb as torch
    >>> torch.multinomial(torch.tensor([0., 3., 0.]), 2, replacement=True)
    tensor([1, 1])
    """
    return random_streams.multinomial(input, num_samples, replacement, generator)


@creates
def randint(low=0, high=None, size=None, *, generator=None, dtype=dtypes.int64):
    """Random integers from *low* up to but not including *high*; ``randint(high, size)`` starts at 0."""
    if size is None:
        if high is None:
            raise TypeError('randint() missing 1 required positional arguments: "size"')
        high, size = None, size_tuple("randint", high)
    if high is None:
        low, high = 0, low
    return random_streams.integers(size, index(low), index(high), dtype.numpy, generator)


@creates
def randperm(n, *, generator=None, dtype=dtypes.int64):
    """The integers 0 to *n* - 1 in random order."""
    return random_streams.permutation(as_int(n), dtype.numpy, generator)


# -- filled in place -------------------------------------------------------------------------------------------------

zeros_like = np.zeros_like  # on tensors, the operation of that name


def fills(forward):
    """Decorate a function that draws numbers to make it an in-place operation, whose gradient is zero."""
    name, parameters = forward.__name__, parameter_names(forward)
    row = Row(name, by_position(forward), {"self": lambda grad: zeros_like(grad)}, parameters, ("self",))

    call = door(name, forward, lambda *values: in_place(row, values))
    call.__wrapped__ = forward
    return publish_call(name, call, forward.__doc__, function=False)


@fills
def uniform_(self, from_=0, to=1, *, generator=None):
    """Fill with uniformly distributed random numbers in [from, to); returns the tensor."""
    return random_streams.uniform(self.shape, self.dtype, from_, to, generator)


@fills
def normal_(self, mean=0, std=1, *, generator=None):
    """Fill with normally distributed random numbers; returns the tensor."""
    return random_streams.normal(self.shape, self.dtype, mean, std, generator)
