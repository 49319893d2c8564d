"""The functions that layers apply, for calling them directly: ``torch.nn.functional``, by custom ``F``."""

import numpy as np

from .. import distributions
from ..absent import absent_from
from ..derivatives.checks import broadcast_shape
from ..table import ops
from ..tensors import wrap
from ..warning import warn
from .loss_functions import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    cross_entropy,
    huber_loss,
    kl_div,
    l1_loss,
    mse_loss,
    nll_loss,
    smooth_l1_loss,
)  # fmt: skip
from .margins import (
    hinge_embedding_loss,
    margin_ranking_loss,
    pairwise_distance,
    poisson_nll_loss,
    triplet_margin_loss,
)  # fmt: skip
from .pictures import (
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    interpolate,
    pixel_shuffle,
    pixel_unshuffle,
)
from .windows import avg_pool1d, avg_pool2d, conv1d, conv2d, max_pool1d, max_pool2d, pad

__all__ = [
    "adaptive_avg_pool1d", "adaptive_avg_pool2d", "avg_pool1d", "avg_pool2d", "binary_cross_entropy",
    "binary_cross_entropy_with_logits", "conv1d", "conv2d", "cross_entropy", "hinge_embedding_loss", "huber_loss",
    "interpolate", "kl_div", "l1_loss", "margin_ranking_loss", "max_pool1d", "max_pool2d", "mse_loss", "nll_loss",
    "pad", "pairwise_distance", "pixel_shuffle", "pixel_unshuffle", "poisson_nll_loss", "smooth_l1_loss",
    "triplet_margin_loss",
]  # fmt: skip

# -- activations -----------------------------------------------------------------------------------------------------


def _activation(name, *settings, text, inplace=False):
    """The operation *name* as a function with *settings*, pairs of a name and a default; *inplace* is one more.

    TypeError for more arguments than these.
    """
    defaults = dict([*settings, ("inplace", False)] if inplace else settings)

    def call(input, *args, **kwargs):
        values = {**defaults, **dict(zip(defaults, args, strict=False)), **kwargs}
        if unknown := values.keys() - defaults.keys():
            raise TypeError(f"{name}() got an unexpected keyword argument '{min(unknown)}'")
        if len(args) > len(defaults):
            raise TypeError(f"{name}() takes from 1 to {len(defaults) + 1} positional arguments but {len(args) + 1} "
                            "were given")
        over = values.pop("inplace", False)
        return getattr(ops, name + "_" * bool(over))(input, *values.values())

    call.__name__ = call.__qualname__ = name
    call.__doc__ = text
    return call


leaky_relu = _activation("leaky_relu", ("negative_slope", 0.01), inplace=True,
                         text="The element where positive, else *negative_slope* of it.")  # fmt: skip
elu = _activation("elu", ("alpha", 1.0), inplace=True,
                  text="The element where positive, else alpha * (exp(input) - 1).")  # fmt: skip
selu = _activation("selu", inplace=True, text="elu, with a scale and an alpha that keep mean 0 and variance 1.")
celu = _activation("celu", ("alpha", 1.0), inplace=True,
                   text="The element where positive, else alpha * (exp(input / alpha) - 1).")  # fmt: skip
silu = _activation("silu", inplace=True, text="input * sigmoid(input).")
mish = _activation("mish", inplace=True, text="input * tanh(softplus(input)).")
softplus = _activation("softplus", ("beta", 1.0), ("threshold", 20.0), text="log(1 + exp(beta * input)) / beta.")
hardtanh = _activation("hardtanh", ("min_val", -1.0), ("max_val", 1.0), inplace=True,
                       text="The input brought between two bounds.")  # fmt: skip
hardsigmoid = _activation("hardsigmoid", inplace=True, text="(input + 3) / 6, brought between 0 and 1.")
hardswish = _activation("hardswish", inplace=True, text="input * hardsigmoid(input).")
logsigmoid = _activation("logsigmoid", text="The logarithm of sigmoid(input).")
hardshrink = _activation("hardshrink", ("lambd", 0.5), text="The element, or 0 where it is no larger than *lambd*.")
softshrink = _activation("softshrink", ("lambd", 0.5), text="The element brought nearer to zero by *lambd*.")
glu = _activation("glu", ("dim", -1), text="The first half along *dim* times the sigmoid of the second.")
gelu = _activation(
    "gelu", ("approximate", "none"), text="input times the probability that a normal number is below it."
)


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
    return ops.prelu(input, weight)


