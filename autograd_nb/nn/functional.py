"""The functions that layers apply, for calling them directly: ``torch.nn.functional``, by custom ``F``."""

import numpy as np

from ..engine.modes import no_grad
from ..engine.table import ops
from ..engine.warning import warn
from ..operations.checks import broadcast_shape
from .later import later

CONTENTS = {  # the functions that stand in other files, which load when one of them is first used
    "attention": "scaled_dot_product_attention",
    "loss_functions":
        "binary_cross_entropy binary_cross_entropy_with_logits cross_entropy huber_loss kl_div l1_loss mse_loss "
        "nll_loss smooth_l1_loss",
    "margins":
        "cosine_embedding_loss gaussian_nll_loss hinge_embedding_loss margin_ranking_loss multi_margin_loss "
        "multilabel_margin_loss multilabel_soft_margin_loss pairwise_distance poisson_nll_loss soft_margin_loss "
        "triplet_margin_loss triplet_margin_with_distance_loss",
    "noise": "alpha_dropout dropout dropout1d dropout2d dropout3d feature_alpha_dropout gumbel_softmax rrelu rrelu_",
    "normalizations": "batch_norm group_norm instance_norm layer_norm rms_norm",
    "pictures": "channel_shuffle interpolate pixel_shuffle pixel_unshuffle upsample",
    "pooling":
        "adaptive_avg_pool1d adaptive_avg_pool2d adaptive_max_pool1d adaptive_max_pool2d avg_pool1d avg_pool2d "
        "lp_pool1d lp_pool2d max_pool1d max_pool2d",
    "windows": "conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d fold pad unfold",
}  # fmt: skip

# -- activations -----------------------------------------------------------------------------------------------------


def leaky_relu(input, negative_slope=0.01, inplace=False):
    """The element where positive, else *negative_slope* of it."""
    return (ops.leaky_relu_ if inplace else ops.leaky_relu)(input, negative_slope)


def elu(input, alpha=1.0, inplace=False):
    """The element where positive, else alpha * (exp(input) - 1)."""
    return (ops.elu_ if inplace else ops.elu)(input, alpha)


def selu(input, inplace=False):
    """elu, with a scale and an alpha that keep mean 0 and variance 1."""
    return (ops.selu_ if inplace else ops.selu)(input)


def celu(input, alpha=1.0, inplace=False):
    """The element where positive, else alpha * (exp(input / alpha) - 1)."""
    return (ops.celu_ if inplace else ops.celu)(input, alpha)


def silu(input, inplace=False):
    """input * sigmoid(input)."""
    return (ops.silu_ if inplace else ops.silu)(input)


def mish(input, inplace=False):
    """input * tanh(softplus(input))."""
    return (ops.mish_ if inplace else ops.mish)(input)


def hardtanh(input, min_val=-1.0, max_val=1.0, inplace=False):
    """The input brought between two bounds.  ValueError when they are out of order."""
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    return (ops.hardtanh_ if inplace else ops.hardtanh)(input, min_val, max_val)


def hardsigmoid(input, inplace=False):
    """(input + 3) / 6, brought between 0 and 1."""
    return (ops.hardsigmoid_ if inplace else ops.hardsigmoid)(input)


def hardswish(input, inplace=False):
    """input * hardsigmoid(input)."""
    return (ops.hardswish_ if inplace else ops.hardswish)(input)


def softplus(input, beta=1.0, threshold=20.0):
    """log(1 + exp(beta * input)) / beta."""
    return ops.softplus(input, beta, threshold)


def logsigmoid(input):
    """The logarithm of sigmoid(input)."""
    return ops.logsigmoid(input)


def hardshrink(input, lambd=0.5):
    """The element, or 0 where it is no larger than *lambd*."""
    return ops.hardshrink(input, lambd)


def softshrink(input, lambd=0.5):
    """The element brought nearer to zero by *lambd*."""
    return ops.softshrink(input, lambd)


def glu(input, dim=-1):
    """The first half along *dim* times the sigmoid of the second."""
    return ops.glu(input, dim)


def gelu(input, *, approximate="none"):
    """input times the probability that a normal number is below it."""
    return ops.gelu(input, approximate)


def relu(input, inplace=False):
    """The element where it is positive, else 0.

    >>> import autograd_nb as torch
    >>> torch.nn.functional.relu(torch.tensor([-1., 2.]))
    tensor([0., 2.])
    """
    return ops.relu_(input) if inplace else ops.relu(input)


