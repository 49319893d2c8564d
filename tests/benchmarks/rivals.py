"""The same arithmetic without the torch API: NumPy by hand, and micrograd where it is installed.

A rival gives, for some workloads by name, a builder of the same kind of `step`. Hand-written NumPy is the floor: its
derivatives are worked out on paper, nothing is recorded. The extra `peers` installs micrograd.
"""
from importlib import import_module

import numpy as np

from .workloads import demo_parameters, demo_score, mlp_arrays, normal

RIVALS: dict[str, dict] = {}


def rival(name, workload, *arguments):
    """Register `build(*arguments)` as the side `name` of a workload; a builder may serve several."""
    def register(build):
        RIVALS.setdefault(name, {})[workload] = lambda: build(*arguments)
        return build
    return register


def rival_mlp(name):
    def register(build):
        for workload, sizes in (("mlp_small", (16, 8, 16, 1)), ("mlp_middle", (64, 64, 64, 10)),
                                ("mlp_large", (64, 784, 128, 10))):
            rival(name, workload, *sizes)(build)
        return build
    return register


# ------------------------------------------------------------------------------------------------- NumPy by hand

@rival_mlp("NumPy")
def numpy_mlp(*sizes):
    x, target, w1, b1, w2, b2 = mlp_arrays(*sizes)
    batch, classes = sizes[0], sizes[3]

    def step():
        hidden = np.maximum(x @ w1 + b1, 0)
        output = hidden @ w2 + b2
        if classes == 1:
            error = output - target
            loss = (error * error).mean()
            grad = error * (2 / batch)
        else:
            shifted = output - output.max(axis=1, keepdims=True)
            log_softmax = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
            loss = -(log_softmax * target).sum() / batch
            grad = (np.exp(log_softmax) - target) / batch
        grad_hidden = (grad @ w2.T) * (hidden > 0)
        return loss, x.T @ grad_hidden, grad_hidden.sum(axis=0), hidden.T @ grad, grad.sum(axis=0)
    return step


@rival("NumPy", "elementwise_polynomial")
def numpy_polynomial():
    x = normal(1_000_000)
    return lambda: ((3 * x * x + 2 * x + 1).sum(), 6 * x + 2)


@rival("NumPy", "elementwise_functions")
def numpy_functions():
    x = normal(1_000_000)

    def step():
        decay, tanh = np.exp(-x / 2), np.tanh(x)
        product = x * decay
        y = (x * product + 3 * tanh).sum()
        return y, 2 * product - x * product / 2 + 3 * (1 - tanh * tanh)
    return step


@rival("NumPy", "no_grad_mlp")
def numpy_no_grad_mlp():
    x, _, w1, b1, w2, b2 = mlp_arrays(16, 8, 16, 1)
    return lambda: (np.maximum(x @ w1 + b1, 0) @ w2 + b2,)


@rival("NumPy", "sgd")
def numpy_sgd():
    parameters = mlp_arrays(16, 8, 16, 1)[2:]
    state = [(p, normal(*p.shape, seed=8), np.zeros_like(p)) for p in parameters]

    def step():
        for p, grad, momentum in state:
            momentum *= 0.9
            momentum += grad
            p -= 1e-3 * momentum
        return parameters
    return step


@rival("NumPy", "adam")
def numpy_adam():
    parameters = mlp_arrays(16, 8, 16, 1)[2:]
    state = [(p, normal(*p.shape, seed=8), np.zeros_like(p), np.zeros_like(p)) for p in parameters]
    steps = 0

    def step():
        nonlocal steps
        steps += 1
        first_correction, second_correction = 1 - 0.9**steps, 1 - 0.999**steps
        for p, grad, first, second in state:
            first += 0.1 * (grad - first)
            second *= 0.999
            second += 0.001 * grad * grad
            p -= 1e-3 / first_correction * first / (np.sqrt(second) / second_correction**0.5 + 1e-8)
        return parameters
    return step


# ------------------------------------------------------------------------------------------------- other engines


@rival("micrograd", "micrograd_demo")
def micrograd_demo():
    Value = import_module("micrograd.engine").Value
    layers = [[([Value(w) for w in weights], Value(bias)) for weights, bias in layer] for layer in demo_parameters()]
    parameters = [p for layer in layers for weights, bias in layer for p in (*weights, bias)]
    point = [Value(0.5), Value(-1.25)]

    def step():
        for p in parameters:
            p.grad = 0
        loss = (demo_score(layers, point) - 1) ** 2
        loss.backward()
        return loss.data, *(p.grad for p in parameters)
    return step
