"""Reviews: which questions are asked, in which order they come back, and that each stands beside its subject."""

import ast
import contextlib
import datetime
import io
import warnings

import pytest

import autograd_nb
from autograd_nb import course
from autograd_nb.course import library, overview, progress_file
from autograd_nb.course.exercises import Prediction, chapters
from autograd_nb.course.overview import items

pytestmark = pytest.mark.usefixtures("progress")
NAMES = [name for chapter in ("ch01", "ch02", "ch03") for name in items(chapter, Prediction)]


def in_days(days):
    return datetime.datetime.now(datetime.UTC) + datetime.timedelta(days=days)


def test_where_nothing_was_predicted_there_is_nothing_to_review():
    assert course.review().names == [] and "nothing to review yet" in course.review().text


def test_ten_questions_mixed_from_the_chapters_that_were_begun():
    for chapter in ("ch01", "ch02", "ch03"):
        progress_file.predicted(f"{chapter}.p1", "right", "1")
    names = course.review(in_days(1)).names
    assert len(names) == len(set(names)) == 10 and set(names) <= set(NAMES)
    assert len({name[:4] for name in names}) == 3 and names != sorted(names)
    assert course.review(in_days(1)).names == names != course.review(in_days(2)).names


def test_what_went_wrong_comes_back_first_and_days_later():
    for name in NAMES:
        progress_file.predicted(name, "right", "1")
    for name in ("ch02.p1", "ch03.p2"):
        progress_file.predicted(name, "wrong", "1")
    progress_file.predicted("ch01.p2", "unknown", "")
    assert set(course.review(in_days(3)).names[:3]) == {"ch02.p1", "ch03.p2", "ch01.p2"}
    cards = dict(zip(course.review(in_days(3)).names, course.review(in_days(3)).cards(), strict=True))
    card = cards["ch02.p1"]
    assert card.verdict == {} and card.chosen == ""
    card.chosen = str(card.answer)
    card.do_check()
    cards["ch03.p2"].do_pass()
    kept = progress_file.read()
    assert kept["reviews"]["ch02.p1"]["last"] == "right" and kept["reviews"]["ch03.p2"]["last"] == "wrong"
    assert kept["predictions"]["ch02.p1"]["last"] == "wrong", "a review is no prediction"
    assert set(course.review(in_days(3)).names[:2]) == {"ch03.p2", "ch01.p2"}
    assert "ch02.p1" not in course.review(in_days(9)).names[:2]


@pytest.mark.parametrize("name", [name for chapter in chapters() for name in items(chapter, Prediction)])
def test_a_question_stands_with_the_code_that_it_is_about_and_with_all_that_this_needs(name, tmp_path, monkeypatch):
    about = overview.context(name)
    after = about["code"].partition("# and then:")[2]
    assert about["title"][:2] == name[2:4] and after.strip() and not library.CARD.search(about["code"])
    monkeypatch.chdir(tmp_path)
    names = {"torch": autograd_nb, "course": course, "get_ipython": lambda: None}
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings(action="ignore"):
        for statement in ast.parse(about["code"]).body:
            try:
                exec(compile(ast.Module([statement], []), "cell", "exec"), names)
            except NameError:
                raise
            except Exception:  # cells that should fail
                pass


def test_a_question_stands_without_the_code_beside_it():
    assert "weight" not in overview.context("ch05.p3")["code"] and "x = torch" in overview.context("ch02.p3")["code"]


def test_a_question_about_one_class_comes_with_that_class_alone():
    """A method that uses ctx changes nothing in the cells outside."""
    code = overview.context("ch08.p5")["code"]
    assert code.count("class ") == 1 and "class Multiply" in code