def relu6(input, inplace=False):
    """The input brought between 0 and 6."""
    return hardtanh(input, 0.0, 6.0, inplace=inplace)


def prelu(input, weight):
    """The element where it is not negative, else *weight* times it: one number, or one for each channel."""
    if input._dtype is not weight._dtype:
        kinds = " and ".join(each._dtype.legacy_name for each in (input, weight))
        raise RuntimeError(f"prelu: Type promoting not supported. Got {kinds}")
    return ops.prelu(input, weight)


def threshold(input, threshold, value, inplace=False):
    """The element where it is above *threshold*, else *value*."""
    return (ops.threshold_ if inplace else ops.threshold)(input, threshold, value)


def _in_place(function):
    """The function that writes over its input, as *function* does with ``inplace=True``."""

    def call(input, *args, **kwargs):
        return function(input, *args, inplace=True, **kwargs)

    call.__name__ = call.__qualname__ = function.__name__ + "_"
    call.__doc__ = f"In-place form of :func:`{function.__name__}`."
    return call


relu_, elu_, selu_, celu_ = map(_in_place, (relu, elu, selu, celu))
leaky_relu_, hardtanh_, threshold_ = map(_in_place, (leaky_relu, hardtanh, threshold))


def sigmoid(input):
    """1 / (1 + exp(-input))."""
    return ops.sigmoid(input)


def tanh(input):
    """The hyperbolic tangent."""
    return ops.tanh(input)


def softsign(input):
    """input / (1 + |input|)."""
    return input / (input.abs() + 1)


def tanhshrink(input):
    """input - tanh(input)."""
    return input - input.tanh()


