"""The chapters keep the rules for their form and their limits, and their text agrees with their cells' outputs."""

import inspect
import math
import re
import statistics
import subprocess
import sys
from itertools import count

import pytest
from house import NOTEBOOKS, cells

from autograd_nb.course import exercises, library
from autograd_nb.course.exercises import Prediction
from autograd_nb.course.exercises.filling import Filling
from autograd_nb.course.overview import items
from autograd_nb.engine import call
from autograd_nb.engine.backward import GraphTask
from tests import refresh

# The playground, the glossary and the error clinic have numbers from 90 on and are not chapters: they keep the limits
# of a cell, but not a chapter's form and length.
CHAPTERS = sorted(path for path in NOTEBOOKS.glob("[0-8][0-9]_*.ipynb") if ".new" not in path.name)
ALL = sorted(path for path in [*NOTEBOOKS.glob("*.ipynb"), *NOTEBOOKS.glob("*/*.ipynb")] if ".new" not in path.name)

chapters = pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
notebooks = pytest.mark.parametrize("path", ALL, ids=lambda path: str(path.relative_to(NOTEBOOKS).with_suffix("")))


def tags(cell):
    return cell["metadata"].get("tags", [])


def is_made(cell):
    """Whether refresh made a cell, as it does the header below a title."""
    return "made" in tags(cell)


def is_long_for_a_reason(cell):
    return any(re.fullmatch(r"long: \S.*", tag) for tag in tags(cell))


def texts(path, cards=True):
    """All texts in the outputs of a notebook; on request without those of prediction cards."""
    for cell, source in cells(path, "code"):
        if library.CARD.search(source) and not cards:
            continue
        for output in cell["outputs"]:
            yield "".join(output.get("text", ""))
            yield output.get("evalue", "")
            yield "\n".join(output.get("traceback", ""))
            for kind, data in output.get("data", {}).items():
                if kind.startswith("text/"):
                    yield re.sub(r"base64,[A-Za-z0-9+/=]+", "", "".join(data))


@notebooks
def test_a_notebook_and_its_text_are_in_step_and_in_normal_form(path):
    refresh.check(path.parent / "text" / f"{path.stem}.py")


@chapters
def test_a_chapter_begins_with_what_it_is_for(path):
    (first, source), *_ = cells(path)
    assert first["cell_type"] == "markdown" and source.startswith(f"# {path.stem[:2]} ")
    for part in ("**You will be able to** ", "**Builds on** ", "**Time** "):
        assert part in source, part
    assert re.search(r"\*\*Time\*\* \d+ minutes", source)
    assert re.search(r"import (autograd_nb as )?torch\n", cells(path, "code")[0][1] + "\n")


@chapters
def test_the_time_of_a_chapter_is_what_a_reader_takes(path):
    """200 words of prose a minute, 10 seconds for a line of code and what it shows, 45 for a card, 3 minutes for an
    exercise; rounded to five minutes."""
    prose = sum(words_of(source) for cell, source in cells(path, "markdown") if not is_made(cell))
    code = [source for _, source in cells(path, "code")]
    cards = sum(bool(library.CARD.search(source)) for source in code)
    seconds = prose * 60 / 200 + 10 * sum(map(lines_of, code)) + 45 * cards + 180 * sum(".check(" in c for c in code)
    stated = int(re.search(r"\*\*Time\*\* (\d+)", cells(path)[0][1])[1])
    assert stated == pytest.approx(seconds / 60, abs=2.5) and stated % 5 == 0


@chapters
def test_a_chapter_ends_with_a_summary_exercises_and_what_comes_next(path):
    headings = [line for _, source in cells(path, "markdown") for line in source.splitlines() if line.startswith("## ")]
    assert headings[-3:] == ["## Summary", "## Exercises", "## Next"]
    summary = next(source for _, source in cells(path, "markdown") if source.startswith("## Summary"))
    assert summary.count("\n|") >= 4
    (invent,) = [text for _, text in cells(path, "markdown") if text.startswith("**To invent**, without a verdict")]
    assert "puzzle" in invent


def words_of(source):
    """How many words a markdown cell has; rows of tables, formulas and markup do not count."""
    prose = re.sub(r"\$\$.*?\$\$|<[^>]+>|^\|.*$", " ", source, flags=re.DOTALL | re.MULTILINE)
    return len(re.findall(r"\w[\w'.()=*/-]*", prose))


def lines_of(source):
    """How many lines a code cell has; blank ones, and the line that checks an exercise, do not count."""
    return sum(bool(line.strip()) and ".check(" not in line for line in source.splitlines())


