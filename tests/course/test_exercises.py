"""The exercises: a solution passes, a typical mistake gets its reason, an untouched cell counts as no attempt."""

import cProfile
import functools
import inspect
import json
import re
from collections import Counter
from fractions import Fraction
from types import SimpleNamespace

import answers
import house
import numpy as np
import pytest
import record_answers

import autograd_nb as torch
from autograd_nb import course, words
from autograd_nb.course.exercises import Question, chapters, running
from autograd_nb.course.exercises.kinds import same
from autograd_nb.course.overview import items

pytestmark = pytest.mark.usefixtures("progress")
QUESTIONS = [question for chapter in chapters() for question in items(chapter, Question).values()]
RECORDED = json.loads(record_answers.RECORDING.read_text(encoding="utf-8"))
WRONG = [(question, key) for question in QUESTIONS for key in question.wrong]


def name_of(value):
    return value.name if isinstance(value, Question) else value


@pytest.mark.parametrize("question", QUESTIONS, ids=name_of)
def test_the_solution_passes(question):
    outcome = question.check(question.right)
    assert outcome.kind == "right" and question.words["right"].strip() in outcome.text


@pytest.mark.parametrize(("question", "key"), WRONG, ids=name_of)
def test_a_typical_wrong_answer_is_told_its_own_reason(question, key):
    outcome = question.check(question.wrong[key])
    assert (outcome.kind, outcome.reason) == ("wrong", key)
    assert "$" not in outcome.text


@pytest.mark.parametrize("exercise", record_answers.exercises(), ids=lambda exercise: exercise.name)
def test_what_is_right_and_what_is_wrong_gives_what_it_did(exercise):
    name, found = exercise.name, record_answers.answers(exercise)
    _, verdicts = record_answers.changes({name: RECORDED.get(name, {"right": None, "wrong": {}})}, {name: found})
    assert verdicts == 0, house.anew("answers")


def test_an_answer_written_otherwise_has_another_form_and_another_value_has_another_verdict():
    before = {"q": {"right": 3.0, "wrong": {"right": 1.0, "gone": 2.0}}}
    now = {"q": {"right": 3, "wrong": {"right": 1.0 + 1e-9, "new": 2.0}}}
    assert record_answers.changes(before, now) == (1, 2)


ANSWERS = answers.answers()


@functools.cache
def judged(chapter):
    """``(answer, outcome, its sentence)`` of each answer to a chapter's exercises; a cure of 18 trains for seconds."""
    found = []
    for each in ANSWERS:
        if each.exercise.startswith(chapter):
            outcome = getattr(getattr(course, chapter), each.exercise.partition(".")[2]).judge(each.value)
            found.append((each, outcome, " ".join(outcome.paragraphs)))
    return found


@pytest.mark.parametrize("chapter", chapters())
def test_a_verdict_is_true_whatever_the_answer(chapter):
    """Answers as learners give them: the verdict, and the claims that its sentence must and must not make."""
    false = [f"{each.place}: {outcome.kind}, {said}" for each, outcome, said in judged(chapter)
             if outcome.kind != each.verdict or any(claim not in said for claim in each.says)
             or any(claim in said for claim in each.never) or INTERNAL.search(said)]  # fmt: skip
    assert false == []


INTERNAL = re.compile(
    r"\d\.\d{8}|autograd_nb\.course|np\.float|`_(?!saved_)[a-z]|`\(?(?:type\()?result\b[^`]*` is `| at 0x|Run the cells"
)  # a learner must see none of this


@pytest.mark.parametrize("chapter", chapters())
def test_a_sentence_is_the_same_each_time_and_no_note_says_what_did_not_happen(chapter):
    """The order of a set does not matter; "taken as" appears only if an answer was read as something else."""
    for each, _, said in judged(chapter):
        taken = re.search(r"\(Taken as `(.*?)`", said)
        assert not taken or taken[1] != each.code.strip(), (each.place, said)
        for written in re.findall(r"\{('.*?')\}", said):
            assert written.split(", ") == sorted(written.split(", ")) or ":" in written, (each.place, said)


