"""Chapter 06, several inputs and broadcasting: a power, the shape of a gradient, a product's way back, a trap."""

import autograd_nb as torch

from . import Prediction, Question
from .filling import Filling
from .material import leaf, numbers

p1 = Prediction(1.60944, tolerance=0.01, wrong={"along_x": 0.6, "first_link": 201.1797, "value": 4.8283})
p2 = Prediction("nothing")
p3 = Prediction("weights")
p4 = Prediction(74.0, wrong={"weights_only": 20.0, "last": 45.0, "value": 370.0})
p5 = Prediction((4, 3), wrong={"row": (3,), "both": (4, 1, 3), "turned": (3, 4)})
p6 = Prediction("uses")
p7 = Prediction("rows")
p8 = Prediction("mean")

p9 = Filling("""
x = torch.tensor(3.0)
w = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(1.0, requires_grad=True)
p = w * x
s = p + b
L = s**2
L.backward()
""")


def sum_to(gradient, shape):
    """The gradient, summed over the dimensions that broadcasting stretched, so that it has `shape` again.

    >>> sum_to(torch.ones(2, 3), (2, 1))
    tensor([[3.],
            [3.]])
    """
    while gradient.dim() > len(shape):
        gradient = gradient.sum(0)
    for d in range(len(shape)):
        if shape[d] == 1:
            gradient = gradient.sum(d, keepdim=True)
    return gradient


q1 = Question(60.0, wrong={"without_the_five": 12.0, "along_q": 27.7259, "value": 40.0})

q2 = Question([4, 1], wrong={"of_the_product": [3, 4, 5], "squeezed": [4], "kept_all": [1, 4, 1]})


# q3: back through a product


def product_backward(a, b, gradient):
    return sum_to(gradient * b, a.shape), sum_to(gradient * a, b.shape)


def through_autograd(a, b, gradient):
    a, b = a.detach().requires_grad_(), b.detach().requires_grad_()
    return torch.autograd.grad(a * b, (a, b), gradient)


_SHAPES = (((3, 1), (1, 4)), ((2, 1), (3, 2, 4)), ((), (3,)))

q3 = Question(
    product_backward,
    samples=lambda random: [
        [numbers(random, 0.5, 3, *shape) for shape in (a, b, torch.broadcast_shapes(a, b))] for a, b in _SHAPES
    ],
    wrong={
        "not_summed": lambda a, b, gradient: (gradient * b, gradient * a),
        "crossed": ("* b, a → * a, a", "* a, b → * b, b"),
        "too_early": ("* b, a.shape) → , a.shape) * b", "* a, b.shape) → , b.shape) * a"),
        "autograd": through_autograd,
    },
)


# q4: the shape that was not meant


def mean_squared_error(predictions, targets):
    return ((predictions.squeeze(1) - targets) ** 2).mean()


def _loss_and_gradient(loss, predictions, targets):
    if not isinstance(loss, torch.Tensor) or loss.dim() or not loss.requires_grad:
        return {"": loss, "result.requires_grad": getattr(loss, "requires_grad", None)}
    loss.backward()
    return {"": loss, "result.requires_grad": True, "predictions.grad": predictions.grad}


q4 = Question(
    mean_squared_error,
    ships=".squeeze(1) →",
    deeds={"stretched": {"unsqueeze", "reshape", "view", "expand", "expand_as", "repeat"}},
    samples=lambda random: [(leaf(random, 0.5, 3, n, 1), numbers(random, 0.5, 3, n)) for n in (2, 3, 5)],
    looks_at=_loss_and_gradient,
    wrong={
        "stretched": "predictions.squeeze(1) - targets → predictions - targets.unsqueeze(0)",
        "sums": ".mean → .sum",
    },
)
