"""Normalisation to mean 0 and variance 1: over a sample's last dimensions, its channels in groups, or the batch."""

import math

import numpy as np

from ..engine.modes import state
from ..engine.table import ops

__all__ = ["batch_norm", "group_norm", "instance_norm", "layer_norm", "rms_norm"]


def check_dtypes(input, *parameters):
    """RuntimeError unless the parameters have the input's dtype, or are float32 for a half input."""
    given = [each._dtype.name for each in parameters if each is not None and each._dtype is not input._dtype]
    if given and (input._dtype.name != "float16" or set(given) != {"float32"}):
        only = "all inputs must share same datatype." if set(given) == {"float32"} else (
            "expect parameter to have scalar type of Float")  # fmt: skip
        raise RuntimeError(f"mixed dtype (CPU): {only}")


def check_floating(name, input):
    if not input._dtype.is_floating_point:
        raise NotImplementedError(f"\"{name}\" not implemented for '{input._dtype.legacy_name}'")


def check_last_dimensions(input, normalized_shape, after_star, **parameters):
    """The shape as a tuple; RuntimeError when it is not that of the parameters, or of the input's last dimensions."""
    shape = tuple(normalized_shape)
    if not shape:
        raise RuntimeError("Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one "
                           "element, but got normalized_shape = []")
    for name, tensor in parameters.items():
        if tensor is not None and tensor.shape != shape:
            raise RuntimeError(
                f"Expected {name} to be of same shape as normalized_shape, but got {name} of shape "
                f"{list(tensor.shape)} and normalized_shape = {list(shape)}"
            )
    if input.shape[input.ndim - len(shape) :] != shape or input.ndim < len(shape):
        raise RuntimeError(
            f"Given normalized_shape={list(shape)}, expected input with shape "
            f"[*{after_star}{', '.join(map(str, shape))}], but got input of size{list(input.shape)}"
        )
    return shape


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    """The last dimensions, *normalized_shape*, of each sample brought to mean 0 and variance 1, scaled and shifted.

    RuntimeError when shapes do not fit.

    >>> import autograd_nb as torch
    >>> torch.nn.functional.layer_norm(torch.tensor([[1., 2., 3.]]), (3,))
    tensor([[-1.2247,  0.0000,  1.2247]])
    """
    if isinstance(normalized_shape, int):
        raise TypeError("layer_norm(): argument 'normalized_shape' (position 2) must be tuple of ints, not int")
    check_dtypes(input, weight, bias)
    shape = check_last_dimensions(input, normalized_shape, ", ", weight=weight, bias=bias)
    check_floating("LayerNormKernelImpl", input)
    return ops.native_layer_norm(input, shape, weight, bias, eps)


def batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-5):
    """Each channel brought to mean 0 and variance 1: over the batch in *training*, else by the running statistics.

    In training the running statistics move towards the batch's by *momentum*.  ValueError for a single value a channel,
    RuntimeError when shapes do not fit.
    """
    count = input.numel() // max(input.size(1), 1)
    if training and count == 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {input.size()}")
    statistics = {"running_mean": running_mean, "running_var": running_var}
    if (running_mean is None) != (running_var is None):
        raise ValueError("running_mean and running_var must either both be None or neither be None")
    for name, tensor in {**statistics, "weight": weight, "bias": bias}.items():
        if tensor is not None and tensor.numel() != input.size(1):
            raise RuntimeError(f"{name} should contain {input.size(1)} elements not {tensor.numel()}")
        if tensor is None and name in statistics and not training:
            raise RuntimeError(f"{name} must be defined in evaluation mode")
        if tensor is not None and name in statistics and tensor.requires_grad and state.hot[1]:
            raise RuntimeError(f"The function 'native_batch_norm' is not differentiable with respect to argument "
                               f"'{name}'. This input cannot have requires_grad True.")
    check_floating("batch_norm", input)
    check_dtypes(input, weight, bias, running_mean, running_var)
    if training and running_mean is not None:
        dims = (0, *range(2, input.ndim))
        values = input.detach()
        for running, current in ((running_mean, values.mean(dims)), (running_var, values.var(dims))):
            running._share()  # PyTorch does not count this as a change
            running._array[...] = momentum * current._array + (1 - momentum) * running._array
    return ops.native_batch_norm(input, weight, bias, running_mean, running_var, training, eps)


