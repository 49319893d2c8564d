"""Chapter 09, is it right: reading a complaint, a ratio to repair, a slope by nudging, a root without NaN."""

from numbers import Real

import autograd_nb as torch

from .functions import Formula
from .prediction import Prediction
from .question import Question
from .running import run

p1 = Prediction("second", choices=("first", "second", "both"))
p2 = Prediction("not_at_large", choices=("always", "not_at_large", "not_at_small"))
p3 = Prediction("off", tolerance=1e-3, choices=("exact", "off", "nothing", "error"))
p4 = Prediction("zero_and_inf", choices=("zeros", "zero_and_inf", "ones"))
p5 = Prediction("nan", choices=("zero", "nan", "inf", "error"))

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


class RatioWithoutMinus(Ratio):
    """The whole class, as the chapter gives it for repair."""

    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a / b

    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
        return grad_output / b, grad_output * a / b**2


class FirstSpoilt(Ratio):
    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
        return -grad_output / b, -grad_output * a / b**2


class ForwardChanged(Ratio):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
        return grad_output * b, grad_output * a


class WithoutGradOutput(Ratio):
    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
        return 1 / b, -a / b**2


class SecondWithoutA(Ratio):
    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
        return grad_output / b, -grad_output / b**2


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
    ships=RatioWithoutMinus,
    rule=_passes,
    wrong={"first": FirstSpoilt, "forward": ForwardChanged, "second": SecondWithoutA, "no_chain": WithoutGradOutput},
)


# q3: a slope by nudging


def nudged(f, x, h):
    x = torch.tensor(x, dtype=torch.float64)
    return ((f(x + h) - f(x - h)) / (2 * h)).item()


def one_sided(f, x, h):
    x = torch.tensor(x, dtype=torch.float64)
    return ((f(x + h) - f(x)) / h).item()


def half_the_way(f, x, h):
    x = torch.tensor(x, dtype=torch.float64)
    return ((f(x + h) - f(x - h)) / h).item()


def in_float32(f, x, h):
    x = torch.tensor(x)
    return ((f(x + h) - f(x - h)) / (2 * h)).item()


def by_backward(f, x, h):
    x = torch.tensor(x, dtype=torch.float64, requires_grad=True)
    f(x).backward()
    return x.grad.item()


q3 = Question(
    nudged,
    samples=lambda random: [
        (f, random.uniform(1, 3), h) for f in (Formula("x.exp()"), Formula("x**4")) for h in (1e-2, 1e-6)
    ],
    looks_at=lambda result, *_: {"": result, "type(result)": float if isinstance(result, Real) else type(result)},
    way=lambda did, *_: "autograd" if did.passes else None,
    wrong={"one_sided": one_sided, "not_doubled": half_the_way, "float32": in_float32, "autograd": by_backward},
)


# q4: a root without NaN


def safe_sqrt(x):
    safe = torch.where(x > 0, x, 1.0)
    return torch.where(x > 0, safe.sqrt(), 0.0)


def one_where(x):
    return torch.where(x > 0, x.sqrt(), 0.0)


def clamped(x):
    return x.clamp(min=0).sqrt()


def shifted(x):
    return torch.where(x > 0, (x.abs() + 1e-3).sqrt(), 0.0)


def _value_and_gradient(result, x):
    if not isinstance(result, torch.Tensor) or not result.requires_grad:
        return {"": result, "x.grad": None}
    (gradient,) = torch.autograd.grad(result.sum(), x)
    return {"": result, "x.grad": gradient, "(result[x <= 0] == 0).all()": not result.detach()[x <= 0].any().item()}


q4 = Question(
    safe_sqrt,
    samples=lambda random: [
        (torch.tensor([0.0, -float(random.uniform(1, 2)), *random.uniform(0.5, 4, 2).tolist()], requires_grad=True),)
        for _ in range(3)
    ],
    looks_at=_value_and_gradient,
    wrong={"one_where": one_where, "clamped": clamped, "shifted": shifted},
)
