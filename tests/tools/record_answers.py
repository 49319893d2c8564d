"""``python tests/tools/record_answers.py`` records the right and the wrong answers that code gives.

The answers of the other cards are literals, which the chapters' cells show (tests/data/shown).
"""

import json
from pathlib import Path

from autograd_nb import course
from autograd_nb.course.exercises import Question, chapters
from autograd_nb.course.exercises.filling import Filling
from autograd_nb.course.exercises.functions import AnswerRun
from autograd_nb.course.exercises.kinds import same

RECORDING = Path(__file__).parents[1] / "data" / "answers.json"


def exercises():
    found = [each for chapter in chapters() for each in vars(getattr(course, chapter)).values()]
    return [each for each in found if isinstance(each, Filling | Question)]


def answers(exercise):
    """``{"right": …, "wrong": {key: …}}``: values, or a function's results for each sample of a check.

    "right" is None if a rule judges what a function does.
    """
    if isinstance(exercise, Filling):
        return {"right": plain(exercise.answer), "wrong": {}}
    wrong = {key: result(exercise, answer) for key, answer in exercise.wrong.items() if judged(exercise, answer)}
    return {"right": result(exercise, exercise.right) if judged(exercise, exercise.right) else None, "wrong": wrong}


def judged(exercise, answer):
    return exercise.samples is not None or not callable(answer)


def result(exercise, answer):
    if exercise.samples is None:
        return plain(answer)
    return [plain(exercise.kind.run(answer, sample)) for sample in exercise.kind.samples()]


def plain(value):
    """A value in JSON's types; an error by its class."""
    if isinstance(value, AnswerRun):
        value = value.value if value.error is None else type(value.error.error)
    if isinstance(value, dict):
        value = list(value.values())
    if hasattr(value, "tolist") and not isinstance(value, type):
        value = value.tolist()
    if isinstance(value, set):
        value = sorted(value)
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, float):
        return float(f"{value:.8g}")  # further digits depend on the processor
    return value if value is None or isinstance(value, bool | int) else getattr(value, "__name__", str(value))


def each(recorded):
    """``{(exercise, key of a wrong answer or None): answer}``"""
    right = {(name, None): found["right"] for name, found in recorded.items()}
    return right | {(name, key): value for name, found in recorded.items() for key, value in found["wrong"].items()}


def changes(before, now):
    """(how many answers have another form, how many another verdict) between two recordings.

    Another form is another way to write the same value, such as 3 for 3.0. Last digits are no change.
    """
    old, new = each(before), each(now)
    both = old.keys() & new.keys()
    agree = [place for place in both if same(new[place], old[place])]
    forms = [place for place in agree if rounded(new[place]) != rounded(old[place])]
    return len(forms), len(old | new) - len(agree)


def rounded(value):
    """A value as text, with six digits of its numbers."""
    return json.dumps(json.loads(json.dumps(value), parse_float=lambda number: f"{float(number):.6g} "))


if __name__ == "__main__":
    before, kept = json.loads(RECORDING.read_text(encoding="utf-8")), {}
    now = {exercise.name: answers(exercise) for exercise in exercises()}
    for name, found in now.items():
        as_before = name in before and changes({name: before[name]}, {name: found}) == (0, 0)
        kept[name] = before[name] if as_before else found
    lines = [f'"{name}": {json.dumps(found, ensure_ascii=False)}' for name, found in kept.items()]
    RECORDING.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    print("{} answers changed their form, {} their verdict".format(*changes(before, now)))
