"""The smaller widgets show the engine's and PyTorch's numbers, and refuse bad input."""

import contextlib
import importlib
import inspect
import json
import math
import re
import xml.etree.ElementTree as ElementTree

import ipywidgets
import numpy as np
import pytest
import traitlets
from makers import MAKERS, three

import autograd_nb
from autograd_nb import widgets
from autograd_nb.learner.executing import BUDGET
from autograd_nb.microscope.labels import nested, number
from autograd_nb.widgets.lesson import Lesson
from autograd_nb.widgets.predict import PredictionCard
from autograd_nb.widgets.step import Stepper
from autograd_nb.widgets.training import DATA
from autograd_nb.widgets.unfolding import Unfolding
from autograd_nb.widgets.workshop import PRESETS
from autograd_nb.words import of

torch = pytest.importorskip("torch")

FLOATS = [("tangent", "x"), ("tangent", "h"), ("workshop", "eps"), ("training", "lr"), ("training", "momentum"),
          ("bench", "x"), ("landscape", "a"), ("landscape", "lr"), ("nudge", "dx"),
          ("line", "w"), ("depth", "scale")]  # fmt: skip


@pytest.mark.parametrize("name", MAKERS)
def test_a_widget_can_be_read_without_a_kernel_and_its_output_does_not_drift(name):
    bundles = [MAKERS[name]()._repr_mimebundle_()[0] for _ in range(2)]
    for kind in ("text/html", "text/plain"):
        assert bundles[0][kind] == bundles[1][kind]
    assert bundles[0]["text/html"].startswith('<img alt="')
    ElementTree.fromstring(MAKERS[name]().as_svg())


@pytest.mark.parametrize("name", MAKERS)
def test_the_line_of_a_widget_makes_it_again(name):
    made = MAKERS[name]()
    names = {"autograd_nb": autograd_nb, "three": three}
    assert repr(eval(made.as_code(), names)) == repr(made)


@pytest.mark.parametrize("name", MAKERS)
def test_everything_a_view_is_sent_is_json(name):
    made = MAKERS[name]()
    for trait in made.trait_names(sync=True):
        if not trait.startswith("_") and trait not in ("layout", "comm", "tabbable", "tooltip"):
            json.dumps(getattr(made, trait), allow_nan=False)


@pytest.mark.parametrize("name, trait", FLOATS)
def test_a_control_of_ipywidgets_can_be_linked_to_what_a_learner_sets(name, trait):
    made, field = MAKERS[name](), ipywidgets.FloatText()
    link = traitlets.link((made, trait), (field, "value"))
    field.value = 0.25
    assert getattr(made, trait) == 0.25 and "0.25" in made.line
    made.do_undo()
    assert field.value == getattr(made, trait) != 0.25
    link.unlink()


@pytest.mark.parametrize("name, trait", FLOATS)
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_page_is_never_sent_what_json_does_not_know(name, trait, value):
    made = MAKERS[name]()
    with pytest.raises(traitlets.TraitError, match=f"'{trait}' trait of .* expected a finite number"):
        setattr(made, trait, value)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_nor_are_lists_that_hold_it(value):
    product = MAKERS["vector_jacobian"]()
    for numbers in ("x", "v"):
        with pytest.raises(traitlets.TraitError, match="a finite number"):
            setattr(product, numbers, [value, *getattr(product, numbers)[1:]])


