"""The bench against PyTorch: its cell runs there too, and gives the same numbers, words and errors."""

import contextlib
import math
import re
import warnings

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import autograd_nb
from autograd_nb.learner import programs
from autograd_nb.widgets.bench import PRESETS, bench

torch = pytest.importorskip("torch")

EXPRESSIONS = ["log(x ** 3)", "sin(x) * q", "exp(x * q) - x", "relu(x) + abs(q)", "sqrt(x) / q", "x ** q",
               "where(x > q, x, q * 2)",
               "tanh(x) * tanh(x)", "clamp(x * q, -1, 1)", "maximum(x, q) ** 2 - q", "-x * 2 + q / 3"]  # fmt: skip
VALUES = st.floats(-4, 4, allow_nan=False).map(lambda value: round(value, 3))
HOOK = st.sampled_from([*programs.HOOKS, "grad + 1", "exp(grad)"])
NUMBER = re.compile(r"-?(?:inf|nan\b|\d[\d.]*(?:e[+-]\d+)?)")


@st.composite
def benches(draw):
    expression = draw(st.sampled_from(EXPRESSIONS))
    values = {"x": draw(VALUES), "q": draw(VALUES)}
    statements = programs.taken_apart(expression, list(values))
    names = [*values, *(each.name for each in statements)]
    switches = {}
    for name in names:
        given = {}
        if draw(st.integers(0, 3)) == 0:
            given["retain_grad"] = True
        if draw(st.integers(0, 5)) == 0:
            given["requires_grad"] = False
        if draw(st.integers(0, 2)) == 0:
            given["hooks"] = draw(st.lists(HOOK, min_size=1, max_size=3))
        if name not in values and draw(st.integers(0, 4)) == 0:
            given["cut"] = draw(st.sampled_from(["detach", "no_grad", "data"]))
        if given:
            switches[name] = given
    result, some = names[-1], st.sampled_from(names)
    line = st.one_of(
        st.sampled_from([f"{result}.backward()", f"{result}.backward(retain_graph=True)", "forward"]),
        some.map(lambda name: f"{name}.grad.zero_()"), some.map(lambda name: f"{name}.grad = None"),
        some.map(lambda name: f"{name}.add_(1)"), some.map(lambda name: f"with torch.no_grad(): {name}.mul_(2)"),
        some.map(lambda name: f"{name}.data.add_(1)"), some.map(lambda name: f"{name}.retain_grad()"),
        some.map(lambda name: f"{name}_hook.remove()"),
    )  # fmt: skip
    plan = draw(st.lists(line, max_size=5)) + [f"{result}.backward()"]
    return bench(expression, tensors=switches, plan=plan, **values)


def in_pytorch(lines, names):
    """The same lines in PyTorch: for each its message, and every .grad after it."""
    said, grads = [], []
    scope = {"torch": torch, "print": lambda *what: said[-1].append(("print", [*map(str, what)]))}  # a .grad may change
    for line in lines:
        said.append([])
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.showwarning = lambda message, category, *_: said[-1].append(("warning", category.__name__))
            try:
                exec(line.code, scope)
            except Exception as error:
                said[-1].append(("error", f"{type(error).__name__}: {error}"))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            grads.append({name: scope[name].grad for name in names if isinstance(scope.get(name), torch.Tensor)})
            grads[-1] = {name: None if grad is None else grad.detach().clone() for name, grad in grads[-1].items()}
        if said[-1] and said[-1][-1][0] == "error":
            break
    return said, grads


