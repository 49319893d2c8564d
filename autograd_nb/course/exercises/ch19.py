"""Chapter 19, moons and digits: a kink for the small engine, counting what learns, reading scores, ink that matters."""

import math

import autograd_nb as torch

from .ch17 import Value, backward
from .prediction import Prediction
from .question import Question


def tanh(x):
    """The hyperbolic tangent of a Value of the small engine.

    >>> x = Value(0.0)
    >>> backward(tanh(x))
    >>> x.grad
    1.0
    """
    t = math.tanh(x.data)
    return Value(t, (x,), (1 - t * t,))


def _parameters(*sizes):
    return sum(before * after + after for before, after in zip(sizes, sizes[1:], strict=False))


p1 = Prediction(1.0, wrong={"value": 0.0, "half": 0.5})
p2 = Prediction(33.0, wrong={"neurons": 9, "no_bias": 24, "hidden_only": 25})
p3 = Prediction("same", choices=("same", "alike", "apart"))
p4 = Prediction(0.1, wrong={"all": 1.0, "half": 0.5}, tolerance=0.05)
p5 = Prediction((64,), wrong={"scores": (10,), "weights": (32, 64), "number": ()})

q1 = Question(_parameters(10, 5), wrong={"no_bias": 50, "one_bias": 51, "sum": 15})


# q2: a kink for the small engine


def relu(x):
    if x.data > 0:
        return Value(x.data, (x,), (1.0,))
    return Value(0.0, (x,), (0.0,))


def always_one(x):
    return Value(max(x.data, 0.0), (x,), (1.0,))


def forgets_its_source(x):
    return Value(max(x.data, 0.0))


def slope_of_tanh(x):
    return Value(max(x.data, 0.0), (x,), (1 - math.tanh(x.data) ** 2,))


def _with_gradient(result, x):
    if not isinstance(result, Value):
        return result
    backward(result)
    return {"": result.data, "x.grad": x.grad}


q2 = Question(
    relu,
    looks_at=_with_gradient,
    samples=lambda random: [(Value(x),) for x in (random.uniform(0.2, 0.9), -random.uniform(0.2, 0.9), 2.0)],
    wrong={"always": always_one, "no_source": forgets_its_source, "tanh": slope_of_tanh},
)


# q3: how many are read rightly


def accuracy(scores, labels):
    return (scores.argmax(dim=1) == labels).float().mean().item()


def counts(scores, labels):
    return (scores.argmax(dim=1) == labels).sum().item()


def along_the_images(scores, labels):
    return (scores.argmax(dim=0) == labels[: scores.shape[1]]).float().mean().item()


def positive_scores(scores, labels):
    return (scores[torch.arange(len(labels)), labels] > 0).float().mean().item()


def _scored(random):
    scores = torch.tensor(random.normal(size=(12, 4)).tolist())
    labels = torch.where(torch.tensor((random.random(12) < 0.6).tolist()), scores.argmax(dim=1), scores.argmin(dim=1))
    return scores, labels


q3 = Question(
    accuracy,
    looks_at=lambda result, *_: float(result),
    samples=lambda random: [_scored(random) for _ in range(3)],
    wrong={"count": counts, "other_dimension": along_the_images, "positive": positive_scores},
)


# q4: the pixel that matters


def most_important(model, image, digit):
    image = image.detach().requires_grad_()
    (gradient,) = torch.autograd.grad(model(image)[digit], image)
    return gradient.abs().argmax().item()


def darkest(model, image, digit):
    return image.argmax().item()


def most_positive(model, image, digit):
    image = image.detach().requires_grad_()
    (gradient,) = torch.autograd.grad(model(image)[digit], image)
    return gradient.argmax().item()


def of_all_scores(model, image, digit):
    image = image.detach().requires_grad_()
    (gradient,) = torch.autograd.grad(model(image).sum(), image)
    return gradient.abs().argmax().item()


def _model_and_image(random):
    torch.manual_seed(int(random.integers(1000)))
    model = torch.nn.Sequential(torch.nn.Linear(16, 6), torch.nn.Tanh(), torch.nn.Linear(6, 4))
    return model, torch.rand(16), int(random.integers(4))


q4 = Question(
    most_important,
    looks_at=lambda result, *_: int(result),
    samples=lambda random: [_model_and_image(random) for _ in range(6)],
    wrong={"darkest": darkest, "positive": most_positive, "all_scores": of_all_scores},
)
