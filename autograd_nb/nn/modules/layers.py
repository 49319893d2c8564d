"""Layers: modules that own the parameters or settings of one function in nn.functional."""

import math
from functools import partial

from ...engine.modes import no_grad
from ...engine.table import ops
from .. import functional as F
from .. import init
from ..noise import check_probability
from ..parameter import Parameter
from .applied import applied
from .module import Module


def empty_parameter(shape, dtype, device):
    return Parameter(ops.empty(shape, dtype=dtype, device=device))


def started_linearly(weight, bias):
    """Fill a layer's weight and bias as PyTorch does: evenly spread within 1/√fan_in."""
    init.kaiming_uniform_(weight, a=math.sqrt(5))
    if bias is not None:
        fan_in, _ = init._calculate_fan_in_and_fan_out(weight)
        bound = 1 / math.sqrt(fan_in) if fan_in > 0 else 0
        init.uniform_(bias, -bound, bound)


class Identity(Module):
    """Returns its input; takes any arguments.

    >>> import autograd_nb as torch
    >>> torch.nn.Identity(54)(torch.tensor(1.))
    tensor(1.)
    """

    def __init__(self, *args, **kwargs):
        super().__init__()

    def forward(self, input):
        return input


class Linear(Module):
    """``input @ weight.T + bias``: from *in_features* numbers to *out_features*.

    >>> import autograd_nb as torch
    >>> layer = torch.nn.Linear(2, 3)
    >>> layer, layer(torch.ones(4, 2)).shape
    (Linear(in_features=2, out_features=3, bias=True), torch.Size([4, 3]))
    """

    def __init__(self, in_features, out_features, bias=True, device=None, dtype=None):
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.weight = empty_parameter((out_features, in_features), dtype, device)
        self.register_parameter("bias", empty_parameter((out_features,), dtype, device) if bias else None)
        self.reset_parameters()

    def reset_parameters(self):
        """Draw new first values."""
        started_linearly(self.weight, self.bias)

    def forward(self, input):
        parameters = self._parameters
        return F.linear(input, parameters["weight"], parameters["bias"])

    def extra_repr(self):
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class Bilinear(Module):
    """``input1 @ weight[k] @ input2`` for each k, plus a bias.

    >>> import autograd_nb as torch
    >>> torch.nn.Bilinear(2, 3, 4)(torch.ones(5, 2), torch.ones(5, 3)).shape
    torch.Size([5, 4])
    """

    def __init__(self, in1_features, in2_features, out_features, bias=True, device=None, dtype=None):
        super().__init__()
        if in1_features <= 0:
            raise ValueError(f"in1_features must be > 0, but got (in1_features={in1_features})")
        self.in1_features, self.in2_features, self.out_features = in1_features, in2_features, out_features
        self.weight = empty_parameter((out_features, in1_features, in2_features), dtype, device)
        self.register_parameter("bias", empty_parameter((out_features,), dtype, device) if bias else None)
        self.reset_parameters()

    def reset_parameters(self):
        """Draw new first values."""
        bound = 1 / math.sqrt(self.weight.size(1))
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input1, input2):
        return F.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self):
        return (
            f"in1_features={self.in1_features}, in2_features={self.in2_features}, out_features={self.out_features}, "
            f"bias={self.bias is not None}"
        )


def _sizes(unflattened_size):
    if not isinstance(unflattened_size, list | tuple):
        raise TypeError(f"unflattened_size must be a tuple of ints, but found type {type(unflattened_size).__name__}")
    for place, each in enumerate(unflattened_size):
        if not isinstance(each, int):
            raise TypeError("unflattened_size must be tuple of ints, but found element of type "
                            f"{type(each).__name__} at pos {place}")
    return unflattened_size


def _probability(settings):
    check_probability(settings["p"])
    return settings


_layer = partial(applied, __name__)

Flatten = _layer("Flatten", lambda input, start_dim, end_dim: input.flatten(start_dim, end_dim),
                 "Makes dimensions *start_dim* to *end_dim* one; by default all but the batch.",
                 lambda self, start_dim=1, end_dim=-1: locals(),
                 "start_dim={start_dim}, end_dim={end_dim}")  # fmt: skip
Unflatten = _layer("Unflatten", lambda input, dim, unflattened_size: input.unflatten(dim, unflattened_size),
                   "Makes several dimensions, *unflattened_size*, of one.",
                   lambda self, dim, unflattened_size: {"dim": dim, "unflattened_size": _sizes(unflattened_size)},
                   "dim={dim}, unflattened_size={unflattened_size}")  # fmt: skip