def agrees(widget):
    """Assert that a bench shows PyTorch's results everywhere."""
    outcome = widget.outcome
    names = [row["name"] for row in widget.shown["tensors"]]
    said, grads = in_pytorch(outcome.lines, names)
    for place, (theirs, line) in enumerate(zip(said, outcome.lines, strict=False)):
        code, ours = line.code, line.says
        assert [kind for kind, _ in theirs] == [each.kind for each in ours], (code, theirs, ours)
        for (kind, text), mine in zip(theirs, ours, strict=True):
            if kind == "error":
                assert mine.text.split("\n")[0] == text.split("\n")[0], code
            elif kind == "print":
                text = " ".join(map(str, text))
                assert NUMBER.sub("", mine.text) == NUMBER.sub("", text), code
                printed, wanted = ([*map(float, NUMBER.findall(each))] for each in (mine.text, text))
                np.testing.assert_allclose(printed, wanted, rtol=1e-4, atol=1e-4, err_msg=code)
        failed = theirs and theirs[-1][0] == "error"
        assert line.state == ("failed" if failed else "ran"), code
        for name, grad in grads[place].items():
            value = line.grads[name]
            assert (value is None) == (grad is None), (code, name)
            if grad is not None:
                close(value.array, grad, (code, name))
    assert {line.state for line in outcome.lines[len(said):]} <= {"not reached"}


def close(ours, theirs, where):
    np.testing.assert_allclose(ours, theirs.detach().numpy(), rtol=3e-6, atol=1e-7, err_msg=str(where))


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_shows_what_pytorch_does(preset):
    agrees(bench(preset=preset))


def test_the_five_kinds_of_hook_are_called_in_pytorch_s_order_and_marked_where_they_are():
    hooks = {"x": {"hooks": ["accumulated", "print"]}, "y": {"hooks": ["after", "before", "double"]}}
    widget = bench("x**2 * 3", x=2.0, tensors=hooks, plan=["z.backward()"])
    agrees(widget)
    assert [said.text for said in widget.outcome.lines[-1].says] == [
        "before the node: (tensor(6.),)", "after the node: (tensor(24.),) (tensor(6.),)", "tensor(24.)",
        "after +=: tensor(24.)"]  # fmt: skip
    marked = str(widget.story)
    for mark in ("3. → 6., hook before the node: 6.", "hook after the node: 24.", "print · hook after +=: 24."):
        assert mark in marked


@settings(max_examples=120, deadline=None)
@given(benches())
def test_random_settings_of_every_switch_show_what_pytorch_does(widget):
    grads = [value for line in widget.outcome.lines if line.grads for value in line.grads.values()]
    shown = [value.array for value in grads if value is not None]
    # beyond, exp of a gradient has magnified float32's last digit
    assume(not any(1e4 < abs(value) < math.inf for value in shown))
    agrees(widget)


def whole(x):
    for _ in range(2):
        x = x * x
    return x


@pytest.mark.parametrize("made", [*PRESETS, whole])
def test_the_cell_to_copy_runs_in_pytorch_when_its_import_says_so(made):
    widget = bench(whole, x=1.5, plan=["z.backward()"]) if made is whole else bench(preset=made)
    scope = {}
    error = widget.outcome.error
    with contextlib.nullcontext() if error is None else pytest.raises(RuntimeError):
        exec(widget.shown["cell"].replace("import autograd_nb as torch", "import torch"), scope)
    for row in widget.shown["tensors"]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            grad = scope[row["name"]].grad
        told = ends(widget).get(row["name"], "None")
        assert (grad is None) == (told == "None")
        assert grad is None or math.isclose(float(told), grad.item(), rel_tol=1e-3)


def ends(widget):
    """The texts of every .grad after the last line that ran."""
    return {name: cell["text"] for row in widget.shown["rows"] if row["state"] != "not reached"
            for name, cell in row["cells"].items()}  # fmt: skip


def parts(widget):
    return [slot["keys"] for slot in widget.story["slots"]]


def test_a_moved_input_changes_values_only():
    widget = bench(preset="accumulation")
    before = parts(widget)
    widget.x = 4.0
    assert parts(widget) == before and ends(widget) == {"x": "1.5"}


def test_what_a_switch_makes_disappear_leaves_its_place():
    for preset in PRESETS:
        widget = bench(preset=preset)
        before = [each["at"] for each in widget.shown["tensors"]]
        for name in widget.names:
            for place in (False, True):
                widget.do_switch(name, "requires_grad", place)
                now = [each["at"] for each in widget.shown["tensors"]]
                assert place is False or None not in now  # the lines after a failing one are missing
                for there, here in zip(before, now, strict=True):
                    assert here is None or here == pytest.approx(there, abs=4), (preset, name)


