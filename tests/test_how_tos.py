"""CONTRIBUTING.md is complete: who follows its steps in a copy of the tree ends with tests that pass."""

import os
import re
import shlex
import shutil
import subprocess
import sys

import pytest
from house import ROOT

GUIDE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
NUMBER, NAME = re.search(r"notebooks/text/(\d\d)_(\w+)\.py", GUIDE).groups()
PATTERN = "10"  # a short chapter with cards and exercises


def commands(title):
    """The commands in a section of the guide, for the new chapter."""
    section = re.split(r"^## .*\n", GUIDE[GUIDE.index(f"## {title}\n"):], maxsplit=2, flags=re.MULTILINE)[1]
    return [shlex.split(each.replace("NN", NUMBER)) for each in re.findall(r"`((?:python -m|pytest) [^`]+)`", section)]


def follow(folder, command):
    start = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider"] if command[0] == "pytest" else [sys.executable]
    ran = subprocess.run([*start, *command[1:]], cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL,
                         env=os.environ | {"PYTHONPATH": str(folder)})  # fmt: skip
    assert ran.returncode == 0, ran.stdout[-5000:] + ran.stderr


def copy_of_pattern(folder, names):
    """Take the files of chapter 10, and call them the new chapter's."""
    for name in names:
        text = (folder / name.format(PATTERN)).read_text(encoding="utf-8")
        renamed = text.replace(f"ch{PATTERN}", f"ch{NUMBER}")
        (folder / name.format(NUMBER)).write_text(renamed, encoding="utf-8")


def copied(folder):
    """The tree in *folder*, without what tools have left in it."""
    skipped = shutil.ignore_patterns(".venv*", ".git", ".*_cache", ".hypothesis", "__pycache__")
    return shutil.copytree(ROOT, folder / "autograd_nb", ignore=skipped)


@pytest.mark.slow
def test_a_new_chapter_with_cards_and_exercises_passes_the_tests_that_the_guide_names(tmp_path):
    folder = copied(tmp_path)
    texts = folder / "notebooks" / "text"
    assert not [*texts.glob(f"{NUMBER}_*.py")], "the guide takes a number that no chapter has"

    # its text: another title, experiments that no other chapter has
    (pattern,), last = texts.glob(f"{PATTERN}_*.py"), sorted(texts.glob("[0-8]*.py"))[-1]
    title = re.search(rf"^# # {PATTERN} (.*)", text := pattern.read_text(encoding="utf-8"), re.MULTILINE)[1]
    text = re.sub(r'^(# %% tags=\[)"A\d+"(?:, )?', r"\1", text, flags=re.MULTILINE)
    text = text.replace(f"# # {PATTERN} {title}", f"# # {NUMBER} {title}, again").replace(f"ch{PATTERN}", f"ch{NUMBER}")
    (texts / f"{NUMBER}_{NAME}.py").write_text(text, encoding="utf-8")

    # its questions, their words, and answers to them
    copy_of_pattern(folder, ["autograd_nb/course/exercises/ch{}.py", "autograd_nb/words/en/ch{}.toml",
                             "tests/data/answers/ch{}.txt"])  # fmt: skip

    # the README, and the Next of the chapter before
    with (texts / last.name).open("a", encoding="utf-8") as file:
        file.write(f"#\n# [{NUMBER} {title}, again]({NUMBER}_{NAME}.ipynb): the same once more.\n")
    readme = folder / "README.md"
    lines = readme.read_text(encoding="utf-8").splitlines(keepends=True)
    (row,) = (at for at, line in enumerate(lines) if line.startswith("| [") and f"notebooks/{last.stem}" in line)
    lines.insert(row + 1, f"| [{NUMBER} {title}, again](notebooks/{NUMBER}_{NAME}.ipynb) | the same once more |\n")
    readme.write_text("".join(lines), encoding="utf-8")

    follow(folder, ["python", "-m", "autograd_nb.course.refresh", last.stem[:2]])
    chapter, questions = commands("Add a chapter"), commands("Add an exercise or a prediction")
    for command in sorted((*chapter, *questions), key=lambda command: command[0] == "pytest"):
        follow(folder, command)


PROGRAM = """
[[program]]
name = "an itemised vector"
family = "errors"
ask = [""]
setup = "x = torch.tensor([1.0, 2.0], requires_grad=True)"
run = "loss = (x * 2).item()"
says = ["has 2 elements", "loss = (x * 2).item()", ".mean()"]
"""


def test_a_new_row_of_why_answers_a_program_that_had_no_answer(tmp_path):
    folder = copied(tmp_path)
    _, row = re.findall(r"^```toml\n(.*?)^```", GUIDE, re.MULTILINE | re.DOTALL)
    with (folder / "tests" / "why" / "programs.toml").open("a", encoding="utf-8") as file:
        file.write(PROGRAM)
    ((_, *command),) = ([each.replace("WORD", "itemised") for each in line] for line in commands("Teach `why`"))
    with pytest.raises(AssertionError, match="2 failed"):
        follow(folder, ["pytest", *command])
    rows = folder / "autograd_nb" / "words" / "en" / "why.toml"
    head, first, others = rows.read_text(encoding="utf-8").partition("[[row]]")
    rows.write_text(f"{head}{row}\n{first}{others}", encoding="utf-8")
    follow(folder, ["pytest", *command])
