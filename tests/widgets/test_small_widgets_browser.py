"""tangent, workshop, vector_jacobian, training in a real JupyterLab: controls moved, their effects read."""

import time
from pathlib import Path

import pytest
from makers import MAKERS
from widget_page import ask, change_theme, inaccessible, menu, put, says, still, until

pytestmark = pytest.mark.browser
TOOLS = str(Path(__file__).parents[1] / "tools")
IMPORT = f"""import sys
sys.path.append({TOOLS!r})
import autograd_nb as torch
from autograd_nb import course, widgets
from makers import MAKERS"""
# One of each, in a page high enough for all: JupyterLab draws no cell far outside the page.
LINES = {name: f"MAKERS[{name!r}]()" for name in MAKERS if name != "bench"} | {
    "vector_jacobian": "widgets.vector_jacobian(lambda x: x * x.sum(), [1.0, 2.0])",
    "landscape": "widgets.landscape(lr=0.1)",
    "training": "widgets.training('moons', lr=0.5)",
    "nudge": "widgets.nudge(5.0)",
    "depth": "widgets.depth()",
}
PLACES = list(LINES)
MAKE = "\n".join(f"{name} = {line}" for name, line in LINES.items())
SHOW = f"display({', '.join(LINES)})"
ALL_HEIGHT = 7000


class Four:
    """A notebook with one of each of the smaller widgets, opened once and used by test after test."""

    folder = None

    def __call__(self, lab, name):
        """The page and a widget in it, in their first state."""
        if self.folder is None or self.folder != lab.folder:
            self.page = lab.notebook(f"{IMPORT}\n{MAKE}\n{SHOW}", height=ALL_HEIGHT)
            self.folder = lab.folder
            until(lambda: self.page.locator(".anb").count() == len(LINES), 90)
        still(self.page)
        told = ask(self.page, f"[each.do_reset() for each in ({', '.join(LINES)})] and 'reset'")
        assert told == "'reset'", told
        return self.page, self.page.locator(".anb").nth(PLACES.index(name))


four = Four()


def drawn(picture):
    return picture.locator("svg").evaluate("svg => svg.outerHTML")


def changes(look, act):
    """Act, and wait until ``look()`` gives something else."""
    before = look()
    act()
    return until(lambda: look() != before and look())


@pytest.mark.parametrize("name", LINES)
def test_a_lesson_is_in_sight_as_a_whole(lab, name):
    """In JupyterLab 1280 × 800 pixels leave 679 for a cell's output."""
    _, widget = four(lab, name)
    assert widget.bounding_box()["height"] <= 679


def test_every_control_of_the_tangent(lab):
    page, tangent = four(lab, "tangent")
    curve, errors = tangent.locator(".anb-picture").nth(0), tangent.locator(".anb-picture").nth(1)
    cells = tangent.locator(".anb-table td")
    until(lambda: "tangent, slope 0.6" in drawn(curve) and cells.nth(4).inner_text() == "0.6")
    says(tangent.locator(".anb-links"), "grad_output · 3 · x² = 0.008 · 3 · 5² = 0.6")

    tangent.get_by_role("slider", name="Point x").fill("6")
    says(tangent.locator(".anb-status"), "At x = 6 autograd gives the slope 0.5;")
    tangent.get_by_role("slider", name="Point x").focus()
    page.keyboard.press("ArrowLeft")
    until(lambda: float(ask(page, "tangent.x")) < 6)
    put(tangent.get_by_label("Point x, value"), "4")
    until(lambda: "tangent, slope 0.75" in drawn(curve))
    changes(lambda: drawn(errors), lambda: put(tangent.get_by_label("Step h, value"), "1e-5"))
    still(page)
    assert ask(page, "tangent.h") == "1e-05"
    secant = float(ask(page, "float(tangent.shown['slopes'][0][1])"))
    until(lambda: f"slope {secant:.4g}" in drawn(curve))
    tangent.get_by_role("slider", name="Step h").fill("-2")
    until(lambda: ask(page, "tangent.h") == "0.01")
    still(page)

    box = curve.locator("svg").bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.3, box["y"] + box["height"] * 0.5)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.75, box["y"] + box["height"] * 0.4, steps=8)
    page.mouse.move(box["x"] + box["width"] * 0.75, box["y"] + box["height"] * 0.3)  # the same x once more
    page.mouse.up()
    until(lambda: 6 < float(ask(page, "tangent.x")) < 8)

    put(tangent.get_by_label("f(x) ="), "x**2")
    put(tangent.get_by_label("Formula of the derivative"), "2*x")
    put(tangent.get_by_label("Point x, value"), "3")
    until(lambda: tangent.locator(".anb-table").inner_text().count("\t6\t") == 2)
    for typed, cause in (("x**", "Python cannot read “x**”"), ("y + 1", "There is no y here"),
                         ("", "There is no expression"), ("log(-x)", "is nan, and its slope"),
                         ("<img src=x onerror=alert(1)>", "cannot read")):  # fmt: skip
        put(tangent.get_by_label("f(x) ="), typed)
        says(tangent.locator(".anb-trouble"), cause)
        assert "tangent, slope 6" in drawn(curve), "the last good picture stays"
    for place, cause in (("", "The field is empty"), ("five", "not a finite number"), ("1e999", "not a finite number")):
        put(tangent.get_by_label("Point x, value"), place)
        says(tangent.locator(".anb-lesson-grid"), cause)
    menu(tangent, "Undo")
    menu(tangent, "Reset")
    until(lambda: ask(page, "(tangent.x, tangent.function)") == "(5.0, 'log(x**3)')")
    until(lambda: tangent.locator(".anb-trouble").is_hidden())


