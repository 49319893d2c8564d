"""Everyday calls, one by one, each written once for PyTorch's names and once for NumPy's.

These are the most frequent calls in the chapters and in public programs (tutorials, courses, questions), in forms that
occur there. `x`, `y`, `X`, `v` and `B` are data; `A`, `P`, `L`, `E`, `G`, `W`, `b` and `s` require grad, so a call on
these is recorded. An empty text for NumPy means that the same text runs on arrays, None that NumPy has no such call.
NumPy's random numbers differ from PyTorch's; ours are PyTorch's to the bit.
"""
import numpy as np

CALLS = [
    # elementwise
    ("x + y", ""), ("x * 2.0", ""), ("x / 3", ""), ("x - x.mean(0, keepdim=True)", "x - x.mean(0, keepdims=True)"),
    ("A * 2.0", ""), ("A + b2", ""), ("A * y", ""), ("A ** 2", ""), ("s * s", ""), ("s + 1.0", ""), ("-A", ""),
    ("torch.exp(A)", "np.exp(A)"), ("torch.log(P)", "np.log(P)"), ("torch.tanh(A)", "np.tanh(A)"),
    ("A.sigmoid()", "1 / (1 + np.exp(-A))"), ("torch.relu(A)", "np.maximum(A, 0)"), ("A.sqrt()", "np.sqrt(A)"),
    ("torch.sin(s)", "np.sin(s)"), ("A.abs()", "np.abs(A)"), ("A.clamp(min=0.0)", "np.maximum(A, 0)"),
    ("torch.where(x > 0, x, y)", "np.where(x > 0, x, y)"), ("x == y", ""),
    # products
    ("x @ W", ""), ("x @ W + b", ""), ("torch.matmul(B, B)", "np.matmul(B, B)"),
    ("torch.einsum('bi,ij->bj', x, W)", "np.einsum('bi,ij->bj', x, W)"),
    ("linear(x)", "x @ V.T + b"), ("torch.outer(v, v)", "np.outer(v, v)"),
    # reductions
    ("A.sum()", ""), ("A.mean()", ""), ("A.sum(1, keepdim=True)", "A.sum(1, keepdims=True)"), ("A.mean(0)", ""),
    ("A.var(0)", "A.var(0, ddof=1)"), ("x.max()", ""), ("x.max(1)", "(x.max(1), x.argmax(1))"), ("x.argmax(1)", ""),
    ("A.norm()", "np.sqrt((A * A).sum())"), ("torch.softmax(L, 1)", "softmax(L)"),
    ("F.cross_entropy(L, c)", "-(L - np.log(np.exp(L).sum(1, keepdims=True)))[R, c].mean()"),
    ("F.mse_loss(A, y)", "((A - y) ** 2).mean()"),
    # reading and writing elements
    ("X[5]", ""), ("X[2:5]", ""), ("X[:, 1]", ""), ("X[at]", ""), ("L[range(32), c]", ""), ("L[R, c]", ""),
    ("E[I]", ""), ("x[x > 0]", ""), ("X[3] = 1.0", ""), ("X[at] = 2.0", ""), ("X[1, 1].item()", ""),
    ("L.gather(1, c[:, None])", "np.take_along_axis(L, c[:, None], 1)"),
    # shapes
    ("A.view(-1, 8)", "A.reshape(-1, 8)"), ("A.reshape(64, 32)", ""), ("A.t()", "A.T"),
    ("v.unsqueeze(1)", "v[:, None]"),
    ("A.flatten()", ""), ("B.transpose(1, 2)", "B.transpose(0, 2, 1)"),
    ("torch.cat([A, A], 1)", "np.concatenate([A, A], 1)"), ("torch.stack([v, v, v])", "np.stack([v, v, v])"),
    ("x.split(16, 1)", "np.split(x, 4, 1)"),
    # creation
    ("torch.tensor(numbers)", "np.array(numbers, np.float32)"), ("torch.tensor(whole)", "np.array(whole)"),
    ("torch.tensor([[1.0, 2.0], [3.0, 4.0]])", "np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)"),
    ("torch.tensor(3.0, requires_grad=True)", "np.array(3.0, np.float32)"),
    ("torch.zeros(3, 3)", "np.zeros((3, 3), np.float32)"), ("torch.ones(5)", "np.ones(5, np.float32)"),
    ("torch.zeros_like(x)", "np.zeros_like(x)"), ("torch.arange(10)", "np.arange(10)"),
    ("torch.linspace(0, 1, 50)", "np.linspace(0, 1, 50, dtype=np.float32)"),
    ("torch.eye(3)", "np.eye(3, dtype=np.float32)"),
    ("F.one_hot(c, 27)", "np.eye(27, dtype=np.int64)[c]"),
    # the rest of a training loop
    ("A.detach()", "A[...]"), ("A.clone()", "A.copy()"), ("x.numpy()", "x"), ("torch.from_numpy(array)", "array[...]"),
    ("x.float()", "x"), ("c.float()", "c.astype(np.float32)"), ("s.item()", ""), ("v.tolist()", ""),
    ("G.grad.zero_()", "g.fill(0)"), ("G.data += -0.1 * G.grad", "np.add(d, -0.1 * g, d)"),
    ("y.add_(1.0)", "np.add(y, 1, y)"),
    ("s.backward(one)", None), ("optimizer.zero_grad()", None),
    ("A.sum().backward()", "A.sum(); np.ones_like(A)"),
    ("(x @ W + b).pow(2).mean().backward()", "z = x @ W + b; (z * z).mean(); z = z * (2 / z.size); x.T @ z; z.sum(0)"),
    ("linear(x).sum().backward()", "z = x @ V.T + b; z.sum(); z = np.ones_like(z); z.T @ x; z.sum(0)"),
    ("E[I].sum().backward()", "E[I].sum(); z = np.zeros_like(E); np.add.at(z, I, 1)"),
    ("F.cross_entropy(L, c).backward()",
     "z = np.exp(L); z /= z.sum(1, keepdims=True); -np.log(z[R, c]).mean(); z[R, c] -= 1; z / 32"),
    # random numbers, PyTorch's to the bit
    ("torch.randn(32, 10)", "random.standard_normal((32, 10), np.float32)"),
    ("torch.rand(5, 3)", "random.random((5, 3), np.float32)"),
    ("torch.randint(0, 1000, (32,))", "random.integers(0, 1000, 32)"),
    ("torch.randperm(100)", "random.permutation(100)"),
]
RANDOM = {code for code, _ in CALLS if code.startswith("torch.rand")}


