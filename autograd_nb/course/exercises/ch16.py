"""Chapter 16, training: an outer product, the slope of a loss, two layers by hand, a loop in the wrong order."""

import autograd_nb as torch

from .prediction import Prediction
from .question import Question

p1 = Prediction("error", choices=("ones", "none", "error"))
p2 = Prediction("columns", choices=("ones", "rows", "columns"))
p3 = Prediction("same", choices=("different", "same", "one"))
p4 = Prediction("neither", choices=("one", "two", "neither"))
p5 = Prediction("no_grad", choices=("eval", "no_grad", "zero_grad"))


def _numbers(random, *shape, **options):
    return torch.tensor(random.uniform(-1.5, 1.5, shape).tolist(), **options)


q1 = Question(
    [[3.0, 4.0], [3.0, 4.0]],
    wrong={"turned": [[3.0, 3.0], [4.0, 4.0]], "weights": [[3.0, 0.0], [0.0, 4.0]], "ones": [[1.0, 1.0], [1.0, 1.0]]},
)


# q2: the slope of binary cross-entropy


def slope_of_loss(z, y):
    return (torch.sigmoid(z) - y) / len(z)


def without_mean(z, y):
    return torch.sigmoid(z) - y


def reversed_sign(z, y):
    return (y - torch.sigmoid(z)) / len(z)


def without_sigmoid(z, y):
    return (z - y) / len(z)


def without_targets(z, y):
    return torch.sigmoid(z) / len(z)


def to_the_probability(z, y):
    p = torch.sigmoid(z)
    return (p - y) / (p * (1 - p)) / len(z)


def of_the_squares(z, y):
    p = torch.sigmoid(z)
    return 2 * (p - y) * p * (1 - p) / len(z)


def mean_of_slopes(z, y):
    return (torch.sigmoid(z) - y).mean()


def through_autograd(z, y):
    z = z.detach().requires_grad_()
    return torch.autograd.grad(torch.nn.functional.binary_cross_entropy_with_logits(z, y), z)[0]


q2 = Question(
    slope_of_loss,
    way=lambda did, *_: "autograd" if did.passes else None,
    samples=lambda random: [
        (_numbers(random, size), torch.tensor(random.integers(0, 2, size).tolist() + [1]).float()[-size:])
        for size in (2, 3, 5)
    ],
    wrong={
        "mean": without_mean, "sign": reversed_sign, "sigmoid": without_sigmoid, "targets": without_targets,
        "autograd": through_autograd, "at_p": to_the_probability, "squares": of_the_squares, "one": mean_of_slopes,
    },
)  # fmt: skip


# q3: backpropagation through two layers


def two_layers(w_1, w_2, x):
    hidden = torch.tanh(w_1 @ x)
    back = torch.ones(len(w_2))
    back_at_hidden = (w_2.t() @ back) * (1 - hidden**2)
    return torch.outer(back_at_hidden, x), torch.outer(back, hidden)


def forgets_tanh(w_1, w_2, x):
    hidden = torch.tanh(w_1 @ x)
    back = torch.ones(len(w_2))
    return torch.outer(w_2.t() @ back, x), torch.outer(back, hidden)


def slope_at_wrong_place(w_1, w_2, x):
    before = w_1 @ x
    back = torch.ones(len(w_2))
    return torch.outer((w_2.t() @ back) * (1 - before**2), x), torch.outer(back, torch.tanh(before))


def slope_without_square(w_1, w_2, x):
    hidden = torch.tanh(w_1 @ x)
    back = torch.ones(len(w_2))
    return torch.outer((w_2.t() @ back) * (1 - hidden), x), torch.outer(back, hidden)


def into_the_second_layer(w_1, w_2, x):
    return two_layers(w_1, w_2, x)[0], torch.outer(torch.ones(len(w_2)), w_1 @ x)


def back_from_the_output(w_1, w_2, x):
    hidden = torch.tanh(w_1 @ x)
    back = w_2 @ hidden
    return torch.outer((w_2.t() @ back) * (1 - hidden**2), x), torch.outer(back, hidden)


def not_turned(w_1, w_2, x):
    hidden = torch.tanh(w_1 @ x)
    back = torch.ones(len(w_2))
    return torch.outer((w_2 @ back) * (1 - hidden**2), x), torch.outer(back, hidden)


def other_order(w_1, w_2, x):
    return two_layers(w_1, w_2, x)[::-1]


def layers_through_autograd(w_1, w_2, x):
    w_1, w_2 = (w.detach().requires_grad_() for w in (w_1, w_2))
    return torch.autograd.grad((w_2 @ torch.tanh(w_1 @ x)).sum(), (w_1, w_2))


q3 = Question(
    two_layers,
    way=lambda did, *_: "autograd" if did.passes else None,
    samples=lambda random: [
        (_numbers(random, size, 3), _numbers(random, size, size), _numbers(random, 3)) for size in (2, 3, 4)
    ],
    wrong={
        "no_tanh": forgets_tanh, "place": slope_at_wrong_place, "not_turned": not_turned, "order": other_order,
        "autograd": layers_through_autograd, "square": slope_without_square, "before": into_the_second_layer,
        "output": back_from_the_output,
    },
)  # fmt: skip


# q4: a loop in the wrong order


def fit(w, x, y, steps):
    optimizer = torch.optim.SGD([w], lr=0.1)
    for _ in range(steps):
        loss = ((x @ w - y) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return w


def clears_before_step(w, x, y, steps):
    optimizer = torch.optim.SGD([w], lr=0.1)
    for _ in range(steps):
        loss = ((x @ w - y) ** 2).mean()
        loss.backward()
        optimizer.zero_grad()
        optimizer.step()
    return w


def never_clears(w, x, y, steps):
    optimizer = torch.optim.SGD([w], lr=0.1)
    for _ in range(steps):
        ((x @ w - y) ** 2).mean().backward()
        optimizer.step()
    return w


def steps_before_backward(w, x, y, steps):
    optimizer = torch.optim.SGD([w], lr=0.1)
    for _ in range(steps):
        optimizer.step()
        optimizer.zero_grad()
        ((x @ w - y) ** 2).mean().backward()
    return w


q4 = Question(
    fit,
    ships=clears_before_step,
    samples=lambda random: [
        (_numbers(random, 2, requires_grad=True), _numbers(random, 4, 2), _numbers(random, 4), steps)
        for steps in (2, 3, 5)
    ],
    wrong={"never": never_clears, "late": steps_before_backward},
)
