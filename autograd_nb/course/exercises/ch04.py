"""Chapter 04, accumulation: what a second backward adds, a batch in parts, a loop that forgets, a gradient kept."""

import autograd_nb as torch

from .doing import CLEARS
from .prediction import Prediction
from .question import Question

p1 = Prediction(1.8, wrong={"replaced": 0.6, "doubled": 2.4, "stays": 1.2})
p2 = Prediction("zeros", choices=("before", "zeros", "none"))
p3 = Prediction(120.0, wrong={"last_half": 100.0, "first_half": 20.0, "averaged": 60.0})
p4 = Prediction("swings", choices=("sooner", "swings", "never"))
p5 = Prediction("none", choices=("zeros", "none", "before"))
p6 = Prediction("error", choices=("moves", "result", "error", "later"))


def _numbers(random, count, **options):
    return torch.tensor(random.uniform(-3, 3, count).tolist(), **options)


q1 = Question(1.8, wrong={"replaced": 0.6, "multiplied": 0.216, "counted_from_zero": 1.2})


# q2: the gradient of a sum, a part at a time


def in_parts(w, parts):
    for part in parts:
        ((w * part) ** 2).sum().backward()
    return w.grad


def cleared_between(w, parts):
    for part in parts:
        w.grad = None
        ((w * part) ** 2).sum().backward()
    return w.grad


def averaged(w, parts):
    for part in parts:
        (((w * part) ** 2).sum() / len(parts)).backward()
    return w.grad


def gives_loss(w, parts):
    return sum(((w * part) ** 2).sum() for part in parts)


def at_once(w, parts):
    ((w * torch.cat(parts)) ** 2).sum().backward()
    return w.grad


def first_alone(w, parts):
    for part in parts:
        ((w * part) ** 2).sum().backward()
        return w.grad


def squares_only_the_part(w, parts):
    for part in parts:
        (w * part**2).sum().backward()
    return w.grad


def by_formula(w, parts):
    return 2 * w * sum((part**2).sum() for part in parts)


def _part_by_part(did, answer, w, parts):
    if not did.passes:
        return "formula"
    return None if did.passes == len(parts) else "at_once"


q2 = Question(
    in_parts,
    way=_part_by_part,
    deeds={"cleared": CLEARS},
    samples=lambda random: [
        (_numbers(random, 1, requires_grad=True), [_numbers(random, size) for size in (2, 3, 4)]) for _ in range(3)
    ],
    wrong={
        "cleared": cleared_between,
        "first": first_alone,
        "square": squares_only_the_part,
        "averaged": averaged,
        "loss": gives_loss,
        "at_once": at_once,
        "formula": by_formula,
    },
)


# q3: a loop that forgets to clear


def descend(w, steps):
    for _ in range(steps):
        w.grad = None
        ((w - 3) ** 2).backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
    return w


def never_clears(w, steps):
    for _ in range(steps):
        loss = (w - 3) ** 2
        loss.backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
    return w


def clears_before_the_step(w, steps):
    for _ in range(steps):
        ((w - 3) ** 2).backward()
        with torch.no_grad():
            w.grad.zero_()
            w -= 0.1 * w.grad
    return w


def climbs(w, steps):
    for _ in range(steps):
        w.grad = None
        ((w - 3) ** 2).backward()
        with torch.no_grad():
            w += 0.1 * w.grad
    return w


def makes_another_tensor(w, steps):
    for _ in range(steps):
        w.grad = None
        ((w - 3) ** 2).backward()
        w = w - 0.1 * w.grad
    return w


def makes_a_tensor_without_grad(w, steps):
    for _ in range(steps):
        w.grad = None
        ((w - 3) ** 2).backward()
        with torch.no_grad():
            w = w - 0.1 * w.grad
    return w


def descends_by_formula(w, steps):
    with torch.no_grad():
        for _ in range(steps):
            w -= 0.1 * 2 * (w - 3)
    return w


q3 = Question(
    descend,
    way=lambda did, answer, w, steps: None if did.passes >= steps else "formula",
    ships=never_clears,
    deeds={"too_early": CLEARS},
    samples=lambda random: [(torch.tensor(random.uniform(-4, 4), requires_grad=True), steps) for steps in (2, 3, 7)],
    wrong={
        "too_early": clears_before_the_step, "climbs": climbs, "formula": descends_by_formula,
        "another": makes_another_tensor, "unrecorded": makes_a_tensor_without_grad,
    },
)


# q4: a gradient to keep


def take_gradient(x):
    gradient = x.grad
    x.grad = None
    return gradient


def zeroes_what_it_returns(x):
    gradient = x.grad
    gradient.zero_()
    return gradient


def leaves_it(x):
    return x.grad


def gives_none(x):
    x.grad = None
    return x.grad


def _with_gradient(random):
    x = _numbers(random, 3, requires_grad=True)
    (x**2).sum().backward()
    return x


q4 = Question(
    take_gradient,
    samples=lambda random: [(_with_gradient(random),) for _ in range(3)],
    looks_at=lambda result, x: {"": result, "x.grad": None if x.grad is None or not x.grad.any().item() else x.grad},
    wrong={"same_tensor": zeroes_what_it_returns, "not_cleared": leaves_it, "nothing": gives_none},
)