def test_every_control_of_the_workshop(lab):
    page, workshop = four(lab, "workshop")
    said, wrong = workshop.locator(".anb-said"), workshop.locator(".anb-picture text", has_text="!")
    says(said, "1 of 2 entries are wrong. ∂(output 0)/∂(b): nudging says 201.18, backward says 223.97; they are 22.8")
    says(said, "GradcheckError: Jacobian mismatch for output 0 with respect to input 1")
    assert wrong.evaluate_all("all => all.map(each => each.textContent)") == ["201.18 !", "223.97 !"]
    heard = workshop.locator(".anb-figure .anb-hidden").first.evaluate("each => each.textContent")
    assert "∂(output 0)/∂(b): numerical 201.18, analytical 223.97: wrong." in heard
    workshop.locator("[data-key='entry 1']").first.click()
    says(workshop.locator(".anb-status"), "∂(output 0)/∂(b): numerical 201.18, analytical 223.97: wrong.")
    assert workshop.locator("[data-key=chosen] rect").count() == 2, "in both tables"
    workshop.locator(".anb-picture").last.focus()
    page.keyboard.press("ArrowLeft")
    says(workshop.locator(".anb-status"), "∂(output 0)/∂(a): numerical")
    workshop.get_by_role("button", name="All entries").click()
    until(lambda: workshop.locator("[data-key=chosen] rect").count() == 0)
    backward = workshop.get_by_label("backward", exact=True)
    backward.fill(backward.input_value().replace("a + 1", "a"))
    backward.press("Control+Enter")
    says(said, "gradcheck: True.")
    until(lambda: wrong.count() == 0 and workshop.get_by_label("Example").input_value() == "power")
    workshop.get_by_label("dtype").select_option("float32")
    says(said, "UserWarning: Input #0 requires gradient and is not a double precision")
    workshop.get_by_label("dtype").select_option("float64")
    put(workshop.get_by_label("Step eps, value"), "0.5")
    says(said, "2 of 2 entries are wrong.")
    put(workshop.get_by_label("Step eps, value"), "0")
    says(workshop, "0 is not above 0, so Step eps stays 0.5.")
    workshop.get_by_role("slider", name="Step eps").fill("-6")
    says(said, "gradcheck: True.")
    put(workshop.get_by_label("Inputs"), "2., 3.")
    until(lambda: "12" in workshop.locator(".anb-picture").last.inner_text())
    for name, text in (("exp", "gradcheck: True."), ("forgets grad_output", "backward not multiplied by grad_output"),
                       ("swapped", "2 of 8 entries"), ("half a formula", "9 of 9 entries")):  # fmt: skip
        workshop.get_by_label("Example").select_option(name)
        says(said, text)
    forward = workshop.get_by_label("forward", exact=True)
    for code, cause in (("def forward(ctx, x):\n    return y", "NameError: name 'y' is not defined"),
                        ("def forward(ctx, x):\n    while True: pass", "had not ended after"),
                        ("def forward(ctx, x) return x", "forward, line 1, `def forward(ctx, x) return x`"),
                        ("", "must define a function")):  # fmt: skip
        forward.fill(code)
        workshop.get_by_role("button", name="Run gradcheck").click()
        says(workshop.locator(".anb-trouble"), cause)
        assert wrong.count() == 18, "the last good tables stay"
    menu(workshop, "Undo")
    says(workshop.locator(".anb-trouble"), "SyntaxError")