def group_norm(input, num_groups, weight=None, bias=None, eps=1e-5):
    """The channels, in *num_groups* groups, of each sample brought to mean 0 and variance 1, scaled and shifted.

    RuntimeError when shapes do not fit, ValueError for a single value a group.

    >>> import autograd_nb as torch
    >>> torch.nn.functional.group_norm(torch.tensor([[1., 3., 0., 4.]]), 2)
    tensor([[-1.0000,  1.0000, -1.0000,  1.0000]])
    """
    if input.dim() < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {input.dim()}")
    size = [input.size(0) * input.size(1) // num_groups, num_groups, *input.shape[2:]]
    if size[0] * math.prod(size[2:]) == 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {size}")
    channels = input.size(1)
    if channels % num_groups:
        raise RuntimeError("Expected number of channels in input to be divisible by num_groups, but got input of shape "
                           f"{list(input.shape)} and num_groups={num_groups}")
    for name, tensor in (("weight", weight), ("bias", bias)):
        if tensor is not None and tensor.shape != (channels,):
            raise RuntimeError(
                f"Expected {name} to be a vector of size equal to the number of channels in input, but got {name} of "
                f"shape {list((weight if weight is not None else tensor).shape)} and input of shape {list(input.shape)}"
            )
    check_floating("GroupNormKernelImpl", input)
    check_dtypes(input, weight, bias)
    return ops.native_group_norm(input, weight, bias, num_groups, eps)


def instance_norm(input, running_mean=None, running_var=None, weight=None, bias=None, use_input_stats=True,
                  momentum=0.1, eps=1e-5):  # fmt: skip
    """Each channel of each sample brought to mean 0 and variance 1, or by the running statistics; scaled and shifted.

    ValueError for channels of a single element, RuntimeError without the statistics that are to be used.
    """
    if use_input_stats and math.prod(input.shape[2:]) == 1:
        raise ValueError(f"Expected more than 1 spatial element when training, got input size {input.size()}")
    if not use_input_stats and (running_mean is None or running_var is None):
        raise RuntimeError("Expected running_mean and running_var to be defined when use_input_stats is false")
    samples, channels, *space = input.shape
    running = [each if each is None else each.repeat(samples) for each in (running_mean, running_var)]
    weight, bias = (each if each is None else each.repeat(samples) for each in (weight, bias))
    flat = input.contiguous().view(1, samples * channels, *space)
    result = batch_norm(flat, *running, weight, bias, use_input_stats, momentum, eps)
    for each, found in zip((running_mean, running_var), running, strict=True):
        if each is not None:
            each.copy_(found.view(samples, channels).mean(0))
    return result.view(input.shape)


def rms_norm(input, normalized_shape, weight=None, eps=None):
    """Each sample's last dimensions, *normalized_shape*, over the root of the mean of their squares, times *weight*.

    *eps* (by default the smallest step from 1 of the dtype) is added to the mean.  RuntimeError when shapes do not fit.

    >>> import autograd_nb as torch
    >>> torch.nn.functional.rms_norm(torch.tensor([[1., 7.]]), (2,))
    tensor([[0.2000, 1.4000]])
    """
    shape = check_last_dimensions(input, normalized_shape, "", weight=weight)
    check_floating("rms_norm", input)
    eps = np.finfo(input._dtype.numpy).eps if eps is None else eps
    mean = input.pow(2).mean(tuple(range(-len(shape), 0)), keepdim=True)
    result = input * ops.add_number(mean, float(eps)).rsqrt()
    return result if weight is None else result * weight
