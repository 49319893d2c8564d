"""The measured graphs, each of one kind of node, written once with the torch API.

A workload takes the module (`torch` or `autograd_nb`), builds its inputs, and returns `step`, the only timed part.
`step` returns its results, loss first, so that the run that times both sides can compare them.
"""
import numpy as np

WORKLOADS = {}  # {name: (builder of `step`, title)}


def workload(title):
    """Register a builder of `step` under its own name."""
    def register(build):
        WORKLOADS[build.__name__] = build, title
        return build
    return register


def normal(*shape, seed=0):
    """Float32 numbers, the same for every side."""
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def leaf(torch, array):
    return torch.tensor(array, requires_grad=True)


@workload("scalar chain, 2,000 nodes")
def scalar_chain(torch):
    x, factor, term = leaf(torch, 0.5), torch.tensor(0.999), torch.tensor(0.001)

    def step():
        x.grad = None
        y = x
        for _ in range(1000):
            y = y * factor + term
        y.backward()
        return y, x.grad
    return step


@workload("scalar fan-in, 2,000 nodes")
def fan_in(torch):
    x, factor = leaf(torch, 0.5), torch.tensor(0.999)

    def step():
        x.grad = None
        total = x
        for _ in range(1000):
            total = total + x * factor
        total.backward()
        return total, x.grad
    return step


@workload("user-written Function × 500")
def user_function(torch):
    class Sine(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return torch.sin(x)

        @staticmethod
        def backward(ctx, grad_output):
            x, = ctx.saved_tensors
            return grad_output * torch.cos(x)

    x = leaf(torch, 0.5)

    def step():
        x.grad = None
        y = x
        for _ in range(500):
            y = Sine.apply(y)
        y.backward()
        return y, x.grad
    return step


@workload("tensor hook and retain_grad × 500")
def hooks(torch):
    x, factor = leaf(torch, 0.5), torch.tensor(0.999)

    def step():
        x.grad = None
        seen, chain = [], [x]
        for _ in range(500):
            y = chain[-1] * factor
            y.register_hook(seen.append)
            y.retain_grad()
            chain.append(y)
        y.backward()
        return y, *seen, *(y.grad for y in chain)
    return step


@workload("no_grad: scalars × 500")
def no_grad_scalars(torch):
    x = leaf(torch, 0.5)

    def step():
        with torch.no_grad():
            y = x
            for _ in range(250):
                y = y * 0.999 + 0.001
        return (y,)
    return step


@workload("in-place and view chain × 100")
def in_place(torch):
    x, term = leaf(torch, normal(8, 8)), torch.tensor(normal(4, 8))

    def step():
        x.grad = None
        y = x.clone()
        for row in range(50):
            start = row % 4
            y[start:start + 4].add_(term)
            y.mul_(0.999)
        y.sum().backward()
        return y, x.grad
    return step
