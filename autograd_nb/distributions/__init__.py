"""``torch.distributions``: Normal, Bernoulli and Categorical, whose samples are PyTorch's after the same seed, and
the divergence between two of one kind.

``log_prob`` and ``rsample`` are recorded, so that parameters can learn through them.
"""

import math
from functools import cached_property
from operator import attrgetter

from ..engine.dtypes import PYTHON_NUMBERS, Size, get_default_dtype
from ..engine.modes import enable_grad, no_grad
from ..engine.table import functions, ops
from ..engine.tensor import Tensor
from ..nn import functional as F
from ..torch_api import random  # noqa: F401 whose functions are called by name
from ..torch_api.keywords import stands_for


class Constraint:
    """A condition on values: PyTorch's name for it, and a check that says where it holds."""

    def __init__(self, name, check):
        self.name, self.check = name, check

    def __repr__(self):
        return self.name


REAL = Constraint("Real()", lambda value: value == value)
POSITIVE = Constraint("GreaterThan(lower_bound=0.0)", lambda value: value > 0)
PROBABILITY = Constraint("Interval(lower_bound=0.0, upper_bound=1.0)", lambda value: (value >= 0) & (value <= 1))
BOOLEAN = Constraint("Boolean()", lambda value: (value == 0) | (value == 1))
REALS = Constraint("IndependentConstraint(Real(), 1)", lambda value: (value == value).all(-1))
SIMPLEX = Constraint("Simplex()", lambda value: (value >= 0).all(-1) & ((value.sum(-1) - 1).abs() < 1e-6))


def broadcast_all(*values):
    """The values as tensors of one shape; numbers take the dtype of a tensor among them, or the default one."""
    tensors = [each for each in values if isinstance(each, Tensor)]
    if not all(isinstance(each, (Tensor, *PYTHON_NUMBERS)) for each in values):
        raise ValueError("Input arguments must all be instances of Number, torch.Tensor or objects implementing "
                         "__torch_function__.")  # fmt: skip
    dtype = tensors[0]._dtype if tensors else get_default_dtype()
    values = [each if isinstance(each, Tensor) else ops.full((), each, dtype=dtype) for each in values]
    return F.broadcast(values)


class Distribution:
    """The base of all distributions: shapes, and checks of parameters and values unless *validate_args* is False."""

    has_rsample = False
    _validate_args = __debug__
    arg_constraints = {}

    def __init__(self, batch_shape=(), validate_args=None):
        self.batch_shape, self.event_shape = Size(batch_shape), Size()
        if validate_args is not None:
            self._validate_args = validate_args
        for name, constraint in self.arg_constraints.items() if self._validate_args else ():
            value = vars(self).get(name)
            if value is not None and not constraint.check(value).all():
                raise ValueError(f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) of "
                                 f"distribution {self!r} to satisfy the constraint {constraint}, but found invalid "
                                 f"values:\n{value}")  # fmt: skip

    def _extended_shape(self, sample_shape=()):
        return Size((*sample_shape, *self.batch_shape))

    def _validate_sample(self, value):
        if not self._validate_args:
            return
        if not isinstance(value, Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        shape = value.shape
        if any(1 not in pair and pair[0] != pair[1] for pair in zip(shape[::-1], self.batch_shape[::-1], strict=False)):
            raise ValueError(f"Value is not broadcastable with batch_shape+event_shape: {shape} vs {self.batch_shape}.")
        constraint = self.support
        if not constraint.check(value).all():
            raise ValueError(f"Expected value argument ({type(value).__name__} of shape {tuple(shape)}) to be within "
                             f"the support ({constraint}) of the distribution {self!r}, but found invalid "
                             f"values:\n{value}")  # fmt: skip

    @property
    def stddev(self):
        """The root of the variance."""
        return self.variance.sqrt()

    def sample(self, sample_shape=()):
        """Random numbers of the shape *sample_shape* + ``batch_shape``, which no gradient flows through."""
        with no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape=()):
        """Random numbers that gradients flow through; a subclass may have it."""
        raise NotImplementedError

    def cdf(self, value):
        """The probability of a number up to *value*; a subclass may have it."""
        raise NotImplementedError

    def __repr__(self):
        own = {name: value for name, value in vars(self).items() if name in self.arg_constraints}
        texts = [f"{name}: {own[name] if own[name].numel() == 1 else own[name].size()}"
                 for name in self.arg_constraints if name in own]  # fmt: skip
        return f"{type(self).__name__}({', '.join(texts)})"