def test_every_control_of_the_vector_jacobian_product(lab):
    page, product = four(lab, "vector_jacobian")
    picture, status = product.locator(".anb-picture"), product.locator(".anb-status")
    says(status, "v @ J = [6, 6]")
    product.get_by_role("slider", name="v[0], the weight of y[0]").fill("2")
    says(status, "v @ J = [10, 7]")
    put(product.get_by_label("v[1], the weight of y[1], value"), "0")
    says(status, "v @ J = [8, 2]")
    product.get_by_role("slider", name="x[0]", exact=True).fill("3")
    says(status, "v @ J = [16, 6]")
    put(product.get_by_label("x[1], value"), "1")
    says(status, "v @ J = [14, 6]")
    put(product.get_by_label("v[0], the weight of y[0], value"), "0")
    put(product.get_by_label("v[1], the weight of y[1], value"), "1")
    says(status, "v @ J = [1, 5]")
    says(product.locator("pre"), "y.backward(torch.tensor([0., 1.]))")
    put(product.get_by_label("v[0], the weight of y[0], value"), "1")
    says(status, "v @ J = [8, 8]")
    framed = picture.locator("[data-key=chosen] rect")
    product.get_by_role("button", name="Next row").click()
    says(status, "Row 0: 1 · [7, 3] = [7, 3]. Together so far: [7, 3]")
    product.get_by_role("button", name="Next row").click()
    says(status, "Row 1: 1 · [1, 5] = [1, 5]. Together so far: [8, 8]")
    assert framed.count() == 1
    product.get_by_role("button", name="Row before").click()
    says(status, "Row 0:")
    until(lambda: ask(page, "vector_jacobian.chosen") == "0")
    product.get_by_role("button", name="All rows").click()
    until(lambda: framed.count() == 0)
    picture.locator("[data-key='row 1']").click()
    says(status, "Row 1:")
    picture.focus()
    for key, told in (("ArrowUp", "Row 0:"), ("ArrowDown", "Row 1:"), ("ArrowRight", "Row 1:"), ("Home", "v @ J =")):
        page.keyboard.press(key)
        says(status, told)
    still(page)
    ask(page, "setattr(vector_jacobian, 'chosen', 0)")
    says(status, "Row 0:")
    product.get_by_role("slider", name="v[0], the weight of y[0]").fill("2")
    says(status, "Row 0: 2 · ")
    says(product, "The whole Jacobian takes a pass for each row: 2 passes made ")
    put(product.get_by_label("x[1], value"), "1e39")
    says(product.locator(".anb-trouble"), "still the last good one")


def test_training_that_plays_is_told_now_and_then(lab):
    page, training = four(lab, "training")
    spoken = training.locator(".anb-hidden[aria-live=polite]")
    training.get_by_role("button", name="Train", exact=True).click()
    says(spoken, "Training has begun.")
    assert training.locator(".anb-status").get_attribute("aria-live") == "off"
    start = time.monotonic()
    for _ in range(2):
        changes(spoken.inner_text, lambda: says(spoken, "The loss is"))
    assert time.monotonic() - start > 1.5, "a stream"
    training.get_by_role("button", name="Pause").click()
    until(lambda: training.locator(".anb-status").get_attribute("aria-live") == "polite" and not spoken.inner_text())
    status = training.locator(".anb-status")  # the kernel may have one more update on its way
    until(lambda: f"Updates so far: {ask(page, 'training.updates')}." in status.inner_text())