def drawn(widget, line):
    run = widget.moments
    return re.findall("<text[^>]*>([^<]*)", [*run.frames(run.steps[:line])][-1])


def test_the_picture_after_each_line_is_of_that_moment():
    widget = bench(preset="accumulation", plan=["z.backward(retain_graph=True)"] * 3)
    grads = [[text for text in drawn(widget, line) if ".grad" in text] for line in range(1, 7)]
    assert grads == [[".grad None"], [".grad None"], [".grad None"], [".grad 0.6"], [".grad 1.2"], [".grad 1.8"]]
    assert "y" not in drawn(widget, 1) and "y" in drawn(widget, 2) and "z" not in drawn(widget, 2)
    hooks = bench(preset="hooks")
    assert "0.008 → 0.016" in drawn(hooks, 8) and "print · print: 0.008" in drawn(hooks, 11)


def test_a_hook_is_marked_from_its_line_on_where_no_switch_says_it():
    widget = bench("log(x**3)", x=5.0, tensors={"y": {"hooks": ["double"]}}, plan=["y_hook.remove()"], controls=[])
    assert ["hook lambda" in drawn(widget, line) for line in range(1, 6)] == [False, False, True, True, False]


def test_every_printed_line_says_whose_it_is():
    rows = bench(preset="hooks").shown["rows"]
    assert [said["who"] for said in rows[7]["says"]] == ["y (line 4): ", "y (line 6): ", "x (line 2): "]
    rows = bench("log(x**3)", x=5.0, tensors={"y": {"hooks": ["before"]}}, plan=["z.backward()"]).shown["rows"]
    assert [said["who"] for said in rows[-1]["says"]] == ["y (line 3): "]


def test_two_losses_on_one_leaf_are_told_apart():
    widget = bench("log(x**3)", x=5.0, plan=["y.backward(retain_graph=True)", "z.backward()"])
    first, second = (row["cells"]["x"] for row in widget.shown["rows"][-2:])
    assert [parts[1:] for parts in first["parts"]] == [[0, True]] and first["root"] == "y"
    assert [parts[1:] for parts in second["parts"]] == [[0, False], [1, True]] and second["root"] == "z"
    assert [parts[0] for parts in second["parts"]] == pytest.approx([75 / 75.6, 0.6 / 75.6], rel=1e-5)
    assert widget.shown["rows"][-1]["sentence"] == "AccumulateGrad adds 0.6 to x.grad: 75 becomes 75.6."


@pytest.mark.parametrize(("switch", "line"), [(("x", "requires_grad", False), 3), (("z", "retain_grad", True), None)])
def test_an_error_is_told_at_the_switch_that_caused_it(switch, line):
    widget = bench(preset="retain_grad")
    widget.do_switch(*switch)
    causes = {(each["name"], kind): cause["line"] for each in widget.shown["tensors"]
              for kind, cause in each["causes"].items()}  # fmt: skip
    assert causes == ({switch[:2]: line} if line else {})


def test_two_cuts_are_blamed_for_what_either_of_them_would_not_do():
    widget = bench(preset="cuts")
    widget.do_switch("c", "cut", "no_grad")
    assert [each["name"] for each in widget.shown["tensors"] if each["causes"]] == ["c"]  # a is as the lesson began
    assert {"z", "b"} <= {*drawn(widget, 9)}  # the computed values are in the picture
    assert [change["text"] for change in widget.shown["changed"]] == ["c: no_grad"]


@pytest.mark.parametrize(("expression", "cause"), [
    ("log(x", "'(' was never closed"), ("", "no expression"), ("foo(x)", "no function foo"),
    ("plan + x", "'plan' cannot be the name of an input"),
    ("x.__class__", "with a dot"), ("log.__globals__", "with a dot"),
    ("(lambda: x)()", "not allowed"), ("'a' * x", "not allowed"), ("open('/etc/passwd')", "no function open"),
    ("x ** 9 ** 9 ** 9 ** 9", "too large"), ("2 ** 100000 * x", "too large"), ("log", "is a function"),
    ("x", "computes nothing"), ("x + " * 100 + "x", "characters"), ("-" * 40 + "x", "operations"),
    ("x\x00 + 1", "cannot read"), ("x; x", "cannot read"), ("x.data_ptr()", "with a dot"), ("f'{x}'", "not allowed"),
])  # fmt: skip
def test_what_is_typed_wrongly_is_refused_with_its_cause_and_the_picture_stays(expression, cause):
    widget = bench("log(x ** 3)", x=5.0, plan=["z.backward()"])
    before = dict(widget.shown)
    widget.expression = expression
    assert cause in widget.problem
    assert widget.shown == before
    widget.expression = "x * 2"
    assert widget.problem == "" and ends(widget) == {"x": "2."}
    with pytest.raises(ValueError, match="."):
        bench(expression, x=5.0)