# -- tangent -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text, there", [
    ("log(x**3)", lambda x: torch.log(x**3)), ("sin(x) * exp(-x)", lambda x: torch.sin(x) * torch.exp(-x)),
    ("1 / (1 + x**2)", lambda x: 1 / (1 + x**2)), ("sqrt(x) + x", lambda x: torch.sqrt(x) + x),
])  # fmt: skip
@pytest.mark.parametrize("x, h", [(0.5, 0.25), (5.0, 1e-3), (2.0, 1e-6)])
def test_the_slopes_are_torchs(text, there, x, h):
    made = widgets.tangent(text, x=x, h=h)
    at = torch.tensor(x, dtype=torch.float64, requires_grad=True)
    there(at).backward()
    slope = float(made.shown["slopes"][-1][1])
    assert math.isclose(slope, at.grad.item(), rel_tol=1e-9)
    for row, dtype, ulp in zip(made.shown["slopes"], (torch.float32, torch.float64), (2**-23, 2**-52), strict=False):
        here, beyond = torch.tensor(x, dtype=dtype), torch.tensor(x + h, dtype=dtype)
        run, secant = (beyond - here).item(), ((there(beyond) - there(here)) / (beyond - here)).item()
        rounding = 4 * ulp * abs(there(beyond).item()) / run  # two ulps at either end
        assert math.isclose(float(row[1]), secant, rel_tol=1e-6, abs_tol=rounding)


def test_the_float32_error_falls_and_rises_and_its_numbers_are_those_of_the_chapter():
    made = widgets.tangent("log(x**3)", x=5.0, formula="3/x")
    for h, expected in ((0.1, "0.59408"), (1e-2, "0.59937"), (1e-5, "0.57143"), (1e-6, "0.50000")):
        made.h = h
        assert f"{float(made.shown['slopes'][0][1]):.5f}" == expected
    assert made.shown["slopes"][2][:2] == ["formula 3/x", "0.6"]
    assert "float32: at best about 0.0002 off, near h = 0.002" in str(made.shown["errors"]["groups"])
    made.h = 1e-9
    assert made.shown["slopes"][0][1:] == ["none: in float32, x + h is x", ""]
    assert made.status.endswith("over h = 1e−9 the secant has none: in float32, x + h is x.")


@pytest.mark.parametrize("made, change, cause", [
    ("log(x)", {"x": -1.0}, "f(−1) is nan, and its slope there is −1: there is no tangent to draw."),
    ("log(x)", {"x": 0.0}, "f(0) is −inf, and its slope there is inf: there is no tangent to draw."),
    ("sqrt(x)", {"x": 0.0}, "f(0) is 0, and its slope there is inf: there is no tangent to draw."),
    ("log(x)", {"function": "log(x"}, "Python cannot read “log(x”: '(' was never closed"),
    ("log(x)", {"function": "log(y)"}, "There is no y here."),
    ("log(x)", {"function": "__import__('os').system('ls')"}, "looks something up with a dot"),
    ("log(x)", {"function": ""}, "There is no expression"),
    ("log(x)", {"formula": "1/y"}, "There is no y here."),
    ("log(x)", {"h": 0.0}, "The step h must not be 0."),
    ("log(x)", {"formula": "9**9**9"}, "too large"),
])  # fmt: skip
def test_what_has_no_slope_is_told_and_the_last_good_picture_stays(made, change, cause):
    made = widgets.tangent(made, x=2.0)
    before = made.shown
    for name, value in change.items():
        setattr(made, name, value)
    assert cause in made.problem and "The picture is still that of x = 2." in made.problem
    assert before == made.shown
    made.do_undo()
    assert made.problem == ""


@pytest.mark.parametrize("text, x, told", [
    ("abs(x)", 0.0, "the slope is −1 from the left and 1 from the right. Autograd's 0 is a choice."),
    ("relu(x)", 0.0, "the slope is 0 from the left and 1 from the right. Autograd's 0 is a choice."),
    ("3 * abs(sin(x)) + x", 0.0, "the slope is −2 from the left and 4 from the right. Autograd's 1 is a choice."),
    ("floor(x)", 2.0, "the function jumps there, so the shorter the step, the steeper the secant. Autograd's 0 is"),
    ("sign(x)", 0.0, "the function jumps there"),
])  # fmt: skip
def test_where_a_function_has_no_derivative_no_tangent_is_drawn(text, x, told):
    made = widgets.tangent(text, x=x)
    assert f"At x = {x:g} there is no tangent: " in made.status and told in made.status and told in repr(made)
    curve, errors = made.pictures["curve"], made.shown["error_note"]
    (tangent,) = [group for group in curve.shapes if group.key == "no_tangent"]
    assert len(tangent.shapes) == 1, "the point alone"
    assert "no tangent: autograd" in made.as_svg() and "bends" not in errors and "There is no derivative" in errors
    made.x = x + 0.5
    assert "no tangent" not in made.status + made.as_svg()


