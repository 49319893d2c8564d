"""A learner's whole way through a chapter in a real JupyterLab: every cell in turn, every question, every "Try it".

Each card is answered wrong and then right, or with "I don't know"; each exercise wrong, then by its hint and what its
solution shows; each widget is set by its controls as the text asks.  What every cell shows is what its chapter says.
`pytest tests/course/test_learner_browser.py --learner 5 --learner-seed 2` takes five chapters at random.
"""

import json
import random
import re
from pathlib import Path

import pytest
from test_claims import BENCHES, widgets_of
from widget_page import ask, put, says, until

from autograd_nb import course
from autograd_nb.course import launcher, refresh, words
from autograd_nb.course.exercises import chapters
from autograd_nb.widgets.words import PREDICT

pytestmark = pytest.mark.browser
NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
SHORT = ["00"]
ASKED = re.compile(r"course\.(ch\d\d)\.([pq]\d+)(?:\.check\(|$)")
RUN = """async (place) => {
    const { content } = window.jupyterapp.shell.currentWidget;
    content.activeCellIndex = place;
    await window.jupyterapp.commands.execute("notebook:run-cell");
}"""
OUTPUTS = "place => window.jupyterapp.shell.currentWidget.content.model.cells.get(place).outputs.toJSON()"
TYPE = """([place, text]) => window.jupyterapp.shell.currentWidget.content.model.cells.get(place).sharedModel
          .setSource(text)"""
SOURCE = "place => window.jupyterapp.shell.currentWidget.content.model.cells.get(place).sharedModel.getSource()"


def pytest_generate_tests(metafunc):
    if "chapter" in metafunc.fixturenames:
        count, seed = (metafunc.config.getoption(option) for option in ("--learner", "--learner-seed"))
        there = [name.removeprefix("ch") for name in chapters()]
        metafunc.parametrize("chapter", random.Random(seed).sample(there, count) if count else SHORT)


def test_a_learners_way_through_a_chapter(lab, chapter, request):
    launcher.hand_out(NOTEBOOKS, lab.new_folder())
    (path,) = NOTEBOOKS.glob(f"{chapter}_*.ipynb")
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    learner = Learner(lab.open(path.name, height=1400), chapter, request.config.getoption("--learner-seed"))
    codes = [place for place, cell in enumerate(cells) if cell["cell_type"] == "code"]
    asks = any(launcher.CARD.search("".join(cells[place]["source"])) for place in codes)
    for place in codes:
        source = "".join(cells[place]["source"])
        assert learner.outputs(place) == [] or not asks, "nothing is shown before it is run"
        learner.run(place)
        asked = ASKED.search(source)
        if asked and asked[2].startswith("p"):
            learner.predict(place, asked[2])
            assert learner.outputs(codes[codes.index(place) + 1]) == []
        elif asked:
            learner.solve(place, asked[2])
        else:
            assert shown(learner.outputs(place)) == shown(cells[place]["outputs"]), source
            learner.play(place, source, codes.index(place))
    assert lab.troubles == []


def shown(outputs):
    """What outputs say, without what differs from run to run."""
    said = []
    for output in outputs:
        data = output.get("data", {})
        text = output.get("text") or data.get("text/plain") or f"{output.get('ename')}: {output.get('evalue')}"
        said.append(re.sub(r"0x[0-9a-f]{6,16}", "0x", refresh.CELL_FILE.sub("<cell>", "".join(text))).strip())
    return said


def plain(text):
    return " ".join(text.replace("`", "").split())