def _implicit_dim(name, ndim):
    warn(f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument.")
    return 0 if ndim in (0, 1, 3) else 1


def softmax(input, dim=None, _stacklevel=3, dtype=None):
    """exp(input) over its sum along *dim*: positive numbers that add up to 1.

    >>> import autograd_nb as torch
    >>> torch.nn.functional.softmax(torch.tensor([0., 0.]), dim=0)
    tensor([0.5000, 0.5000])
    """
    return ops.softmax(input, _implicit_dim("softmax", input.dim()) if dim is None else dim, dtype=dtype)


def softmin(input, dim=None, _stacklevel=3, dtype=None):
    """softmax of -input."""
    return ops.softmax(-input, _implicit_dim("softmin", input.dim()) if dim is None else dim, dtype=dtype)


def log_softmax(input, dim=None, _stacklevel=3, dtype=None):
    """The logarithm of :func:`softmax`, computed so that it neither overflows nor loses digits."""
    return ops.log_softmax(input, _implicit_dim("log_softmax", input.dim()) if dim is None else dim, dtype=dtype)


# -- linear layers ---------------------------------------------------------------------------------------------------


def linear(input, weight, bias=None):
    """``input @ weight.T + bias`` for a *weight* of shape (out, in).

    RuntimeError when shapes or dtypes do not fit.

    >>> import autograd_nb as torch
    >>> torch.nn.functional.linear(torch.ones(1, 2), torch.tensor([[1., 2.], [3., 4.]]), torch.zeros(2))
    tensor([[3., 7.]])
    """
    return ops.linear(input, weight, bias)


def bilinear(input1, input2, weight, bias=None):
    """``input1 @ weight[k] @ input2`` for each k, plus the bias: weight (out, in1, in2).

    RuntimeError when shapes do not fit.
    """
    if input1.dim() != input2.dim():
        raise RuntimeError(f"bilinear(): input dimensions do not match: got {input1.dim()} and {input2.dim()}")
    for place, each in enumerate((input1, input2), 1):
        if each.size(-1) != weight.size(place):
            raise RuntimeError(f"bilinear(): input{place} size does not match weight size: got {each.size(-1)} but "
                               f"expected {weight.size(place)}")
    if bias is not None and bias.size(0) != weight.size(0):
        raise RuntimeError(f"bilinear(): bias size does not match weight size: got {bias.size(0)} but expected "
                           f"{weight.size(0)}")
    for dim, (one, other) in enumerate(zip(input1.shape[:-1], input2.shape[:-1], strict=True)):
        if one != other:
            raise RuntimeError(f"bilinear(): input batch dimensions do not match at dim {dim}: got {one} and {other}")
    rows = [each.reshape(-1, each.size(-1)) for each in (input1, input2)]
    result = ops.trilinear(rows[0], weight, rows[1]).reshape(*input1.shape[:-1], weight.size(0))
    return result if bias is None else result + bias


def embedding(input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False):
    """The rows of *weight* that *input* names; the row *padding_idx* gets no gradient.

    Rows whose *norm_type*-norm is above *max_norm* are scaled down to it first, in place; with *scale_grad_by_freq* a
    row's gradient is over the number of times that it was named.  IndexError for a row that is not there.

    >>> import autograd_nb as torch
    >>> torch.nn.functional.embedding(torch.tensor([1, 0]), torch.tensor([[1., 2.], [3., 4.]]))
    tensor([[3., 4.],
            [1., 2.]])
    """
    if padding_idx is None:
        padding_idx = -1
    elif not -weight.size(0) <= padding_idx < weight.size(0):
        raise AssertionError("Padding_idx must be within num_embeddings")
    else:
        padding_idx %= weight.size(0)
    if sparse:
        raise NotImplementedError("embedding: sparse gradients are not part of autograd_nb; leave sparse at False")
    if max_norm is not None:
        with no_grad():
            rows = ops.unique(input)
            found = weight[rows]
            norms = found.norm(norm_type, 1, True)
            weight[rows] = ops.where(norms > max_norm, found * (max_norm / (norms + 1e-7)), found)
    return ops.embedding(weight, input, padding_idx, scale_grad_by_freq)


def one_hot(tensor, num_classes=-1):
    """A row for each class number: 1 at the class, 0 elsewhere, as int64.

    RuntimeError for numbers that are no classes.

    >>> import autograd_nb as torch
    >>> torch.nn.functional.one_hot(torch.tensor([0, 2]))
    tensor([[1, 0, 0],
            [0, 0, 1]])
    """
    if tensor._dtype.name != "int64":
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if not tensor.numel():
        if num_classes <= 0:
            raise RuntimeError("Can not infer total number of classes from empty tensor.")
        return ops.zeros(*tensor.shape, num_classes, dtype=tensor.dtype)
    if int(tensor.min()) < 0:
        raise RuntimeError("Class values must be non-negative.")
    greatest = int(tensor.max())
    if num_classes == -1:
        num_classes = greatest + 1
    elif num_classes < 0:
        raise RuntimeError("num_classes should be positive")
    elif num_classes <= greatest:
        raise RuntimeError("Class values must be smaller than num_classes.")
    classes = ops.arange(num_classes)
    return (tensor.unsqueeze(-1) == classes).long()


# -- lengths and angles ----------------------------------------------------------------------------------------------


def normalize(input, p=2.0, dim=1, eps=1e-12):
    """The input over its *p*-norm along *dim*, which counts as *eps* at least.

    >>> import autograd_nb as torch
    >>> torch.nn.functional.normalize(torch.tensor([[3., 4.]]))
    tensor([[0.6000, 0.8000]])
    """
    return input / ops.vector_norm(input, p, dim, keepdim=True).clamp_min(eps).expand_as(input)


def cosine_similarity(x1, x2, dim=1, eps=1e-8):
    """The cosine of the angle between two tensors' vectors along *dim*.

    >>> import autograd_nb as torch
    >>> torch.nn.functional.cosine_similarity(torch.tensor([[1., 0.]]), torch.tensor([[1., 1.]]))
    tensor([0.7071])
    """
    shape = broadcast_shape(x1._array.shape, x2._array.shape)
    if x1._array.shape != x2._array.shape:
        x1, x2 = x1.expand(shape), x2.expand(shape)
    n1, n2 = (ops.vector_norm(x, 2, dim, keepdim=True).clone() for x in (x1, x2))
    for norm in (n1, n2):
        norm._array = np.maximum(norm._array, norm._dtype.scalar(eps))  # outside of the graph, as PyTorch does it
    second = x2 / n2  # which PyTorch computes first, as the order of a pass shows
    return (x1 / n1 * second).sum(dim)


__getattr__, __dir__, _later = later("torch.nn.functional", globals(), CONTENTS)
__all__ = sorted({*_later, *(name for name, it in globals().items() if getattr(it, "__module__", "") == __name__)})
__all__ = [name for name in __all__ if name[0] != "_"]
