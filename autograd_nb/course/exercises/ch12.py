"""Chapter 12, hooks: one that adds, one that limits a norm, one that listens, one that must go again."""

import autograd_nb as torch

from . import Prediction, Question
from .doing import HOOKS, names_in
from .material import leaf

p1 = Prediction(1.2, wrong={"unchanged": 0.6, "at_y": 0.016})
p2 = Prediction("after")
p3 = Prediction("ten")
p4 = Prediction("once")
p5 = Prediction("walk")


def _with_hook(hook):
    x = torch.tensor(3.0, requires_grad=True)
    y = x**2
    y.register_hook(hook)
    (2 * y).backward()
    return x.grad.item()


q1 = Question(
    _with_hook(lambda grad: grad + 1), wrong={"no_hook": _with_hook(lambda grad: None), "at_x": 13.0, "seen": 3.0}
)


# q2: a gradient whose norm has a bound


def limit(x, bound):
    def shorten(grad):
        norm = grad.norm()
        return grad * (bound / norm) if norm > bound else grad

    x.register_hook(shorten)


def _gradient_after(result, x, bound):
    """The gradients of x and of a tensor added to it; both receive the same gradient."""
    other = torch.zeros(x.shape, requires_grad=True)
    (x + other).backward(2 * x.detach())
    return {"x.grad": x.grad, "other.grad": other.grad}


q2 = Question(
    limit,
    samples=lambda random: [(leaf(random, -3, 3, size), bound) for size, bound in ((3, 1.0), (4, 2.0), (3, 100.0))],
    looks_at=_gradient_after,
    wrong={
        "elements": lambda x, bound: x.register_hook(lambda grad: grad.clamp(-bound, bound)),
        "always": "if norm > bound else grad →",
        "no_return": "return grad → grad",
        "in_place": "return grad * (bound / norm) if norm > bound else grad → if norm > bound: grad.mul_(bound / norm)",
    },
)


# q3: a gradient that is only listened to


def spy(a, b):
    seen = []
    product = a * b
    product.register_hook(seen.append)
    (product**2).backward()
    return seen


def _only_listened(did, answer, *_):
    if not did.passes:
        return "formula"
    return "kept" if did.retained else None if HOOKS & names_in(answer) else "no_hook"


q3 = Question(
    spy,
    samples=lambda random: (leaf(random, 1, 3), leaf(random, 1, 3)),
    deeds=dict.fromkeys(("leaf", "end", "late"), HOOKS),
    way=_only_listened,
    wrong={
        "leaf": "product.register → a.register",
        "end": ("a * b → (a * b) ** 2", "(product**2) → product"),
        "begin": "(product**2) → product",
        "late": ("product.register_hook(seen.append) →", "backward() → backward(); product.register_hook(seen.append)"),
        "kept": ("register_hook(seen.append) → retain_grad()", "return seen → return [product.grad]"),
        "formula": lambda a, b: [2 * a * b],
        "no_hook": lambda a, b: list(torch.autograd.grad((product := a * b) ** 2, product)),
    },
)


# q4: a hook that has to go again


def flip_once(x):
    handle = x.register_hook(lambda grad: -grad)
    (x**2).sum().backward()
    handle.remove()
    (x * 3).sum().backward()
    return x.grad


FLIPPING = "x.register_hook(lambda grad: -grad)"

q4 = Question(
    flip_once,
    way=lambda did, answer, *_: None if HOOKS & names_in(answer) else "no_hook",
    ships=("handle = x → x", "handle.remove() →"),
    deeds={"at_once": HOOKS},
    samples=lambda random: [(leaf(random, -3, 3, size),) for size in (1, 2, 4)],
    wrong={
        "at_once": ("handle = x → x", "-grad) → -grad).remove()", "handle.remove() →"),
        "second": (f"handle = {FLIPPING} →", f"handle.remove() → {FLIPPING}"),
        "no_hook": (f"handle = {FLIPPING} →", "handle.remove() →", "(x**2) → (-(x**2))"),
    },
)
