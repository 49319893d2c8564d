"""Chapter 06, several inputs and broadcasting: a power, the shape of a gradient, a product's way back, a trap."""

import autograd_nb as torch

from .filling import Filling
from .prediction import Prediction
from .question import Question


def _along_q():
    x, q = torch.tensor(5.0, requires_grad=True), torch.tensor(3.0, requires_grad=True)
    torch.log(x**q).backward()
    return q.grad


def _edge_to_a_fixed_exponent():
    y = torch.tensor(5.0, requires_grad=True) ** torch.tensor(3.0)
    node, number = y.grad_fn.next_functions[1]
    return [node and node.name(), number]


def _dot_product():
    x = torch.tensor(5.0, requires_grad=True)
    y = x * torch.tensor([2.0, 3.0, 5.0])
    y.retain_grad()
    (y @ torch.tensor([4.0, 7.0, 9.0])).backward()
    return x, y


def _column_and_row():
    column, row = torch.zeros(4, 1, requires_grad=True), torch.zeros(3, requires_grad=True)
    total = column + row
    total.sum().backward()
    return column, row, total


def _at_the_bias():
    bias = torch.zeros(2, requires_grad=True)
    (torch.arange(8.0).reshape(4, 2) + bias).sum().backward()
    return bias.grad


def _where_all_is_right():
    prediction = torch.tensor([[1.0], [2.0], [3.0]], requires_grad=True)
    ((prediction - torch.tensor([1.0, 2.0, 3.0])) ** 2).mean().backward()
    first, middle, last = prediction.grad.flatten().tolist()
    if (first, middle, last) == (0.0, 0.0, 0.0):
        return "zero"
    return "mean" if first < 0 == middle < last else "same"


p1 = Prediction(_along_q, tolerance=0.01, wrong={"along_x": 0.6, "first_link": 201.1797, "value": 4.8283})
p2 = Prediction(
    _edge_to_a_fixed_exponent,
    choices={"leaf": ["AccumulateGrad", 0], "nothing": [None, 0], "number": [3.0, 0], "error": RuntimeError},
)
p3 = Prediction(
    lambda: _dot_product()[1].grad,
    choices={"links": [2.0, 3.0, 5.0], "weights": [4.0, 7.0, 9.0], "products": [8.0, 21.0, 45.0]},
)
p4 = Prediction(lambda: _dot_product()[0].grad, wrong={"weights_only": 20.0, "last": 45.0, "value": 370.0})
p5 = Prediction(lambda: tuple(_column_and_row()[2].shape), wrong={"row": (3,), "both": (4, 1, 3), "turned": (3, 4)})
p6 = Prediction(
    lambda: [each.grad.flatten()[0].item() for each in _column_and_row()[:2]],
    choices={"ones": [1.0, 1.0], "own_size": [4.0, 3.0], "uses": [3.0, 4.0]},
)
p7 = Prediction(_at_the_bias, choices={
    "ones": [1.0, 1.0], "rows": [4.0, 4.0], "sums": [12.0, 16.0], "refused": RuntimeError,
})  # fmt: skip
p8 = Prediction(_where_all_is_right, choices=("zero", "mean", "same"))


p9 = Filling("""
x = torch.tensor(3.0)
w = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(1.0, requires_grad=True)
p = w * x
s = p + b
L = s**2
L.backward()
""")


def _numbers(random, *shape, **options):
    return torch.tensor(random.uniform(0.5, 3, shape).tolist(), **options)


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


def not_summed(a, b, gradient):
    return gradient * b, gradient * a


def crossed(a, b, gradient):
    return sum_to(gradient * a, a.shape), sum_to(gradient * b, b.shape)


def summed_too_early(a, b, gradient):
    return sum_to(gradient, a.shape) * b, sum_to(gradient, b.shape) * a


def through_autograd(a, b, gradient):
    a, b = a.detach().requires_grad_(), b.detach().requires_grad_()
    return torch.autograd.grad(a * b, (a, b), gradient)


_SHAPES = (((3, 1), (1, 4)), ((2, 1), (3, 2, 4)), ((), (3,)))

q3 = Question(
    product_backward,
    samples=lambda random: [
        (_numbers(random, *a), _numbers(random, *b), _numbers(random, *torch.broadcast_shapes(a, b)))
        for a, b in _SHAPES
    ],
    way=lambda did, *_: "autograd" if did.passes else None,
    wrong={"not_summed": not_summed, "crossed": crossed, "too_early": summed_too_early, "autograd": through_autograd},
)


# q4: the shape that was not meant


def mean_squared_error(predictions, targets):
    return ((predictions.squeeze(1) - targets) ** 2).mean()


def nine_differences(predictions, targets):
    return ((predictions - targets) ** 2).mean()


def stretched_on_purpose(predictions, targets):
    return ((predictions - targets.unsqueeze(0)) ** 2).mean()


def sums(predictions, targets):
    return ((predictions.squeeze(1) - targets) ** 2).sum()


def _loss_and_gradient(loss, predictions, targets):
    if not isinstance(loss, torch.Tensor) or loss.dim() or not loss.requires_grad:
        return {"": loss, "result.requires_grad": getattr(loss, "requires_grad", None)}
    loss.backward()
    return {"": loss, "result.requires_grad": True, "predictions.grad": predictions.grad}


q4 = Question(
    mean_squared_error,
    ships=nine_differences,
    samples=lambda random: [(_numbers(random, n, 1, requires_grad=True), _numbers(random, n)) for n in (2, 3, 5)],
    looks_at=_loss_and_gradient,
    wrong={"stretched": stretched_on_purpose, "sums": sums},
)
