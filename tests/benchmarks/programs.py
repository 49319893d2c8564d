"""Whole programs of the usual kinds: each builds a new model, trains it, and returns the result.

They follow the style of tutorials, with the same modules and calls.
"""
import numpy as np

PROGRAMS = {}  # {name: (builder of `step`, title)}


def program(title):
    """Register a program, a function of the module (`torch` or `autograd_nb`) that returns its results."""
    def register(run):
        PROGRAMS[run.__name__] = lambda torch: lambda: run(torch), title
        return run
    return register


def normal(torch, *shape, seed=0, scale=1.0):
    return torch.tensor((scale * np.random.default_rng(seed).standard_normal(shape)).astype(np.float32))


def classes(torch, count, *shape, seed=0):
    return torch.tensor(np.random.default_rng(seed).integers(count, size=shape))


def moons(torch, count=100):
    random, half = np.random.default_rng(0), count // 2
    angle = np.pi * np.arange(half) / half
    upper, lower = [np.cos(angle), np.sin(angle)], [1 - np.cos(angle), 0.5 - np.sin(angle)]
    points = np.concatenate([np.stack(upper, 1), np.stack(lower, 1)])
    points += 0.1 * random.standard_normal(points.shape)
    return torch.tensor(points.astype(np.float32)), torch.tensor(np.repeat([1.0, -1.0], half).astype(np.float32))


def values_of(model):
    return [p.detach().clone() for p in model.parameters()]


@program("micrograd's neurons, scalar by scalar")
def micrograd(torch):
    points, labels = moons(torch, 8)
    points, labels = points.tolist(), labels.tolist()
    random = np.random.default_rng(1)
    layers = [[([torch.tensor(float(w), requires_grad=True) for w in random.uniform(-1, 1, inputs)],
                torch.tensor(0.0, requires_grad=True)) for _ in range(outputs)] for inputs, outputs in ((2, 8), (8, 1))]
    parameters = [p for layer in layers for weights, bias in layer for p in (*weights, bias)]
    for _ in range(3):
        loss = 0
        for point, label in zip(points, labels, strict=True):
            values = point
            for depth, layer in enumerate(layers):
                values = [sum((w * x for w, x in zip(weights, values, strict=True)), bias) for weights, bias in layer]
                values = values if depth else [each.relu() for each in values]
            loss = loss + (1 - label * values[0]).relu() / len(points)
        loss.backward()
        for p in parameters:
            p.data -= 0.1 * p.grad
            p.grad = None
    return [loss, *parameters]


@program("linear regression from scratch (d2l)")
def linear_regression(torch):
    torch.manual_seed(0)
    true_w = torch.tensor([2.0, -3.4])
    features = torch.normal(0, 1, (500, 2))
    labels = features @ true_w + 4.2
    labels += torch.normal(0, 0.01, labels.shape)
    labels = labels.reshape((-1, 1))
    w, b = torch.normal(0, 0.01, (2, 1), requires_grad=True), torch.zeros(1, requires_grad=True)
    order = np.random.default_rng(0)
    for _ in range(2):
        indices = order.permutation(500).tolist()
        for start in range(0, 500, 10):
            batch = torch.tensor(indices[start:start + 10])
            x, y = features[batch], labels[batch]
            loss = (torch.matmul(x, w) + b - y.reshape((-1, 1))) ** 2 / 2
            loss.sum().backward()
            with torch.no_grad():
                for p in (w, b):
                    p -= 0.03 * p.grad / 10
                    p.grad.zero_()
    return w, b