@pytest.mark.parametrize("line", [
    "import os", "z.backward(open('a'))", "x.__class__", "z = 3", "x.grad = y", "exec('1')", "x.numpy()", "x.add_(y)",
    "z.backward(); z.backward()", "w.backward()", "x.grad.foo_()",
])  # fmt: skip
def test_a_plan_takes_only_the_lines_it_knows(line):
    with pytest.raises(ValueError, match="cannot be a line of the plan|There is no w here"):
        bench("log(x ** 3)", x=5.0, plan=[line])


@pytest.mark.parametrize("x", [0.0, -1.0, 1e30, -1e-30])
def test_infinities_and_nan_are_shown_as_text(x):
    widget = bench("log(x) / x", x=x, plan=["z.backward()"])
    agrees(widget)
    cells = [cell for row in widget.shown["rows"] for cell in row["cells"].values()]
    assert all(0 <= share <= 1 for cell in cells for share, *_ in cell["parts"])


@pytest.mark.parametrize(("expression", "hooks", "line"), [
    ("x + 1 / 0", [], "z = x + 1 / 0"), ("log(x ** 3)", ["1 / 0 + grad"], "z.backward()")])  # fmt: skip
def test_an_error_is_told_at_the_line_where_it_arises(expression, hooks, line):
    widget = bench(expression, x=5.0, tensors={"x": {"hooks": hooks}}, plan=["z.backward()", "z.backward()"])
    place, text = widget.outcome.error
    assert text.startswith("ZeroDivisionError") and widget.outcome.lines[-1].state == "not reached"
    assert widget.outcome.lines[place].code == line


def endless(x):
    while True:
        x = x + 1


def counting(x):
    for _ in range(200):
        x = x * 1.0
    return x


def composed(x, q):
    """Its own names are those of the bench."""
    inner = autograd_nb.sin(x) * q
    return inner ** 2


def test_a_function_is_taken_line_by_line():
    widget = bench(composed, x=1.0, q=2.0, tensors={"inner": {"retain_grad": True}}, plan=["z.backward()"])
    assert [row["name"] for row in widget.shown["tensors"]] == ["x", "q", "inner", "z"]
    assert math.isclose(float(widget.outcome.lines[-1].grads["inner"].array), 4 * math.sin(1.0), rel_tol=1e-6)
    assert widget.as_code().startswith("autograd_nb.bench(composed, x=1.0, q=2.0")


def test_a_function_that_loops_is_called_as_a_whole_and_one_that_loops_long_is_stopped():
    widget = bench(lambda x: [x * 2 for _ in range(3)][0], x=1.0, plan=["z.backward()"])
    assert ends(widget)["x"] == "2."
    stopped = bench(endless, x=1.0)
    assert "had not ended after 7,000 steps" in stopped.outcome.error[1]
    assert 300 < len(stopped.outcome.trace) < 700  # an operation counts as ten steps
    assert bench(counting, x=1.0).outcome.error is None


def test_undo_reset_and_the_line_of_python():
    widget = bench(preset="retain_grad")
    first = widget.line
    widget.do_switch("y", "hooks", ["double"])
    widget.plan = []
    line = widget.line
    names = {}
    exec(line.replace("autograd_nb.bench", "again = autograd_nb.bench"), names)
    again = names["again"]
    assert again.line == line and again.tensors == widget.tensors and again.plan == []
    widget.do_undo()
    assert widget.plan == ["z.backward()"]
    widget.do_undo()
    assert widget.tensors == {"y": {"retain_grad": True}} and widget.line == first
    widget.x = 2.0
    widget.do_reset()
    assert widget.line == first
    widget.do_switch("y", "retain_grad", False)
    assert widget.tensors == {}


