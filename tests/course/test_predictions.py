"""The chapters' predictions: the right answer stands in a cell's output, and every wrong one has its own reason."""

import contextlib
import functools
import importlib
import io
import math
import re
import tomllib

import house
import pytest

from autograd_nb import words
from autograd_nb.course.exercises import Prediction, chapters
from autograd_nb.course.exercises.filling import Filling, Kept, SavedNumbers
from autograd_nb.course.overview import items
from autograd_nb.widgets.predict import gradient_text

pytestmark = pytest.mark.usefixtures("progress")
PREDICTIONS = [prediction for chapter in chapters() for prediction in items(chapter, Prediction).values()]
SHOWN = house.ROOT / "tests" / "data" / "shown"
CARD = re.compile(r"course\.(ch\d\d\.p\d+)\b")
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d*)?(?:e[-+]?\d+)?")

predictions = pytest.mark.parametrize("prediction", PREDICTIONS, ids=lambda prediction: prediction.name)


@functools.cache
def code_cells(chapter):
    """(source, what it shows as text) of each of a chapter's code cells."""
    found = []
    for cell, source in house.cells(house.chapter(chapter), "code"):
        shown = [output.get("text") or output.get("data", {}).get("text/plain") or
                 f"{output['ename']}: {output['evalue']}" for output in cell["outputs"]]  # fmt: skip
        found.append((source, "\n".join(map("".join, shown))))
    return found


def after(prediction):
    """What each cell after a card shows, but cards."""
    cells = code_cells(prediction.name[:4])
    (place,) = (place for place, (source, _) in enumerate(cells) if prediction.name in CARD.findall(source))
    return [text for source, text in cells[place + 1 :] if not CARD.search(source)]


@pytest.mark.parametrize("chapter", chapters())
def test_every_prediction_is_shown_once_and_in_order(chapter):
    shown = [name for source, _ in code_cells(chapter) for name in CARD.findall(source)]
    assert shown == list(items(chapter, Prediction)), "a card that moved keeps its name: answers are kept under it"
    assert shown == [f"{chapter}.{name}" for name in words.of(chapter) if re.fullmatch(r"p\d+", name)]


@predictions
def test_a_card_is_the_last_line_of_its_cell_and_stored_as_it_is(prediction):
    """The question comes before the cell that answers it; the stored card agrees with the chapter's words and logic."""
    (cell,) = (cell for cell in code_cells(prediction.name[:4]) if prediction.name in CARD.findall(cell[0]))
    assert cell[0].strip().splitlines()[-1] == f"course.{prediction.name}"
    assert cell[1].endswith(prediction.card().as_text())


@predictions
def test_the_chapter_shows_what_the_card_calls_right(prediction):
    """A predicted number or shape is in an output soon after its card."""
    answer, shown = prediction.answer, "\n".join(after(prediction)[:3])
    if isinstance(answer, tuple):
        assert re.sub(r"\s", "", str(answer).strip("()")) in re.sub(r"\s", "", shown)
    elif isinstance(answer, float):
        assert any(math.isclose(float(number), answer, rel_tol=1e-4, abs_tol=1e-9) or is_rounded(number, answer)
                   for number in NUMBER.findall(shown))  # fmt: skip


def is_rounded(number, value):
    """Whether a printed number is the value with fewer places."""
    return "e" not in number and 0 != round(value, len(number.partition(".")[2])) == float(number)


def cases():
    """(a card with choices, a library): of a card that has a program of its own, both."""
    for prediction in PREDICTIONS:
        if prediction.choices:
            both = "program" in shown_by_each(prediction)
            yield from ((prediction, library) for library in ("autograd_nb", "torch")[: 1 + both])


def shown_by_each(prediction):
    """``{choice: what cells would show if it were right}``, and how many cells, or a program in place of them."""
    chapter, _, name = prediction.name.partition(".")
    return tomllib.loads((SHOWN / f"{chapter}.toml").read_text("utf-8"))[name]


@pytest.mark.parametrize(("prediction", "library"), [*cases()], ids=lambda each: getattr(each, "name", each))
def test_the_chapter_shows_what_one_choice_alone_says(prediction, library, request):
    patterns = shown_by_each(prediction)
    cells, program = patterns.pop("cells", 1), patterns.pop("program", "")
    text = "\n".join(after(prediction)[:cells])
    if program:
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(program, {"torch": importlib.import_module(library)})
        text = printed.getvalue()
    assert [*patterns] == [*prediction.choices]
    assert [key for key, each in patterns.items() if re.search(each, text, re.MULTILINE)] == [prediction.answer], text


@predictions
def test_nothing_is_missing_to_a_prediction(prediction):
    said = prediction.words
    if isinstance(prediction, Filling):  # its reasons come from the engine
        assert said.keys() == {"question"} and all(len(set(why.values())) > 1 for _, _, why, _ in prediction.fields())
        return
    if prediction.choices is None:
        assert said.keys() == {"question", "right", "wrong"} and said["wrong"].keys() == prediction.wrong.keys()
        values = [prediction.answer, *prediction.wrong.values()]
        assert len(prediction.wrong) >= 1
    else:
        assert said.keys() == {"question", "choices"} and prediction.answer in said["choices"]
        assert all(len(choice) == 2 for choice in said["choices"].values())
        values = [text for text, _ in said["choices"].values()]
        assert len(values) >= 2
    assert len(set(map(str, values))) == len(values)
    reasons = prediction.card().choices.values()
    assert all(isinstance(reason, str) and reason.strip() for reason in [said["question"], *reasons])
    assert len(set(reasons)) == len(reasons)


