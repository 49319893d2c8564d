"""predict, tangent, workshop, vector_jacobian, training in a real JupyterLab: controls moved, their effects read."""

import re
import statistics

import pytest
import widget_page
from widget_page import ask, until

pytestmark = pytest.mark.browser
IMPORT = "import autograd_nb as torch\nfrom autograd_nb import widgets"


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    with widget_page.lab(tmp_path_factory.mktemp("small_widgets")) as running:
        yield running


def opened(lab, line, **options):
    """The page and the widget that a line makes; in the kernel it is `w`."""
    page = lab.notebook(IMPORT, f"w = {line}\nw", **options)
    until(lambda: page.locator(".anb").count(), 40)
    return page, page.locator(".anb").first


def drawn(picture):
    return picture.locator("svg").evaluate("svg => svg.outerHTML")


def changes(look, act):
    """Do something, and wait until what is looked at is another."""
    before = look()
    act()
    return until(lambda: look() != before and look())


def says(locator, text, seconds=45):
    until(lambda: text in " ".join(locator.inner_text().split()), seconds)


def put(field, text):
    field.fill(text)
    field.press("Enter")


def test_predict_tells_why_and_keeps_the_outcome(lab):
    choices = {"0.6": "It would be replaced.", "1.2": "It adds."}
    page, card = opened(lab, f"torch.predict('What does `x.grad` show?', {choices}, answer='1.2', name='p1')")
    check, verdict = card.get_by_role("button", name="Check"), card.locator(".anb-verdict")
    check.click()
    says(verdict, "Choose an answer first.")
    card.get_by_role("radio", name="0.6").focus()
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    says(verdict, "Not quite. It would be replaced.")
    page.keyboard.press("ArrowDown")
    until(lambda: ask(page, "w.chosen") == "'1.2'" and not verdict.inner_text())
    check.click()
    says(verdict, "Right. It adds.")
    kept = "__import__('autograd_nb.course.progress_file', fromlist=['read']).read()['predictions']['p1']['outcome']"
    assert ask(page, kept) == "'right'"
    assert card.locator(".anb-question code").inner_text() == "x.grad"


@pytest.mark.parametrize("line, wrong, bad, right", [
    ("torch.predict('How much?', {6: 'two threes', 5: 'added'}, answer=6)", "5", "lots", "6.0"),
    ("torch.predict('Which?', {(2, 3): 'rows first', (3, 2): 'columns'}, answer=(2, 3))", "[3, 2]", "wide", "2, 3"),
])  # fmt: skip
def test_predict_takes_numbers_and_shapes(lab, line, wrong, bad, right):
    page, card = opened(lab, line)
    field, verdict = card.get_by_role("textbox"), card.locator(".anb-verdict")
    for text, expected in ((wrong, "Not quite."), (bad, f"“{bad}” is no"), (right, "Right.")):
        put(field, text)
        says(verdict, expected)


def test_every_control_of_the_tangent(lab):
    page, tangent = opened(lab, "widgets.tangent('log(x**3)', x=5.0, h=1.0, formula='3/x')")
    curve, errors = tangent.locator(".anb-picture").nth(0), tangent.locator(".anb-picture").nth(1)
    cells = tangent.locator(".anb-table td")
    assert "tangent, slope 0.6" in drawn(curve) and cells.nth(4).inner_text() == "0.6"
    says(tangent.locator(".anb-links"), "grad_output · 3 · x² = 0.008 · 3 · 5² = 0.6")

    tangent.get_by_role("slider", name="Point x").fill("6")
    says(tangent.locator(".anb-status"), "At x = 6. autograd gives the slope 0.5;")
    tangent.get_by_role("slider", name="Point x").focus()
    page.keyboard.press("ArrowLeft")
    until(lambda: float(ask(page, "w.x")) < 6)
    put(tangent.get_by_label("Point x, value"), "4")
    until(lambda: "tangent, slope 0.75" in drawn(curve))
    changes(lambda: drawn(errors), lambda: put(tangent.get_by_label("Step h, value"), "1e-5"))
    until(lambda: ask(page, "w.h") == "1e-05")
    tangent.get_by_role("slider", name="Step h").fill("-2")
    until(lambda: ask(page, "w.h") == "0.01")

    box = curve.locator("svg").bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.3, box["y"] + box["height"] * 0.5)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.75, box["y"] + box["height"] * 0.4, steps=8)
    page.mouse.up()
    until(lambda: 6 < float(ask(page, "w.x")) < 8)

    put(tangent.get_by_label("f(x) ="), "x**2")
    put(tangent.get_by_label("Formula of the derivative"), "2*x")
    put(tangent.get_by_label("Point x, value"), "3")
    until(lambda: tangent.locator(".anb-table").inner_text().count("\t6\t") == 2)
    put(tangent.get_by_label("f(x) ="), "x**")
    says(tangent.locator(".anb-trouble"), "Python cannot read the expression")
    assert "tangent, slope 6." in drawn(curve), "the last good picture stays"
    tangent.get_by_role("button", name="Undo").click()
    until(lambda: tangent.locator(".anb-trouble").is_hidden())
    tangent.get_by_role("button", name="Reset").click()
    until(lambda: ask(page, "(w.x, w.function)") == "(5.0, 'log(x**3)')")


