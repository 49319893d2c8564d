"""Tensors of random numbers: new ones, and tensors filled in place, drawn by the functions of ``random``."""

import numpy as np

from ..engine import dtypes
from ..engine.dispatch import apply, by_position
from ..engine.formulas import parameter_names
from ..engine.inplace import in_place
from ..engine.plans import Row
from ..engine.table import binder, functions, publish_call, tensor_argument
from ..engine.tensor import Tensor
from ..operations.checks import broadcast_shape
from . import distributions
from .arguments import creates, int_argument, number_argument, size_tuple
from .distributions import like

# -- new tensors -----------------------------------------------------------------------------------------------------


def floating(dtype):
    return (dtype or dtypes.get_default_dtype()).numpy


@creates
def rand(*size, generator=None, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
    """Random numbers spread evenly over [0, 1), of the shape *size*; the same after the same seed as in PyTorch.

    >>> import autograd_nb as torch
    >>> torch.rand(2, generator=torch.Generator().manual_seed(0))
    tensor([0.4963, 0.7682])
    """
    return distributions.uniform(size, floating(dtype), generator=generator)


@creates
def randn(*size, generator=None, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
    """Normally distributed random numbers (mean 0, variance 1), of the shape *size*.

    >>> import autograd_nb as torch
    >>> torch.randn(2, generator=torch.Generator().manual_seed(0))
    tensor([ 1.5410, -0.2934])
    """
    return distributions.normal(size, floating(dtype), generator=generator)


@creates
def randint(low=0, high=None, size=None, *, generator=None, dtype=None, layout=None, device=None, pin_memory=False,
            requires_grad=False):  # fmt: skip
    """Random integers from *low* up to but not including *high*: ``randint(low, high, size)``, ``randint(high, size)``.

    RuntimeError when there is no such integer, TypeError for bounds that are none.

    >>> import autograd_nb as torch
    >>> torch.randint(10, (4,), generator=torch.Generator().manual_seed(0))
    tensor([4, 9, 3, 0])
    """
    position = 2
    if size is None:
        if high is None:
            raise TypeError('randint() missing 1 required positional arguments: "size"')
        high, size = None, size_tuple("randint", high, 2)
    if high is None:
        low, high, position = 0, low, 1
    low, high = int_argument("randint", "low", 1, low), int_argument("randint", "high", position, high)
    return distributions.integers(size, low, high, (dtype or dtypes.int64).numpy, generator)


@creates
def randperm(n, *, generator=None, dtype=dtypes.int64, layout=None, device=None, pin_memory=False, requires_grad=False):
    """The integers 0 to *n* - 1 in random order.

    >>> import autograd_nb as torch
    >>> torch.randperm(5, generator=torch.Generator().manual_seed(0))
    tensor([4, 0, 1, 3, 2])
    """
    return distributions.permutation(int_argument("randperm", "n", 1, n), dtype.numpy, generator)


@creates
def rand_like(input, *, generator=None, dtype=None, layout=None, device=None, requires_grad=False, memory_format=None):
    """As :func:`rand`, in the shape and dtype of *input*."""
    dtype = dtype or tensor_argument(input, "rand_like")._dtype
    return like(input._array, lambda shape: distributions.uniform(shape, dtype.numpy, generator=generator))


@creates
def randn_like(input, *, generator=None, dtype=None, layout=None, device=None, requires_grad=False, memory_format=None):
    """As :func:`randn`, in the shape and dtype of *input*."""
    dtype = dtype or tensor_argument(input, "randn_like")._dtype
    together = input._array.flags.c_contiguous
    return like(input._array, lambda shape: distributions.normal(
        shape, dtype.numpy, generator=generator, contiguous=together))  # fmt: skip


@creates
def randint_like(input, low, high=None, *, generator=None, dtype=None, layout=None, device=None, requires_grad=False,
                 memory_format=None):  # fmt: skip
    """As :func:`randint`, in the shape and dtype of *input*: ``randint_like(x, high)`` or ``(x, low, high)``."""
    low, high = (0, low) if high is None else (low, high)
    low, high = int_argument("randint_like", "low", 2, low), int_argument("randint_like", "high", 3, high)
    dtype = dtype or tensor_argument(input, "randint_like")._dtype
    return like(input._array, lambda shape: distributions.integers(shape, low, high, dtype.numpy, generator))


# -- filled in place, or drawn from tensors --------------------------------------------------------------------------
# No gradient flows through a draw, so every formula is zeros.

zeros_like = np.zeros_like


def draws(node_name):
    """Decorate a draw from the elements of a tensor to make it an operation, in place if its name ends in ``_``."""

    def add(forward):
        name, parameters = forward.__name__, parameter_names(forward)
        formulas = {"self": lambda grad: zeros_like(grad)}
        row = Row(name, by_position(forward), formulas, parameters, ("self",), node_name=node_name)
        bind = binder(name, forward, parameters)
        reserved = {"from": "from_", "from_": "from"}  # PyTorch's name is a word of Python's, no parameter can bear it
        run = in_place if name.endswith("_") else apply

        def call(*args, **kwargs):
            values = bind(args, {reserved.get(key, key): value for key, value in kwargs.items()})
            tensor_argument(values[0], name)
            return run(row, values)

        call.__wrapped__ = forward
        return publish_call(name, call, forward.__doc__, function=run is apply)

    return add


@draws("UniformBackward0")
def uniform_(self, from_=0, to=1, *, generator=None):
    """Fill with random numbers spread evenly over [from, to); returns the tensor.

    >>> import autograd_nb as torch
    >>> torch.empty(2).uniform_(0, 2, generator=torch.Generator().manual_seed(0))
    tensor([0.9925, 1.5364])
    """
    return like(self, lambda shape: distributions.uniform(shape, self.dtype, from_, to, generator))


@draws("NormalBackward0")
def normal_(self, mean=0, std=1, *, generator=None):
    """Fill with normally distributed random numbers; returns the tensor.

    >>> import autograd_nb as torch
    >>> torch.empty(2).normal_(generator=torch.Generator().manual_seed(0))
    tensor([ 1.5410, -0.2934])
    """
    together = self.flags.c_contiguous
    return like(self, lambda shape: distributions.normal(shape, self.dtype, mean, std, generator, together))


@draws("ExponentialBackward0")
def exponential_(self, lambd=1, *, generator=None):
    """Fill with exponentially distributed random numbers of rate *lambd*; returns the tensor."""
    return like(self, lambda shape: distributions.exponential(shape, self.dtype, lambd, generator))


@draws("RandomBackward2")
def random_(self, from_=None, to=None, *, generator=None):
    """Fill with random integers: below *to*, ``random_(from, to)`` between both, or all that the dtype tells apart."""
    if from_ is None:
        return like(self, lambda shape: distributions.any_integers(shape, self.dtype, generator))
    low, high = (0, from_) if to is None else (from_, to)
    return like(self, lambda shape: distributions.integers(shape, low, high, self.dtype, generator))


@draws("BernoulliBackward2")
def bernoulli_(self, p=0.5, *, generator=None):
    """Fill with ones of probability *p* (a number, or a tensor that broadcasts), zeros else; returns the tensor."""
    if broadcast_shape(np.shape(p), self.shape) != self.shape:
        raise RuntimeError(f"bernoulli_: p of shape {list(p.shape)} does not broadcast to {list(self.shape)}")
    if not np.ndim(p):
        return like(self, lambda shape: distributions.bernoulli(p, shape, self.dtype, generator))
    return like(self, lambda shape, p: distributions.bernoulli(p, shape, self.dtype, generator), p)


@draws("BernoulliBackward0")
def bernoulli(self, p=None, *, generator=None):
    """Ones with the probabilities that the tensor holds, or with probability *p*, zeros else.

    >>> import autograd_nb as torch
    >>> torch.bernoulli(torch.tensor([0., 1.]))
    tensor([0., 1.])
    """
    return distributions.bernoulli(np.asarray(self) if p is None else p, self.shape, self.dtype, generator)


@creates
def multinomial(self, num_samples, replacement=False, *, generator=None):
    """Random places in a vector of weights, or in each row of a matrix, drawn as often as the weights say.

    RuntimeError for weights that are negative, not finite or all zero, and for too many samples without *replacement*.

    >>> import autograd_nb as torch
    >>> torch.multinomial(torch.tensor([0., 3., 0.]), 2, replacement=True)
    tensor([1, 1])
    """
    return distributions.choices(tensor_argument(self, "multinomial")._array, num_samples, replacement, generator)


functions["multinomial"] = multinomial


def normal_of(mean, std, size, dtype, generator):
    """Normal numbers with a mean and a deviation each."""
    if np.any(np.less(std, 0)):
        raise RuntimeError("normal expects all elements of std >= 0.0")
    values = distributions.normal(size, dtype, generator=generator)
    return ((values * std).astype(dtype) + mean).astype(dtype)


NORMAL = [
    Row("normal", normal_of, {"mean": lambda grad: zeros_like(grad), "std": lambda grad: zeros_like(grad)},
        parameter_names(normal_of), node_name=f"NormalBackward{number}", broadcasts=True)
    for number in (1, 2, 3)
]  # fmt: skip


@creates
def normal(mean, std=1.0, size=None, *, generator=None, dtype=None, layout=None, device=None, pin_memory=False,
           requires_grad=False):  # fmt: skip
    """Normally distributed random numbers: of the shape *size*, or of the shape of the tensors *mean* and *std*.

    >>> import autograd_nb as torch
    >>> torch.normal(5., 2., (2,), generator=torch.Generator().manual_seed(0))
    tensor([8.0820, 4.4131])
    """
    tensors = [value for value in (mean, std) if isinstance(value, Tensor)]
    if not tensors:
        if size is None:
            raise TypeError('normal() missing 1 required positional arguments: "size"')
        mean, std = number_argument("normal", "mean", 1, mean), number_argument("normal", "std", 2, std)
        return distributions.normal(size, floating(dtype), mean, std, generator)
    size = broadcast_shape(tensors[0]._array.shape, tensors[-1]._array.shape)
    row = NORMAL[isinstance(mean, Tensor) + 2 * isinstance(std, Tensor) - 1]
    return apply(row, (mean, std, size, tensors[0]._dtype.numpy, generator))