def threshold(input, threshold, value, inplace=False):
    """The element where it is above *threshold*, else *value*."""
    return (ops.threshold_ if inplace else ops.threshold)(input, threshold, value)


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


def embedding(input, weight, padding_idx=None):
    """The rows of *weight* that *input* names; the row *padding_idx* gets no gradient.

    IndexError for a row that is not there.

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
    return ops.embedding(weight, input, padding_idx)


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
    elif num_classes < 1:
        raise RuntimeError("num_classes should be positive")
    elif num_classes <= greatest:
        raise RuntimeError("Class values must be smaller than num_classes.")
    classes = ops.arange(num_classes)
    return (tensor.unsqueeze(-1) == classes).long()


# -- noise and normalisation -----------------------------------------------------------------------------------------


def dropout(input, p=0.5, training=True, inplace=False):
    """Each element zeroed with probability *p*, the others divided by 1 - p; the input itself out of *training*.

    ValueError for a probability outside [0, 1].
    """
    if not 0 <= p <= 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    if not training or not p or not input.numel():
        return input
    if not input._dtype.is_floating_point:
        raise RuntimeError(f"result type Float can't be cast to the desired output type {input._dtype.legacy_name}")
    dtype = input._dtype.numpy
    kept = distributions.bernoulli(1 - p, input._array.shape, dtype) / dtype.type(1 - p if p < 1 else 1)
    noise = wrap(kept if kept.shape else kept[()], input._dtype)
    return input.mul_(noise) if inplace else input * noise


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    """The last dimensions, *normalized_shape*, of each sample brought to mean 0 and variance 1, scaled and shifted.

    RuntimeError when shapes do not fit.

    >>> import autograd_nb as torch
    >>> torch.nn.functional.layer_norm(torch.tensor([[1., 2., 3.]]), (3,))
    tensor([[-1.2247,  0.0000,  1.2247]])
    """
    shape = tuple(normalized_shape)
    if not shape:
        raise RuntimeError("Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one "
                           "element, but got normalized_shape = []")
    for name, tensor in (("weight", weight), ("bias", bias)):
        if tensor is not None and tensor.shape != shape:
            raise RuntimeError(
                f"Expected {name} to be of same shape as normalized_shape, but got {name} of shape "
                f"{list(tensor.shape)} and normalized_shape = {list(shape)}"
            )
    if input.shape[input.ndim - len(shape) :] != shape or input.ndim < len(shape):
        raise RuntimeError(
            f"Given normalized_shape={list(shape)}, expected input with shape "
            f"[*, {', '.join(map(str, shape))}], but got input of size{list(input.shape)}"
        )
    return ops.native_layer_norm(input, shape, weight, bias, eps)


def batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-5):
    """Each channel brought to mean 0 and variance 1: over the batch in *training*, else by the running statistics.

    In training the running statistics move towards the batch's by *momentum*.  ValueError for a single value a channel,
    RuntimeError when shapes do not fit.
    """
    count = input.numel() // max(input.size(1), 1)
    if training and count == 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {input.size()}")
    for name, tensor in (
        ("running_mean", running_mean),
        ("running_var", running_var),
        ("weight", weight),
        ("bias", bias),
    ):
        if tensor is not None and tensor.numel() != input.size(1):
            raise RuntimeError(f"{name} should contain {input.size(1)} elements not {tensor.numel()}")
    if training and running_mean is not None:
        dims = (0, *range(2, input.ndim))
        values = input.detach()
        for running, current in ((running_mean, values.mean(dims)), (running_var, values.var(dims))):
            running._share().version += 1
            running._array[...] = momentum * current._array + (1 - momentum) * running._array
    return ops.native_batch_norm(input, weight, bias, running_mean, running_var, training, eps)


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
    x1, x2 = (x if x._array.shape == shape else x.expand(shape) for x in (x1, x2))
    n1, n2 = (ops.vector_norm(x, 2, dim, keepdim=True).clone() for x in (x1, x2))
    for norm in (n1, n2):
        norm._array = np.maximum(norm._array, norm._dtype.scalar(eps))  # outside of the graph, as PyTorch does it
    return (x1 / n1 * (x2 / n2)).sum(dim)


__getattr__ = absent_from("torch.nn.functional")
