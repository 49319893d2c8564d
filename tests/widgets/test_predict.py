"""predict: cards explain their verdict, keep the outcome, and are readable without a kernel."""


import pytest

import autograd_nb
from autograd_nb.course import progress_file

pytestmark = pytest.mark.usefixtures("progress")
CHOICES = {"1.2": "Each backward adds its `0.6`.", "0.6": "That would replace.", "an error": "It needs a freed graph."}


def card(**changes):
    settings = {"question": "What does `x.grad` show?", "choices": CHOICES, "answer": "1.2"} | changes
    return autograd_nb.predict(**settings)


def test_a_right_choice_is_told_why_and_a_wrong_one_what_it_would_have_meant():
    asked = card()
    asked.chosen = "0.6"
    asked.do_check()
    assert (asked.verdict["kind"], asked.verdict["reason"]) == ("wrong", "That would replace.")
    asked.chosen = "1.2"
    assert asked.verdict == {}, "another choice takes the verdict away"
    asked.do_check()
    assert (asked.verdict["kind"], asked.verdict["reason"]) == ("right", "Each backward adds its `0.6`.")


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


@pytest.mark.parametrize("text, kind", [
    ("1.2", "right"), (" 1.20004 ", "right"), ("tensor(1.2000)", "right"), ("12e-1", "right"),
    ("6/5", "right"), ("1,2", "right"), ("2·0.6", "right"), ('"1.2"', "right"), ("log(exp(1.2))", "right"),
    ("0.6", "wrong"), ("7", "wrong"), ("1/3", "wrong"), ("-1,2", "wrong"),
    ("", "none"), ("much", "none"), ("1/0", "none"), ("9**9**9**9", "none"), ("1, 2, 3", "none"), ("x", "none"),
])  # fmt: skip
def test_a_number_is_right_within_its_tolerance(text, kind):
    asked = card(choices={1.2: "added", 0.6: "replaced"}, answer=1.2)
    assert asked.judge(text)["kind"] == kind
    assert asked.judge("0.6")["reason"] == "replaced"


@pytest.mark.parametrize("text, reason", [
    ("-1.2", "The size of -1.2 is right, but its sign is wrong."), ("-7", "-7 is not the answer."),
    ("2.4", "2.4 is not the answer."), ("1.21", "1.21 is very close"), ("inf", "inf is not the answer"),
    ("0.6", "replaced")])  # fmt: skip
def test_a_wrong_number_is_told_in_what_way_it_is_wrong(text, reason):
    asked = card(choices={1.2: "added", 0.6: "replaced"}, answer=1.2)
    assert reason in asked.judge(text)["reason"]


@pytest.mark.parametrize("text, kind", [
    ("(2, 3)", "right"), ("2,3", "right"), ("[2, 3]", "right"), ("torch.Size([2, 3])", "right"), ("2 x 3", "right"),
    ("2×3", "right"),
    ("(3, 2)", "wrong"), ("()", "wrong"), ("6", "wrong"), ("two", "none"), ("2.5, 3", "none"), ("", "none"),
])  # fmt: skip
def test_a_shape_is_read_as_learners_write_it(text, kind):
    asked = card(choices={(2, 3): "rows, columns", (3, 2): "the other way", (): "a number"}, answer=(2, 3))
    assert asked.judge(text)["kind"] == kind


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


def test_its_line_makes_the_same_card():
    asked = card()
    assert repr(eval(asked.as_code())) == repr(asked)