def test_every_control_of_the_workshop(lab):
    page, workshop = opened(lab, "widgets.workshop('wrong power')")
    said, wrong = workshop.locator(".anb-said"), workshop.locator("td.anb-wrong")
    says(said, "1 of 2 entries are wrong. GradcheckError: Jacobian mismatch for output 0 with respect to input 1")
    told = "(wrong: numerical 201.18, analytical 223.97)"
    assert wrong.evaluate_all("all => all.map(each => each.textContent)") == [f"201.18 {told}", f"223.97 {told}"]
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
    workshop.get_by_role("slider", name="Step eps").fill("-6")
    says(said, "gradcheck: True.")
    put(workshop.get_by_label("Inputs"), "2., 3.")
    until(lambda: "12" in workshop.locator(".anb-matrix").first.inner_text())
    for name, text in (("exp", "gradcheck: True."), ("forgets grad_output", "backward not multiplied by grad_output"),
                       ("swapped", "2 of 8 entries"), ("half a formula", "9 of 9 entries")):  # fmt: skip
        workshop.get_by_label("Example").select_option(name)
        says(said, text)
    forward = workshop.get_by_label("forward", exact=True)
    for code, cause in (("def forward(ctx, x):\n    return y", "NameError: name 'y' is not defined"),
                        ("def forward(ctx, x):\n    while True: pass", "steps without an end"),
                        ("def forward(ctx, x) return x", "forward, line 1: SyntaxError")):  # fmt: skip
        forward.fill(code)
        workshop.get_by_role("button", name="Run gradcheck").click()
        says(workshop.locator(".anb-trouble"), cause)
        assert wrong.count() == 18, "the last good tables stay"


def test_what_a_cell_defines_can_be_used_in_the_boxes(lab):
    page, workshop = opened(lab, "widgets.workshop('exp'); own = torch.sin; own_slope = torch.cos")
    forward = "def forward(ctx, x):\n    ctx.save_for_backward(x)\n    return own(x)"
    workshop.get_by_label("forward", exact=True).fill(forward)
    backward = "def backward(ctx, grad_output):\n    (x,) = ctx.saved_tensors\n    return grad_output * own_slope(x)"
    workshop.get_by_label("backward", exact=True).fill(backward)
    workshop.get_by_role("button", name="Run gradcheck").click()
    until(lambda: ask(page, "w.verdict['ok'], w.problem") == "(True, '')")


def test_every_control_of_the_vector_jacobian_product(lab):
    page, product = opened(lab, "widgets.vector_jacobian(lambda x: x * x.sum(), [1.0, 2.0])")
    picture, status = product.locator(".anb-picture"), product.locator(".anb-status")
    says(status, "v · J = [6., 6.]")
    product.get_by_role("slider", name="v[0], the weight of y[0]").fill("2")
    says(status, "v · J = [10., 7.]")
    put(product.get_by_label("v[1], the weight of y[1], value"), "0")
    says(status, "v · J = [8., 2.]")
    product.get_by_role("slider", name="x[0]", exact=True).fill("3")
    says(status, "v · J = [16., 6.]")
    put(product.get_by_label("x[1], value"), "1")
    says(status, "v · J = [14., 6.]")
    product.get_by_role("button", name="only y[1]").click()
    says(status, "v · J = [1., 5.]")
    says(product.locator("pre"), "y.backward(torch.tensor([0., 1.]))")
    product.get_by_role("button", name="ones").click()
    says(status, "v · J = [8., 8.]")
    framed = picture.locator("[data-key=chosen] rect")
    product.get_by_role("button", name="Next row").click()
    says(status, "Row 0: 1. · [7., 3.] = [7., 3.]. Together so far: [7., 3.]")
    product.get_by_role("button", name="Next row").click()
    says(status, "Row 1: 1. · [1., 5.] = [1., 5.]. Together so far: [8., 8.]")
    assert framed.count() == 1
    product.get_by_role("button", name="Row before").click()
    says(status, "Row 0:")
    product.get_by_role("button", name="All rows").click()
    until(lambda: framed.count() == 0)
    picture.locator("[data-key='row 1']").click()
    says(status, "Row 1:")
    says(product, "walked the graph once")
    put(product.get_by_label("x[1], value"), "1e39")
    says(product.locator(".anb-trouble"), "still the last good one")


