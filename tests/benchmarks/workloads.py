"""The measured graphs, the kind that people learn on, each written once with the torch API.

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


# ---------------------------------------------------------------------------------------------------- scalars

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


def demo_parameters():
    """Weights and bias of every neuron of micrograd's demo network: 2 inputs, layers of 16, 16 and 1."""
    random = np.random.default_rng(0)
    return [[([float(w) for w in random.uniform(-1, 1, inputs)], 0.1) for _ in range(neurons)]
            for inputs, neurons in ((2, 16), (16, 16), (16, 1))]


def demo_score(layers, values):
    """The demo network's output for one point: sums of products of scalars, relu on all layers but the last."""
    for depth, layer in enumerate(layers, start=1):
        values = [sum((w * x for w, x in zip(weights, values, strict=True)), bias) for weights, bias in layer]
        values = values if depth == len(layers) else [value.relu() for value in values]
    return values[0]


@workload("micrograd's demo network, 642 nodes")
def micrograd_demo(torch):
    layers = [[([leaf(torch, w) for w in weights], leaf(torch, bias)) for weights, bias in layer]
              for layer in demo_parameters()]
    parameters = [p for layer in layers for weights, bias in layer for p in (*weights, bias)]
    point = [torch.tensor(0.5), torch.tensor(-1.25)]

    def step():
        for p in parameters:
            p.grad = None
        loss = (demo_score(layers, point) - 1) ** 2
        loss.backward()
        return loss, *(p.grad for p in parameters)
    return step


# ------------------------------------------------------------------------------------------------- small networks

def mlp_arrays(batch, inputs, hidden, outputs):
    """Inputs, targets (a real number, or one-hot rows of classes), and the two layers' weights and biases."""
    classes = np.random.default_rng(1).integers(outputs, size=batch)
    targets = normal(batch, 1, seed=2) if outputs == 1 else np.eye(outputs, dtype=np.float32)[classes]
    return (normal(batch, inputs, seed=3), targets,
            normal(inputs, hidden, seed=4) / np.float32(inputs**0.5), normal(hidden, seed=5),
            normal(hidden, outputs, seed=6) / np.float32(hidden**0.5), normal(outputs, seed=7))


def mlp(torch, *sizes):
    """A step of a two-layer network: squared error of one output, or cross-entropy of several classes."""
    x, target, *parameters = mlp_arrays(*sizes)
    x, target = torch.tensor(x), torch.tensor(target)
    parameters = w1, b1, w2, b2 = [leaf(torch, p) for p in parameters]
    batch, classes = sizes[0], sizes[3]

    def step():
        for p in parameters:
            p.grad = None
        output = torch.relu(x @ w1 + b1) @ w2 + b2
        if classes == 1:
            loss = ((output - target) ** 2).mean()
        else:
            loss = -(torch.log_softmax(output, 1) * target).sum() / batch
        loss.backward()
        return loss, *(p.grad for p in parameters)
    return step


@workload("MLP 16×8×16×1")
def mlp_small(torch):
    return mlp(torch, 16, 8, 16, 1)


@workload("MLP 64×64×64×10")
def mlp_middle(torch):
    return mlp(torch, 64, 64, 64, 10)


@workload("MLP 64×784×128×10")
def mlp_large(torch):
    return mlp(torch, 64, 784, 128, 10)


def elementwise(torch, function):
    x = leaf(torch, normal(1_000_000))

    def step():
        x.grad = None
        y = function(torch, x)
        y.backward()
        return y, x.grad
    return step


def polynomial(torch, x):
    return (3 * x * x + 2 * x + 1).sum()


def wave(torch, x):
    return (x * x * torch.exp(-x / 2) + 3 * torch.tanh(x)).sum()


@workload("element-wise polynomial, 1e6 elements")
def elementwise_polynomial(torch):
    return elementwise(torch, polynomial)


@workload("element-wise exp and tanh, 1e6 elements")
def elementwise_functions(torch):
    return elementwise(torch, wave)


@workload("gradient penalty of an MLP")
def gradient_penalty(torch):
    x, _, *parameters = mlp_arrays(16, 8, 16, 1)
    x, parameters = leaf(torch, x), [leaf(torch, p) for p in parameters]
    w1, b1, w2, b2 = parameters

    def step():
        for p in parameters:
            p.grad = None
        score = torch.tanh(x @ w1 + b1) @ w2 + b2
        slope, = torch.autograd.grad(score.sum(), x, create_graph=True)
        penalty = (((slope * slope).sum(1).sqrt() - 1) ** 2).mean()
        penalty.backward()
        return penalty, w1.grad, b1.grad, w2.grad
    return step


# --------------------------------------------------------------------------------------- the engine's other paths

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


@workload("no_grad: MLP 16×8×16×1")
def no_grad_mlp(torch):
    x, _, *parameters = mlp_arrays(16, 8, 16, 1)
    x, (w1, b1, w2, b2) = torch.tensor(x), (leaf(torch, p) for p in parameters)

    def step():
        with torch.no_grad():
            return (torch.relu(x @ w1 + b1) @ w2 + b2,)
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


def optimizer_step(torch, make):
    """The optimizer's own part of a training step, on the parameters and gradients of a small model."""
    parameters = [leaf(torch, p) for p in mlp_arrays(16, 8, 16, 1)[2:]]
    for p in parameters:
        p.grad = torch.tensor(normal(*p.shape, seed=8))
    optimizer = make(parameters)

    def step():
        optimizer.step()
        return parameters
    return step


@workload("SGD step with momentum")
def sgd(torch):
    return optimizer_step(torch, lambda parameters: torch.optim.SGD(parameters, lr=1e-3, momentum=0.9))


@workload("Adam step")
def adam(torch):
    return optimizer_step(torch, lambda parameters: torch.optim.Adam(parameters, lr=1e-3))