@program("makemore's MLP on characters")
def makemore(torch):
    F = torch.nn.functional
    X, Y = classes(torch, 27, 200, 3), classes(torch, 27, 200, seed=1)
    torch.manual_seed(0)
    C, W1, b1 = torch.randn((27, 2)), torch.randn((6, 100)), torch.randn(100)
    W2, b2 = torch.randn((100, 27)), torch.randn(27)
    parameters = [C, W1, b1, W2, b2]
    for p in parameters:
        p.requires_grad = True
    losses = []
    for _ in range(50):
        at = torch.randint(0, X.shape[0], (32,))
        hidden = torch.tanh(C[X[at]].view(-1, 6) @ W1 + b1)
        loss = F.cross_entropy(hidden @ W2 + b2, Y[at])
        for p in parameters:
            p.grad = None
        loss.backward()
        for p in parameters:
            p.data += -0.1 * p.grad
        losses.append(loss.log10().item())
    return [torch.tensor(losses), *parameters]


@program("batch norm by hand, 19 gradients retained")
def batch_norm(torch):
    F = torch.nn.functional
    C, W1, b1 = normal(torch, 27, 10), normal(torch, 30, 64, seed=1, scale=0.3), normal(torch, 64, seed=2, scale=0.1)
    W2, b2 = normal(torch, 64, 27, seed=3, scale=0.1), normal(torch, 27, seed=4, scale=0.1)
    gain, bias = torch.ones((1, 64)), torch.zeros((1, 64))
    parameters = [C, W1, b1, W2, b2, gain, bias]
    for p in parameters:
        p.requires_grad = True
    X, Y, n = classes(torch, 27, 32, 3), classes(torch, 27, 32, seed=1), 32
    for _ in range(20):
        emb = C[X]
        cat = emb.view(emb.shape[0], -1)
        before = cat @ W1 + b1
        mean = 1 / n * before.sum(0, keepdim=True)
        diff = before - mean
        diff2 = diff ** 2
        var = 1 / (n - 1) * diff2.sum(0, keepdim=True)
        inverse = (var + 1e-5) ** -0.5
        raw = diff * inverse
        h = torch.tanh(gain * raw + bias)
        logits = h @ W2 + b2
        maxes = logits.max(1, keepdim=True).values
        norm = logits - maxes
        counts = norm.exp()
        total = counts.sum(1, keepdims=True)
        total_inverse = total ** -1
        probs = counts * total_inverse
        logs = probs.log()
        loss = -logs[range(n), Y].mean()
        for p in parameters:
            p.grad = None
        kept = [emb, cat, before, mean, diff, diff2, var, inverse, raw, h, logits, maxes, norm, counts, total,
                total_inverse, probs, logs]
        for t in kept:
            t.retain_grad()
        loss.backward()
    # the true gradients of maxes and b1 are zero: the computed ones are rounding
    return [loss, *(t.grad for t in kept if t is not maxes), *(p.grad for p in parameters if p is not b1),
            F.cross_entropy(logits, Y)]


@program("MLP 784-128-10, batch 64, SGD")
def mlp(torch):
    nn = torch.nn
    torch.manual_seed(0)
    model = nn.Sequential(nn.Flatten(), nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 10))
    optimizer, criterion = torch.optim.SGD(model.parameters(), lr=0.01), nn.CrossEntropyLoss()
    images, labels = normal(torch, 64, 1, 28, 28), classes(torch, 10, 64)
    for _ in range(20):
        optimizer.zero_grad()
        loss = criterion(model(images), labels)
        loss.backward()
        optimizer.step()
    return loss, (model(images).argmax(1) == labels).float().mean()


@program("two moons, 2-16-16-1")
def two_moons(torch):
    nn = torch.nn
    torch.manual_seed(0)
    points, labels = moons(torch)
    model = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(50):
        scores = model(points).squeeze(1)
        loss = (1 - labels * scores).clamp(min=0).mean()
        loss = loss + 1e-4 * sum((p * p).sum() for p in model.parameters())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return [loss, *values_of(model)]