def test_every_control_of_the_training(lab):
    page, training = opened(lab, "widgets.training('moons', lr=0.5)")
    field, loss, norms = (training.locator(".anb-picture").nth(place) for place in range(3))
    status = training.locator(".anb-status")
    says(status, "After 0 updates the loss is 0.6678")
    before = [drawn(each) for each in (field, loss, norms)]
    training.get_by_role("button", name="One update").click()
    says(status, "After 1 updates")
    until(lambda: all(drawn(each) != old for each, old in zip((field, loss, norms), before, strict=True)))
    training.get_by_role("button", name="Ten updates").click()
    says(status, "After 11 updates")
    training.get_by_role("button", name="Train", exact=True).click()
    until(lambda: int(ask(page, "w.updates")) > 14)
    training.get_by_role("button", name="Pause").click()
    page.wait_for_timeout(300)
    paused = ask(page, "w.updates")
    page.wait_for_timeout(300)
    assert ask(page, "w.updates") == paused, "a pause is one"
    training.get_by_label("forget zero_grad").check()
    says(training.locator("pre"), "# forgotten: optimizer.zero_grad()")
    training.get_by_role("slider", name="Momentum").fill("0.5")
    says(training.locator("pre"), "momentum=0.5")
    training.get_by_label("Optimizer").select_option("Adam")
    says(training.locator("pre"), "torch.optim.Adam(network.parameters(), lr=0.5)")
    assert training.get_by_role("slider", name="Momentum").is_disabled()
    training.get_by_role("slider", name="Learning rate").fill("-1")
    says(training.locator("pre"), "lr=0.1)")
    put(training.get_by_label("Learning rate, value"), "-1")
    says(training.locator(".anb-trouble"), "ValueError: Invalid learning rate: -1.0")
    put(training.get_by_label("Learning rate, value"), "0.2")
    until(lambda: training.locator(".anb-trouble").is_hidden())
    training.get_by_role("button", name="New start").click()
    says(status, "After 0 updates")
    training.get_by_label("Data").select_option("rings")
    until(lambda: ask(page, "w.data") == "'rings'")
    until(lambda: "After 0 updates" in status.inner_text() and "0.6678" not in status.inner_text())


@pytest.mark.parametrize("line", [
    "torch.predict('Is it?', {'yes': 'a', 'no': 'b'}, answer='yes')", "widgets.tangent('x**2', x=1.0)",
    "widgets.workshop('wrong power')", "widgets.vector_jacobian(lambda x: x**2, [1.0, 2.0])", "widgets.training()",
])  # fmt: skip
def test_every_control_has_a_name_and_can_be_reached_by_tab(lab, line):
    page, widget = opened(lab, line)
    controls = widget.locator("button, input, select, textarea")
    nameless = controls.evaluate_all(
        "all => all.filter(each => !each.ariaLabel && !each.labels?.length && !each.textContent).length")
    assert controls.count() > 1 and nameless == 0
    enabled = controls.evaluate_all("all => all.filter(each => !each.disabled && each.type !== 'radio').length")
    controls.first.focus()
    reached = 1
    while reached < 60:
        page.keyboard.press("Tab")
        if not page.evaluate("() => Boolean(document.activeElement.closest('.anb'))"):
            break
        reached += 1
    assert reached >= enabled


def test_a_moved_point_is_answered_at_once(lab):
    page, tangent = opened(lab, "widgets.tangent('log(x**3)', x=5.0)")
    took = tangent.evaluate("""async (root) => {
        const slider = root.querySelector("input[type=range]"), status = root.querySelector(".anb-status");
        const times = [];
        for (let place = 0; place < 40; place++) {
            const old = status.textContent, start = performance.now();
            slider.value = 3 + place * 0.1;
            slider.dispatchEvent(new Event("input"));
            while (status.textContent === old) await new Promise((done) => setTimeout(done, 1));
            times.push(performance.now() - start);
        }
        return times;
    }""")
    median, p95 = statistics.median(took), sorted(took)[int(len(took) * 0.95)]
    print(f"tangent, a moved point: median {median:.0f} ms, p95 {p95:.0f} ms")
    assert median < 250


def test_running_the_cell_again_leaves_no_model_behind(lab):
    page, _ = opened(lab, "widgets.training()")
    count = "len(__import__('ipywidgets').widgets.widget._instances)"
    first = ask(page, count)
    for _ in range(3):
        lab.run_all(page)
        page.wait_for_timeout(800)
    until(lambda: page.locator(".anb").count() == 1)
    until(lambda: ask(page, count) == first)
    assert re.fullmatch(r"\d+", first)