class Learner:
    """Who works through a chapter in a page."""

    def __init__(self, page, chapter, seed):
        self.page, self.chapter = page, chapter
        self.asked = getattr(course, f"ch{chapter}")
        self.random = random.Random(f"{seed} {chapter}")

    def run(self, place):
        self.page.evaluate(RUN, place)

    def outputs(self, place):
        return self.page.evaluate(OUTPUTS, place)

    def cell(self, place):
        cell = self.page.locator(f".jp-Notebook .jp-Cell[data-windowed-list-index='{place}']")
        until(cell.count)
        return cell

    def widget(self, place):
        widget = self.cell(place).locator(".anb").first
        widget.scroll_into_view_if_needed()
        return widget

    def press(self, inside, name):
        inside.get_by_role("button", name=name, exact=True).click()

    def predict(self, place, name):
        """Answer wrong and then right; or, now and then, not know."""
        card = getattr(self.asked, name).card()
        there = self.widget(place)
        if self.random.random() < 0.3:
            self.press(there, "I don't know")
            says(there, PREDICT["passed"])
            return
        wrong = self.random.choice([each for each in card.choices if each != card.answer])
        for answer, verdict in ((wrong, PREDICT["wrong"]), (card.answer, PREDICT["right"])):
            if card.kind == "choice":
                there.get_by_role("radio").nth(list(card.choices).index(answer)).check()
                self.press(there, "Check")
            else:
                put(there.get_by_role("textbox"), str(answer))
            says(there, f"{verdict} {plain(card.choices[answer])}")

    def solve(self, place, name):
        """Answer wrong, be told why, read a hint, answer as the solution shows, and put the cell back."""
        question, there, came = getattr(self.asked, name), self.cell(place), self.page.evaluate(SOURCE, place)
        says(there, words.say("unattempted"))
        key, wrong = self.random.choice([*question.wrong.items()])
        check = f"course.{question.name}.check("
        answer = f"course.{question.name}.wrong[{key!r}]" if question.takes_function else repr(wrong)
        self.page.evaluate(TYPE, [place, f"answer = {answer}\n{check}answer)"])
        self.press(there, "Check")
        says(there, f"{words.say('wrong')} {plain(question.judge(wrong).paragraphs[0])}")
        self.press(there, "Hint")
        says(there, plain(question.hint(1).paragraphs[0]))
        self.press(there, "Solution")
        says(there, plain(question.words["why"]))
        solution = there.locator("pre:not(.cm-line)").last.text_content()
        named = re.match(r"(?:def|class) (\w+)", solution)
        right = f"{solution}\n\n{check}{named[1]})" if named else f"answer = {solution}\n{check}answer)"
        self.page.evaluate(TYPE, [place, right])
        self.press(there, "Check")
        says(there, f"{words.say('right')} {plain(question.words['right'])}")
        self.press(there, "Reset")
        until(lambda: self.page.evaluate(SOURCE, place) == came)

    def play(self, place, source, number):
        """Do with a widget what its text asks."""
        if "link((bench" in source:
            put(self.widget(place).get_by_label("Point x, value"), "2")
            until(lambda: ask(self.page, "bench.x") == "2.0")
        elif re.search(r"^(torch\.)?step\(", source, re.M):
            self.step_through(self.widget(place))
        elif number in (known := widgets_of(self.chapter)):
            there = self.widget(place)
            benches = [row for row in BENCHES if row[0] == self.chapter and "bench(" in source]
            for _, done, seen in benches:
                self.work_at(there, done, seen)
            if not benches:
                TRIES[self.chapter, known.index(number)](self, there)

    def step_through(self, stepper):
        last = int(stepper.get_by_role("slider", name="Step", exact=True).get_attribute("max"))
        for step in range(1, last + 1):
            self.press(stepper, "One step on")
            told = f"step {step + 1} of {last + 1}"
            until(lambda told=told: stepper.get_by_role("slider").first.get_attribute("aria-valuetext") == told)
            assert stepper.locator(".anb-status").first.inner_text()

    def work_at(self, bench, done, seen):
        """Set a bench by its controls, read what it shows, and press Reset."""
        program, before = bench.locator(".anb-program"), bench.locator(".anb-program").inner_text()
        for trait, value in done.items():
            if trait == "tensors":
                while count := bench.locator(".anb-changed button").count():
                    bench.locator(".anb-changed button").first.click()
                    until(lambda count=count: bench.locator(".anb-changed button").count() < count)
                for name, switches in value.items():
                    self.switch(bench, name, switches)
            elif trait == "plan":
                self.press(bench, "Clear the plan")
                for line in value:
                    self.plan(bench, line)
            elif trait == "expression":
                put(bench.get_by_label("z ="), value)
            else:
                put(bench.get_by_label(f"{trait}, value"), f"{value:g}")
        if isinstance(seen, str):
            says(program, seen)
        else:
            for name, value in seen.items():
                there = bench.locator(f"tr[data-key={name}] td").nth(1)
                close = value if value is None else pytest.approx(value, rel=1e-3, nan_ok=True)
                until(lambda there=there, close=close: number_in(there) == close)
        if done:
            self.press(bench, "Reset")
            until(lambda: program.inner_text() == before)

    def switch(self, bench, name, switches):
        for switch, value in switches.items():
            if switch == "hooks":
                bench.get_by_label(f"Add a hook to {name}").select_option(value)
            elif switch == "cut":
                bench.get_by_label(f"Cut the graph at {name}").select_option(value)
            else:
                bench.get_by_role("switch", name=f"{switch} of {name}").set_checked(value)
            says(bench.locator(".anb-changed"), f"{name}: ")

    def plan(self, bench, line):
        if "backward" in line:
            bench.get_by_label("retain_graph", exact=True).set_checked("True" in line)
            self.press(bench, "backward()")
        elif line == "forward":
            self.press(bench, "forward again")
        else:
            name = line.partition(".")[0]
            bench.get_by_label("Tensor for zero_()").select_option(name)
            if "grad" in line:
                self.press(bench, "zero_()")
            else:
                bench.get_by_label("Add a change in place").select_option(label=line)


def number_in(cell):
    text = cell.inner_text()
    return None if text == "None" else float(text)


# What other widgets are for: the claims of their chapters, through their controls