@chapters
def test_a_chapter_is_neither_short_nor_long(path):
    assert 30 <= sum(not is_made(cell) for cell, _ in cells(path)) <= 60
    counts = [lines_of(source) for cell, source in cells(path, "code") if not is_long_for_a_reason(cell)]
    assert 1 <= statistics.median(counts) <= 4


@notebooks
def test_no_cell_is_long(path):
    prose = {source: words_of(source) for cell, source in cells(path, "markdown")
             if not is_made(cell) and not is_long_for_a_reason(cell)}  # fmt: skip
    assert {source: count for source, count in prose.items() if count > 80} == {}
    code = {source: lines_of(source) for cell, source in cells(path, "code") if not is_long_for_a_reason(cell)}
    assert {source: count for source, count in code.items() if count > 8} == {}


@notebooks
def test_every_picture_has_words(path):
    for cell, source in cells(path, "code"):
        for output in cell["outputs"]:
            data = output.get("data", {})
            pictures = [kind for kind in data if kind.startswith("image/")]
            shown = "".join(data.get("text/html", ""))
            images = re.findall(r"<img [^>]*>", shown)
            assert not pictures or images, source
            for image in images:
                assert len(re.search(r'alt="([^"]*)"', image)[1]) > 20, source
                assert len("".join(data["text/plain"])) > 20, source
    for _, source in cells(path, "markdown"):
        assert "![](" not in source and not re.search(r"<img (?![^>]*alt=)", source)


@notebooks
def test_outputs_hold_nothing_of_the_machine_or_the_moment(path):
    for text in texts(path):
        assert not re.search(r"/(tmp|home|root|work|usr|Users)/|ipykernel|site-packages", text), text
    content = path.read_text(encoding="utf-8")
    assert "application/vnd.jupyter.widget" not in content and '"widgets"' not in content


NUMBERS = re.compile(r"\d+\.?\d*(?:e[-+]?\d+)?")
NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?![\w.]*\w)")
NO_CLAIM = re.compile(r"""\[[^\]]*\]\([^)]*\) | `[^`]*` | ^\*\*(?:Time|Mirrors|Builds)\b.* | ^\#\ .*
    | ^(?:\*\*)?\d+\.\s | [Cc]hapters?\ \d\d(?:\ and\ \d\d)?
    | (?:PyTorch|version)\ \d[\d.]+ | [Pp]rograms?\ \d+(?:\ to\ \d+|\ and\ \d+)?""", re.M | re.X)
COMPUTED = {  # whole numbers of the prose that no cell shows; 100 is from suggestions to try
    "00": {100: 100}, "05": {75: 3 * 5**2, 100: 100}, "08": {75: 3 * 5**2}, "14": {75: 3 * 5**2},
    "09": {24: -math.log2(2**-23) + 1},  # binary digits of a float32
    "12": {10000: 1 / 0.01**2}, "15": {100: 100}, "16": {100: 100},
}  # fmt: skip


@notebooks
def test_numbers_in_prose_are_those_of_the_cells(path):
    """Every number with a decimal point in the text, and up to chapter 16 every other from 10 on, stands in a cell of
    the chapter, or is an output or a rounded one.

    Cards' questions and right answers are text too; a decimal that only a card's wrong answers have does not count.
    """
    chapter, prose = f"ch{path.stem[:2]}", [source for cell, source in cells(path, "markdown")]
    code = [source for _, source in cells(path, "code")]
    shown, known = ({float(number) for number in NUMBERS.findall(re.sub(r"(?<=\d),(?=\d{3}\b)", "", text))}
                    for text in ("\n".join([*texts(path, cards=False), *code]), "\n".join([*texts(path), *code])))
    predictions = items(chapter, Prediction).values() if chapter in exercises.chapters() else ()
    for each in predictions:
        shown |= {arrived for _, arrived, _ in each.arrivals()} if isinstance(each, Filling) else set()
    prose += [f"{card.question} {card.choices[card.answer]}" for card in (each.card() for each in predictions)]
    computed = COMPUTED.get(path.stem[:2], {})
    assert all(number == value for number, value in computed.items())
    for source in prose:
        for number in NUMBER.findall(re.sub(r"(PyTorch|version) \d+\.\d+(?:\.\d+)?", "", source)):
            value, places = float(number.replace(",", "")), len(number.partition(".")[2])
            assert not places or any(round(one, places) == value for one in shown), (number, source)
    for cell, source in cells(path, "markdown") if path.stem[:2] <= "16" else ():
        for number in () if is_made(cell) else NUMBER.findall(NO_CLAIM.sub("", source)):
            assert float(number.replace(",", "")) in {*range(10), *computed, *known} or "." in number, (number, source)


