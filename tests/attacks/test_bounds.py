"""Tools that read a program answer or refuse within two seconds for any program; a refusal names the limit."""

import numpy as np
import pytest
from pace import within

import autograd_nb as torch
from autograd_nb import bench, draw, info, record, step, widgets
from autograd_nb.microscope.events import MOST_NODES

LONG = 30_000  # turns of a loop
ENDED = "holds at most 10,000 events and 5,000 nodes"


def leaf():
    return torch.tensor(1.0, requires_grad=True)


def chain(turns):
    y = leaf()
    for _ in range(turns):
        y = y * 1.0
    return y


def wide(count):
    return torch.stack([leaf() for _ in range(count)]).sum()


def branching(count):
    known, choose = [leaf()], np.random.default_rng(0).integers(1, 50, (count, 2)).tolist()
    for first, second in choose:
        known.append(known[-min(first, len(known))] * known[-min(second, len(known))])
    return known[-1]


def parts(count):
    return torch.stack(torch.ones(count, requires_grad=True).unbind()).sum()


def looked_at(shown):
    if not hasattr(shown, "_repr_mimebundle_"):
        return {"text/plain": repr(shown), "text/html": shown._repr_html_()}
    bundle = shown._repr_mimebundle_()
    return bundle[0] if isinstance(bundle, tuple) else bundle


@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize("graph", [chain, wide, branching])
def test_a_graph_beyond_the_bound_is_refused_by_draw_and_ends_a_recording(graph):
    y = graph(LONG)
    with within(2), pytest.raises(ValueError, match=f"more than {MOST_NODES:,} nodes. Draw a tensor from fewer turns"):
        draw(y)
    with within(2):
        assert looked_at(info(y))["text/plain"]
    with within(4):  # with the backward pass itself
        stepper = step(y.backward)
        assert ENDED in looked_at(stepper)["text/plain"] and stepper.trace.notice


@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize("graph", [chain, wide, branching, parts])
def test_the_largest_graph_that_is_looked_at(graph):
    y = graph(MOST_NODES // 2 - 10)
    with within(2):
        drawing = draw(y)
        assert len(looked_at(drawing)["image/svg+xml"]) < 500_000
    with within(2):
        stepper = step(y.backward)
    with within(2):
        assert sum(map(len, looked_at(stepper)["text/html"])) < 1_000_000


def test_a_recording_that_has_ended_costs_nothing_more():
    with within(2):
        trace = record(chain, LONG)
    assert len(trace) <= 10_001 and ENDED in trace.notice and trace.result.requires_grad
    with within(2):
        assert looked_at(draw(trace)) and trace._repr_html_()


@pytest.mark.parametrize("shape", [(10**12,), (10**6, 10**6), (10**4,) * 3])
def test_elements_that_repeat_count_once(shape):
    x = torch.tensor(2.0, requires_grad=True)
    with within(2):
        y = x.expand(shape)
        assert looked_at(draw(y)) and looked_at(info(y)) and repr(y)
        trace = record(lambda: x.expand(shape))
    value = trace.events[0].values[0]
    assert (value.low, value.mean, value.high, value.size) == (2.0, 2.0, 2.0, 10**12)


def test_many_elements():
    x = torch.ones(10**7, requires_grad=True)
    with within(4):
        stepper = step(lambda: (x * 2).sum().backward())
        assert looked_at(stepper) and looked_at(info(x)) and looked_at(draw(x))


def test_many_tensors_are_refused():
    many = [leaf() for _ in range(2000)]
    with within(2), pytest.raises(ValueError, match="at most 1,000 tensors at once, got 2,000"):
        info(*many)
    with within(2), pytest.raises(ValueError, match="at most 1,000 tensors at once, got 2,000"):
        draw(*many)


HUGE = ["x*10**10**10", "x**10**10**10", "(10**10)**10**9*x", "x*9**9**9**9", "x*(-1)**10**10**10", "x*3**3000000//3",
        "clamp(x, max=10**10**10)", "(" * 5000 + "x", "-" * 199 + "x", "x" + "+x" * 90,
        "x" * 10**6]  # fmt: skip


@pytest.mark.parametrize("text", HUGE, ids=range(len(HUGE)))
def test_formulas_that_would_never_end(text):
    shown, curve = bench("x*x", x=2.0), widgets.tangent("x**2", 2.0)
    own = widgets.workshop()
    with within(2):
        for function in (bench, widgets.tangent):
            with pytest.raises((ValueError, TypeError)) as refusal:
                function(text, x=2.0)
            assert len(str(refusal.value)) < 1000
        shown.expression, curve.function, curve.formula = text, text, text
        assert shown.problem and curve.problem
        shown.plan, own.inputs = [f"x.add_({text})"], text
        assert shown.problem and own.problem


def test_recursion_ends_as_the_learners_error():
    def f(x):
        return f(x * 1)

    def alone(x):  # a bench counts steps, ten for each operation, and would end f before Python does
        return alone(x)

    for look in (lambda: bench(alone, x=2.0), lambda: step(f, leaf())):
        with within(2):
            assert "RecursionError" in repr(look())
    with within(2), pytest.raises(RecursionError):
        record(f, leaf())
    assert record(leaf).notice == "" and draw(leaf())


def test_what_a_function_prints_is_cut_short():
    def f(x):
        for _ in range(1000):
            print("a" * 10**5)
        return x * x

    with within(2):
        assert len(repr(bench(f, x=2.0))) < 5000