@pytest.mark.parametrize("text", [
    "x**2", "x**3", "sin(x)", "exp(x)", "1e9 + x**2", "cos(30*x)", "1e-9*x**2", "x*abs(x)"])
@pytest.mark.parametrize("x", [0.0, 1e-4, 1.0, 1e4])
def test_where_a_function_has_a_derivative_its_tangent_is_drawn(text, x):
    with contextlib.suppress(ValueError):  # exp(1e4)
        assert "no tangent" not in widgets.tangent(text, x=x).status


# -- workshop ----------------------------------------------------------------------------------------------------------


def in_torch(name):
    """The error of PyTorch's gradcheck for an example, or True."""
    forward, backward, inputs = PRESETS[name].values()
    scope = {"torch": torch}
    exec(forward + backward, scope)
    members = {box: staticmethod(scope[box]) for box in ("forward", "backward")}
    own = type("Own", (torch.autograd.Function,), members)
    values = eval(f"({inputs},)")
    tensors = tuple(torch.tensor(value, dtype=torch.float64, requires_grad=True) for value in values)
    try:
        return torch.autograd.gradcheck(own.apply, tensors)
    except RuntimeError as error:
        return str(error).strip()


@pytest.mark.parametrize("name", PRESETS)
def test_the_verdict_on_an_example_is_torchs(name):
    made, expected = widgets.workshop(name), in_torch(name)
    if expected is True:
        assert made.shown["verdict"]["ok"] and made.verdict.startswith("gradcheck: True.")
    else:
        assert not made.shown["verdict"]["ok"] and expected in made.verdict


@pytest.mark.parametrize("change, cause", [
    ({"forward": "def forward(ctx, a, b:\n    return a"}, "forward, line 1, `def forward(ctx, a, b:`: SyntaxError"),
    ({"forward": "forward = 3"}, "The box forward must define a function"),
    ({"forward": "def forward(ctx, a, b):\n    return a * c"},
     "forward, line 2, `return a * c`: NameError: name 'c' is not defined"),
    ({"forward": "def forward(ctx, a, b):\n    while True: pass"}, f"had not ended after {BUDGET:,} steps"),
    ({"forward": "def forward(ctx, a, b):\n    return 3"}, "forward must return a tensor"),
    ({"forward": "def forward(ctx, a, b):\n    raise SystemExit"}, "SystemExit"),
    ({"backward": "def backward(ctx, grad_output):\n    return grad_output"},
     "RuntimeError: function OwnBackward returned an incorrect number of gradients (expected 2, got 1)"),
    ({"backward": "def backward(ctx, grad_output):\n    1 / 0"}, "backward, line 2, `1 / 0`: ZeroDivisionError"),
    ({"inputs": ""}, "write numbers or lists of numbers"), ({"inputs": "x, y"}, "write numbers or lists of numbers"),
    ({"inputs": str([1.0] * 20)}, "there are 20 numbers"),
    ({"eps": 0.0}, "The step eps must be positive"),
])  # fmt: skip
def test_code_that_does_not_run_is_told_with_its_line_and_the_last_good_tables_stay(change, cause):
    made = widgets.workshop("power")
    before = made.shown
    for name, value in change.items():
        setattr(made, name, value)
    assert cause in made.problem and "still those of the last run" in made.problem
    assert made.shown == before
    made.do_undo()
    assert made.problem == "" and made.shown["verdict"]["ok"]


# -- vector-Jacobian product -------------------------------------------------------------------------------------------


def three_in_torch(x):
    return torch.stack([x[0] * x[1], x[0] ** 2, torch.sin(x[1])])


