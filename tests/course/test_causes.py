"""A sentence that names a cause is held by a computation with the cause and one without it, in both libraries.

The law finds each such sentence of the chapters and of their questions; one that has no computation here fails.
"""

import math
import re
import warnings

import house
import pytest

import autograd_nb
from autograd_nb import words
from autograd_nb.course.exercises import chapters

CAUSE = re.compile(r"\bbecause\b|\bproportional\b|\binputs are rounded\b", re.IGNORECASE)
SENTENCE = re.compile(r"(?<=[.:?!])\s+")


def claims():
    """The sentences of chapters and questions that name a cause; an answer to choose from is no claim."""
    texts = [(path.name[:2], text) for path in sorted(house.NOTEBOOKS.glob("[0-2][0-9]_*.ipynb"))
             for _, text in house.cells(path, "markdown")]  # fmt: skip
    texts += [(chapter[2:], text) for chapter in chapters() for text in said(words.of(chapter))]
    return {(number, each.replace("\n", " ").strip()) for number, text in texts for each in SENTENCE.split(text)
            if CAUSE.search(each)}  # fmt: skip


def said(table):
    for key, each in table.items():
        if isinstance(each, dict):
            yield from said(each)
        else:
            yield from [each] if isinstance(each, str) else each if key == "hints" else each[1:]


def leaf(torch, value, dtype=None):
    return torch.tensor(value, dtype=dtype or torch.float32, requires_grad=True)


def raises(act):
    with pytest.raises(RuntimeError):
        act()
    return True


def warned(read):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        read()
    return bool(caught)


def a_finite_step(torch):
    """The slope of x² at 4 over h is off by h itself."""
    return all(((4 + h) ** 2 - 16) / h - 8 == pytest.approx(h, rel=1e-4) for h in (0.1, 0.01, 0.001))


def nothing_asked(torch):
    return (torch.tensor(2.0) ** 2).grad_fn is None is not (leaf(torch, 2.0) ** 2).grad_fn


def no_leaf(torch):
    y = leaf(torch, 2.0) ** 2
    return warned(lambda: y.grad) and not warned(lambda: leaf(torch, 2.0).grad)


def something_to_read(torch):
    y = leaf(torch, 2.0) ** 2
    y.retain_grad()
    y.backward()
    return y.grad.item() == 1 and not warned(lambda: y.grad)


def inputs_of_layers(torch):
    """Each of two layers keeps its input."""
    x, w = torch.ones(2, 3), [torch.ones(3, 3, requires_grad=True) for _ in range(2)]
    hidden = x @ w[0]
    kept = hidden.grad_fn._saved_self, (hidden @ w[1]).grad_fn._saved_self
    return torch.equal(kept[0], x) and torch.equal(kept[1], hidden)


def exp_is_its_own_slope(torch):
    x = leaf(torch, 0.7)
    y = torch.exp(x)
    y.backward()
    return torch.equal(x.grad, y) and not hasattr(y.grad_fn, "_saved_self")


def adds_without_grad(torch):
    """Paths add up where nothing is added into .grad."""
    x = leaf(torch, 3.0)
    (gradient,) = torch.autograd.grad(x * x + x, x)
    return gradient.item() == 7 and x.grad is None


def curvature_cancels(torch):
    """x³ at 5: one side is off by h · f''/2, both sides by h² · f'''/6."""
    def f(x):
        return x**3

    for h in (0.1, 0.01):
        one, both = (f(5 + h) - f(5)) / h - 75, (f(5 + h) - f(5 - h)) / (2 * h) - 75
        assert one == pytest.approx(h * 30 / 2, rel=0.02) and both == pytest.approx(h**2 * 6 / 6, rel=0.01)
    return True


def inputs_are_rounded(torch):
    apart = torch.tensor(5 + 1e-6) - torch.tensor(5 - 1e-6)
    return f"{apart.item():.3e}" == "1.907e-06"


def curves_and_rounds(torch):
    """A straight line is off by no large nudge; a curve is, and less in float64 by a small one."""
    def off(f, h, dtype):
        x = torch.tensor(5.0, dtype=dtype)
        return abs(((f(x + h) - f(x)) / h).item() - {line: 2, curve: 75}[f])

    def line(x):
        return 2 * x

    def curve(x):
        return x**3

    large, small = off(curve, 1.0, torch.float64), off(curve, 1e-6, torch.float32)
    return off(line, 1.0, torch.float64) == 0 and large > 1 and small > 1 > off(curve, 1e-6, torch.float64)


