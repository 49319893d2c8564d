"""Chapter 04, accumulation: what a second backward adds, a batch in parts, a loop that forgets, a gradient kept."""

import autograd_nb as torch

from . import Prediction, Question
from .doing import CLEARS
from .material import leaf, numbers, with_gradient

p1 = Prediction(1.8, wrong={"replaced": 0.6, "doubled": 2.4, "stays": 1.2})
p2 = Prediction("zeros")
p3 = Prediction(120.0, wrong={"last_half": 100.0, "first_half": 20.0, "averaged": 60.0})
p4 = Prediction("swings")
p5 = Prediction("none")
p6 = Prediction("error")

q1 = Question(1.8, wrong={"replaced": 0.6, "multiplied": 0.216, "counted_from_zero": 1.2})


# q2: the gradient of a sum, a part at a time


def in_parts(w, parts):
    for part in parts:
        ((w * part) ** 2).sum().backward()
    return w.grad


q2 = Question(
    in_parts,
    way=lambda did, answer, w, parts: None if did.passes == len(parts) else "at_once" if did.passes else "formula",
    deeds={"cleared": CLEARS},
    samples=lambda random: (leaf(random, -3, 3, 1), [numbers(random, -3, 3, size) for size in (2, 3, 4)]),
    wrong={
        "cleared": "((w → w.grad = None; ((w",
        "first": "backward() → backward(); return w.grad",
        "square": "((w * part) ** 2) → (w * part**2)",
        "averaged": "((w * part) ** 2).sum() → (((w * part) ** 2).sum() / len(parts))",
        "loss": lambda w, parts: sum(((w * part) ** 2).sum() for part in parts),
        "at_once": "in parts → in [torch.cat(parts)]",
        "formula": lambda w, parts: 2 * w * sum((part**2).sum() for part in parts),
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


q3 = Question(
    descend,
    way=lambda did, answer, w, steps: None if did.passes >= steps else "formula",
    ships=("w.grad = None →", "((w - 3) ** 2).backward() → loss = (w - 3) ** 2; loss.backward()"),
    deeds={"too_early": CLEARS},
    samples=lambda random: [(leaf(random, -4, 4), steps) for steps in (2, 3, 7)],
    wrong={
        "too_early": ("w.grad = None →", "w -= → w.grad.zero_(); w -="),
        "climbs": "-= → +=",
        "formula": ("w.grad = None →", "((w - 3) ** 2).backward() →", "w.grad → 2 * (w - 3)"),
        "another": "with torch.no_grad():\n            w -= 0.1 → w = w - 0.1",
        "unrecorded": "w -= 0.1 → w = w - 0.1",
    },
)


# q4: a gradient to keep


def take_gradient(x):
    gradient = x.grad
    x.grad = None
    return gradient


q4 = Question(
    take_gradient,
    samples=lambda random: (with_gradient(random, -3, 3),),
    looks_at=lambda result, x: {"": result, "x.grad": None if x.grad is None or not x.grad.any().item() else x.grad},
    wrong={
        "same_tensor": "x.grad = None → gradient.zero_()",
        "not_cleared": lambda x: x.grad,
        "nothing": ("gradient = x.grad →", "return gradient → return x.grad"),
    },
)
