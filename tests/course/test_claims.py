"""The learner sees what a chapter promises: each "Try it" is done as its text asks.

The chapter's own cell makes a widget, and the test sets the traits that its controls set.
"""

import ast
import gc
import linecache
import math
import re
import warnings
import weakref

import house
import pytest

import autograd_nb as torch

WIDGET = re.compile(r"^(?:bench = )?(torch\.(?:bench|step)|widgets\.\w+)\(", re.MULTILINE)


def sources(chapter):
    return [source for _, source in house.cells(house.chapter(chapter), "code")]


def widgets_of(chapter):
    """The cells of a chapter that show a widget, by their places."""
    return [place for place, source in enumerate(sources(chapter)) if WIDGET.search(source)]


@pytest.fixture
def shown(request):
    """The widget that a cell shows after the definitions before it have run."""
    chapter, number = request.param
    cells = sources(chapter)
    place = widgets_of(chapter)[number]
    names, definitions = {}, ast.FunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom
    for number, source in enumerate(cells[: place + 1]):
        file = f"{chapter} {number}"
        linecache.cache[file] = len(source), None, source.splitlines(True), file  # a bench reads a function's source
        *lines, last = ast.parse(source).body
        kept = lines if number == place else [each for each in [*lines, last] if isinstance(each, definitions)]
        exec(compile(ast.Module(kept, []), file, "exec"), names)
    return eval(compile(ast.Expression(last.value), file, "eval"), names)


def grad(bench, name):
    """A .grad at the end of a bench's program, None or a number."""
    value = bench.outcome.last_grads[name]
    return None if value is None else value.array.item()


def said(bench):
    return " ".join(each.text for line in bench.outcome.lines for each in line.says)


# Benches: the settings that the text asks for, and the result: every .grad at the end, or PyTorch's message

AGAIN, KEEP, NEW = "z.backward()", "z.backward(retain_graph=True)", "forward"
UNASKED, RETAINED, DOUBLED = {"requires_grad": False}, {"retain_grad": True}, {"hooks": ["double"]}
NO_GRAPH, SECOND = "element 0 of tensors does not require grad", "through the graph a second time"
BENCHES = [
    ("02", {"tensors": {"z": RETAINED}}, {"x": 0.6, "y": None, "z": 1}),
    ("02", {"tensors": {"x": UNASKED, "y": RETAINED}}, "can't retain_grad on Tensor that has requires_grad=False"),
    ("02", {"tensors": {"x": UNASKED}}, NO_GRAPH),
    ("02", {"x": 2.0}, {"x": 1.5, "y": 1 / 8}),
    ("03", {}, SECOND),
    ("03", {"plan": [KEEP, AGAIN]}, {"x": 1.2}),
    ("03", {"expression": "x + 1"}, {"x": 2}),
    ("03", {"expression": "-x"}, {"x": -2}),
    ("03", {"expression": "exp(x)"}, SECOND),
    ("03", {"expression": "x * 2"}, SECOND),
    ("03", {"plan": [AGAIN, NEW, AGAIN]}, {"x": 1.2}),
    ("04", {"plan": [KEEP, AGAIN, AGAIN]}, SECOND),
    ("04", {"plan": [KEEP, KEEP, AGAIN]}, {"x": 3 * 0.6}),
    ("04", {"plan": [KEEP, AGAIN, "x.grad.zero_()"]}, {"x": 0}),
    ("04", {"plan": [KEEP, AGAIN, "x.grad.zero_()", NEW, AGAIN]}, {"x": 0.6}),
    ("04", {"x": 4.0}, {"x": 2 * 3 / 4}),
    ("05", {"tensors": {"y": {"cut": "detach"}}}, {"x": 1}),
    ("05", {"tensors": {"w": DOUBLED}}, {"x": 0.6 + 2}),
    ("06", {"q": 0.0}, {"x": 0, "q": math.log(5)}),
    ("06", {"x": 1.0}, {"x": 3, "q": 0}),
    ("06", {"tensors": {"q": UNASKED}}, {"x": 0.6, "q": None}),
    ("06", {"x": -5.0}, {"x": -0.6, "q": math.nan}),
    ("10", {}, {"x": 3}),
    *(("10", {"tensors": {"c": {"cut": cut}}}, {"x": 0.6}) for cut in ("detach", "no_grad", "data")),
    *(("10", {"tensors": {"a": {"cut": cut}}}, {"x": 3}) for cut in ("no_grad", "data")),
    *(("10", {"tensors": dict.fromkeys("ac", {"cut": cut})}, NO_GRAPH) for cut in ("detach", "no_grad", "data")),
    ("11", {}, "modified by an inplace operation"),
    ("11", {"plan": [AGAIN]}, {"x": math.sin(2)}),
    ("11", {"plan": [AGAIN, "y.add_(1)"]}, {"x": math.sin(2)}),
    ("12", {}, "tensor(0.0160)"),
    ("12", {"plan": [AGAIN], "tensors": {"x": DOUBLED, "y": RETAINED}}, {"x": 1.2, "y": 0.008}),
    ("12", {"plan": [AGAIN], "tensors": {"y": DOUBLED | RETAINED}}, {"x": 1.2, "y": 0.016}),
    ("15", {}, {"x": 48}),
    ("15", {"x": 0.0}, "had not ended")]  # fmt: skip


@pytest.mark.parametrize("shown, done, seen", [((chapter, 0), *rest) for chapter, *rest in BENCHES], indirect=["shown"])
def test_a_bench_shows_what_its_text_says(shown, done, seen):
    for trait, value in done.items():
        setattr(shown, trait, value)
    if isinstance(seen, str):
        assert seen in said(shown)
    else:
        assert shown.outcome.error is None
        assert {name: grad(shown, name) for name in seen} == pytest.approx(seen, nan_ok=True)


