"""Chapter 03, backward: which graphs survive it, running it twice, a loop with a stale graph, nothing saved."""

import autograd_nb as torch

from .doing import CLEARS
from .filling import SavedNumbers
from .kinds import same
from .prediction import Prediction
from .question import Question
from .running import run, short


def _runs_twice(f):
    y = f(torch.tensor([1.0, 2.0], requires_grad=True)).sum()
    y.backward()
    try:
        y.backward()
    except RuntimeError:
        return False
    return True


p9 = SavedNumbers("""
x = torch.tensor(2.0, requires_grad=True)
y = x**3
z = torch.log(y)
z.backward()
""")
p1 = Prediction("error", choices=("same", "error", "added", "full"))
p2 = Prediction("error", choices=("kept", "none", "error"))
p3 = Prediction("error", choices=("runs", "error", "stays"))
p4 = Prediction("twice", choices=("error", "once", "twice"))
p5 = Prediction("sign", choices=("sign_and_number", "sign", "all_but_square"))
p6 = Prediction("error", choices=("twos", "sum", "error"))
p7 = Prediction(4.0, wrong={"replaced": 2.0, "multiplied": 8.0, "sum": 16.0})
p8 = Prediction("second", choices=("first", "second", "none"))

q1 = Question(
    [_runs_twice(f) for f in (lambda x: x + 1, lambda x: x * x, lambda x: x * 2, lambda x: -x)],
    names=("x+1", "x*x", "x*2", "-x"),
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


def two_graphs(x):
    torch.log(x**3).backward()
    torch.log(x**3).backward()
    return x.grad


def doubles_one(x):
    torch.log(x**3).backward()
    return 2 * x.grad


def clears_between(x):
    z = torch.log(x**3)
    z.backward(retain_graph=True)
    x.grad = None
    z.backward()
    return x.grad


def _twice_through_one_graph(did, *_):
    if did.passes != 2:
        return "not_twice"
    return None if did.operations.count("log") == 1 else "two_graphs"


q2 = Question(
    twice,
    samples=lambda random: [(torch.tensor(random.uniform(1, 4), requires_grad=True),) for _ in range(3)],
    way=_twice_through_one_graph,
    deeds={"cleared": CLEARS},
    wrong={
        "freed": freed, "once": only_once, "cleared": clears_between, "nothing": gives_none,
        "two_graphs": two_graphs, "not_twice": doubles_one,
    },
)  # fmt: skip


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


def by_formula(w, steps):
    with torch.no_grad():
        for _ in range(steps):
            w -= 0.1 * 2 * (w - 3)
    return w


q3 = Question(
    descend,
    way=lambda did, answer, w, steps: None if did.passes >= steps else "formula",
    ships=one_loss_for_all,
    samples=lambda random: [(torch.tensor(random.uniform(-4, 4), requires_grad=True), steps) for steps in (2, 3, 6)],
    wrong={"stale": keeps_the_graph, "once": steps_once, "formula": by_formula},
)


# q4: an experiment with nothing saved


def doubled(x):
    return (x + x).sum()


def keeps_the_number(x):
    return (2 * x).sum()


def forgets_the_sum(x):
    return x + x


def sums_once(x):
    return x.sum()


def cuts_one(x):
    return (x + x.detach()).sum()


def leaves_the_graph(x):
    return 2 * x.sum().item()


def _judge(answer, x):
    result = answer(x)
    if not isinstance(result, torch.Tensor) or not result.requires_grad:
        return "not_recorded"
    if result.dim():
        return "not_summed"
    if not same(result, 2 * x.sum()):
        return "other_value", {"got": short(result.item()), "expected": short(2 * x.sum().item())}
    result.backward()
    gradient = x.grad.clone()
    try:
        result.backward()
    except RuntimeError:
        return "saved"
    return None if same(gradient, [2.0] * len(x)) else ("other_gradient", {"got": short(gradient)})


q4 = Question(
    doubled,
    rule=lambda answer: run(_judge, (answer, torch.tensor([1.0, -2.0, 4.0], requires_grad=True))),
    wrong={
        "saved": keeps_the_number,
        "not_summed": forgets_the_sum,
        "other_value": sums_once,
        "not_recorded": leaves_the_graph,
        "other_gradient": cuts_one,
    },
)