@predictions
def test_the_right_answer_is_accepted_and_each_other_one_told_its_reason(prediction):
    card = prediction.card()
    if isinstance(prediction, Filling):
        return
    for answer, reason in card.choices.items():
        kind = "right" if answer == card.answer or answer is card.answer else "wrong"
        assert (card.judge(str(answer))["kind"], card.judge(str(answer))["reason"]) == (kind, reason)
    if card.kind == "number":
        assert card.judge("12345.678")["kind"] == "wrong"


FILLINGS = [prediction for prediction in PREDICTIONS if isinstance(prediction, Filling)]
fillings = pytest.mark.parametrize("prediction", FILLINGS, ids=lambda prediction: prediction.name)


@fillings
def test_what_is_to_be_filled_in_is_pytorch_s(prediction, torch):
    names = {"torch": torch}
    *forward, backward = prediction.program.strip().splitlines()
    exec("\n".join(forward), names)
    asked = [name for name, value in names.items() if isinstance(value, torch.Tensor) and value.requires_grad]
    if isinstance(prediction, SavedNumbers):
        saved = {each.grad_fn.name(): each.grad_fn._saved_self.item() for each in map(names.get, "zy")}
        assert prediction.answer == pytest.approx(saved)
        return
    if isinstance(prediction, Kept):
        exec(backward, names)
        kept = {name: names[name].grad.item() if names[name].is_leaf else math.nan for name in prediction.answer}
        assert names["x"].is_leaf and not names["y"].retains_grad
        assert prediction.answer == pytest.approx(kept, nan_ok=True)
        return
    for name in asked:
        names[name].retain_grad()
    exec(backward, names)
    assert prediction.answer == {name: pytest.approx(names[name].grad.item()) for name in prediction.answer}
    assert sorted(prediction.answer) == sorted(asked) and f"{next(iter(prediction.answer))}.backward()" == backward


@fillings
def test_each_gradient_is_checked_with_its_reason_one_after_the_other(prediction):
    card, given = prediction.card(), []
    for label, _, reasons, right in prediction.fields():
        others = [value for value in reasons if value is not right and value != right]
        told = [(gradient_text(value), reasons[value]) for value in others]
        for text, reason in [*told, ("nothing", "is not a number")]:
            card.chosen = ";".join([*given, text])
            card.do_check()
            assert card.verdict["kind"] == ("wrong" if reason in reasons.values() else "none")
            assert reason in card.verdict["reason"] + card.verdict["heading"]
            assert [each for each, _ in card.verdict["done"]] == given
        given.append(gradient_text(right))
        card.chosen = ";".join(given)
        assert len(card.verdict.get("done", ())) == len(given) - 1, "nothing is judged before it is checked"
        card.do_check()
        assert card.verdict["done"][-1] == [given[-1], f"{label}: {reasons[right]}"]
    assert card.verdict["kind"] == "right"
    again = prediction.card()
    assert (again.chosen, again.verdict["kind"]) == (";".join(given), "right"), "what was answered before is shown"
    stored, answer = again.as_html().split("<details>")
    assert "data:image/svg" in stored and again.chosen in stored, "and so does what is stored, on the second day"
    again.do_reset()
    assert (again.chosen, again.verdict) == ("", {})
    again.chosen = ";".join(given)
    again.do_check()
    assert again.verdict["kind"] == "right"


@fillings
def test_who_does_not_know_a_gradient_is_shown_it_and_goes_on(prediction):
    card = prediction.card()
    for _ in prediction.answer:
        card.do_pass()
    assert card.verdict["kind"] == "right"
    assert card.chosen == ";".join(map(gradient_text, prediction.answer.values()))
    assert prediction.card().chosen == "", "what was shown is no answer"


ERROR = re.compile(r"\berror\b|\braises\b|\brefuse")
FORMS = {"first": lambda texts: texts[0], "second": lambda texts: texts[1], "last": lambda texts: texts[-1],
         "shortest": lambda texts: min(texts, key=len), "longest": lambda texts: max(texts, key=len)}  # fmt: skip


@functools.cache
def choice_cards():
    cards = [prediction.card() for prediction in PREDICTIONS if prediction.choices is not None]
    return [(list(card.choices), card.answer) for card in cards]


def guessed(texts, errors, reasons, form):
    """The choice of a guesser who wants (or avoids) errors, then texts with a reason, and falls back on a form."""
    left = texts
    for wanted, has in (errors, ERROR.search), (reasons, re.compile("[:;,] ").search):
        left = [text for text in left if wanted is None or bool(has(text)) == wanted] or left
    favourite = FORMS[form](texts if form in ("first", "second", "last") else left)
    return favourite if favourite in left else left[0]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("reasons", [None, True, False])
@pytest.mark.parametrize("errors", [None, True, False])
def test_who_knows_no_more_than_the_form_of_the_choices_is_seldom_right(errors, reasons, form):
    hits = [guessed(texts, errors, reasons, form) == answer for texts, answer in choice_cards()]
    assert sum(hits) <= 0.4 * len(hits)


def test_the_choices_stand_alike_for_everyone_and_otherwise_in_a_review():
    choosing = [prediction for prediction in PREDICTIONS if prediction.choices is not None]
    orders = [[list(prediction.card(turn).choices) for prediction in choosing] for turn in ("", "", "2026-01-01")]
    assert orders[0] == orders[1] and list(map(sorted, orders[0])) == list(map(sorted, orders[2]))
    assert sum(map(list.__eq__, orders[0], orders[2])) < len(choosing) / 2