@program("PINN with second derivatives, Adam")
def pinn(torch):
    nn = torch.nn
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    t = torch.linspace(0, 1, 30).view(-1, 1).requires_grad_(True)
    start = torch.tensor([[0.0]], requires_grad=True)
    for _ in range(20):
        optimizer.zero_grad()
        u = model(start)
        slope, = torch.autograd.grad(u, start, torch.ones_like(u), create_graph=True)
        loss = (torch.squeeze(u) - 1) ** 2 + 0.1 * torch.squeeze(slope) ** 2
        u = model(t)
        first, = torch.autograd.grad(u, t, torch.ones_like(u), create_graph=True)
        second, = torch.autograd.grad(first, t, torch.ones_like(first), create_graph=True)
        loss = loss + 1e-4 * torch.mean((second + 4 * first + 400 * u) ** 2)
        loss.backward()
        optimizer.step()
    return [loss, *values_of(model)]


@program("REINFORCE, an episode at a time")
def reinforce(torch):
    nn = torch.nn
    torch.manual_seed(0)
    policy = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2))
    optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
    for episode in range(12):
        state, log_probs, rewards = np.full(4, 0.05 * episode, np.float32), [], []
        for moment in range(15):
            logits = policy(torch.from_numpy(state))
            action = torch.multinomial(torch.softmax(logits, -1), 1)
            log_probs.append(torch.log_softmax(logits, -1)[action.item()])
            push = 1.0 if action.item() == 1 else -1.0
            state = (0.9 * state + 0.1 * push * np.cos(np.arange(4) + moment)).astype(np.float32)
            rewards.append(1.0 - abs(float(state[0])))
        returns, total = [], 0.0
        for reward in reversed(rewards):
            total = reward + 0.99 * total
            returns.insert(0, total)
        returns = torch.tensor(returns)
        returns = (returns - returns.mean()) / (returns.std() + 1e-8)
        loss = torch.stack([-log_prob * each for log_prob, each in zip(log_probs, returns, strict=True)]).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return [loss, *values_of(policy)]


@program("hessian and jacobian of a small net")
def hessian(torch):
    W1, W2 = normal(torch, 3, 8, seed=1), normal(torch, 8, 2, seed=2)

    def net(x):
        return torch.tanh(x @ W1) @ W2

    def energy(x):
        return (net(x) ** 2).sum()
    x = normal(torch, 3)
    return [each for scale in (1.0, 2.0, 3.0) for each in
            (torch.autograd.functional.jacobian(net, scale * x), torch.autograd.functional.hessian(energy, scale * x))]


@program("variational autoencoder")
def vae(torch):
    nn, F = torch.nn, torch.nn.functional

    class VAE(nn.Module):
        def __init__(self):
            super().__init__()
            self.hidden, self.mean, self.log_var = nn.Linear(64, 32), nn.Linear(32, 4), nn.Linear(32, 4)
            self.up, self.out = nn.Linear(4, 32), nn.Linear(32, 64)

        def forward(self, x):
            h = F.relu(self.hidden(x))
            mean, log_var = self.mean(h), self.log_var(h)
            z = mean + torch.randn_like(mean) * torch.exp(0.5 * log_var)
            return torch.sigmoid(self.out(F.relu(self.up(z)))), mean, log_var

    torch.manual_seed(0)
    model = VAE()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    x = normal(torch, 32, 64).sigmoid()
    for _ in range(20):
        again, mean, log_var = model(x)
        loss = F.binary_cross_entropy(again, x, reduction="sum")
        loss = loss - 0.5 * torch.sum(1 + log_var - mean.pow(2) - log_var.exp())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return [loss, *values_of(model)]


@program("MAML, one inner step")
def maml(torch):
    F = torch.nn.functional
    sizes = ((1, 24), (24,), (24, 24), (24,), (24, 1), (1,))
    parameters = [normal(torch, *size, seed=seed, scale=0.3).requires_grad_() for seed, size in enumerate(sizes)]
    optimizer = torch.optim.SGD(parameters, lr=0.01)

    def net(x, weights):
        w1, b1, w2, b2, w3, b3 = weights
        return torch.relu(torch.relu(x @ w1 + b1) @ w2 + b2) @ w3 + b3
    losses = []
    for step in range(8):
        outer = 0.0
        for task in range(3):
            x = normal(torch, 20, 1, seed=10 * step + task)
            y = torch.sin(x + task)
            inner = F.mse_loss(net(x[:10], parameters), y[:10])
            grads = torch.autograd.grad(inner, parameters, create_graph=True)
            adapted = [p - 0.01 * g for p, g in zip(parameters, grads, strict=True)]
            outer = outer + F.mse_loss(net(x[10:], adapted), y[10:])
        optimizer.zero_grad()
        outer.backward()
        optimizer.step()
        losses.append(outer.item())
    return [torch.tensor(losses), *parameters]