def test_an_answer_does_not_see_the_tensors_of_the_notebook(monkeypatch):
    names = {"torch": torch, "x": torch.tensor(2.0), "h": 0.5}
    monkeypatch.setattr(running.kernel, "shell", lambda: SimpleNamespace(user_ns=names))
    exec("def reads(f, x_, h_):\n    return x", names)
    outcome = course.ch01.q2.check(names["reads"])
    assert "NameError: name 'x' is not defined" in outcome.text and names["x"].item() == 2.0
    exec("def slope(f, x, h):\n    return (f(x + h) - f(x - h)) / (2 * h)", names)
    assert course.ch01.q2.check(names["slope"])


def test_each_exercise_is_answered_in_ten_ways():
    given = Counter(each.exercise for each in ANSWERS)
    assert all(given[question.name] >= 10 for question in QUESTIONS)


@pytest.mark.parametrize("question", QUESTIONS, ids=name_of)
def test_nothing_is_missing_to_a_question(question):
    said = question.words
    assert len(question.wrong) >= 2 and question.wrong.keys() == said["wrong"].keys()
    assert said["title"] and said["right"] and said["why"] and len(said["hints"]) >= 2
    assert said.keys() == {"title", "right", "why", "hints", "wrong"}
    assert said["why"].strip() in question.solution().text
    assert f"course.{question.name}.check(" in question.cell()  # it can put the cell back


@pytest.mark.parametrize("chapter", chapters())
def test_every_question_ships_not_attempted(chapter):
    """In the stored notebook each check() of the chapter says "not attempted"."""
    checked = {}
    for cell, source in house.cells(house.chapter(chapter), "code"):
        for name in re.findall(r"course\.(ch\d\d\.q\d+)\.check\(", source):
            shown = "".join("".join(output["data"]["text/plain"]) for output in cell["outputs"])
            checked.setdefault(name, []).append(shown)
    assert sorted(checked) == sorted(each.name for each in QUESTIONS if each.name.startswith(chapter))
    assert all(len(shown) == 1 and shown[0].startswith(words.say("unattempted")) for shown in checked.values())


def test_a_stub_is_not_attempted():
    def only_dots(w, parts): ...

    def only_words(w, parts):
        """To do."""

    for answer in (..., only_dots, only_words, lambda w, parts: ...):
        assert course.ch04.q2.check(answer).kind == "unattempted"
    assert course.ch04.q2.check().kind == "unattempted"
    assert course.ch04.q2.check(lambda w, parts: 5).kind == "wrong"
    assert course.ch04.q2.check(lambda w, parts: w).kind == "wrong"


def test_a_bug_as_it_ships_is_not_attempted_and_any_change_is():
    question = course.ch04.q3
    assert question.check(question.ships).kind == "unattempted"

    def changed(w, steps):
        for _ in range(steps):
            loss = (w - 3) ** 2
            loss.backward()
            with torch.no_grad():
                w -= 0.2 * w.grad
        return w

    outcome = question.check(changed)
    assert outcome.kind == "wrong" and "it should give" in outcome.text


@pytest.mark.parametrize(("a", "b", "expected"), [
    (float("nan"), float("nan"), True), ([1, [2, 3]], ([1], 2), False), ("AddBackward0", "addbackward0 ", True),
    (None, None, True), (None, 0.0, False), (torch.tensor([True]), [True], True), (1e-9, 0.0, True), (1, 1.001, False)])
def test_sameness(a, b, expected):
    assert same(a, b) is expected


def of_all_libraries(live, value):
    """A value in PyTorch, in NumPy, in our library and in Python."""
    number = type(value) in (int, float)
    yield from (live.tensor(value), np.array(value), torch.tensor(value), np.ma.array(value))
    yield from (live.tensor(value, dtype=live.float64, requires_grad=True), np.array(value, "float32") + 0)
    if number:
        yield from (Fraction(value), [[value]], live.tensor([[value]]), [np.float32([value])])
        yield from map(repr, (live.tensor(value * 1.0, requires_grad=True) * 1, np.float64(value), np.array([value])))
    else:
        yield from ([live.tensor(each) for each in value], tuple(value))


VALUES = [each for each in QUESTIONS if type(each.right) in (int, float, list)]
LETTERS = [each for each in QUESTIONS if type(each.right) is set]


@pytest.mark.parametrize("question", VALUES, ids=name_of)
def test_a_right_answer_is_right_in_whatever_library(question, live):
    for answer in of_all_libraries(live, question.right):
        assert question.check(answer).kind == "right", answer


