"""CONTRIBUTING.md and README.md keep their word: the example runs, the picture agrees with the imports."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

import autograd_nb
from autograd_nb import draw, step, why
from tests import release
from tests.test_architecture import IMPORTS, ORDER

ROOT = next(path for path in Path(__file__).resolve().parents if (path / "pyproject.toml").exists())
PACKAGE = ROOT / "autograd_nb"
GUIDE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
OPERATION, WIDGET = re.findall(r"^```python\n(.*?)^```", GUIDE, re.MULTILINE | re.DOTALL)
WORDS, _ = re.findall(r"^```toml\n(.*?)^```", GUIDE, re.MULTILINE | re.DOTALL)
(PICTURE,) = re.findall(r"^```text\n(.*?)^```", GUIDE, re.MULTILINE | re.DOTALL)
FLOORS = [re.split(r" {4,}", line)[0].split() for line in PICTURE.splitlines()]  # the highest first


def run(folder, *command):
    """A command's output, run on the package in *folder*."""
    ran = subprocess.run([sys.executable, *command], capture_output=True, text=True, cwd=folder,
                         env=os.environ | {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"})  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


CHECKED = """
import numpy as np
import autograd_nb as torch

x = torch.tensor([-2.0, 0.0, 0.5, 3.0], dtype=torch.float64, requires_grad=True)
assert np.allclose(x.asinh().detach().numpy(), np.arcsinh(x.detach().numpy()))
assert torch.autograd.gradcheck(torch.asinh, x) and torch.autograd.gradgradcheck(torch.asinh, x)
print(torch.asinh(torch.ones(1, requires_grad=True)), torch.asinh(torch.tensor([1, 2])))  # PyTorch prints the same
"""


def test_in_its_family_and_with_its_name_written_the_operation_is_there_for_users(tmp_path):
    """Follows the steps of the guide, in a copy of the package, unless somebody has followed them here."""
    assert 'unary("asinh"' in OPERATION
    (home,) = re.findall(r"`(autograd_nb/operations/\w+\.py)`", GUIDE)
    (writer,) = ROOT.glob("tests/**/write_contents.py")
    shutil.copytree(PACKAGE, tmp_path / "autograd_nb", ignore=shutil.ignore_patterns("__pycache__", "course"))
    copied = tmp_path / writer.relative_to(ROOT)
    copied.parent.mkdir(parents=True)
    shutil.copy(writer, copied)
    with open(tmp_path / home, "a+", encoding="utf-8") as file:
        file.seek(0)
        if '"asinh"' not in file.read():
            file.write(OPERATION)
    run(tmp_path, str(copied))
    shown = run(tmp_path, "-c", CHECKED)
    assert shown == "tensor([0.8814], grad_fn=<AsinhBackward0>) tensor([0.8814, 1.4436])\n"


USED = """
from autograd_nb import widgets

made = widgets.passes(5.0, count=2)
made.clear = True
print(made, made.as_code(), sep="\\n")
made.do_undo()
assert repr(made) == "Passes that add up. After 2 passes x.grad is 1.2." and made.as_svg().count("<circle") == 2
made.x = 0.0
assert made.problem == "" or "last good one" in made.problem
"""


def test_the_widget_of_the_guide_works(tmp_path):
    """Follows its three steps, in a copy of the package, unless somebody has followed them here."""
    shutil.copytree(PACKAGE, tmp_path / "autograd_nb", ignore=shutil.ignore_patterns("__pycache__", "course"))
    room = tmp_path / "autograd_nb" / "widgets"
    if not (room / "passes.py").exists():
        add_the_widget(room)
    printed = ["Passes that add up. After 2 passes x.grad is 0.6.", "autograd_nb.widgets.passes(count=2, clear=True)"]
    assert run(tmp_path, "-c", USED).splitlines() == printed


def add_the_widget(room):
    (room / "passes.py").write_text(WIDGET, encoding="utf-8")
    with open(room.parent / "words" / "en" / "widgets.toml", "a", encoding="utf-8") as file:
        file.write(f"\n{WORDS}")
    there = (room / "__init__.py").read_text(encoding="utf-8")
    passes = "    from .passes import passes\n    from .nudge"
    for old, new in (("    from .nudge", passes), ('"nudge"', '"nudge", "passes"')):
        assert old in there
        there = there.replace(old, new, 1)
    (room / "__init__.py").write_text(there, encoding="utf-8")


def test_every_folder_is_in_the_picture():
    there = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert sorted(name for floor in FLOORS for name in floor) == sorted(there)


def test_a_folder_imports_from_below_and_beside_only():
    height = {name: -place for place, floor in enumerate(FLOORS) for name in floor}
    folders = {(module.split(".")[1], name.split(".")[1]) for module, names in IMPORTS.items() if "." in module
               for name in names if "." in name}  # fmt: skip
    assert {pair for pair in folders if {*pair} <= height.keys() and height[pair[1]] > height[pair[0]]} == set()


def test_the_guide_lists_the_engine_in_its_order():
    listed = re.search(r"only earlier\nones: ([\w,\s]+)\.", GUIDE)[1]
    assert re.findall(r"\w+", listed) == ORDER


RECORDING = {"microscope/recorder", "microscope/register", "engine/call", "engine/events", "engine/backward"}


def comes_through(run):
    """``(result, files of the package whose functions it calls)``, in the order of the first calls."""
    found = {}

    def entered(frame, event, _):
        path = Path(frame.f_code.co_filename)
        if event == "call" and path.is_relative_to(PACKAGE):
            found.setdefault(path.relative_to(PACKAGE).with_suffix("").as_posix())

    before = sys.getprofile()
    sys.setprofile(entered)
    try:
        return run(), [*found]
    finally:
        sys.setprofile(before)


def test_a_program_comes_through_the_house_as_the_guide_says():
    x = autograd_nb.tensor(5.0, requires_grad=True)

    def record():
        with autograd_nb.record() as trace:
            (x**3).backward()
        return trace

    trace = record()
    runs = {"record()": record, "trace.text()": trace.text, "draw(trace).svg": lambda: draw(trace).svg,
            "step(trace).as_html()": lambda: step(trace).as_html(), "why(x, trace)": lambda: why(x, trace)}  # fmt: skip
    told = re.search(r"^A recording's way:.*?\n\n", GUIDE, re.MULTILINE | re.DOTALL)[0]
    rows = re.findall(r"`([^`]+?)`\s(?:comes\s)?through\s([^;.]+)", told)
    assert [way for way, _ in rows] == [*runs]
    for way, named in rows:
        trace.derived.clear()  # what an earlier way has worked out
        named, (_, files) = re.findall(r"`(.+?)`", named), comes_through(runs[way])
        assert named and [each for each in files if each in named] == named, (way, files)
        assert way == "record()" or RECORDING.isdisjoint(files), (way, files)


def test_every_file_that_the_guide_names_is_there():
    """Except files that the reader makes."""
    named = set(re.findall(r"\b(?:autograd_nb|tests|notebooks)/[\w/]+(?:\.\w+)?", GUIDE))
    made = re.compile(r"22_name|chNN|widgets/passes")
    assert sorted(name for name in named if not made.search(name) and not (ROOT / name).exists()) == []


def test_the_guide_fits_on_three_pages():
    lines = GUIDE.splitlines()
    assert len(lines) <= 220 and max(map(len, lines)) <= 120


def test_the_version_is_the_same_everywhere_and_the_newest_of_the_changelog():
    version = release.version_of(ROOT)
    heading = re.search("^## (.*)", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.M)[1]
    assert all(version in (ROOT / name).read_text("utf-8") for name in release.VERSIONED)
    assert heading == "Next" if version.endswith(".dev0") else heading.startswith(f"{version}, ")


def test_a_release_writes_its_version_and_opens_the_next(tmp_path):
    for name in (*release.VERSIONED, "CHANGELOG.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    before = (tmp_path / "CHANGELOG.md").read_text("utf-8").replace("## Next\n", "## 7.8.9, 2026-12-01\n", 1)
    release.write_version(tmp_path, "7.8.9")
    assert release.version_of(tmp_path) == "7.8.9" and release.following("7.8.9") == "7.9.0.dev0"
    release.write_heading(tmp_path, "## Next", "## 7.8.9, 2026-12-01")
    assert (tmp_path / "CHANGELOG.md").read_text("utf-8") == before
    with pytest.raises(ValueError, match="not '## Next'"):
        release.write_heading(tmp_path, "## Next", "## 8.0.0, 2026-12-01")
    for told in ("version: 1\n", "cff-version: 7.8.9\nversion: 7.8.9\n"):
        (tmp_path / "CITATION.cff").write_text(told)
        with pytest.raises(ValueError, match="CITATION.cff does not have the version 7.8.9 once"):
            release.write_version(tmp_path, "8.0.0")
    assert "8.0.0" not in (tmp_path / "pyproject.toml").read_text("utf-8")


def test_what_a_release_tries_is_there(tmp_path, monkeypatch):
    sdist, tried = tmp_path / "it.tar.gz", []
    (tmp_path / "it" / "autograd_nb").mkdir(parents=True)
    with tarfile.open(sdist, "w:gz") as archive:
        archive.add(tmp_path / "it", "it")
    monkeypatch.setattr(release, "environment", lambda folder, what: Path(sys.executable))
    monkeypatch.setattr(release, "run", lambda *command, **options: tried.append((*map(str, command),)))
    release.try_out("it.whl", sdist, tmp_path)
    asked = subprocess.check_output([*tried[0]], text=True)
    assert tried[0][-1] == "--help" and "--language" in asked
    assert len([each for each in tried if "execute" in each and Path(each[4]).is_file()]) == len(release.CHAPTERS)
    assert [each[3:] for each in tried if "autograd_nb.course.site" in each] == [
        ("html", str(tmp_path / "html")), ("lite", str(tmp_path / "lite"))]
    assert tried[-1][-1] == "tests/engine"
