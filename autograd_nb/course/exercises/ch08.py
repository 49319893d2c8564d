"""Chapter 08, a Function of one's own: how many gradients, a reciprocal, a product to repair, a scaled gradient."""

import autograd_nb as torch

from . import Prediction, Question
from .material import leaf

seen = []  # what the Functions above received


p1 = Prediction(10.0, wrong={"returned": 20.0, "nothing_after": 1.0, "value": 60.0})
p2 = Prediction("neither")
p3 = Prediction("error")
p4 = Prediction("less")
p5 = Prediction("first")


def _gradients(result, *inputs):
    """The behaviour of a Function: its values, and the gradients that it passes on for unequal weights."""
    if not isinstance(result, torch.Tensor) or not result.requires_grad:
        return {"": result}
    weights = torch.arange(2.0, 2.0 + result.numel()).reshape(result.shape)
    (result * weights).sum().backward()
    tensors = [x for x in inputs if isinstance(x, torch.Tensor)]
    names = ("a.grad", "b.grad") if len(tensors) == 2 else ("x.grad",)
    return {"": result} | {name: x.grad for name, x in zip(names, tensors, strict=True)}


def _gradients_and_keeping(result, x):
    """The same, and the attributes of ctx beside the tensors that save_for_backward keeps."""
    values = vars(result.grad_fn).values() if getattr(result, "grad_fn", None) else ()
    kept = any(isinstance(value, torch.Tensor) for value in values)
    return _gradients(result, x) | {"ctx has a tensor as an attribute": kept}


q1 = Question(3, wrong={"tensors_only": 2, "outputs": 1})


# q2: a reciprocal


class Reciprocal(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        result = 1 / x
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return -grad_output * result**2


q2 = Question(
    Reciprocal,
    samples=lambda random: [(leaf(random, 0.5, 3, size),) for size in (1, 3, 4)],
    calls=lambda reciprocal, x: reciprocal.apply(x),
    looks_at=_gradients_and_keeping,
    wrong={
        "no_chain": "-grad_output * result**2 → -(result**2)",
        "sign": "-grad_output → grad_output",
        "saved_input": "backward(result) → backward(x)",
        "attribute": (
            "ctx.save_for_backward(result) → ctx.result = result",
            "(result,) = ctx.saved_tensors → result = ctx.result",
        ),
    },
)


# q3: a product to repair


class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
        return grad_output * b, grad_output * a


q3 = Question(
    Product,
    ships="grad_output * →",
    samples=lambda random: [(leaf(random, 0.5, 3, size), leaf(random, 0.5, 3, size)) for size in (1, 3, 4)],
    calls=lambda product, a, b: product.apply(a, b),
    looks_at=_gradients,
    wrong={
        "crossed": "grad_output * b, grad_output * a → grad_output * a, grad_output * b",
        "both": "grad_output * b, grad_output * a → a, b",
        "one": ", grad_output * a →",
    },
)


# q4: a gradient scaled on its way back


class ScaleGradient(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x.clone()

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.factor, None


q4 = Question(
    ScaleGradient,
    samples=lambda random: [(leaf(random, 0.5, 3, 3), factor) for factor in (-1.0, 0.5, 3.0)],
    calls=lambda scale, x, factor: scale.apply(x, factor),
    looks_at=_gradients,
    wrong={
        "forward_too": "x.clone() → x * factor",
        "one": ", None →",
        "unscaled": "grad_output * ctx.factor → grad_output",
    },
)