@program("transformer block on characters")
def transformer(torch):
    nn, F = torch.nn, torch.nn.functional

    class Block(nn.Module):
        def __init__(self, width, heads):
            super().__init__()
            self.heads = heads
            self.qkv, self.join = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

        def forward(self, x):
            batch, time, width = x.shape
            q, k, v = self.qkv(F.layer_norm(x, (width,))).split(width, 2)
            q, k, v = [each.view(batch, time, self.heads, -1).transpose(1, 2) for each in (q, k, v)]
            scores = q @ k.transpose(-2, -1) / (width / self.heads) ** 0.5
            later = torch.triu(torch.ones(time, time), 1) == 1
            weights = F.softmax(scores.masked_fill(later, float("-inf")), -1)
            x = x + self.join((weights @ v).transpose(1, 2).reshape(batch, time, width))
            return x + self.down(torch.relu(self.up(F.layer_norm(x, (width,)))))

    torch.manual_seed(0)
    table, places = normal(torch, 27, 32, scale=0.1), normal(torch, 8, 32, seed=1, scale=0.1)
    table.requires_grad_()
    places.requires_grad_()
    block, head = Block(32, 4), nn.Linear(32, 27)
    optimizer = torch.optim.SGD([table, places, *block.parameters(), *head.parameters()], lr=0.1, momentum=0.9)
    text = classes(torch, 27, 4, 9)
    for _ in range(10):
        logits = head(block(table[text[:, :-1]] + places))
        loss = F.cross_entropy(logits.view(-1, 27), text[:, 1:].reshape(-1))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
    return [loss, *values_of(block)]


@program("recurrent network from scratch (d2l)")
def recurrent(torch):
    F = torch.nn.functional
    sizes = ((28, 32), (32, 32), (32,), (32, 28), (28,))
    parameters = [normal(torch, *size, seed=seed, scale=0.1).requires_grad_() for seed, size in enumerate(sizes)]
    w_xh, w_hh, b_h, w_hq, b_q = parameters
    text = classes(torch, 28, 8, 13)
    for _ in range(8):
        state, outputs = torch.zeros((8, 32)), []
        for x in F.one_hot(text[:, :-1].T, 28).float():
            state = torch.tanh(torch.mm(x, w_xh) + torch.mm(state, w_hh) + b_h)
            outputs.append(torch.mm(state, w_hq) + b_q)
        loss = F.cross_entropy(torch.cat(outputs, dim=0), text[:, 1:].T.reshape(-1))
        loss.backward()
        with torch.no_grad():
            norm = torch.sqrt(sum(torch.sum(p.grad ** 2) for p in parameters))
            for p in parameters:
                p.grad[:] *= min(1.0, 1.0 / norm.item())
                p -= 0.5 * p.grad
                p.grad.zero_()
    return [loss, *parameters]


@program("neural ODE by Euler's method")
def neural_ode(torch):
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(2, 16), torch.nn.Tanh(), torch.nn.Linear(16, 2))
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
    true_A, y0 = torch.tensor([[-0.1, 2.0], [-2.0, -0.1]]), torch.tensor([[2.0, 0.0]])

    def solve(slope, steps=15):
        y, path = y0, [y0]
        for _ in range(steps):
            y = y + 0.05 * slope(y)
            path.append(y)
        return torch.stack(path)
    with torch.no_grad():
        target = solve(lambda y: y @ true_A)
    for _ in range(10):
        optimizer.zero_grad()
        loss = torch.mean(torch.abs(solve(net) - target))
        loss.backward()
        optimizer.step()
    return [loss, *values_of(net)]