def arrays():
    """The data of all sides, by name."""
    random = np.random.default_rng(0)

    def normal(*shape):
        return random.standard_normal(shape).astype(np.float32)
    A = normal(32, 64)
    return {
        "x": normal(32, 64), "y": normal(32, 64), "X": normal(1000, 2), "B": normal(4, 8, 8), "v": normal(50),
        "A": np.abs(A) + np.float32(0.1), "P": np.abs(A) + 1, "W": normal(64, 10), "b": normal(10), "b2": normal(64),
        "V": normal(10, 64), "L": normal(32, 27), "E": normal(27, 10), "G": normal(30, 200), "s": np.float32(0.5),
        "one": np.float32(1), "at": np.array([5, 2, 9, 700, 33, 1, 2, 8, 999, 4]), "c": random.integers(0, 27, 32),
        "I": random.integers(0, 27, (32, 3)), "R": np.arange(32),
    }


NEEDS_GRAD = "A", "P", "W", "b", "b2", "L", "E", "G", "s"
PLAIN = {"numbers": [0.1 * each for each in range(10)], "whole": [5, 2, 9, 700, 33, 1, 2, 8, 999, 4]}


def numpy_names():
    """The names of the calls in NumPy's column, with their values."""
    def softmax(z):
        z = np.exp(z - z.max(1, keepdims=True))
        return z / z.sum(1, keepdims=True)
    found = arrays()
    return {**found, **PLAIN, "np": np, "softmax": softmax, "d": found["G"], "g": np.ones_like(found["G"]),
            "array": found["x"], "random": np.random.default_rng(0)}


def library_names(torch):
    """The same for PyTorch or for us."""
    found = arrays()
    names = {name: torch.tensor(each) for name, each in found.items()}
    for name in NEEDS_GRAD:
        names[name].requires_grad = True
    names["G"].grad = torch.ones_like(names["G"])
    linear = torch.nn.Linear(64, 10)
    with torch.no_grad():
        linear.weight.copy_(torch.tensor(found["V"]))
        linear.bias.copy_(torch.tensor(found["b"]))
    optimizer = torch.optim.SGD(linear.parameters(), lr=0.1)
    torch.manual_seed(0)
    return {**names, **PLAIN, "torch": torch, "F": torch.nn.functional, "linear": linear, "array": found["x"],
            "optimizer": optimizer}


def runner(code, names):
    """The call as a function ``run(n)``, which makes it *n* times."""
    names, body = dict(names), code.replace("; ", "\n        ")
    exec(f"def run(n):\n    for _ in range(n):\n        {body}", names)
    return names["run"]


def outcome(code, torch):
    """The results of a call: its value, the elements of all tensors, and the gradients."""
    names = library_names(torch)
    try:
        value = eval(code, names)
    except SyntaxError:
        value = exec(code, names)
    tensors = {name: each for name, each in names.items() if isinstance(each, torch.Tensor)}
    return [*leaves_of(value), *tensors.values(), *(each.grad for each in tensors.values() if each.is_leaf),
            *(p.grad for p in names["linear"].parameters())]


def leaves_of(value):
    if isinstance(value, tuple | list):
        return [leaf for each in value for leaf in leaves_of(each)]
    return [value]