CosineSimilarity = _layer("CosineSimilarity", F.cosine_similarity, "The cosine of the angle between vectors.",
                          lambda self, dim=1, eps=1e-8: locals(), inputs=lambda self, x1, x2: (x1, x2))  # fmt: skip
PairwiseDistance = _layer(
    "PairwiseDistance", lambda x1, x2, norm, eps, keepdim: F.pairwise_distance(x1, x2, norm, eps, keepdim),
    "The norm of the difference of vectors.",
    lambda self, p=2.0, eps=1e-6, keepdim=False: {"norm": p, "eps": eps, "keepdim": keepdim},
    inputs=lambda self, x1, x2: (x1, x2), without=("p",), more=("norm",))  # fmt: skip

# -- dropout -----------------------------------------------------------------------------------------------------------

for _name, _function, _what in (
    ("Dropout", F.dropout, "In training mode, zeros each element with probability *p* and scales the others."),
    ("Dropout1d", F.dropout1d, "In training mode, zeros whole channels of sequences with probability *p*."),
    ("Dropout2d", F.dropout2d, "In training mode, zeros whole channels of pictures with probability *p*."),
    ("Dropout3d", F.dropout3d, "In training mode, zeros whole channels of volumes with probability *p*."),
    ("AlphaDropout", F.alpha_dropout, "Dropout that keeps mean 0 and variance 1 after selu."),
    ("FeatureAlphaDropout", F.feature_alpha_dropout, "AlphaDropout of whole channels."),
):
    globals()[_name] = _layer(_name, _function, _what, lambda self, p=0.5, inplace=False: _probability(locals()),
                              "p={p}, inplace={inplace}", more=("training",))  # fmt: skip


class Embedding(Module):
    """A table of vectors, looked up by whole numbers.

    >>> import autograd_nb as torch
    >>> torch.nn.Embedding(10, 3)(torch.tensor([1, 5])).shape
    torch.Size([2, 3])
    """

    def __init__(self, num_embeddings, embedding_dim, padding_idx=None, max_norm=None, norm_type=2.0,
                 scale_grad_by_freq=False, sparse=False, _weight=None, _freeze=False, device=None,
                 dtype=None):  # fmt: skip
        super().__init__()
        if padding_idx is not None:
            if not -num_embeddings <= padding_idx < num_embeddings:
                raise AssertionError("Padding_idx must be within num_embeddings")
            padding_idx %= num_embeddings
        self.num_embeddings, self.embedding_dim, self.padding_idx = num_embeddings, embedding_dim, padding_idx
        self.max_norm, self.norm_type, self.scale_grad_by_freq = max_norm, norm_type, scale_grad_by_freq
        self.sparse = sparse
        if _weight is None:
            self.weight = empty_parameter((num_embeddings, embedding_dim), dtype, device)
            self.weight.requires_grad_(not _freeze)
            self.reset_parameters()
        elif _weight.shape != (num_embeddings, embedding_dim):
            raise AssertionError("Shape of weight does not match num_embeddings and embedding_dim")
        else:
            self.weight = Parameter(_weight, not _freeze)

    @classmethod
    def from_pretrained(cls, embeddings, freeze=True, padding_idx=None, max_norm=None, norm_type=2.0,
                        scale_grad_by_freq=False, sparse=False):  # fmt: skip
        """A table of vectors that are there already, a matrix; with *freeze* they are not trained.

        >>> import autograd_nb as torch
        >>> torch.nn.Embedding.from_pretrained(torch.tensor([[1., 2.], [3., 4.]]))(torch.tensor(1))
        tensor([3., 4.])
        """
        if embeddings.dim() != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        return cls(*embeddings.shape, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse, embeddings, freeze)

    def reset_parameters(self):
        """Draw new first values; the padding's vector is zero."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            with no_grad():
                self.weight[self.padding_idx].fill_(0)

    def forward(self, input):
        return F.embedding(input, self._parameters["weight"], self.padding_idx, self.max_norm, self.norm_type,
                           self.scale_grad_by_freq, self.sparse)  # fmt: skip

    def extra_repr(self):
        usual = {"padding_idx": None, "max_norm": None, "norm_type": 2, "scale_grad_by_freq": False, "sparse": False}
        more = [f", {name}={getattr(self, name)}" for name, value in usual.items() if getattr(self, name) != value]
        return f"{self.num_embeddings}, {self.embedding_dim}{''.join(more)}"