def test_every_control_of_the_training(lab):
    page, training = four(lab, "training")
    field, loss, norms = (training.locator(".anb-picture").nth(place) for place in range(3))
    status = training.locator(".anb-status")
    says(status, "Updates so far: 0. The loss is 0.6678")
    before = [drawn(each) for each in (field, loss, norms)]
    training.get_by_role("button", name="One update").click()
    says(status, "Updates so far: 1.")
    until(lambda: all(drawn(each) != old for each, old in zip((field, loss, norms), before, strict=True)))
    training.get_by_role("button", name="Ten updates").click()
    says(status, "Updates so far: 11.")
    training.get_by_role("button", name="Train", exact=True).click()
    until(lambda: int(ask(page, "training.updates")) > 14)
    training.get_by_role("button", name="Pause").click()
    until(lambda: ask(page, "training.playing") == "False")
    paused = ask(page, "training.updates")
    training.get_by_label("forget zero_grad").check()
    says(training.locator("pre"), "# forgotten: optimizer.zero_grad()")
    assert ask(page, "training.updates") == paused, "a pause is one"
    training.get_by_role("button", name="Ten updates").click()
    says(status, "Now .grad is the sum of 11 gradients.")
    until(lambda: "0.weight.grad" in drawn(norms) and "2.weight.grad" in drawn(norms))
    training.get_by_role("slider", name="Momentum").fill("0.5")
    says(training.locator("pre"), "momentum=0.5")
    training.get_by_label("Optimizer").select_option("Adam")
    says(training.locator("pre"), "torch.optim.Adam(network.parameters(), lr=0.5)")
    says(training, "Adam has no momentum to set")
    assert training.get_by_role("slider", name="Momentum").is_disabled()
    training.get_by_role("slider", name="Learning rate").fill("-1")
    says(training.locator("pre"), "lr=0.1)")
    put(training.get_by_label("Learning rate, value"), "-1")
    says(training, "-1 is not above 0, so Learning rate stays 0.1.")
    put(training.get_by_label("Learning rate, value"), "0.2")
    says(training.locator("pre"), "lr=0.2")
    training.get_by_role("button", name="New start").click()
    says(status, "Updates so far: 0.")
    until(lambda: "the run before" in drawn(loss))
    training.get_by_label("Data").select_option("rings")
    until(lambda: ask(page, "training.data") == "'rings'")
    until(lambda: "Updates so far: 0." in status.inner_text() and "0.6678" not in status.inner_text())
    assert "the run before" not in drawn(loss)


def test_every_control_of_the_depth(lab):
    page, depth = four(lab, "depth")
    status = depth.locator(".anb-status")
    says(status, "changes the weights of layers 2 to 20 by 1.6e-15 to 0.00086 of their size.")
    update, _, _, loss = (depth.locator(".anb-picture").nth(place) for place in range(4))
    changes(lambda: drawn(update), lambda: depth.get_by_label("Activation", exact=True).select_option("relu"))
    put(depth.get_by_label("Scale of the weights, value"), "4")
    says(status, "After step 2 the loss is nan: the training ends there, at the red mark.")
    until(lambda: "at the end: nan" in drawn(loss))
    depth.get_by_label("Normalisation").select_option("batch norm")
    says(status, "In 100 steps the loss goes from")
    depth.get_by_label("Residual connections").select_option("from 0")
    says(status, "by 0 to 0 of their size.")
    put(depth.get_by_label("Learning rate, value"), "0.2")
    layers = depth.get_by_role("slider", name="Layers", exact=True)
    layers.focus()
    page.keyboard.press("ArrowLeft")
    says(status, "of layers 2 to 19")
    assert ask(page, "depth.as_code()[25:]") == (
        "\"(layers=19, activation='relu', scale=4.0, residual='zero', norm='batch', rate=0.2)\"")


def test_every_control_of_the_nudge(lab):
    page, nudge = four(lab, "nudge")
    first, second = (nudge.locator(".anb-picture").nth(place) for place in range(2))
    put(nudge.get_by_label("Nudge of x, value"), "0.01")
    until(lambda: "dy = 0.7515, about 75 · dx" in drawn(second))
    nudge.get_by_label("Direction").select_option("backward")
    says(nudge.locator(".anb-status"), "A tiny step of x moves z 0.008 · 75 = 0.6 times as far.")
    until(lambda: "∂z/∂x = 0.008 · 75 = 0.6" in drawn(first) and ask(page, "nudge.way") == "'backward'")
    assert nudge.get_by_role("slider", name="Nudge of x", exact=True).is_disabled()


