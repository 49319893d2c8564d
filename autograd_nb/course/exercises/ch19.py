"""Chapter 19, digits: counting what learns, batches, reading scores, ink that matters."""

import autograd_nb as torch

from . import Prediction, Question
from .material import normal


def _parameters(*sizes):
    return sum(before * after + after for before, after in zip(sizes, sizes[1:], strict=False))


p4 = Prediction(0.1, wrong={"all": 1.0, "half": 0.5}, tolerance=0.05)
p6 = Prediction(14.0, wrong={"one": 1, "images": 1400, "size": 100})
p7 = Prediction("heart")
p5 = Prediction((64,), wrong={"scores": (10,), "weights": (32, 64), "number": ()})

q1 = Question(_parameters(10, 5), wrong={"no_bias": 50, "one_bias": 51, "sum": 15})


# q2: the batches of an epoch


def batches(count, size):
    return list(torch.randperm(count).split(size))


def _as_batches(result, count, size):
    places = [int(place) for batch in result for place in batch]
    return {"": [len(batch) for batch in result], "each place once": sorted(places) == list(range(count)),
            "in a random order": places != sorted(places)}  # fmt: skip


q2 = Question(
    batches,
    looks_at=_as_batches,
    samples=lambda random: [(23, 5), (40, 8), (12, 12)],
    wrong={
        "in_order": "randperm → arange",
        "drops": "(count).split → (count)[: count // size * size].split",
        "repeats": "randperm(count) → randint(count, (count,))",
        "one": lambda count, size: [torch.randperm(count)[:size]],
    },
)


# q3: how many are read rightly


def accuracy(scores, labels):
    return (scores.argmax(dim=1) == labels).float().mean().item()


def _scored(random):
    scores = normal(random, 12, 4)
    labels = torch.where(torch.tensor((random.random(12) < 0.6).tolist()), scores.argmax(dim=1), scores.argmin(dim=1))
    return scores, labels


q3 = Question(
    accuracy,
    looks_at=lambda result, *_: float(result),
    samples=_scored,
    wrong={
        "count": ".float().mean() → .sum()",
        "other_dimension": ("dim=1 → dim=0", "== labels → == labels[: scores.shape[1]]"),
        "positive": "scores.argmax(dim=1) == labels → scores[torch.arange(len(labels)), labels] > 0",
    },
)


# q4: the pixel that matters


def most_important(model, image, digit):
    image = image.detach().requires_grad_()
    (gradient,) = torch.autograd.grad(model(image)[digit], image)
    return gradient.abs().argmax().item()


def _model_and_image(random):
    torch.manual_seed(int(random.integers(1000)))
    model = torch.nn.Sequential(torch.nn.Linear(16, 6), torch.nn.Tanh(), torch.nn.Linear(6, 4))
    return model, torch.rand(16), int(random.integers(4))


q4 = Question(
    most_important,
    looks_at=lambda result, *_: int(result),
    samples=lambda random: [_model_and_image(random) for _ in range(6)],
    wrong={
        "darkest": lambda model, image, digit: image.argmax().item(),
        "positive": ".abs() →",
        "all_scores": "[digit] → .sum()",
    },
)
