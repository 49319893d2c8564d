"""``python tests/tools/record_answers.py`` records the right and the wrong answers of each exercise."""

import json
from pathlib import Path

import numpy as np

from autograd_nb import course
from autograd_nb.course.exercises import Prediction, Question, chapters
from autograd_nb.course.exercises.question import AnswerRun, same

RECORDING = Path(__file__).parents[1] / "data" / "answers.json"


def exercises():
    found = [each for chapter in chapters() for each in vars(getattr(course, chapter)).values()]
    return [each for each in found if isinstance(each, Prediction | Question)]


def answers(exercise):
    """The right answer and the others: a value, or a function's result for each sample of a check."""
    if isinstance(exercise, Prediction):
        others = exercise.choices if isinstance(exercise.choices, dict) else exercise.wrong or {}
        return {"right": plain(exercise.answer)} | {key: plain(value) for key, value in others.items()}
    given = {"right": exercise.right, **exercise.wrong}
    if exercise.samples is None:  # a rule judges no value
        return {key: plain(value) for key, value in given.items() if not callable(value)}
    return {key: [plain(exercise.run(function, sample)) for sample in exercise.samples(np.random.default_rng(2013))]
            for key, function in given.items()}  # fmt: skip


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
    return value if value is None or isinstance(value, bool | int | float) else getattr(value, "__name__", str(value))


def agree(found, recorded):
    """Whether an exercise's answers equal the recorded ones, except in last digits."""
    return found.keys() == (recorded or {}).keys() and all(same(found[key], recorded[key]) for key in found)


if __name__ == "__main__":
    before = json.loads(RECORDING.read_text(encoding="utf-8"))
    now = {each.name: answers(each) for each in exercises()}
    kept = {name: before.get(name, found) if agree(found, before.get(name)) else found for name, found in now.items()}
    lines = [f'"{name}": {json.dumps(found, ensure_ascii=False)}' for name, found in kept.items()]
    RECORDING.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