def bends_by_squares(torch):
    """(ln(x³) at 5 + h) minus its tangent is h² · f''/2; the slope over h is off by h · f''/2."""
    bends = [math.log((5 + h) ** 3) - math.log(125) - 0.6 * h for h in (0.1, 0.01, 0.001)]
    return all(a / b == pytest.approx(100, rel=0.03) for a, b in zip(bends, bends[1:], strict=False))


def under_no_grad(torch):
    w = leaf(torch, 2.0)
    assert raises(lambda: w.add_(1))
    with torch.no_grad():
        w.add_(1)
    return w.item() == 3 and w.grad_fn is None


def half_was_kept(torch):
    x = leaf(torch, 0.1)
    with torch.autograd.graph.saved_tensors_hooks(lambda kept: kept.half(), lambda kept: kept.float()):
        y = x**2
    y.backward()
    rounded = x.detach().half().float()
    return x.grad.item() == (2 * rounded).item() != (2 * x).item()


def two_ways(torch):
    """A walk that does not remember reaches a leaf once for each path."""
    def visits(node):
        earlier = [each for each, _ in node.next_functions if each]
        return sum(map(visits, earlier)) if earlier else 1

    x = leaf(torch, 2.0)
    return visits((x.sin() + x.exp()).grad_fn) == 2 and visits(x.sin().exp().grad_fn) == 1


def power_keeps_its_input(torch):
    x = leaf(torch, 2.0)
    y = x**3
    y.backward(retain_graph=True)
    return torch.equal(y.grad_fn._saved_self, x) and x.grad.item() == 3 * 2**2


def result_is_kept(torch):
    return hasattr(torch.tanh(leaf(torch, 2.0)).grad_fn, "_saved_result")


def grows_with_x(torch):
    """z of a question of 06 is x times something without x, so z / x is its slope."""
    for x in (5.0, 2.0):
        x = leaf(torch, x)
        z = x * 2.0**3
        z.backward()
        assert (x.grad * x).item() == z.item()
    return True


def recorded_results(torch):
    x = leaf(torch, 2.0)
    with torch.no_grad():
        unrecorded = x**2
    return (x**2).requires_grad and not unrecorded.requires_grad


def keep_their_results(torch):
    """exp and sqrt keep their results, so they refuse a change in place; sin and a sum do not."""
    def changed(function):
        y = function(leaf(torch, 2.0))
        y.add_(1)
        y.backward()

    changed(torch.sin)
    changed(lambda x: x + 1)
    return raises(lambda: changed(torch.exp)) and raises(lambda: changed(torch.sqrt))


def shares_memory(torch):
    b = leaf(torch, 2.0).exp()
    b.detach().zero_()
    return b.item() == 0


CAUSES = {
    ("00", "not infinitely small"): a_finite_step,
    ("00", "nothing required a gradient"): nothing_asked,
    ("01", "proportional to h²"): bends_by_squares,
    ("02", "because y is not a leaf"): no_leaf,
    ("02", "there is something to read"): something_to_read,
    ("03", "what fills the memory"): inputs_of_layers,
    ("03", "the derivative of exp(x)"): exp_is_its_own_slope,
    ("05", "backward adds into `.grad`"): adds_without_grad,
    ("06", "z is proportional to x"): grows_with_x,
    ("09", "the curvature cancels"): curvature_cancels,
    ("09", "the inputs are rounded"): inputs_are_rounded,
    ("09", "the function curves, and small ones because of rounding"): curves_and_rounds,
    ("10", "because its operation was recorded"): recorded_results,
    ("10", "because nothing is recorded"): under_no_grad,
    ("11", "an optimizer has to change leaves"): under_no_grad,
    ("11", "because they keep their result"): keep_their_results,
    ("11", "detach() shares its memory"): shares_memory,
    ("14", "it gets there twice"): two_ways,
    ("14", "only half precision was kept"): half_was_kept,
    ("14", "its slope is 3x²"): power_keeps_its_input,
    ("17", "the formula names `result`"): result_is_kept,
}


def test_every_sentence_with_a_cause_has_its_computation():
    found = claims()
    held = {(number, each) for number, each in found for chapter, part in CAUSES if chapter == number and part in each}
    assert found - held == set()
    assert [key for key in CAUSES if not any(key[0] == number and key[1] in each for number, each in found)] == []


@pytest.mark.parametrize("library", ["autograd_nb", "torch"])
@pytest.mark.parametrize("cause", CAUSES.items(), ids=lambda cause: f"{cause[0][0]} {cause[1].__name__}")
def test_a_cause_is_one(cause, library, request):
    torch = autograd_nb if library == "autograd_nb" else request.getfixturevalue("torch")
    assert cause[1](torch)
