"""Chapter 03, backward: which graphs survive it, running it twice, a loop with a stale graph, nothing saved."""

import autograd_nb as torch

from . import Prediction, Question
from .doing import CLEARS
from .filling import SavedNumbers
from .kinds import same
from .material import leaf
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
p1 = Prediction("error")
p2 = Prediction("error")
p3 = Prediction("error")
p4 = Prediction("twice")
p5 = Prediction("sign")
p6 = Prediction("error")
p7 = Prediction(4.0, wrong={"replaced": 2.0, "multiplied": 8.0, "sum": 16.0})
p8 = Prediction("second")

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


def _twice_through_one_graph(did, *_):
    if did.passes != 2:
        return "not_twice"
    return None if did.operations.count("log") == 1 else "two_graphs"


q2 = Question(
    twice,
    samples=lambda random: (leaf(random, 1, 4),),
    way=_twice_through_one_graph,
    deeds={"cleared": CLEARS},
    wrong={
        "freed": "retain_graph=True →",
        "once": "z.backward() →",
        "cleared": "z.backward() → x.grad = None; z.backward()",
        "nothing": "z.backward() → return z.backward()",
        "two_graphs": ("z.backward() → z = torch.log(x**3); z.backward()", "retain_graph=True →"),
        "not_twice": ("z.backward() →", "x.grad → 2 * x.grad"),
    },
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


LOOP, LOSS = "for _ in range(steps):", "loss = (w - 3) ** 2"
ONE_LOSS_FOR_ALL = f"{LOOP}\n        {LOSS} → {LOSS}\n    {LOOP}"

q3 = Question(
    descend,
    way=lambda did, answer, w, steps: None if did.passes >= steps else "formula",
    ships=ONE_LOSS_FOR_ALL,
    samples=lambda random: [(leaf(random, -4, 4), steps) for steps in (2, 3, 6)],
    wrong={
        "stale": (ONE_LOSS_FOR_ALL, "backward() → backward(retain_graph=True)"),
        "once": "range(steps) → range(1)",
        "formula": ("loss.backward() →", "0.1 * w.grad → 0.1 * 2 * (w - 3)"),
    },
)


# q4: an experiment with nothing saved


def doubled(x):
    return (x + x).sum()


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
        "saved": "x + x → 2 * x",
        "not_summed": ".sum() →",
        "other_value": "x + x → x",
        "not_recorded": "(x + x).sum() → 2 * x.sum().item()",
        "other_gradient": "x + x → x + x.detach()",
    },
)
