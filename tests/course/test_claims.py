"""What a chapter says that the learner will see is what there is to be seen: each "Try it" is done as its text asks.

A widget is made by the chapter's own cell, and operated through what its controls set.
"""

import ast
import json
import linecache
import math
import re
import time
from pathlib import Path

import pytest

from autograd_nb import course

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
WIDGET = re.compile(r"^(?:bench = )?(torch\.(?:bench|step)|widgets\.\w+)\(", re.MULTILINE)
TRIED = set()  # (chapter, which of its widgets) that a test below operates


def sources(chapter):
    (path,) = NOTEBOOKS.glob(f"{chapter}_*.ipynb")
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def widgets_of(chapter):
    """The cells of a chapter that show a widget, by their places."""
    return [place for place, source in enumerate(sources(chapter)) if WIDGET.search(source)]


def chapter_widget(chapter, number):
    """A decorator: the test gets the chapter's widget of this number, from 0."""
    TRIED.add((chapter, number))

    def given(test):
        return pytest.mark.parametrize("shown", [(chapter, number)], indirect=True)(test)

    return given


@pytest.fixture
def shown(request):
    """What a cell with a widget shows, run after the definitions that stand before it."""
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
    return " ".join(each.text for says in bench.outcome.says for each in says)


def sentences(stepper):
    return [step.sentence for step in stepper.traces[0].steps("full")]


close = pytest.approx

# 01 Derivative


@chapter_widget("01", 0)
def test_a_secant_turns_into_the_tangent_until_float32_runs_out_of_digits(shown):
    def off(dtype):
        return float(next(row[2] for row in shown.rows if dtype in row[0]))

    assert off("float32") > 0.05
    shown.h = 0.001
    assert off("float32") < 0.001
    shown.h = 0.000001
    assert off("float32") > 0.05 > off("float64")
    shown.function, shown.formula = "x**2", "2*x"
    assert shown.problem == "" and "10" in shown.rows[-1][1] and float(shown.rows[-2][2]) == 0
    shown.function, shown.formula, shown.x = "abs(x)", "", 0.0
    for shown.h in (0.5, -0.5):
        assert shown.rows[-1][1] == "0" and float(shown.rows[0][1]) == math.copysign(1, shown.h)


# Benches: what the text asks to set, and what there is then: every .grad at the end, or what PyTorch says

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
    ("12", {"plan": [AGAIN], "tensors": {"y": DOUBLED | RETAINED}}, {"x": 1.2, "y": 0.016})]  # fmt: skip
TRIED |= {(chapter, 0) for chapter, *_ in BENCHES}


@pytest.mark.parametrize("shown, done, seen", [((chapter, 0), *rest) for chapter, *rest in BENCHES], indirect=["shown"])
def test_a_bench_shows_what_its_text_says(shown, done, seen):
    for trait, value in done.items():
        setattr(shown, trait, value)
    if isinstance(seen, str):
        assert seen in said(shown)
    else:
        assert shown.outcome.error is None
        assert {name: grad(shown, name) for name in seen} == pytest.approx(seen, nan_ok=True)


# Steppers, and other widgets than the bench


@chapter_widget("05", 1)
def test_the_leafs_node_waits_for_both_gradients(shown):
    told = sentences(shown)
    (written,) = [place for place, sentence in enumerate(told) if "AccumulateGrad" in sentence and "1.6" in sentence]
    assert not any("Backward0 turns" in sentence for sentence in told[written:])


# 07 to 09


@chapter_widget("07", 0)
def test_v_picks_rows_of_the_jacobian(shown):
    assert shown.found["product"] == [22, 301]
    assert all(reach[0] > abs(value) for reach, value in zip(shown.reach["v"], shown.v, strict=True))
    for row, picked in enumerate(shown.found["jacobian"]):
        shown.v = [float(place == row) for place in range(3)]
        assert shown.found["product"] == picked
        shown.row = row
        assert f"Row {row}" in shown.status


@chapter_widget("08", 1)
def test_a_wrong_backward_is_marked(shown):
    assert shown.verdict["ok"]
    shown.work = shown.work | {"backward": "def backward(ctx, grad_output):\n    return grad_output * 2\n"}
    assert not shown.verdict["ok"]
    assert any(not entry["right"] for table in shown.tables for row in table["rows"] for entry in row["entries"])


@chapter_widget("09", 0)
def test_the_wrong_formula_repaired_passes(shown):
    assert "1 of 2 entries are wrong" in shown.verdict["head"]
    shown.work = shown.work | {"backward": shown.work["backward"].replace("a + 1", "a")}
    assert "gradcheck: True" in shown.verdict["head"]


