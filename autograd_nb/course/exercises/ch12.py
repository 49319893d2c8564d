"""Chapter 12, hooks: one that adds, one that limits a norm, one that listens, one that must go again."""

import autograd_nb as torch

from .doing import HOOKS, mentions
from .prediction import Prediction
from .question import Question

p1 = Prediction(1.2, wrong={"unchanged": 0.6, "at_y": 0.016})
p2 = Prediction("after", choices=("before", "after", "none"))
p3 = Prediction("ten", choices=("same", "ten", "reversed"))
p4 = Prediction("once", choices=("twice", "once", "thrice"))
p5 = Prediction("walk", choices=("registered", "tensors", "walk"))


def _numbers(random, count):
    return torch.tensor(random.uniform(-3, 3, count).tolist(), requires_grad=True)


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


def clamps_elements(x, bound):
    x.register_hook(lambda grad: grad.clamp(-bound, bound))


def always_scales(x, bound):
    x.register_hook(lambda grad: grad * (bound / grad.norm()))


def returns_nothing(x, bound):
    def shorten(grad):
        grad * (bound / grad.norm())

    x.register_hook(shorten)


def writes_into_the_gradient(x, bound):
    def shorten(grad):
        if grad.norm() > bound:
            grad.mul_(bound / grad.norm())

    x.register_hook(shorten)


def _gradient_after(result, x, bound):
    """The gradients of x and of a tensor added to it; both receive the same gradient."""
    other = torch.zeros(x.shape, requires_grad=True)
    (x + other).backward(2 * x.detach())
    return {"x.grad": x.grad, "other.grad": other.grad}


q2 = Question(
    limit,
    samples=lambda random: [(_numbers(random, size), bound) for size, bound in ((3, 1.0), (4, 2.0), (3, 100.0))],
    looks_at=_gradient_after,
    wrong={
        "elements": clamps_elements,
        "always": always_scales,
        "no_return": returns_nothing,
        "in_place": writes_into_the_gradient,
    },
)


# q3: a gradient that is only listened to


def spy(a, b):
    seen = []
    product = a * b
    product.register_hook(seen.append)
    (product**2).backward()
    return seen


def listens_to_a(a, b):
    seen = []
    a.register_hook(seen.append)
    ((a * b) ** 2).backward()
    return seen


def listens_to_the_end(a, b):
    seen = []
    square = (a * b) ** 2
    square.register_hook(seen.append)
    square.backward()
    return seen


def begins_at_the_product(a, b):
    seen = []
    product = a * b
    product.register_hook(seen.append)
    product.backward()
    return seen


def registers_too_late(a, b):
    seen = []
    product = a * b
    (product**2).backward()
    product.register_hook(seen.append)
    return seen


def keeps_it(a, b):
    product = a * b
    product.retain_grad()
    (product**2).backward()
    return [product.grad]


def by_formula(a, b):
    return [2 * a * b]


def asks_for_it(a, b):
    product = a * b
    return list(torch.autograd.grad(product**2, product))


def _only_listened(did, answer, *_):
    if not did.passes:
        return "formula"
    return "kept" if did.retained else None if any(mentions(answer, name) for name in HOOKS) else "no_hook"


def _scalars(random):
    return tuple(torch.tensor(random.uniform(1, 3), requires_grad=True) for _ in range(2))


q3 = Question(
    spy,
    samples=lambda random: [_scalars(random) for _ in range(3)],
    deeds=dict.fromkeys(("leaf", "end", "late"), HOOKS),
    way=_only_listened,
    wrong={
        "leaf": listens_to_a,
        "end": listens_to_the_end,
        "begin": begins_at_the_product,
        "late": registers_too_late,
        "kept": keeps_it,
        "formula": by_formula,
        "no_hook": asks_for_it,
    },
)


# q4: a hook that has to go again


def flip_once(x):
    handle = x.register_hook(lambda grad: -grad)
    (x**2).sum().backward()
    handle.remove()
    (x * 3).sum().backward()
    return x.grad


def never_removes(x):
    x.register_hook(lambda grad: -grad)
    (x**2).sum().backward()
    (x * 3).sum().backward()
    return x.grad


def removes_at_once(x):
    x.register_hook(lambda grad: -grad).remove()
    (x**2).sum().backward()
    (x * 3).sum().backward()
    return x.grad


def flips_the_second(x):
    (x**2).sum().backward()
    x.register_hook(lambda grad: -grad)
    (x * 3).sum().backward()
    return x.grad


def negative_from_the_start(x):
    (-(x**2)).sum().backward()
    (x * 3).sum().backward()
    return x.grad


q4 = Question(
    flip_once,
    way=lambda did, answer, *_: None if any(mentions(answer, name) for name in HOOKS) else "no_hook",
    ships=never_removes,
    deeds={"at_once": HOOKS},
    samples=lambda random: [(_numbers(random, size),) for size in (1, 2, 4)],
    wrong={"at_once": removes_at_once, "second": flips_the_second, "no_hook": negative_from_the_start},
)
