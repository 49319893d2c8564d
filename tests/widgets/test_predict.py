"""predict: cards explain their verdict, keep the outcome, and are readable without a kernel."""


import pytest

import autograd_nb
from autograd_nb.course import progress_file

pytestmark = pytest.mark.usefixtures("progress")
CHOICES = {"1.2": "Each backward adds its `0.6`.", "0.6": "That would replace.", "an error": "It needs a freed graph."}


def card(**changes):
    settings = {"question": "What does `x.grad` show?", "choices": CHOICES, "answer": "1.2"} | changes
    return autograd_nb.predict(**settings)


def test_the_outcome_is_kept_in_the_progress_under_its_name(progress):
    asked = card(name="ch04.p1")
    asked.do_check()
    assert not progress_file.folder().exists(), "nothing chosen is no answer"
    for chosen in ("an error", "1.2"):
        asked.chosen = chosen
        asked.do_check()
    entry = progress_file.read()["predictions"]["ch04.p1"]
    assert (entry["outcome"], entry["tries"]) == ("right", 2)


def test_without_a_name_the_question_gives_one(progress):
    for question in ("one?", "another?", "one?"):
        asked = card(question=question)
        asked.chosen = "1.2"
        asked.do_check()
    tries = sorted(entry["tries"] for entry in progress_file.read()["predictions"].values())
    assert tries == [1, 2]


@pytest.mark.parametrize("given, kind", [("0.6", "wrong"), ("1.2", "right")])
def test_a_new_card_shows_what_was_answered_before_and_may_be_answered_anew(given, kind):
    first = card()
    first.chosen = given
    first.do_check()
    again = card()
    assert (again.chosen, again.verdict["kind"], again.verdict["reason"]) == (given, kind, CHOICES[given])
    assert again.verdict["note"].startswith("This is what you answered before.")
    again.chosen = "an error"
    assert again.verdict == {}
    again.do_check()
    assert card().chosen == "an error" and "before" not in again.verdict["note"]


@pytest.mark.parametrize("content", ['{"version": 99}', "no json"])
def test_a_progress_that_cannot_be_read_hinders_no_card(progress, content, capsys):
    progress.write_text(content, encoding="utf-8")
    assert (card().chosen, card().verdict) == ("", {})


def test_a_progress_that_cannot_be_kept_is_told_and_stops_nothing(progress):
    progress.with_suffix("").write_text("no folder")
    asked = card()
    asked.chosen = "1.2"
    asked.do_check()
    assert asked.verdict["kind"] == "right" and "could not be saved" in asked.verdict["note"]


@pytest.mark.parametrize("changes, error, text", [
    ({"answer": "2"}, ValueError, "predict(): answer '2' is not among the choices: '1.2', '0.6', 'an error'"),
    ({"answer": 1j}, TypeError, "predict(): answer must be a text, a number or a shape, got complex"),
])  # fmt: skip
def test_bad_arguments_are_refused_by_name(changes, error, text):
    with pytest.raises(error) as raised:
        card(**changes)
    assert str(raised.value) == text


def test_without_a_kernel_the_question_and_a_folded_answer_can_be_read():
    bundle, _ = card(question="Is <b> & `x.grad` safe?")._repr_mimebundle_()
    page = bundle["text/html"]
    assert "Is &lt;b&gt; &amp; <code>x.grad</code> safe?" in page
    before, folded = page.split("<details>")
    assert "adds its" not in before and "<li>0.6</li>" in before
    assert "1.2: Each backward adds its <code>0.6</code>." in folded and "0.6: That would replace." in folded
    assert bundle["text/plain"].startswith("Predict: Is <b> & `x.grad` safe?\n  - 1.2\n  - 0.6\n")