def test_every_control_of_the_landscape(lab):
    page, landscape = four(lab, "landscape")
    status, ball = landscape.locator(".anb-status"), landscape.locator(".anb-picture").first
    says(status, "Step 0: a = 2.5, b = 1.5, loss 19.75")
    landscape.get_by_role("button", name="Ten steps").click()
    says(status, "Step 10: a = 0.2684")
    landscape.get_by_label("forget zero_grad").check()
    says(status, "by then, the sum of 11 gradients")
    landscape.get_by_label("forget zero_grad").uncheck()
    landscape.get_by_role("button", name="Back to the start").click()
    landscape.get_by_label("Method").select_option("newton")
    landscape.get_by_role("button", name="One step", exact=True).click()
    says(status, "Step 1: a = 0, b = 0, loss 0,")
    assert landscape.get_by_role("slider", name="Learning rate").is_disabled()
    box = ball.locator("svg").bounding_box()
    ball.locator("svg").click(position={"x": box["width"] / 2, "y": box["height"] / 2})
    until(lambda: abs(float(ask(page, "landscape.a"))) < 0.5 and abs(float(ask(page, "landscape.b"))) < 0.5)
    put(landscape.get_by_label("Where the ball starts, a, value"), "-2")
    until(lambda: ask(page, "landscape.a") == "-2.0")
    put(landscape.get_by_label("loss ="), "a**2 +")
    says(landscape.locator(".anb-trouble"), "Python cannot read “a**2 +”")
    put(landscape.get_by_label("loss ="), "a**4 + b**2")
    until(lambda: landscape.locator(".anb-trouble").is_hidden() and "a**4" in drawn(ball))


@pytest.mark.parametrize("name", PLACES)
def test_every_control_has_a_name_and_can_be_reached_by_tab(lab, name):
    page, widget = four(lab, name)
    controls = widget.locator("button, input, select, textarea")
    nameless = controls.evaluate_all(
        "all => all.filter(each => !each.ariaLabel && !each.labels?.length && !each.textContent).length")
    assert controls.count() > 1 and nameless == 0
    enabled = controls.evaluate_all(
        "all => all.filter(each => !each.disabled && each.checkVisibility() && each.type !== 'radio').length")
    controls.first.focus()
    seen = set()
    for _ in range(60):
        inside = page.evaluate("""([root]) => {
            const here = document.activeElement, style = getComputedStyle(here);
            if (!root.contains(here)) return null;
            const place = [...root.querySelectorAll("*")].indexOf(here);
            return [place, style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1];
        }""", [widget.element_handle()])
        if inside is None:
            break
        assert inside[1] or not seen, "what the keys brought the focus to shows it"
        seen.add(inside[0])
        page.keyboard.press("Tab")
    assert len(seen) >= enabled
    menu(widget, "Copy as Python")
    says(widget.locator(".anb-history"), ask(page, f"' '.join({name}.line.split())")[1:-1].replace("\\\\", "\\"))


@pytest.mark.parametrize("width", [800, 640])  # zooming to 200 % makes 640 of 1280
def test_nothing_is_lost_on_a_narrow_page(lab, width):
    page, _ = four(lab, "training")
    ask(page, "training.do_step(20)")
    page.set_viewport_size({"width": width, "height": ALL_HEIGHT})
    lost = """all => all.flatMap((root) => {
        const { left, right } = root.getBoundingClientRect();
        const cut = (each) => {
            const box = each.getBoundingClientRect();
            return each.checkVisibility() && !each.closest(".anb-hidden, .anb-figure")
                && (box.right > right + 1 || box.left < left - 1);
        };
        return [...root.querySelectorAll("*")].filter(cut).map((each) => each.className || each.tagName);
    })"""
    until(lambda: page.locator(".anb").first.evaluate("each => each.clientWidth") < width)
    until(lambda: page.locator(".anb").evaluate_all(lost) == [])
    page.set_viewport_size({"width": 1280, "height": ALL_HEIGHT})


@pytest.mark.parametrize("theme", ["Dark", "Light"])
def test_axe_finds_nothing_serious(lab, theme):
    page, widget = four(lab, "tangent")
    ask(page, "setattr(tangent, 'function', 'log(y)')")  # with the error
    ask(page, "setattr(training, 'forget', True) or training.do_step(20)")
    ask(page, "setattr(vector_jacobian, 'chosen', 1)")
    ask(page, "setattr(workshop, 'forward', 'x')")
    says(page.locator(".anb").nth(PLACES.index("workshop")).locator(".anb-trouble"), "NameError")
    says(widget.locator(".anb-trouble"), "There is no y here")
    change_theme(page, f"JupyterLab {theme}")
    until(lambda: all(each.is_visible() for each in page.locator(".anb").all()))  # it is not while styles load
    assert inaccessible(page, context=".anb") == []
