"""A learner's whole way through the first chapter in a real JupyterLab: every cell in turn, every question and widget.

The learner answers each card wrong and then right, or with "I don't know", and each exercise wrong, then with its hint
and its solution, and walks each stepper to its end. Every cell shows the output that its chapter stores.
"""

import random
import re
import sys
import tempfile

import house
import pytest
from serving import LOST, empty_home, free_port, serving
from widget_page import Lab, ask, put, says, until

from autograd_nb import course, words
from autograd_nb.course import launcher
from tests import refresh

pytestmark = pytest.mark.browser
ASKED = re.compile(r"course\.(ch\d\d)\.([pq]\d+)(?:\.check\(|$)")
OUTPUTS = "place => window.jupyterapp.shell.currentWidget.content.model.cells.get(place).outputs.toJSON()"
TYPE = """([place, text]) => window.jupyterapp.shell.currentWidget.content.model.cells.get(place).sharedModel
          .setSource(text)"""
SOURCE = "place => window.jupyterapp.shell.currentWidget.content.model.cells.get(place).sharedModel.getSource()"


def test_a_learners_way_through_the_first_chapter(lab):
    launcher.hand_out(house.NOTEBOOKS, lab.new_folder())
    path = house.chapter("00")
    cells = house.cells(path)
    learner = Learner(lab.open(path.name, height=1400))
    codes = [place for place, (cell, _) in enumerate(cells) if cell["cell_type"] == "code"]
    for place in codes:
        cell, source = cells[place]
        assert learner.outputs(place) == [], "nothing is shown before it is run"
        learner.run(place)
        asked = ASKED.search(source)
        if asked and asked[2].startswith("p"):
            learner.predict(place, asked[2])
            assert learner.outputs(codes[codes.index(place) + 1]) == []
        elif asked:
            learner.solve(place, asked[2])
        else:
            assert shown(learner.outputs(place)) == shown(cell["outputs"]), source
            learner.play(place, source)
    assert lab.troubles == []


def shown(outputs):
    """The text of outputs, without the parts that differ from run to run."""
    said = []
    for output in outputs:
        data = output.get("data", {})
        text = output.get("text") or data.get("text/plain") or f"{output.get('ename')}: {output.get('evalue')}"
        said.append(re.sub(r"0x[0-9a-f]{6,16}", "0x", refresh.CELL_FILE.sub("<cell>", "".join(text))).strip())
    return "\n".join(said)  # a stream may arrive in parts


def plain(text):
    return " ".join(text.replace("`", "").split())


class Learner:
    """A learner who works through a chapter in a page."""

    def __init__(self, page):
        self.page, self.asked = page, course.ch00
        self.random = random.Random(1)

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
        """Answer wrong and then right; now and then press "I don't know"."""
        card, said = getattr(self.asked, name).card(), words.of("widgets")["predict"]
        there = self.widget(place)
        if self.random.random() < 0.3:
            self.press(there, "I don't know")
            says(there, said["passed"])
            return
        wrong = self.random.choice([each for each in card.choices if each != card.answer])
        for answer, verdict in ((wrong, said["wrong"]), (card.answer, said["right"])):
            if card.kind == "choice":
                there.get_by_role("radio").nth(list(card.choices).index(answer)).check()
                self.press(there, "Check")
            else:
                put(there.get_by_role("textbox"), str(answer))
            says(there, f"{verdict} {plain(card.choices[answer])}")

    def solve(self, place, name):
        """Answer wrong, read why, read a hint, answer as the solution shows, and put the cell back."""
        question, there, came = getattr(self.asked, name), self.cell(place), self.page.evaluate(SOURCE, place)
        says(there, words.say("unattempted"))
        key, wrong = self.random.choice([*question.wrong.items()])
        check = f"course.{question.name}.check("
        answer = f"course.{question.name}.wrong[{key!r}]" if callable(question.right) else repr(wrong)
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

    def play(self, place, source):
        """Operate a widget as its text asks."""
        if "link((bench" in source:
            put(self.widget(place).get_by_label("Point x, value"), "2")
            until(lambda: ask(self.page, "bench.x") == "2.0")
        elif re.search(r"^(torch\.)?step\(", source, re.M):
            self.step_through(self.widget(place))

    def step_through(self, stepper):
        last = int(stepper.get_by_role("slider", name="Step", exact=True).get_attribute("max"))
        for step in range(1, last + 1):
            self.press(stepper, "One step on")
            told = f"step {step + 1} of {last + 1}"
            until(lambda told=told: stepper.get_by_role("slider").first.get_attribute("aria-valuetext") == told)
            until(lambda: stepper.locator(".anb-status").first.inner_text())


DIRTY = "() => [...document.querySelectorAll('.jp-mod-dirty')].map(each => each.textContent)"
LISTED = "() => [...document.querySelectorAll('.jp-DirListing-itemText')].map(each => each.textContent)"


def test_the_first_minute_frightens_nobody(browser, tmp_path):
    """The command as a learner types it: the terminal's text, the first view of the course, and its end."""
    log, learner = tmp_path / "log", tmp_path / "course"
    (learner / "autograd-nb-progress").mkdir(parents=True)
    command = [sys.executable, "-m", "autograd_nb", str(learner), "--no-browser", f"--port={free_port()}"]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as runtime:  # short, for sockets
        own = {"JUPYTER_RUNTIME_DIR": runtime, "PYTHONPATH": str(house.ROOT)}
        with serving(command, log, env=empty_home(tmp_path / "home", **own)) as address:
            page = browser.new_page(viewport={"width": 1280, "height": 800})
            page.goto(address)
            page.wait_for_selector(".jp-Notebook .jp-Cell")
            page.locator(".jp-Notebook-ExecutionIndicator[data-status='idle']").wait_for()
            until(lambda: page.evaluate(LISTED)[:3] == ["images", "00_welcome.ipynb", "01_derivative.ipynb"])
            until(lambda: page.evaluate(DIRTY) == [])  # JupyterLab removes the mark of loading by itself
            page.close()
    first, *rest = [line for line in LOST.sub("", log.read_text()).splitlines() if line.strip()]
    assert first == f"The course is in {learner}. Ctrl-C here ends it."
    address = r"    +(file|http)://|    (To access|Or copy)|\[C .* ServerApp\] *$|\[IPKernelApp\] .* Parent appears"
    assert [line for line in rest if not re.match(address, line)] == []  # the last as the browser's kernel ends with it
