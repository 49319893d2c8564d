"""Chapter 09, is it right: reading a complaint, a ratio to repair, a slope by nudging, a root without NaN."""

from numbers import Real

import autograd_nb as torch

from . import Prediction, Question
from .functions import Formula
from .running import run

p1 = Prediction("second")
p2 = Prediction("not_at_large")
p3 = Prediction("off")
p4 = Prediction("zero_and_inf")
p5 = Prediction("nan")

q1 = Question(2, wrong={"the_output": 0, "numerical": 4, "analytical": 8, "counted_from_one": 3})


# q2: make gradcheck pass


class Ratio(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a / b

    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
        return grad_output / b, -grad_output * a / b**2


def _passes(ratio):
    def checked(a, b):
        agrees = torch.autograd.gradcheck(ratio.apply, (a, b), raise_exception=False)
        return ratio.apply(a, b), agrees

    point = [torch.tensor([value, 1.5], dtype=torch.float64, requires_grad=True) for value in (0.7, 2.5)]
    value, agrees = run(checked, point, names="ab")
    if not torch.allclose(value, point[0] / point[1]):
        return "forward"
    if agrees:
        return None
    grads = run(lambda a, b: torch.autograd.grad(ratio.apply(a, b).sum(), (a, b)), point, names="ab")
    if not torch.allclose(grads[0], 1 / point[1]):
        return "first"
    return "no_chain" if torch.allclose(grads[1], -point[0] / point[1] ** 2) else "second"


q2 = Question(
    Ratio,
    ships="-grad_output → grad_output",
    rule=_passes,
    wrong={
        "first": "return grad_output → return -grad_output",
        "forward": ("return a / b → return a * b", "/ b, -grad_output * a / b**2 → * b, grad_output * a"),
        "second": "-grad_output * a → -grad_output",
        "no_chain": "grad_output / b, -grad_output * a → 1 / b, -a",
    },
)


# q3: a slope by nudging


def nudged(f, x, h):
    x = torch.tensor(x, dtype=torch.float64)
    return ((f(x + h) - f(x - h)) / (2 * h)).item()


q3 = Question(
    nudged,
    samples=lambda random: [
        (f, random.uniform(1, 3), h) for f in (Formula("x.exp()"), Formula("x**4")) for h in (1e-2, 1e-6)
    ],
    looks_at=lambda result, *_: {"": result, "type(result)": float if isinstance(result, Real) else type(result)},
    wrong={
        "one_sided": ("x - h → x", "(2 * h) → h"),
        "not_doubled": "(2 * h) → h",
        "float32": ", dtype=torch.float64 →",
        "autograd": (
            "float64) → float64, requires_grad=True); f(x).backward()",
            "((f(x + h) - f(x - h)) / (2 * h)) → x.grad",
        ),
    },
)


# q4: a root without NaN


def safe_sqrt(x):
    safe = torch.where(x > 0, x, 1.0)
    return torch.where(x > 0, safe.sqrt(), 0.0)


def _value_and_gradient(result, x):
    if not isinstance(result, torch.Tensor) or not result.requires_grad:
        return {"": result, "x.grad": None}
    (gradient,) = torch.autograd.grad(result.sum(), x)
    return {"": result, "x.grad": gradient, "(result[x <= 0] == 0).all()": not result.detach()[x <= 0].any().item()}


q4 = Question(
    safe_sqrt,
    samples=lambda random: (
        torch.tensor([0.0, -float(random.uniform(1, 2)), *random.uniform(0.5, 4, 2).tolist()], requires_grad=True),
    ),
    looks_at=_value_and_gradient,
    wrong={
        "one_where": lambda x: torch.where(x > 0, x.sqrt(), 0.0),
        "clamped": lambda x: x.clamp(min=0).sqrt(),
        "shifted": lambda x: torch.where(x > 0, (x.abs() + 1e-3).sqrt(), 0.0),
    },
)