@pytest.mark.parametrize("question", LETTERS, ids=name_of)
def test_right_letters_are_right_however_they_are_kept(question):
    letters = sorted(question.right)
    for answer in (frozenset(letters), np.array(letters), dict.fromkeys(letters).keys(), " ".join(letters)):
        assert question.check(answer).kind == "right", answer


def test_what_an_answer_gives_in_another_library_is_told_from_what_it_should_give(live):
    def returns(question):
        def answer(*arguments):
            result = question.right(*arguments)
            return live.tensor(result.detach().numpy()) if isinstance(result, torch.Tensor) else result

        return answer

    told = [each.check(returns(each)).text for each in QUESTIONS if inspect.isfunction(each.right)]
    said = [re.findall(r"(?:is|gives) `(.+?)`.* should (?:be|give) `(.+?)`", each) for each in told]
    assert any(said) and [pair for pairs in said for pair in pairs if pair[0] == pair[1]] == []


def endless(w, parts):
    while True:
        pass


def endless_in_one_line(w, parts):
    return [number for number in iter(int, 1)]


@pytest.mark.parametrize("answer", [endless, endless_in_one_line])
def test_an_endless_loop_is_ended_and_shown(answer, monkeypatch):
    monkeypatch.setattr("autograd_nb.course.exercises.running.SECONDS", (60, 60))  # else a clock may end it first
    outcome = course.ch04.q2.check(answer)
    assert outcome.kind == "wrong" and "Stopped after 100,000 lines" in outcome.text, outcome.text
    line = int(re.search(r"line (\d+)", outcome.text)[1])
    code = answer.__code__
    assert code.co_firstlineno < line <= code.co_firstlineno + 5


def test_what_an_answer_prints_is_seen_once(capsys):
    course.ch04.q2.check(lambda w, parts: print("seen"))
    assert capsys.readouterr().out == "seen\n"  # only the first sample's; the others run silently


def test_a_check_can_be_profiled():
    def answer():
        return 3

    with cProfile.Profile() as profile:  # as %prun does
        course.ch00.q1.check(answer)
        answer()
    assert answer.__code__ in [entry.code for entry in profile.getstats()]


def test_hints_are_graded_and_the_last_one_leads_to_the_solution():
    question = course.ch04.q3
    hints = [question.hint(number) for number in (1, 2, 3)]
    assert [hint.heading for hint in hints] == ["Hint 1 of 3", "Hint 2 of 3", "Hint 3 of 3"]
    assert "another hint" in hints[0].text and "the solution" in hints[2].text
    question.cell()  # as shipped: the hints begin again
    assert [question.hint().heading for _ in range(4)] == [hint.heading for hint in (*hints, hints[2])]
    with pytest.raises(ValueError, match="hint\\(\\): got 4, expected a number from 1 to 3"):
        question.hint(4)


def test_a_wrong_answer_whose_mistake_is_not_known_gets_the_next_hint():
    question = course.ch01.q1
    for number, answer in ((1, 6), (2, 36)):
        outcome = question.check(answer)
        hint = question.words["hints"][number - 1].strip()
        assert outcome.paragraphs == [f"`{answer}` is not the answer.", f"Hint {number} of 2: {hint}"]
    assert "Hint" not in question.check(4).text + question.check("6x").text + question.check(-12).text
    question.cell()


def test_what_is_shown_reads_as_html_and_as_text():
    bundle = course.ch04.q1.check("<b>")._repr_mimebundle_()
    assert "&lt;b&gt;" in bundle["text/html"] and "<b>" in bundle["text/plain"]
    assert 'role="status"' in bundle["text/html"]


def test_nothing_of_the_course_loads_with_the_package():
    code = "import sys, autograd_nb.course; print([n for n in sys.modules if 'course.' in n])"
    assert house.run("-c", code) == "[]\n"


def test_a_chapter_that_is_not_there_is_named():
    with pytest.raises(AttributeError, match="no exercises in 'ch99': there are ch00, "):
        course.ch99  # noqa: B018
    with pytest.raises(AttributeError, match="has no attribute 'chapter4'"):
        course.chapter4  # noqa: B018
    assert {"ch00", "ch04", "progress"} <= set(dir(course))


def test_an_answer_of_ten_million_numbers_is_told_at_once():
    for huge in (torch.zeros(10**7), np.zeros((10, 10**6)), [[0.0] * 10**5, [0.0] * 10**5]):
        outcome = course.ch04.q1.check(huge)
        assert outcome.kind == "wrong" and "no answer needs more than 100,000" in outcome.text