class Normal(Distribution):
    """The normal distribution with mean *loc* and standard deviation *scale*.

    >>> import autograd_nb as torch
    >>> torch.distributions.Normal(0., 1.).log_prob(torch.tensor(1.))
    tensor(-1.4189)
    """

    has_rsample, support = True, REAL
    arg_constraints = {"loc": REAL, "scale": POSITIVE}
    mean = property(attrgetter("loc"))
    stddev = property(attrgetter("scale"))
    variance = property(lambda self: self.stddev.pow(2))

    def __init__(self, loc, scale, validate_args=None):
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(self.loc.shape, validate_args)

    def rsample(self, sample_shape=()):
        """loc + noise · scale, so that gradients flow to both."""
        shape = self._extended_shape(sample_shape)
        dtype = self.loc._dtype
        noise = functions["normal"](ops.zeros(shape, dtype=dtype), ops.ones(shape, dtype=dtype))
        return self.loc + noise * self.scale

    def log_prob(self, value):
        """The logarithm of the density at *value*."""
        self._validate_sample(value)
        variance = self.scale**2
        return -((value - self.loc) ** 2) / (2 * variance) - self.scale.log() - math.log(math.sqrt(2 * math.pi))

    def cdf(self, value):
        """The probability of a number up to *value*."""
        self._validate_sample(value)
        return 0.5 * (1 + ops.erf((value - self.loc) * self.scale.reciprocal() / math.sqrt(2)))

    def entropy(self):
        """The entropy in nats."""
        return 0.5 + 0.5 * math.log(2 * math.pi) + self.scale.log()


def one_of(probs, logits):
    """The name and the value of the one that is given; the other is computed when it is first read."""
    if (probs is None) == (logits is None):
        raise ValueError("Either `probs` or `logits` must be specified, but not both.")
    return ("logits", logits) if probs is None else ("probs", probs)


def clamped(probs):
    eps = math.ulp(1.0) if probs._dtype.itemsize == 8 else 2.0**-23
    return probs.clamp(min=eps, max=1 - eps)


class Bernoulli(Distribution):
    """1 with probability *probs*, which is sigmoid(*logits*), else 0."""

    support = BOOLEAN
    arg_constraints = {"probs": PROBABILITY, "logits": REAL}
    mean = property(attrgetter("probs"))
    variance = property(lambda self: self.probs * (1 - self.probs))

    def __init__(self, probs=None, logits=None, validate_args=None):
        name, value = one_of(probs, logits)
        (value,) = broadcast_all(value)
        setattr(self, name, value)
        super().__init__(value.shape, validate_args)

    @cached_property
    def logits(self):
        """log(probs / (1 - probs))."""
        with enable_grad():
            probs = clamped(self.probs)
            return probs.log() - ops.log1p(-probs)

    @cached_property
    def probs(self):
        """The probability of 1."""
        with enable_grad():
            return self.logits.sigmoid()

    def sample(self, sample_shape=()):
        """Zeros and ones of the shape *sample_shape* + ``batch_shape``."""
        with no_grad():
            probs = self.probs.expand(self._extended_shape(sample_shape))
            return (functions["rand_like"](probs) < probs).to(probs)

    def log_prob(self, value):
        """The logarithm of the probability of *value*, of zeros and ones."""
        self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        return -F.binary_cross_entropy_with_logits(logits, value, reduction="none")

    def entropy(self):
        """The entropy in nats."""
        return F.binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")