def test_bars_have_one_scale():
    cells = bench(preset="retain_grad").shown["rows"][-1]["cells"]
    assert cells["x"]["parts"][0][0] == 1 and cells["y"]["parts"][0][0] == pytest.approx(0.008 / 0.6)


@pytest.mark.parametrize(("arguments", "options", "error"), [
    ((), {}, TypeError), (("x",), {}, TypeError), ((3,), {"x": 1.0}, TypeError), (("x + 1",), {"x": "5"}, TypeError),
    (("x + 1",), {"x": None}, TypeError), (("x + 1",), {"x": math.nan}, ValueError),
    (("w + 1",), {"x": 1.0}, ValueError), (("x + 1",), {"x": 1j}, TypeError),
    (("x + 1",), {"x": [1.0, [2.0]]}, ValueError), (("x + 1",), {"x": []}, ValueError),
    (("x + 1",), {"x": [[[1.0]]]}, ValueError), (("x + 1",), {"x": [1.0] * 65}, ValueError),
    (("x + 1",), {"x": [1.0, math.inf]}, ValueError), (("x + 1",), {"x": object()}, TypeError),
    ((), {"preset": "none"}, ValueError),
    (("log + 1",), {"log": 1.0}, ValueError), (("model_id + 1",), {"model_id": 1.0}, ValueError),
    (("x + 1",), {"x": 1.0, "tensors": {"w": {}}}, ValueError),
    (("x + 1",), {"x": 1.0, "tensors": {"x": {"cut": "detach"}}}, ValueError),
    (("x + 1",), {"x": 1.0, "tensors": {"x": {"colour": 1}}}, ValueError),
])  # fmt: skip
def test_bad_arguments_are_refused(arguments, options, error):
    with pytest.raises(error):
        bench(*arguments, **options)


MANY = {"w": [1.0, 2.0], "x": [3.0, 4.0], "m": [[1.0, -2.0], [0.5, 3.0]]}


@pytest.mark.parametrize("expression", [
    "(w*x).sum()", "w @ x", "sum(m @ x * w)", "m.T[0].dot(x) + w[1]", "norm(m) * mean(w, dim=0)",
    "softmax(x, dim=0)[0]", "sum(exp(m), dim=(0, 1)) - prod(w)", "(m[:, 1] * x).mean()", "w * x",
    "m @ m @ w", "m @ w[:1]",
])  # fmt: skip
def test_vectors_and_matrices_show_what_pytorch_does(expression):
    inputs = {name: value for name, value in MANY.items() if re.search(rf"\b{name}\b", expression)}
    plan = ["z.backward(retain_graph=True)", "optimizer.zero_grad(set_to_none=False)", "z.backward()",
            "optimizer.zero_grad()"]  # fmt: skip
    widget = bench(expression, plan=plan, **inputs)
    agrees(widget)
    if widget.outcome.error is None:
        added, zeroed, _, cleared = (row["sentence"] for row in widget.shown["rows"][-4:])
        assert "puts" in added and "set to zero" in zeroed and "set to None" in cleared
        assert " adds " in widget.shown["rows"][-2]["sentence"], "what was added is told, also of vectors"


@pytest.mark.parametrize("make", [list, np.asarray, autograd_nb.tensor, torch.tensor,
                                  lambda it: torch.tensor(it, requires_grad=True) * 1])  # fmt: skip
def test_inputs_are_lists_arrays_and_tensors_of_both_libraries(make):
    widget = bench("(w*x).sum()", w=make([1.0, 2.0]), x=[3.0, 4.0], plan=["z.backward()"])
    agrees(widget)
    assert widget.w == [1.0, 2.0] and widget.outcome.last_grads["w"].array.tolist() == [3.0, 4.0]
    on_pytorch = isinstance(make([1.0]), torch.Tensor)
    assert isinstance(widget.outcome.tensors["z"], torch.Tensor) == on_pytorch
    assert widget.shown["cell"].startswith("import torch" if on_pytorch else "import autograd_nb")
    names = {"torch": torch}
    exec(widget.line.replace("autograd_nb.bench", "again = autograd_nb.bench"), names)
    assert names["again"].shown == widget.shown


