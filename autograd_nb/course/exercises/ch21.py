"""Chapter 21, backward by hand: a gradient for each line of a network, two of them as formulas."""

import os

import autograd_nb as torch

from ... import words
from ..kernel import Card
from . import Prediction, Question
from .material import normal

# -- the gradients line by line, for `course.compare` ------------------------------------------------------------------

LINES = {
    "dlogprobs": "torch.zeros_like(logprobs).index_put_((torch.arange(n), y), torch.tensor(-1 / n))",
    "dprobs": "dlogprobs / probs",
    "dinv_total": "(dprobs * counts).sum(1, keepdim=True)",
    "dtotal": "-dinv_total * total**-2",
    "dcounts": "dprobs * inv_total + dtotal",
    "dlogits": "dcounts * counts",
    "dh": "dlogits @ W2.t()",
    "dW2": "h.t() @ dlogits",
    "db2": "dlogits.sum(0)",
    "dpreact": "dh * (1 - h**2)",
    "dgain": "(dpreact * normed).sum(0, keepdim=True)",
    "dbias": "dpreact.sum(0, keepdim=True)",
    "dnormed": "dpreact * gain",
    "dinv_std": "(dnormed * centred).sum(0, keepdim=True)",
    "dvar": "dinv_std * -0.5 * (var + 1e-5) ** -1.5",
    "dsquared": "torch.ones_like(squared) * dvar / n",
    "dcentred": "dnormed * inv_std + dsquared * 2 * centred",
    "dmean": "-dcentred.sum(0, keepdim=True)",
    "dprebn": "dcentred + dmean / n",
    "dflat": "dprebn @ W1.t()",
    "dW1": "flat.t() @ dprebn",
    "demb": "dflat.view(n, 3, 4)",
    "dC": "torch.zeros_like(C).index_add_(0, x.flatten(), demb.view(-1, 4))",
}


def hint(name):
    """A hint for the gradient *name*, such as "dh"; ValueError if no line of the chapter computes it."""
    return Card("hint", name, [words.of("ch21")["lines"][_line(name)]])


def solution(name):
    """The line that works out the gradient *name*; AUTOGRAD_NB_SOLUTIONS=off hides it in a class.

    ValueError if no line of the chapter computes it.
    """
    line = f"{name} = {LINES[_line(name)]}\n"
    hidden = os.environ.get("AUTOGRAD_NB_SOLUTIONS") == "off"
    return Card("solution", words.say("solution"), [words.say("solutions_off", name="ch21") if hidden else line])


def _line(name):
    if name not in LINES:
        raise ValueError(f"there is no gradient {name!r} in this chapter: there are {', '.join(LINES)}")
    return name


# -- predictions and exercises -----------------------------------------------------------------------------------------

p1 = Prediction((32, 1), wrong={"as_counts": (32, 27), "rows": (32,), "columns": (1, 27)})
p2 = Prediction("a_part")
p3 = Prediction(0.0, wrong={"one": 1.0, "mean": 1 / 32, "loss": -1.0})


# q1: cross-entropy in one formula


def slope_at_logits(logits, targets):
    slopes = torch.softmax(logits, dim=1)
    slopes[range(len(targets)), targets] -= 1
    return slopes / len(targets)


def _scores(random):
    rows, columns = int(random.integers(3, 6)), int(random.integers(6, 9))
    scores = normal(random, rows, columns)
    return scores, torch.tensor(random.integers(0, columns, rows).tolist())


q1 = Question(
    slope_at_logits,
    looks_at=lambda result, *_: result.tolist(),
    samples=_scores,
    wrong={
        "no_mean": "/ len(targets) →",
        "no_target": "slopes[range(len(targets)), targets] -= 1 →",
        "sign": "return slopes → return -slopes",
        "rows": "dim=1 → dim=0",
        "all": "/ len(targets) → / len(targets) / logits.shape[1]",
        "autograd": lambda logits, targets: torch.autograd.grad(
            torch.nn.functional.cross_entropy(leaf := logits.detach().requires_grad_(), targets), leaf
        )[0],
        "columns": "range(len(targets)) → :",
        "log": "softmax → log_softmax",
    },
)


# q2: batch norm in one formula


def batch_norm_backward(g, normed, inv_std):
    n = len(g)
    return inv_std / n * (n * g - g.sum(0) - normed * (g * normed).sum(0))


def norm_through_autograd(g, normed, inv_std):
    x = (normed / inv_std).detach().requires_grad_()
    again = (x - x.mean(0)) * (x.var(0, keepdim=True, correction=0) + 1e-5) ** -0.5
    return torch.autograd.grad(again, x, g)[0]


def _batch(random):
    x = normal(random, 6, 4)
    inv_std = (x.var(0, keepdim=True, correction=0) + 1e-5) ** -0.5
    return normal(random, 6, 4), (x - x.mean(0)) * inv_std, inv_std


q2 = Question(
    batch_norm_backward,
    looks_at=lambda result, *_: result.tolist(),
    samples=_batch,
    wrong={
        "no_mean": "- g.sum(0) →",
        "no_variance": "- normed * (g * normed).sum(0) →",
        "direct": lambda g, normed, inv_std: inv_std * g,
        "no_inv_std": "inv_std / n → 1 / n",
        "no_n": "inv_std / n → inv_std",
        "rows": "sum(0) → sum(1, keepdim=True)",
        "bessel": "(g * normed).sum(0) → (g * normed).sum(0) * n / (n - 1)",
        "autograd": norm_through_autograd,
        "apart": "(g * normed).sum(0) → g.sum(0) * normed.sum(0)",
        "plus": ("- g.sum → + g.sum", "- normed → + normed"),
        "no_normed": "normed * (g → (g",
    },
)