class Categorical(Distribution):
    """One of n classes, 0 to n-1; the last dimension of *probs*, or of *logits*, has a number for each.

    >>> import autograd_nb as torch
    >>> torch.distributions.Categorical(torch.tensor([1., 3.])).log_prob(torch.tensor(1)).exp()
    tensor(0.7500)
    """

    arg_constraints = {"probs": SIMPLEX, "logits": REALS}

    def __init__(self, probs=None, logits=None, validate_args=None):
        name, value = one_of(probs, logits)
        if value.dim() < 1:
            raise ValueError(f"`{name}` parameter must be at least one-dimensional.")
        if name == "probs":
            self.probs = value / value.sum(-1, keepdim=True)
        else:
            self.logits = value - value.logsumexp(dim=-1, keepdim=True)
        self._num_events = value.shape[-1]
        super().__init__(value.shape[:-1], validate_args)

    @cached_property
    def logits(self):
        """The logarithms of the probabilities."""
        with enable_grad():
            return clamped(self.probs).log()

    @cached_property
    def probs(self):
        """The probabilities, which add up to 1."""
        with enable_grad():
            return self.logits.softmax(-1)

    @property
    def mean(self):
        """nan, since classes are not numbers."""
        return ops.full(self.batch_shape, math.nan, dtype=self.probs._dtype)

    variance = mean

    @property
    def support(self):
        """The condition that classes hold."""
        last = self._num_events - 1
        return Constraint(f"IntegerInterval(lower_bound=0, upper_bound={last})",
                          lambda value: (value % 1 == 0) & (value >= 0) & (value <= last))

    def sample(self, sample_shape=()):
        """Classes in a tensor of the shape *sample_shape* + ``batch_shape``."""
        rows = self.probs.detach().reshape(-1, self._num_events)
        drawn = ops.multinomial(rows, math.prod(sample_shape), True)
        return drawn.T.reshape(self._extended_shape(sample_shape))

    def log_prob(self, value):
        """The logarithm of the probability of each class in *value*."""
        self._validate_sample(value)
        value, logits = value.long().unsqueeze(-1), self.logits
        value, logits = broadcast_all(value, logits)
        return logits.gather(-1, value[..., :1]).squeeze(-1)

    def entropy(self):
        """The entropy in nats."""
        lowest = -float(2 - 2.0**-23) * 2.0**127 if self.logits._dtype.itemsize == 4 else -math.inf
        return -(ops.clamp(self.logits, min=lowest) * self.probs).sum(-1)


def kl_divergence(p, q):
    """The Kullback-Leibler divergence of *p* from *q*, two distributions of one kind, in nats.

    >>> import autograd_nb as torch
    >>> Normal = torch.distributions.Normal
    >>> torch.distributions.kl_divergence(Normal(0., 1.), Normal(1., 1.))
    tensor(0.5000)
    """
    for kind, divergence in DIVERGENCES.items():
        if isinstance(p, kind) and isinstance(q, kind):
            return divergence(p, q)
    raise NotImplementedError("The cross KL-divergence between different exponential families cannot"
                              f"{' ' * 29}be computed using Bregman divergences")


def of_normals(p, q):
    ratio = (p.scale / q.scale).pow(2)
    return 0.5 * (ratio + ((p.loc - q.loc) / q.scale).pow(2) - 1 - ratio.log())


def of_bernoullis(p, q):
    ones = p.probs * (F.softplus(-q.logits) - F.softplus(-p.logits))
    ones[q.probs == 0] = math.inf
    ones[p.probs == 0] = 0
    zeros = (1 - p.probs) * (F.softplus(q.logits) - F.softplus(p.logits))
    zeros[q.probs == 1] = math.inf
    zeros[p.probs == 1] = 0
    return ones + zeros


def of_categoricals(p, q):
    terms = p.probs * (p.logits - q.logits)
    terms[(q.probs == 0).expand_as(terms)] = math.inf
    terms[(p.probs == 0).expand_as(terms)] = 0
    return terms.sum(-1)


DIVERGENCES = {Normal: of_normals, Bernoulli: of_bernoullis, Categorical: of_categoricals}

__getattr__ = stands_for("torch.distributions", globals())