@pytest.mark.parametrize("seed", range(5))
def test_the_jacobian_and_its_product_are_torchs(seed):
    random = np.random.default_rng(seed)
    x, v = (random.uniform(-3, 3, size).astype(np.float32).tolist() for size in (2, 3))
    made = widgets.vector_jacobian(three, x)
    made.v = v
    at = torch.tensor(x, requires_grad=True)
    three_in_torch(at).backward(torch.tensor(v))
    expected = torch.autograd.functional.jacobian(three_in_torch, torch.tensor(x))
    assert np.allclose(made.jacobian, expected.numpy(), rtol=1e-6, atol=1e-7)
    assert np.allclose(made.product, at.grad.numpy(), rtol=1e-6, atol=1e-6)
    assert f"{nested(at.grad.tolist(), number)}." == made.shown["texts"][-1].rpartition("so far: ")[2]


@pytest.mark.parametrize("name, choices", [("vector_jacobian", 3), ("workshop", 2)])
def test_what_can_be_chosen_in_a_picture_is_a_group_and_is_told_and_stored(name, choices):
    made = MAKERS[name]()
    html, runs, texts = made.as_html(), made.shown, made.shown["texts"]
    assert len(texts) == choices and all(html.count(f"<li>{text}</li>") == 1 for text in texts)
    for picture in made.pictures.values():
        keys = [shape.key for shape in picture.shapes if shape.key[-1].isdigit()]
        assert len(keys) == choices and "\n".join(texts) == picture.text
    made.chosen = 1
    assert made.shown is runs, "what is only looked at is not run again"


def test_each_row_adds_to_those_before_it():
    made = MAKERS["vector_jacobian"]()
    x, v = torch.tensor([2.0, 3.0], requires_grad=True), [1.0, 2.0, -1.0]
    for row, text in enumerate(made.shown["texts"]):
        x.grad = None
        three_in_torch(x).backward(torch.tensor(v[: row + 1] + [0.0] * (2 - row)))
        assert text.endswith(f"Together so far: {nested(x.grad.tolist(), number)}.")


def test_the_calls_of_nodes_are_those_that_a_recording_counts():
    calls = widgets.vector_jacobian(three, [2.0, 3.0]).shown["calls"]
    with autograd_nb.record() as trace:
        three(autograd_nb.tensor([2.0, 3.0], requires_grad=True)).sum().backward()
    once = sum(event.kind in ("Ran", "Accumulated") for event in trace) - 1  # except the sum's
    assert f"one pass with {once} calls" in calls and f"3 passes made {3 * (once - 1)} calls" in calls


@pytest.mark.parametrize("function, cause", [
    (lambda x: 3, "f(x) must be a tensor made from x, and this is int"),
    (lambda x: x.detach(), "f(x) does not depend on x"),
    (lambda x: autograd_nb.ones(2, requires_grad=True) * 2, "f(x) does not depend on x"),
    (lambda x: x.repeat(3), "there is room for 5 numbers in x and in f(x), and here are 2 and 6"),
    (lambda x: x @ autograd_nb.ones(3), "RuntimeError: "),
    (lambda x: autograd_nb.sqrt(x * 0), "The gradients at x are [[nan, nan], [nan, nan]]"),
])  # fmt: skip
def test_a_function_without_a_jacobian_is_refused_with_the_cause(function, cause):
    with pytest.raises(ValueError) as raised:
        widgets.vector_jacobian(function, [1.0, 2.0])
    assert str(raised.value).startswith(cause)


