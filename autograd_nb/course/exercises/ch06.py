"""Chapter 06, several inputs and broadcasting: a power, the shape of a gradient, a product's way back, a trap."""

import autograd_nb as torch

from .question import Question


def _numbers(random, *shape, **options):
    return torch.tensor(random.uniform(0.5, 3, shape).tolist(), **options)


def sum_to(gradient, shape):
    """A gradient summed over all that broadcasting stretched, so that it has `shape` again.

    >>> sum_to(torch.ones(2, 3), (2, 1))
    tensor([[3.],
            [3.]])
    """
    while gradient.dim() > len(shape):
        gradient = gradient.sum(0)
    stretched = [d for d, size in enumerate(shape) if size == 1 != gradient.shape[d]]
    return gradient.sum(stretched, keepdim=True) if stretched else gradient


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


_SHAPES = (((3, 1), (1, 4)), ((2, 1), (3, 2, 4)), ((), (3,)))

q3 = Question(
    product_backward,
    samples=lambda random: [
        (_numbers(random, *a), _numbers(random, *b), _numbers(random, *torch.broadcast_shapes(a, b)))
        for a, b in _SHAPES
    ],
    wrong={"not_summed": not_summed, "crossed": crossed, "too_early": summed_too_early},
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
    loss.backward()
    return loss, predictions.grad


q4 = Question(
    mean_squared_error,
    ships=nine_differences,
    samples=lambda random: [(_numbers(random, n, 1, requires_grad=True), _numbers(random, n)) for n in (2, 3, 5)],
    looks_at=_loss_and_gradient,
    wrong={"stretched": stretched_on_purpose, "sums": sums},
)
