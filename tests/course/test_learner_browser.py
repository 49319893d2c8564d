"""A learner's whole way through a chapter in a real JupyterLab: every cell in turn, every question, every "Try it".

Each card is answered wrong and then right, or with "I don't know"; each exercise wrong, then by its hint and what its
solution shows; each widget is set by its controls as the text asks.  What every cell shows is what its chapter says.
`pytest tests/course/test_learner_browser.py --learner 5 --learner-seed 2` takes five chapters at random.
"""

import random
import re

import house
import pytest
from test_claims import BENCHES, CLAIMS, widgets_of
from widget_page import Lab, ask, put, says, until

from autograd_nb import course
from autograd_nb.course import launcher, refresh, words
from autograd_nb.course.exercises import chapters
from autograd_nb.widgets.words import PREDICT

pytestmark = pytest.mark.browser
SHORT = ["00"]
ASKED = re.compile(r"course\.(ch\d\d)\.([pq]\d+)(?:\.check\(|$)")
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
    launcher.hand_out(house.NOTEBOOKS, lab.new_folder())
    path = house.chapter(chapter)
    cells = house.cells(path)
    learner = Learner(lab.open(path.name, height=1400), chapter, request.config.getoption("--learner-seed"))
    codes = [place for place, (cell, _) in enumerate(cells) if cell["cell_type"] == "code"]
    asks = any(launcher.CARD.search(cells[place][1]) for place in codes)
    for place in codes:
        cell, source = cells[place]
        assert learner.outputs(place) == [] or not asks, "nothing is shown before it is run"
        learner.run(place)
        asked = ASKED.search(source)
        if asked and asked[2].startswith("p"):
            learner.predict(place, asked[2])
            assert learner.outputs(codes[codes.index(place) + 1]) == []
        elif asked:
            learner.solve(place, asked[2])
        else:
            assert shown(learner.outputs(place)) == shown(cell["outputs"]), source
            learner.play(place, source, codes.index(place))
    assert lab.troubles == []


def shown(outputs):
    """What outputs say, without what differs from run to run."""
    said = []
    for output in outputs:
        data = output.get("data", {})
        text = output.get("text") or data.get("text/plain") or f"{output.get('ename')}: {output.get('evalue')}"
        said.append(re.sub(r"0x[0-9a-f]{6,16}", "0x", refresh.CELL_FILE.sub("<cell>", "".join(text))).strip())
    return "\n".join(said)  # a stream may come in parts


def plain(text):
    return " ".join(text.replace("`", "").split())


FIELDS = {"function": "f(x) =", "formula": "Formula of the derivative", "x": "Point x", "h": "Step h",
          "momentum": "Momentum"}  # fmt: skip


class Learner:
    """Who works through a chapter in a page."""

    def __init__(self, page, chapter, seed):
        self.page, self.chapter = page, chapter
        self.asked = getattr(course, f"ch{chapter}")
        self.random = random.Random(f"{seed} {chapter}")

    def run(self, place):
        Lab.run_cell(self.page, place)

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
            for done, seen in CLAIMS.get((self.chapter, known.index(number)), ()):
                for what, value in done.items():
                    self.set(there, what, value)
                said = there.locator(".anb-status, .anb-said").first
                until(lambda seen=seen, said=said: re.search(seen, said.inner_text()))

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

    def set(self, widget, what, value):
        """Do by the controls of a widget what CLAIMS names."""
        label = widget.get_by_label
        match what:
            case "function" | "formula":
                put(label(FIELDS[what]), value)
            case "x" | "h" | "momentum":
                put(label(f"{FIELDS[what]}, value"), f"{abs(value):g}")
                if value < 0:
                    label("h < 0: from the left").check()
            case "v":
                self.press(widget, f"only y[{value.index(1)}]")
            case "row":
                self.press(widget, "Next row")
            case "backward":
                code = label(what, exact=True)
                code.fill(code.input_value().replace(*value))
                self.press(widget, "Run gradcheck")
            case "method":
                label("Method").select_option(value)
            case "forget":
                label("forget zero_grad").set_checked(value)
            case "start" | "steps":
                widget.get_by_role("button", name=re.compile("New start|Back to the start")).click()
            case "step":
                size, name = (1, "One") if value < 10 else (10, "Ten")
                for count in range(size, value + 1, size):
                    widget.get_by_role("button", name=re.compile(f"^{name} (step|update)s?$")).click()
                    says(widget.locator(".anb-status"), f"After {count} ")

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