def test_an_input_that_is_typed_gets_its_slider_and_can_be_undone():
    widget = bench("log(x ** 3)", x=5.0, tensors={"y": {"retain_grad": True}}, plan=["z.backward()"])
    widget.expression = "x * w"
    assert [each["name"] for each in widget.inputs] == ["x", "w"] and ends(widget) == {"x": "1.", "w": "5."}
    widget.w = 3.0
    agrees(widget)
    assert ends(widget)["x"] == "3." and "w=3.0" in widget.line
    widget.do_undo()
    widget.do_undo()
    assert [each["name"] for each in widget.inputs] == ["x"] and widget.tensors == {"y": {"retain_grad": True}}
    widget.expression = "x * w"
    widget.w = 4.0
    widget.do_reset()
    assert widget.expression == "log(x ** 3)" and widget.w == 1.0


def test_benches_beside_each_other_share_inputs_and_mark_what_differs():
    first = bench(preset="freed graph")
    pair = first.beside(plan=["z.backward(retain_graph=True)", "z.backward()"])
    left, right = pair.children
    assert left.apart == {"rows": [3, 4], "names": ["x"]} == right.apart
    assert left.line.replace("bench(", "").startswith(first.line.replace("bench(", "")[:40])
    left.x = 4.0
    assert right.x == 4.0
    left.plan = right.plan
    assert left.apart == {"rows": [], "names": []}
    right.do_switch("y", "hooks", ["double"])
    assert right.apart["rows"] == [2, 4, 5] and left.apart["rows"] == [3, 4]
    assert [change["text"] for change in left.shown["changed"]] == ["y: hooks: 0"] and left.shown["than"] == "differs"
    assert repr(pair).count("Bench:") == 2 and pair._repr_mimebundle_()["text/html"].count("<img") == 2


def test_what_is_left_is_stored_with_the_line_that_makes_it_again():
    widget = bench(preset="accumulation")
    before = widget.as_html()
    widget.x = 4.0
    widget.do_store()
    assert "As it was left:" not in before and "x=4.0" in widget.stored


def test_a_lesson_shows_its_controls_and_all_on_demand():
    widget = bench(preset="retain_grad")
    assert {each["name"]: each["open"] for each in widget.shown["tensors"]} == {
        "x": ["requires_grad"], "y": ["retain_grad"], "z": ["retain_grad"]}  # fmt: skip
    assert widget.shown["lines"] == {"buttons": [], "others": []} and not widget.shown["edits"]
    widget.whole = True
    assert widget.shown["tensors"][1]["open"] == ["retain_grad", "hooks", "cut"] and widget.shown["edits"]
    assert "y.backward()" in widget.shown["lines"]["others"] and widget.undoable == 0
    assert bench("x * x", x=2.0).whole
    with pytest.raises(ValueError, match="controls are 'requires_grad'"):
        bench("x * x", x=2.0, controls=["everything"])


@pytest.mark.parametrize("preset", PRESETS)
def test_every_line_that_a_bench_offers_can_be_in_a_plan(preset):
    widget = bench(preset=preset, plan=[])
    widget.whole = True
    for line in [*widget.shown["lines"]["buttons"], *widget.shown["lines"]["others"]]:
        widget.plan = [line]
        assert widget.problem == ""


def test_tensors_of_the_notebook_that_bear_the_same_names_are_not_in_its_picture(monkeypatch):
    alone = bench(composed, x=1.0, q=2.0, plan=["z.backward()"])
    for number, name in enumerate(("x", "q", "inner", "z")):
        tensor = autograd_nb.tensor(float(number), requires_grad=True) * 1
        tensor.retain_grad()
        tensor.backward()
        monkeypatch.setitem(composed.__globals__, name, tensor)
    beside = bench(composed, x=1.0, q=2.0, plan=["z.backward()"])
    assert beside.as_svg() == alone.as_svg() and beside.shown == alone.shown
    assert beside.trace.tensors.keys() == alone.trace.tensors.keys()