def anchors(path):
    """The places that a link can lead to: the headings, as JupyterLab names them, and GitHub in a page."""
    if path.suffix == ".md":
        headings = re.findall(r"^#+ (.*)", path.read_text(encoding="utf-8"), re.MULTILINE)
        return {heading.replace(" ", "-").lower() for heading in headings}
    return {line.lstrip("# ").replace(" ", "-") for _, source in cells(path, "markdown")
            for line in source.splitlines() if re.match(r"#+ ", line)}  # fmt: skip


@notebooks
def test_internal_links_lead_somewhere(path):
    for _, source in cells(path, "markdown"):
        for target in re.findall(r"\]\(([^)\s]+)\)", source):
            if target.startswith(("http:", "https:")):
                continue
            name, _, anchor = target.partition("#")
            there = path.parent / name if name else path
            assert there.exists(), target
            assert not anchor or anchor in anchors(there), target


def test_words_are_spelt_as_they_should_be():
    """codespell knows common mistakes, and no code."""
    pytest.importorskip("codespell_lib", reason="codespell is not installed")
    root = NOTEBOOKS.parent
    prose = [root / "README.md", *NOTEBOOKS.glob("text/*.py"), *root.glob("autograd_nb/words/*/*.toml")]
    found = subprocess.run([sys.executable, "-m", "codespell_lib", *prose], capture_output=True, text=True)
    assert (found.stdout, found.returncode) == ("", 0)


def test_the_clinic_has_the_errors_in_their_own_words():
    """Each quote in its index is in an output or, for a GPU and checkpoint, a line of an error in the text."""
    clinic = NOTEBOOKS / "92_error_clinic.ipynb"
    index = next(source for _, source in cells(clinic, "markdown") if source.startswith("|"))
    of_others = [line for _, source in cells(clinic, "markdown") for line in source.splitlines() if "Error: " in line]
    said = "\n".join([*texts(clinic), *of_others])
    quoted = [row.strip("| ").split(" | ")[0] for row in index.splitlines()[2:] if "#Silent" not in row]
    assert len(of_others) == 2 and len(quoted) >= 20 and [message for message in quoted if message not in said] == []


def test_the_table_of_chapter_94_shows_lines_of_a_value_and_of_a_call():
    chapter, (seventeen,) = NOTEBOOKS / "94_the_engine_file_by_file.ipynb", NOTEBOOKS.glob("17_*.ipynb")
    (table,) = [source for _, source in cells(chapter, "markdown") if source.startswith("| in 17 |")]
    value = next(source for _, source in cells(seventeen, "code") if source.startswith("class Value:"))
    ours = re.sub(r"\s+", " ", inspect.getsource(call.compute) + inspect.getsource(call.record))
    rows = [[re.findall(r"`([^`]+)`", cell) for cell in row.strip("|").split(" | ")[:2]]
            for row in table.splitlines()[2:] if row.startswith("|")]  # fmt: skip
    assert len(rows) == 5
    for mine, theirs in rows:
        assert all(each.partition("…")[0] in value for each in mine if "(" in each)
        assert theirs and all(each in ours for each in theirs)


def test_the_walk_of_chapter_94_runs_on_the_values_of_17_and_its_table_shows_lines_of_both_walks():
    guide, (seventeen,) = NOTEBOOKS / "94_the_engine_file_by_file.ipynb", NOTEBOOKS.glob("17_*.ipynb")
    (table,) = [source for _, source in cells(guide, "markdown") if source.startswith("| yours |")]
    (walk,) = [source for cell, source in cells(guide, "code") if "buffers, ready, kept" in source]
    ours = re.sub(r"\s+", " ", inspect.getsource(GraphTask))
    rows = [re.findall(r"`([^`]+)`", row) for row in table.splitlines()[2:] if row.startswith("|")]
    assert len(rows) == 10
    for mine, theirs, *also in rows:
        assert mine in walk and theirs in ours
        assert all(each in ours for each in also)
    names = {"math": math}
    for _, source in cells(seventeen, "code"):
        if source.startswith(("def uses", "class Expression", "def inverse")):
            exec(source, names)
    made = count()
    first = names["Expression"].__init__
    names["Expression"].__init__ = lambda self, *given: (first(self, *given), setattr(self, "number", next(made)))[0]
    exec(walk, names)
    x = names["Expression"](5.0)
    found = names["walk"](names["logarithm"](x * x * x), names["uses"], names["Expression"](1.0))
    assert round(found[x].data, 6) == 0.6
