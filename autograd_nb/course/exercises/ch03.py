"""Chapter 03, backward: which graphs survive it, running it twice, a loop with a stale graph, what a node keeps."""

import autograd_nb as torch

from .question import Question


def _runs_twice(f):
    y = f(torch.tensor([1.0, 2.0], requires_grad=True)).sum()
    y.backward()
    try:
        y.backward()
    except RuntimeError:
        return False
    return True


q1 = Question(
    [_runs_twice(f) for f in (lambda x: x + 1, lambda x: x * x, lambda x: x * 2, lambda x: -x)],
    wrong={
        "none": [False, False, False, False],
        "numbers_are_nothing": [True, False, True, True],
        "all": [True, True, True, True],
    },
)


# q2: backward twice through one graph


def twice(x):
    z = torch.log(x**3)
    z.backward(retain_graph=True)
    z.backward()
    return x.grad


def freed(x):
    z = torch.log(x**3)
    z.backward()
    z.backward()
    return x.grad


def only_once(x):
    torch.log(x**3).backward(retain_graph=True)
    return x.grad


def gives_none(x):
    z = torch.log(x**3)
    z.backward(retain_graph=True)
    return z.backward()


q2 = Question(
    twice,
    samples=lambda random: [(torch.tensor(random.uniform(1, 4), requires_grad=True),) for _ in range(3)],
    wrong={"freed": freed, "once": only_once, "nothing": gives_none},
)


# q3: a loop whose graph is stale


def descend(w, steps):
    for _ in range(steps):
        loss = (w - 3) ** 2
        loss.backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
        w.grad = None
    return w


def one_loss_for_all(w, steps):
    loss = (w - 3) ** 2
    for _ in range(steps):
        loss.backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
        w.grad = None
    return w


def keeps_the_graph(w, steps):
    loss = (w - 3) ** 2
    for _ in range(steps):
        loss.backward(retain_graph=True)
        with torch.no_grad():
            w -= 0.1 * w.grad
        w.grad = None
    return w


def steps_once(w, steps):
    ((w - 3) ** 2).backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
    w.grad = None
    return w


q3 = Question(
    descend,
    ships=one_loss_for_all,
    samples=lambda random: [(torch.tensor(random.uniform(-4, 4), requires_grad=True), steps) for steps in (2, 3, 6)],
    wrong={"stale": keeps_the_graph, "once": steps_once},
)


def _every_gradient():
    y = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    out = (2 * y + 1).sum()
    out.backward(retain_graph=True)
    out.backward()
    return y.grad[0, 0].item()


q4 = Question(_every_gradient(), wrong={"replaced": 2.0, "multiplied": 8.0, "sum": 16.0})
