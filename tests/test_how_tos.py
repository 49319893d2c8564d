"""CONTRIBUTING.md is complete: a script that follows its steps in a copy of the tree ends with tests that pass."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from importlib.util import find_spec

import pytest
from house import LEAN, ROOT

GUIDE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
NUMBER, NAME = re.search(r"notebooks/text/(\d\d)_(\w+)\.py", GUIDE).groups()
BYTECODE = {"PYTHONDONTWRITEBYTECODE": ""}  # which says: write it
PATTERN = "10"  # a short chapter with cards and exercises


def commands(title):
    """The commands in a section of the guide."""
    section = re.split(r"^## .*\n", GUIDE[GUIDE.index(f"## {title}\n"):], maxsplit=2, flags=re.MULTILINE)[1]
    return [shlex.split(each) for each in re.findall(r"`((?:python|pytest) [^`]+)`", section)]


def follow(folder, command, **words):
    """Run a command of the guide, with *words* in place of its own; returns its output."""
    for word, other in words.items():
        command = [each.replace(word, other) for each in command]
    start = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider"] if command[0] == "pytest" else [sys.executable]
    ran = subprocess.run([*start, *command[1:]], cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL,
                         env=os.environ | {"PYTHONPATH": os.pathsep.join([str(folder), LEAN]), **BYTECODE})  # fmt: skip
    assert ran.returncode == 0, ran.stdout[-5000:] + ran.stderr
    return ran.stdout


def copy_of_pattern(folder, names):
    """Take the files of chapter 10, and call them the new chapter's."""
    for name in names:
        text = (folder / name.format(PATTERN)).read_text(encoding="utf-8")
        renamed = text.replace(f"ch{PATTERN}", f"ch{NUMBER}")
        (folder / name.format(NUMBER)).write_text(renamed, encoding="utf-8")


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("guide")


@pytest.fixture
def folder(place):
    """A copy of the tree, with what Python compiled of it; what it compiles for one test serves the next."""
    skipped = shutil.ignore_patterns(".venv*", ".git", ".*_cache", ".hypothesis", "*.pyc.*")
    yield shutil.copytree(ROOT, place / "autograd_nb", ignore=skipped, dirs_exist_ok=True)
    for path in (place / "autograd_nb").rglob("*"):
        if path.is_file() and path.parent.name != "__pycache__":
            path.unlink()


@pytest.mark.needs("nightly")
def test_a_new_chapter_with_cards_and_exercises_passes_the_tests_that_the_guide_names(folder):
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
                             "tests/data/answers/ch{}.txt", "tests/data/shown/ch{}.toml"])  # fmt: skip

    # the README, and the Next of the chapter before
    with (texts / last.name).open("a", encoding="utf-8") as file:
        file.write(f"#\n# [{NUMBER} {title}, again]({NUMBER}_{NAME}.ipynb): the same once more.\n")
    readme = folder / "README.md"
    lines = readme.read_text(encoding="utf-8").splitlines(keepends=True)
    (row,) = (at for at, line in enumerate(lines) if line.startswith("| [") and f"notebooks/{last.stem}" in line)
    lines.insert(row + 1, f"| [{NUMBER} {title}, again](notebooks/{NUMBER}_{NAME}.ipynb) | the same once more |\n")
    readme.write_text("".join(lines), encoding="utf-8")

    follow(folder, ["python", "-m", "tests.refresh", last.stem[:2]])
    both = [*commands("Add a chapter"), *commands("Add an exercise or a prediction")]
    steps = {tuple(each.replace("NN", NUMBER) for each in command): None for command in both}  # each of them once
    for command in sorted(steps, key=lambda command: command[0] == "pytest"):
        follow(folder, command)


def test_a_sentence_changed_is_shown_and_its_translation_is_fuzzy(folder):
    file, old, new = folder / "autograd_nb" / "words" / "en" / "ch00.toml", "That is x itself.", "That is just x."
    file.write_text(file.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    everything, *steps = commands("Change a sentence")
    assert everything == ["python", "-m", "tests.write"]  # the guide's shorter way is followed here
    for command in steps:
        follow(folder, command, NAME="ch00", NN="00")
    assert new in (folder / "notebooks" / "00_welcome.ipynb").read_text(encoding="utf-8")
    korean = (folder / "autograd_nb" / "words" / "ko.po").read_text(encoding="utf-8")
    assert f'#, fuzzy\n#| msgid "{old}"\nmsgctxt "ch00.p2.wrong.point"\nmsgid "{new}"\nmsgstr "그것은 x' in korean


def test_a_language_is_one_file(folder):
    begin, *tests = commands("Translate")
    follow(folder, begin, NEW="eo")
    catalogue, count = folder / "autograd_nb" / "words" / "eo.po", 0
    text = catalogue.read_text(encoding="utf-8")
    for key in re.findall(r'^msgctxt "ch00\.q.*\nmsgid "([^"{`]+)"\nmsgstr ""$', text, re.MULTILINE)[:10]:
        text, count = text.replace(f'msgid "{key}"\nmsgstr ""', f'msgid "{key}"\nmsgstr "Jen: {key}"'), count + 1
    catalogue.write_text(text, encoding="utf-8")
    for command in tests:
        assert f"eo: {count} of " in follow(folder, command, NEW="eo") and count == 10
    speak = "import os; os.environ['AUTOGRAD_NB_LANGUAGE'] = 'eo'; from autograd_nb import course"
    assert "Jen: " in follow(folder, ["python", "-c", f"{speak}; print(course.ch00.q1.hint())"])


@pytest.mark.needs("nightly", "Chromium")
def test_a_front_end_that_the_guide_adds_is_operated(folder):
    (line,) = re.findall(r'^    ("(\w+)": lambda folder: .*\n)', GUIDE, re.MULTILINE)
    file = folder / "tests" / "tools" / "front_ends.py"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("FRONT_ENDS = {\n", f"FRONT_ENDS = {{\n    {line[0]}"), encoding="utf-8")
    (command,) = commands("Try a front end")
    assert "3 widgets operated, 0 page errors" in follow(folder, command, jupyterlab=line[1])


PROGRAM = """
[[program]]
name = "an itemised vector"
family = "errors"
ask = [""]
setup = "x = torch.tensor([1.0, 2.0], requires_grad=True)"
run = "loss = (x * 2).item()"
says = ["has 2 elements", "loss = (x * 2).item()", ".mean()"]
"""


def test_a_new_row_of_why_answers_a_program_that_had_no_answer(folder):
    _, row = re.findall(r"^```toml\n(.*?)^```", GUIDE, re.MULTILINE | re.DOTALL)
    with (folder / "tests" / "why" / "programs.toml").open("a", encoding="utf-8") as file:
        file.write(PROGRAM)
    (command,) = commands("Teach `why`")
    libraries = [each for each in ("autograd_nb", "torch") if find_spec(each)]  # where the command runs the program
    with pytest.raises(AssertionError, match=f"= {len(libraries)} failed, "):
        follow(folder, command, WORD="itemised")
    rows = folder / "autograd_nb" / "words" / "en" / "why.toml"
    head, table, errors = rows.read_text(encoding="utf-8").partition("[error]\n")
    rows.write_text(f"{head}{table}{row}{errors}", encoding="utf-8")
    follow(folder, command, WORD="itemised")