# Other widgets: steps by their controls, and the sentence after them; for code, (the old text, the new one)

WRONG = r"\d of \d entries are wrong"
CLAIMS = {
    ("00", 1): [({}, r"loss is 8\.\d+"), ({"w": 0.52, "b": 0.88}, r"loss is 0\.0426. .* found is 0\.0426")],
    ("01", 0): [
        ({}, "the slope 0.6; .* the secant has 0.54"), ({"h": 0.001}, "the secant has 0.5999 in float32"),
        ({"h": 0.000001}, "the secant has 0.5 in float32"), ({"function": "x**2", "formula": "2*x"}, "the slope 10;"),
        ({"function": "abs(x)", "formula": "", "x": 0.0}, "no tangent.* −1 from the left and 1 from the right")],
    ("01", 1): [
        ({"dx": 0.01}, "y by 0.7515, about 75 times"),
        ({"way": "backward"}, "y moves z 0.008 times .* 0.008 · 75 = 0.6")],
    ("04", 1): [({"step": 10}, r"Step 10: .* loss 0\."), ({"forget": True}, r"loss 9\..* sum of 11 gradients")],
    ("07", 0): [
        ({}, r"v @ J = \[22, 301\]"), ({"v": [1.0, 0.0, 0.0]}, r"v @ J = \[2, 1\]"),
        ({"v": [0.0, 1.0, 0.0]}, r"v @ J = \[2, 0\]"), ({"v": [0.0, 0.0, 1.0]}, r"v @ J = \[0, 3\]"),
        ({"chosen": 0}, "Row 0: ")],
    ("08", 1): [({}, "gradcheck: True"), ({"backward": ("grad_output * result", "grad_output * 2")}, WRONG)],
    ("09", 0): [({}, WRONG), ({"backward": ("a + 1", "a")}, "gradcheck: True")],
    ("13", 1): [
        ({"method": "newton", "step": 1}, r"Step 1: .* loss 0,"),
        ({"steps": 0, "method": "gradient", "step": 10}, r"Step 10: .* loss 0\.7")],
    ("16", 0): [
        ({"start": True, "step": 100}, r"loss is 0\.0[0-4]\d*, and 40 of 40"),
        ({"forget": True, "start": True, "step": 100}, r"loss is [1-9]\d+\.\d*, and [1-3]\d of 40"),
        ({"momentum": 0.0, "start": True, "step": 100}, r"loss is 0\.00"),
        ({"forget": False, "start": True, "step": 100}, r"loss is 0\.[3-6]")],
    ("20", 0): [
        ({}, "by 1.6e-15 to 0.00086 of their size"), ({"scale": 4.0}, r"to 0\.6931; .* by 8\.4e-09"),
        ({"scale": 1.0, "norm": "batch"}, r"to 0\.[2-5]\d*;"), ({"activation": "tanh", "norm": "none"}, r"to 0\.0\d+;"),
        ({"activation": "relu", "scale": 1.41}, r"to 0\.0\d+;"),
        ({"scale": 4.0}, "After step 2 the loss is nan: .* red mark"),
        ({"scale": 1.0, "residual": "whole"}, "the loss is nan"), ({"residual": "zero"}, r"to 0\.0\d+;"),
        ({"activation": "tanh", "rate": 0.3}, r"to 0\.00\d+;")],
}  # fmt: skip


@pytest.mark.parametrize("shown, steps", CLAIMS.items(), indirect=["shown"])
def test_a_widget_says_what_its_text_says(shown, steps):
    for done, seen in steps:
        for what, value in done.items():
            match what:
                case "step":
                    shown.do_step(value)
                case "start":
                    shown.do_start()
                case "backward":
                    shown.backward = shown.backward.replace(*value)
                    shown.do_run()
                case _:
                    setattr(shown, what, value)
        chosen = shown.shown["texts"][shown.chosen] if getattr(shown, "chosen", -1) >= 0 else ""
        told = chosen or getattr(shown, "verdict", shown.status)
        assert re.search(seen, told), (done, seen)


@pytest.mark.parametrize("shown", [("15", 0)], indirect=True)
def test_the_graph_of_a_loop_changes_its_shape(shown):
    graphs = []
    for shown.x in (1.5, 1.9, 2.0, 3.9, 4.0):
        graphs.append(re.findall(r"\w+Backward0", shown.as_svg()))
    assert graphs[0] == graphs[1] != graphs[2] != graphs[3] != graphs[4]


@pytest.mark.parametrize("chapter", [path.name[:2] for path in sorted(house.NOTEBOOKS.glob("[0-8][0-9]_*.ipynb"))])
def test_every_widget_to_be_tried_is_tried(chapter):
    """A stepper that only shows a walk has no settings; every other widget has its test here."""
    cells = sources(chapter)
    asked = {number for number, place in enumerate(widgets_of(chapter)) if "torch.step" not in cells[place]}
    assert {(chapter, number) for number in asked} - {(each, 0) for each, *_ in BENCHES} - CLAIMS.keys() == set()


def test_a_cycle_of_a_gradient_and_its_tensor_is_freed_by_the_collector():
    """Chapter 13 says so about this engine; in PyTorch 2.13 the same cycle stays until the gradient is dropped."""
    x = torch.tensor(3.0, requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (x**2).backward(create_graph=True)
    alive = weakref.ref(x.grad)
    del x
    gc.collect()
    assert alive() is None