def secant_and_tangent(learner, tangent):
    far = tangent.locator(".anb-table td").nth(1)  # how far the secant in float32 is from autograd's slope
    for h, good in (("0.001", True), ("0.000001", False)):
        put(tangent.get_by_label("Step h, value"), h)
        says(tangent.locator(".anb-status"), f"over h = {float(h):g}")
        until(lambda good=good: (float(far.inner_text()) < 0.001) == good)
    put(tangent.get_by_label("f(x) ="), "x**2")
    put(tangent.get_by_label("Formula of the derivative"), "2*x")
    says(tangent.locator(".anb-status"), "the slope 10;")
    put(tangent.get_by_label("Formula of the derivative"), "")
    put(tangent.get_by_label("f(x) ="), "abs(x)")
    put(tangent.get_by_label("Point x, value"), "0")
    says(tangent.locator(".anb-status"), "the slope 0;")
    tangent.get_by_label("h < 0: from the left").check()
    says(tangent.locator(".anb-status"), "the secant has -1")


def rows_of_a_jacobian(learner, product):
    says(product.locator(".anb-status"), "v · J = [22., 301.]")
    for row, picked in enumerate(("[2., 1.]", "[2., 0.]", "[0., 3.]")):
        learner.press(product, f"only y[{row}]")
        says(product.locator(".anb-status"), f"v · J = {picked}")
    learner.press(product, "Next row")
    says(product.locator(".anb-status"), "Row 0")


def a_wrong_backward(learner, workshop):
    says(workshop.locator(".anb-said"), "gradcheck: True.")
    workshop.get_by_label("backward", exact=True).fill("def backward(ctx, grad_output):\n    return grad_output * 2\n")
    learner.press(workshop, "Run gradcheck")
    until(lambda: workshop.locator("td.anb-wrong").count())


def a_formula_repaired(learner, workshop):
    says(workshop.locator(".anb-said"), "1 of 2 entries are wrong.")
    backward = workshop.get_by_label("backward", exact=True)
    backward.fill(backward.input_value().replace("a + 1", "a"))
    learner.press(workshop, "Run gradcheck")
    says(workshop.locator(".anb-said"), "gradcheck: True.")


def a_loop_that_grows(learner, bench):
    graphs = set()
    for x in ("1.5", "1.9", "2", "3.9", "4"):
        put(bench.get_by_label("x, value"), x)
        says(bench.locator(".anb-program"), f"tensor({float(x)}")
        graphs.add(" ".join(re.findall(r"\w+Backward0", bench.locator(".anb-picture svg").text_content())))
    assert len(graphs) == 4
    put(bench.get_by_label("x, value"), "0")
    says(bench.locator(".anb-program"), "without an end")


def loss_on(map):
    return float(re.search(r"loss (\S+),", map.locator(".anb-status").inner_text())[1])


def a_ball_without_brakes(learner, map):
    learner.press(map, "Ten steps")
    says(map.locator(".anb-status"), "After 10 steps")
    cleared = loss_on(map)
    map.get_by_label("forget zero_grad").check()
    until(lambda: loss_on(map) > 10 * cleared)


def newton_against_descent(learner, map):
    map.get_by_label("Method").select_option("newton")
    learner.press(map, "One step")
    until(lambda: "After 1 step" in map.locator(".anb-status").inner_text() and loss_on(map) < 1e-9)
    learner.press(map, "Back to the start")
    map.get_by_label("Method").select_option("gradient")
    learner.press(map, "Ten steps")
    says(map.locator(".anb-status"), "After 10 steps")
    assert loss_on(map) > 0.1


def momentum_and_a_sum(learner, map):
    for _ in range(4):
        learner.press(map, "Ten steps")
    says(map.locator(".anb-status"), "After 40 steps")
    plain_loss = loss_on(map)
    put(map.get_by_label("Momentum, value"), "0.9")
    until(lambda: loss_on(map) < plain_loss / 10)
    map.get_by_label("forget zero_grad").check()
    until(lambda: loss_on(map) > 1000)


def trained(learner, training):
    learner.press(training, "New start")
    says(training.locator(".anb-status"), "Before the first update")
    for count in range(10, 101, 10):
        learner.press(training, "Ten updates")
        says(training.locator(".anb-status"), f"After {count} updates")
    said = training.locator(".anb-status").inner_text()
    return float(re.search(r"loss is ([\d.e+]+\d)", said)[1]), re.search(r"(\d+) of 40", said)[1]


def a_network_that_forgets(learner, training):
    loss, right = trained(learner, training)
    assert loss < 0.05 and right == "40"
    training.get_by_label("forget zero_grad").check()
    assert trained(learner, training)[0] > 10
    put(training.get_by_label("Momentum, value"), "0")
    forgotten, _ = trained(learner, training)
    training.get_by_label("forget zero_grad").uncheck()
    assert forgotten < 0.01 < 0.3 < trained(learner, training)[0]


# (chapter, which of its widgets) -> what is tried there
TRIES = {
    ("01", 0): secant_and_tangent, ("04", 1): a_ball_without_brakes, ("07", 0): rows_of_a_jacobian,
    ("08", 1): a_wrong_backward, ("09", 0): a_formula_repaired, ("13", 1): newton_against_descent,
    ("15", 0): a_loop_that_grows, ("16", 0): a_network_that_forgets, ("16", 1): momentum_and_a_sum,
}  # fmt: skip
