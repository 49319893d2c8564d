"""An edition in another language needs a catalogue and nothing else: no sentence comes from elsewhere.

The language of this test puts brackets around each piece of a text and marks the facts in it, so any text outside both
did not come from the catalogue.
"""

import ast
import re
import shutil
import tomllib
from pathlib import Path

import pytest
import translations
from babel.messages.catalog import Catalog
from babel.messages.pofile import write_po

from autograd_nb import course, words
from autograd_nb.course import kernel
from autograd_nb.course.exercises import Prediction, Question, chapters
from autograd_nb.course.overview import items
from autograd_nb.widgets.predict import PredictionCard

PREDICT = words.of("widgets", "en")["predict"]
FACT = re.compile(r"(\{\w+[^{}]*\})")


def translated(text):
    """Brackets around every piece of a text, or of the texts in a table, except the places for facts."""
    if isinstance(text, dict):
        return {key: translated(value) for key, value in text.items()}
    return "".join(piece if FACT.fullmatch(piece) or not piece.strip() else f"⟦{piece.strip()}⟧"
                   for piece in FACT.split(text))  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The English words, and a catalogue of them in the language of this test."""
    folder, catalogue = tmp_path_factory.mktemp("words"), Catalog()
    shutil.copytree(words.WORDS / "en", folder / "en")
    for path in (words.WORDS / "en").glob("*.toml"):
        for place, text in translations.texts(tomllib.loads(path.read_text(encoding="utf-8")), path.stem):
            if text and not place.startswith("why.row"):  # which holds rules too
                catalogue.add(text, translated(text), context=place)
    with open(folder / "xx.po", "wb") as file:
        write_po(file, catalogue)
    return folder


@pytest.fixture(autouse=True)
def other_language(monkeypatch, tmp_path, folder):
    def marked(facts):
        return {name: f"⟦{fact}⟧" for name, fact in facts.items()}

    fill, call = words.fill, words.Words.__call__
    monkeypatch.setattr(words, "WORDS", folder)
    monkeypatch.setattr(PredictionCard, "own_words", words.worded(translated(PREDICT)))
    monkeypatch.setattr(words, "fill", lambda text, /, **facts: fill(text, **marked(facts)))
    monkeypatch.setattr(words.Words, "__call__", lambda self, key, /, **facts: call(self, key, **marked(facts)))
    monkeypatch.setenv("AUTOGRAD_NB_LANGUAGE", "xx")
    monkeypatch.setenv("AUTOGRAD_NB_PROGRESS", str(tmp_path / "progress.json"))
    words.of.cache_clear()
    yield
    words.of.cache_clear()


def rest(text):
    """The part of a text outside all brackets, without numbers and punctuation."""
    depth, outside = 0, []
    for character in text:
        depth += (character == "⟦") - (character == "⟧")
        outside.append(character if depth == 0 and character != "⟧" else " ")
    return re.sub(r"[\s\d█░.,:()eE+-]+|\binf\b|\bnan\b", " ", "".join(outside)).strip()


def said_by(card):
    """The texts of an exercise's card; lines of code do not count."""
    return [card.heading, *(part for part in card.paragraphs if not part.endswith("\n"))]


@pytest.mark.parametrize("chapter", chapters())
def test_exercises_speak_it(chapter, request):
    every = None if request.config.getoption("--nightly") else 1  # the reasons come from the folder alike
    for question in items(chapter, Question).values():
        hints = [question.hint(number) for number in range(1, len(question.words["hints"]) + 1)]
        answers = [..., question.right, *[*question.wrong.values()][:every], "something else", lambda *_: 1 / 0]
        for card in [*hints, question.solution(), *map(question.check, answers)]:
            told = [re.sub("`[^`]*`", "", text) for text in said_by(card)]  # code, and the learner's own answer
            assert [rest(text) for text in told if rest(text)] == []


CODE = r"∂\w/∂\w|\b\w\.grad\b|\w+Backward0"  # in the names of fields


@pytest.mark.parametrize("chapter", chapters())
def test_predictions_speak_it(chapter):
    for prediction in items(chapter, Prediction).values():
        card = prediction.card()
        shown = card.as_text(), re.sub(r"<[^>]+>", " ", card.as_html())
        assert [rest(re.sub(CODE, "", text)) for text in shown] == ["", ""], prediction.name
        for answer in (*map(str, card.choices), "", "12345"):
            if card.kind == "choice" and answer == "12345":
                continue
            said = [value for key, value in card.judge(answer).items() if key not in ("kind", "done")]
            assert list(filter(None, map(rest, said))) == []
        assert all(rest(card.all_words()[key].format_map(Anything())) == "" for key in PREDICT)


class Anything(dict):
    def __missing__(self, key):
        return ""


def test_progress_and_what_befalls_it_speak_it(capsys, tmp_path):
    shown = course.progress()
    assert [rest(line) for line in shown.text.splitlines() if rest(line)] == []
    (tmp_path / "progress.json").write_text("no progress")
    course.progress()
    shown.reset()
    course.ch04.q1.check(1.8)
    shown.reset()
    shown.export(tmp_path / "out.json")
    (tmp_path / "progress.json").write_text('{"version": 99}')
    course.progress()
    assert [line for line in capsys.readouterr().out.splitlines() if rest(line)] == []
    assert rest(words.say("frames_hidden")) == "" and kernel.words is words


ROOMS = "why", "microscope", "drawing", "widgets", "learner", "course/exercises"
NOT_SAID = "warn compile match fullmatch search sub split partition startswith replace add_argument".split()
PROSE = re.compile(r"(^|[a-z,;:)] )(a|an|the|is|are|was|of|by|to|that|which|has|have|no|not|and|or|its?|this|with|in"
                   r"|for|from|at|on|through|then|only)( [a-z({]|[;,.:]|$| $)")  # fmt: skip
MARKUP = re.compile(r"[<>={}\\→*]|^\w, \w$|with torch|for _ in")
# a key of groups, a state, the mark of a file, and the text of an error
NAMES = "leaves of ", "not reached", "saved by autograd_nb", "a finite number"


def phrases(node):
    """The texts in a tree of Python that read as English, without docstrings, errors, patterns and keys."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        told = " " in node.value and PROSE.search(node.value) and not MARKUP.search(node.value)
        return [node.value] if told and node.value not in NAMES else []
    called = isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", ""))
    alone = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    if called in NOT_SAID or alone or isinstance(node, ast.Raise | ast.Compare):
        return []
    inner = node.values if isinstance(node, ast.Dict) else ast.iter_child_nodes(node)
    return [text for each in inner for text in phrases(each)]


@pytest.mark.parametrize("room", ROOMS)
def test_no_sentence_stands_in_code(room):
    folder = Path(course.__file__).parents[1] / room
    told = {path.name: phrases(ast.parse(path.read_text(encoding="utf-8"))) for path in folder.rglob("*.py")}
    assert {name: texts for name, texts in told.items() if texts} == {}


def test_a_sentence_in_code_is_seen():
    code = 'def f(x):\n    """It is a text."""\n    return f"{x} makes NaN of it", {"a key": "which came of it"}'
    assert phrases(ast.parse(code)) == [" makes NaN of it", "which came of it"]