# -- training ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("optimizer, momentum", [
    ("SGD", 0.0), ("SGD", 0.9), ("Adam", 0.0),
])  # fmt: skip
@pytest.mark.parametrize("forget", [False, True])
def test_training_goes_as_in_torch(data, optimizer, momentum, forget):
    made = widgets.training(data, lr=0.05, optimizer=optimizer, momentum=momentum, forget=forget)
    network = torch.nn.Sequential(torch.nn.Linear(2, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
    with torch.no_grad():
        for mine, theirs in zip(made.network.parameters(), network.parameters(), strict=True):
            theirs.copy_(torch.from_numpy(mine.detach().numpy().copy()))
    points, classes = torch.tensor(made.points.tolist()), torch.arange(40, dtype=torch.float64) // 20
    options = {"momentum": momentum} if optimizer == "SGD" else {}
    walker = getattr(torch.optim, optimizer)(network.parameters(), lr=0.05, **options)
    made.do_step(6)
    losses, norms = [], []
    for _ in range(6):
        if not forget:
            walker.zero_grad()
        loss = torch.nn.functional.binary_cross_entropy_with_logits(network(points).squeeze(1), classes)
        loss.backward()
        losses.append(loss.item())
        norms.append(network[0].weight.grad.norm().item())
        walker.step()
    assert np.allclose(made.losses[:6], losses, rtol=1e-4)
    assert np.allclose(made.felt[0], norms, rtol=1e-3)


def test_data_and_weights_are_the_same_at_each_start_and_leave_the_learners_random_numbers_alone():
    autograd_nb.manual_seed(7)
    expected = autograd_nb.rand(1).item()
    autograd_nb.manual_seed(7)
    made = widgets.training()
    assert autograd_nb.rand(1).item() == expected
    first = made.losses[0]
    made.do_step(5)
    made.do_start()
    assert (made.updates, list(made.losses)) == (0, [first])


def test_a_reset_brings_the_settings_back_and_forgets_the_run_before():
    widget = widgets.training(lr=0.1)
    widget.do_step(3)
    widget.do_start()
    assert len(widget.before) == 4 and len(widget.losses) == 1
    widget.lr, widget.data = 0.5, next(each for each in DATA if each != widget.data)
    first = widgets.training(lr=0.1)
    widget.do_step(2)
    widget.do_reset()
    assert (widget.before, widget.updates, widget.lr, widget.data) == ([], 0, 0.1, first.data)
    assert widget.losses == first.losses


def test_the_loop_that_is_shown_is_the_one_that_runs():
    made = widgets.training(lr=0.5)
    made.do_step(3)
    network, points = made.network, made.points
    classes = autograd_nb.arange(40, dtype=autograd_nb.float64) // 20
    before, code = made.losses[-1], made.shown["code"].replace("range(3)", "range(1)")
    loss = autograd_nb.nn.functional.binary_cross_entropy_with_logits
    scope = {"torch": autograd_nb, "network": network, "points": points, "classes": classes, loss.__name__: loss}
    exec(code, scope)
    assert scope["loss"].item() == before
    made.forget = True
    assert "# forgotten: optimizer.zero_grad()" in made.shown["code"]


def test_a_loss_that_is_no_number_stops_the_training_and_keeps_the_picture():
    made = widgets.training(lr=1e308)
    made.do_step(1)
    before = made.shown
    made.do_step(100)
    assert "the steps were too large" in made.problem and f"update {made.updates}" in made.problem
    assert before == made.shown
    made.lr = 0.1
    assert made.problem, "the weights are lost: only a new start helps"
    made.do_start()
    made.do_step(1)
    assert made.problem == "" and made.updates == 1


def test_while_zero_grad_is_forgotten_the_status_says_of_how_many_gradients_grad_is_the_sum():
    made = widgets.training(lr=0.1)
    made.do_step(5)
    made.forget = True
    made.do_step(4)
    assert "Now .grad is the sum of 5 gradients." in made.status
    made.forget = False
    made.do_step(1)
    assert "sum of" not in made.status


def test_an_operation_of_ones_own_may_have_any_name_and_its_halves_one_after_the_other():
    forward = "def forward(ctx, x):\n    return x * 1"
    assert "backward must define a function" in repr(widgets.workshop("mine", forward=forward))
    both = widgets.workshop("mine", forward=forward, backward="def backward(ctx, grad):\n    return grad", inputs="2.0")
    assert "gradcheck: True" in repr(both)


@pytest.mark.parametrize("call, error, told", [
    (lambda: widgets.tangent("log(x)", x=-1.0), ValueError, "f(−1) is nan"),
    (lambda: widgets.workshop("powr"), ValueError, "workshop(): there is no example 'powr'"),
    (lambda: widgets.workshop(3), ValueError, "workshop(): there is no example 3"),
    (lambda: widgets.workshop("power", dtype="int64"), traitlets.TraitError, "The 'dtype' trait"),
    (lambda: widgets.training("spirals"), traitlets.TraitError, "The 'data' trait of a Training instance expected any"),
    (lambda: widgets.training(optimizer="LBFGS"), traitlets.TraitError, "The 'optimizer' trait"),
])  # fmt: skip
def test_a_widget_refuses_what_it_cannot_start_with(call, error, told):
    with pytest.raises(error) as raised:
        call()
    assert str(raised.value).startswith(told)


WIDGETS = [Stepper, PredictionCard, Unfolding, *{type(make()) for make in MAKERS.values()}]


@pytest.mark.parametrize("kind", WIDGETS)
def test_every_word_that_a_front_end_asks_for_is_there(kind):
    used = set(re.findall(r"\bwords\.(\w+)", kind.front_end("js")))
    assert used and used <= {*of("widgets")["kit"], "legend", *kind.own_words}


# Labels that a widget has in place of the kit's
REPLACED = {"before", "after", "all", "point_at", "copied", "reset"}


@pytest.mark.parametrize("kind", WIDGETS)
def test_no_sentence_of_a_widget_stands_where_the_kit_asks_for_its_own(kind):
    kit = of("widgets")["kit"]
    assert {name for name in kit.keys() & kind.own_words.keys() if kit[name] != kind.own_words[name]} <= REPLACED


def parts_of(sheet):
    for part in sheet:
        yield part
        yield from parts_of(part.get("parts", ()))


@pytest.mark.parametrize("name", [name for name in MAKERS if issubclass(type(MAKERS[name]()), Lesson)])
def test_every_part_of_a_lesson_has_a_label_in_words(name):
    made = MAKERS[name]()
    plain = {"", "forward", "backward", *made.trait_names(state=True)}  # names that a program has are labels, too
    filled = {part["name"] for part in parts_of(made.sheet) if part["kind"] == "note" and part["name"] in made.shown}
    for part in parts_of(made.sheet):
        if part.get("name") in filled:
            continue
        named = part.get("label", part.get("name", ""))
        assert named in made.own_words or named in plain, part
        assert "{" not in made.own_words.get(named, ""), part


@pytest.mark.parametrize("momentum", [0.0, 0.9])
@pytest.mark.parametrize("forget", [False, True])
def test_the_way_over_the_map_is_the_one_that_pytorch_takes(momentum, forget):
    made = widgets.landscape("(1 - a)**2 + 3 * (b - a**2)**2", a=-1.0, b=0.5, lr=0.02, momentum=momentum, forget=forget)
    made.do_step(12)
    a, b = (torch.tensor(each, dtype=torch.float64, requires_grad=True) for each in (-1.0, 0.5))
    optimizer = torch.optim.SGD([a, b], lr=0.02, momentum=momentum)
    for x, y, loss, _, _, by_a, by_b in made.way:
        if not forget:
            optimizer.zero_grad()
        now = (1 - a) ** 2 + 3 * (b - a**2) ** 2
        now.backward()
        theirs = [a.item(), b.item(), now.item(), a.grad.item(), b.grad.item()]
        assert theirs == pytest.approx([x, y, loss, by_a, by_b], rel=1e-9)
        optimizer.step()
    assert len(made.way) == 13 and ("sum of 13 gradients" in made.status) == forget


def test_while_zero_grad_is_forgotten_the_way_with_it_stays_in_sight():
    made = widgets.landscape(lr=0.05, steps=10)
    way = [group for group in made.pictures["map"].shapes if group.key == "way"][0].shapes[0].commands
    made.forget = True
    other = [group for group in made.pictures["map"].shapes if group.key == "other"][0].shapes[0].commands
    assert other == way and "with zero_grad, to compare" in made.as_svg()
    made.steps = 0
    assert "range(0)" in made.shown["code"]


@pytest.mark.parametrize(("change", "cause"), [
    ({"loss": "a +"}, "Python cannot read “a +”"), ({"loss": "c**2"}, "There is no c here"),
    ({"loss": "2.0"}, "“2.0” computes nothing"), ({"a": -1.0, "loss": "log(a)"}, "The loss is nan there."),
    ({"lr": -1.0}, "ValueError: Invalid learning rate"),
    ({"method": "newton", "loss": "a + b", "steps": 1}, "step needs the inverse of the Hessian [[0, 0], [0, 0]]"),
])  # fmt: skip
def test_a_map_that_cannot_be_drawn_is_told(change, cause):
    made = widgets.landscape()
    for name, value in change.items():
        setattr(made, name, value)
    assert cause in made.problem
    made.do_reset()
    assert made.problem == ""


def test_a_way_that_runs_off_says_so():
    made = widgets.landscape(lr=0.5, steps=100)
    assert "The ball has left the map." in made.as_svg()
    made.loss = "a**4 + b**4"
    assert "the steps were too large" in made.status
    with pytest.raises(ValueError, match="There is no z here"):
        widgets.landscape("z")


@pytest.mark.parametrize("room, names", [
    ("widgets", widgets.__all__), ("drawing", ["draw", "legend"]), ("microscope", ["info", "record"]),
    ("course", ["cheat_sheet", "digits", "home", "progress", "review", "tracebacks"]),
])  # fmt: skip
def test_no_file_hides_the_function_that_it_gives(room, names):
    """Importing a submodule binds its name in the package, and would replace a function of that name."""
    for name in names:
        with contextlib.suppress(ModuleNotFoundError):
            importlib.import_module(f"autograd_nb.{room}.{name}")
        assert inspect.isfunction(getattr(getattr(autograd_nb, room), name)), name


# A line through points


def test_the_loss_of_a_line_is_pytorch_s_and_the_lowest_one_is_remembered():
    x, y = [0.0, 1.0, 2.0, 5.0], [1.0, 3.0, 2.0, 0.5]
    made, lowest = widgets.line(x, y), math.inf
    for made.w, made.b in ((0.5, 1.0), (-0.3, 2.0), (1.0, 0.0)):
        loss = torch.nn.functional.mse_loss(made.w * torch.tensor(x) + made.b, torch.tensor(y)).item()
        lowest = min(lowest, loss)
        assert f"The loss is {loss:.4g}." in made.status
    assert f"found is {min(lowest, widgets.line(x, y).lowest):.4g}" in made.status
    with pytest.raises(ValueError, match="got 2 numbers x and 1 numbers y"):
        widgets.line([1.0, 2.0], [1.0])


# A nudge that travels


def bar_of(picture):
    return [x for _, x, _ in picture.shapes[1].shapes[0].commands]


def test_the_bars_of_a_nudge_are_as_long_as_the_moves_and_the_gradients():
    made = widgets.nudge(4.0, dx=0.03)
    x = torch.tensor(4.0, dtype=torch.float64, requires_grad=True)
    z = torch.log(x**3)
    z.backward()
    moves = (0.03, 4.03**3 - 64, math.log(4.03**3) - z.item())
    for way, lengths in (("forward", moves), ("backward", (x.grad.item(), 1 / 64, 1.0))):
        made.way = way
        for picture, length in zip(made.pictures.values(), lengths, strict=True):
            (low, high), (left, right) = picture.axes["ends"][0], picture.axes["sides"][0]
            start, end = bar_of(picture)
            scale = (high - low) / (right - left)
            assert (end - start) * scale == pytest.approx(length, abs=0.1 * scale), "pixels are told to a tenth"
    assert f"it moves z by {3 * math.log(5 / 4):.4g}," in made.status, "a whole step is not a tiny one"
    made.way = "forward"
    assert all(abs(end - start) > 100 for start, end in map(bar_of, made.pictures.values())), "every bar can be seen"
    made.dx, made.x = -4.0, 3.0
    assert "ln(x³) has no value there" in made.problem


# A deep network


@pytest.mark.parametrize("activation, scale, residual, norm", [
    ("sigmoid", 1.0, "none", "none"), ("tanh", 2.0, "whole", "layer"), ("relu", 1.4, "zero", "batch")])
def test_a_deep_network_learns_and_feels_what_it_does_in_pytorch(activation, scale, residual, norm):
    made = widgets.depth(6, activation=activation, scale=scale, residual=residual, norm=norm)
    points, given = seeded(made)
    classes, weights = torch.arange(40) // 20, [each.requires_grad_() for each in given]
    biases = [torch.zeros(each.shape[1], dtype=torch.float64, requires_grad=True) for each in weights]
    shares = [torch.tensor(float(residual == "whole"), dtype=torch.float64, requires_grad=residual == "zero")
              for _ in weights]  # fmt: skip
    norms = {"none": lambda x: x, "layer": lambda x: torch.nn.functional.layer_norm(x, x.shape[1:]),
             "batch": lambda x: torch.nn.functional.batch_norm(x, None, None, training=True)}  # fmt: skip
    slopes = {"sigmoid": lambda y: y * (1 - y) / 0.25, "tanh": lambda y: 1 - y * y, "relu": lambda y: (y > 0).double()}
    trained = [*weights, *biases, *(shares if residual == "zero" else ())]
    optimizer, losses, felt = torch.optim.SGD(trained, lr=0.1), [], []
    for step in range(101):
        x, spread, flat = points, [], []
        for weight, bias, share in zip(weights[:-1], biases, shares, strict=False):
            y = getattr(torch, activation)(norms[norm](x @ weight + bias))
            x = x + share * y if residual != "none" and x.shape == y.shape else y
            spread.append(x.std().item()), flat.append((slopes[activation](y) < 0.1).double().mean().item())
        loss = torch.nn.functional.binary_cross_entropy_with_logits(
            (x @ weights[-1] + biases[-1]).squeeze(1), classes.double())  # fmt: skip
        losses.append(loss.item())
        optimizer.zero_grad(), loss.backward()
        before = [each.detach().clone() for each in weights[:-1]]
        optimizer.step()
        moved = [((now - old).norm() / old.norm()).item() for now, old in zip(weights, before, strict=False)]
        felt += [{"update": moved, "spread": spread, "flat": flat}] * (step in (0, 99))
    assert made.losses == pytest.approx(losses, rel=1e-6)
    for mine, theirs in zip(made.felt, felt, strict=True):
        for name, values in theirs.items():
            assert mine[name] == pytest.approx(values, rel=1e-4, abs=1e-15), name
    assert f"goes from {number(losses[0])} to {number(losses[-1])};" in repr(made).replace("\n", " ")


def seeded(made):
    """The points that a deep network learns, and its first weights, as tensors of PyTorch."""
    autograd_nb.manual_seed(0)
    points = DATA["rings"]().double()
    return torch.tensor(points.tolist(), dtype=torch.float64), [
        torch.tensor(each.tolist(), dtype=torch.float64) for each in made.weights()]  # fmt: skip


def test_a_deep_network_that_cannot_be_is_told_and_one_whose_loss_is_nan_shows_where():
    with pytest.raises(ValueError, match="may have 2 to 30 layers, not 1"):
        widgets.depth(1)
    before = autograd_nb.get_rng_state()
    made = widgets.depth(20, activation="relu", scale=4.0)
    assert "After step 2 the loss is nan: the training ends there, at the red mark." in made.status
    made.scale = 1e200
    assert made.status.startswith("The very first loss is no number") and not made.problem and not made.felt
    made.layers, before_that = 50, made.status
    assert "may have 2 to 30 layers, not 50" in made.problem and made.status == before_that
    assert (autograd_nb.get_rng_state() == before).all()