@chapter_widget("09", 1)
def test_the_first_nan_leaves_the_division(shown):
    first = next(sentence for sentence in sentences(shown) if "nan" in sentence and "turns" in sentence)
    assert first.startswith("DivBackward0")


@chapter_widget("12", 1)
def test_the_recording_shows_where_4_becomes_40(shown):
    assert any(re.search(r"\b4\b.*\b40\b", sentence) for sentence in sentences(shown))


# 15 and 16


@chapter_widget("15", 0)
def test_the_graph_of_a_loop_changes_its_shape_and_zero_never_ends(shown):
    graphs = []
    for shown.x in (1.5, 1.9, 2.0, 3.9, 4.0):
        graphs.append(re.findall(r"\w+Backward0", shown.as_svg()))
    assert graphs[0] == graphs[1] != graphs[2] != graphs[3] != graphs[4]
    shown.x = 0.0
    assert "without an end" in said(shown)


@chapter_widget("04", 1)
def test_04_without_clearing_the_ball_swings_on(shown):
    shown.do_step(10)
    cleared = [loss for _, _, loss, *_ in shown.way]
    shown.forget = True
    swinging = [loss for _, _, loss, *_ in shown.way]
    assert cleared == sorted(cleared, reverse=True) and cleared[-1] < 1
    assert min(swinging) < swinging[-1] > 10 * cleared[-1]


@chapter_widget("13", 1)
def test_13_newton_is_there_in_one_step_and_descent_is_not_in_ten(shown):
    shown.method = "newton"
    shown.do_step(1)
    assert shown.way[-1][2] < 1e-12
    shown.steps, shown.method = 0, "gradient"
    shown.do_step(10)
    assert shown.way[-1][2] > 0.1


@chapter_widget("16", 1)
def test_16_momentum_helps_and_a_sum_of_gradients_on_top_of_it_runs_away(shown):
    shown.do_step(40)
    plain = shown.way[-1][2]
    shown.momentum = 0.9
    assert shown.way[-1][2] < plain / 10
    shown.forget = True
    assert shown.way[-1][2] > 1000


@chapter_widget("16", 0)
def test_forgetting_zero_grad_hurts_with_momentum_and_is_momentum_1_without(shown):
    def trained(updates=100):
        shown.do_start()
        shown.do_step(updates)
        right = re.search(r"(\d+) of 40", shown.status)
        return list(shown.losses), int(right[1])

    losses, right = trained()
    assert losses[-1] < 0.05 and right == 40
    shown.forget = True
    losses, right = trained()
    assert losses[-1] > 10 and right < 40 and any(a < b for a, b in zip(losses, losses[1:], strict=False))
    assert any(a > b for a, b in zip(losses, losses[1:], strict=False)), "up and down"
    shown.momentum = 0.0
    forgotten, _ = trained()
    shown.forget = False
    cleared, _ = trained()
    assert forgotten[-1] < 0.01 < 0.3 < cleared[-1]
    shown.momentum = 1.0
    assert trained()[0] == close(forgotten, rel=1e-3), "a sum of all gradients is momentum 1"


# 19 Moons and digits


def test_the_digits_are_learned_in_time_and_come_with_their_notice():
    """Two layers on one core, in the chapter's own lines; what they read wrongly is what its picture shows."""
    before = time.process_time()
    names = {}
    for source in sources("19"):
        if re.search(r"^(?:import|images, labels =|torch.manual_seed\(1\)|optimizer =)", source):
            exec(source, names)
    assert time.process_time() - before < 10
    assert names["share_right"](names["seen"], names["seen_labels"]) == 1
    assert 0.9 < names["share_right"](names["unseen"], names["unseen_labels"]) < 0.95
    notice = Path(course.__file__).parent / "data" / "digits-licence.txt"
    assert "scikit-learn developers" in notice.read_text(encoding="utf-8")


# In every chapter


@pytest.mark.parametrize("chapter", [path.name[:2] for path in sorted(NOTEBOOKS.glob("[0-8][0-9]_*.ipynb"))])
def test_every_widget_to_be_tried_is_tried(chapter):
    """A stepper that only tells a walk has nothing to be set; every other widget has its test here."""
    cells = sources(chapter)
    asked = {number for number, place in enumerate(widgets_of(chapter)) if "torch.step" not in cells[place]}
    assert {(chapter, number) for number in asked} - TRIED == set()
