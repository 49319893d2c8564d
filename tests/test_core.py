"""The core stands alone: its folders in an empty place, beside NumPy and nothing else, pass their own tests there.

The core is what computes and differentiates. Its tests need only pytest, Hypothesis and tests/tools; those that look at
the whole house, or compare with live PyTorch, stay here.
"""

import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from house import ROOT, link

from tests import sizes

FOLDERS = [*(room for room in sizes.CORE if room != "(top)"), "words"]
FILES = "__init__.py", "as_torch.py", "py.typed"
TOOLS = """numpy pytest _pytest py pluggy iniconfig packaging pygments hypothesis _hypothesis_globals sortedcontainers
    attr attrs""".split()
ELSEWHERE = {  # what looks at the whole house
    "test_printed_table.py", "test_stubs.py", "test_support.py", "test_numpy_alone.py", "test_contents.py",
    "test_names.py", "test_torchviz.py",
}  # fmt: skip
CONFTEST = """
import pytest

LIVE = {"torch", "live", "progress"}


def pytest_addoption(parser):
    parser.addoption("--edges", action="store_true")


def pytest_collection_modifyitems(items):
    items[:] = [item for item in items if not LIVE & {*item.fixturenames, *map(str, values(item))}]


def values(item):
    return item.callspec.params.values() if hasattr(item, "callspec") else ()


@pytest.fixture
def without_torch():
    pass
"""
RUN = """
import sys

sys.path = [*{paths}, *(path for path in sys.path if "site-packages" not in path)]
import pytest

sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", *{tests}]))
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("core")
    unwanted = shutil.ignore_patterns("__pycache__", *ELSEWHERE)
    for room in FOLDERS:
        shutil.copytree(ROOT / "autograd_nb" / room, folder / "autograd_nb" / room, ignore=unwanted)
        if (tests := ROOT / "tests" / room).is_dir():
            shutil.copytree(tests, folder / "tests" / room, ignore=unwanted)
    for name in FILES:
        shutil.copy(ROOT / "autograd_nb" / name, folder / "autograd_nb" / name)
    for name in ("tools", "behaviours", "data"):
        shutil.copytree(ROOT / "tests" / name, folder / "tests" / name, ignore=unwanted)
    shutil.copy(ROOT / "tests" / "__init__.py", folder / "tests")
    (folder / "conftest.py").write_text(CONFTEST, encoding="utf-8")
    (folder / "pytest.ini").write_text("[pytest]\npythonpath = tests/tools\n", encoding="utf-8")
    (folder / "installed").mkdir()
    for name in TOOLS:
        if spec := importlib.util.find_spec(name):
            there = Path(spec.origin).parent if spec.submodule_search_locations else Path(spec.origin)
            link(folder / "installed" / there.name, there)
            for beside in there.parent.glob(f"{name}.libs"):
                link(folder / "installed" / beside.name, beside)
    return folder


def run(place, program):
    return subprocess.run([sys.executable, "-S", "-c", program], cwd=place, capture_output=True, text=True)


@pytest.mark.slow
def test_the_core_passes_its_tests_alone(place):
    rooms = [f"tests/{room}" for room in FOLDERS if (place / "tests" / room).is_dir() and room != "operations"]
    ran = run(place, RUN.format(paths=[str(place / "installed"), str(place)], tests=rooms))
    assert ran.returncode == 0, ran.stdout[-8000:] + ran.stderr
    assert int(re.search(r"(\d+) passed", ran.stdout)[1]) > 1000


ALONE = """
import sys

sys.path = [*{paths}, *(path for path in sys.path if "site-packages" not in path)]
import autograd_nb as torch

exec("from autograd_nb import *", {{}})
assert not any(hasattr(torch, name) for name in ("step", "draw", "why", "record", "widgets", "course"))
x = torch.tensor(2.0, requires_grad=True)
torch.log(x**3).backward()
model = torch.nn.Linear(1, 1)
model(torch.ones(1)).backward()
torch.optim.Adam(model.parameters()).step()
try:
    torch.nn.PixelShuffle(2)
except NotImplementedError as error:
    print(error)
others = {{"IPython", "anywidget", "matplotlib", "traitlets"}}
print(x.grad, *sorted(others & {{name.partition(".")[0] for name in sys.modules}}))
"""


def test_the_core_has_the_names_of_its_rooms_and_needs_numpy_alone(place):
    ran = run(place, ALONE.format(paths=[str(place / "installed"), str(place)]))
    told = "torch.nn.PixelShuffle is not part of autograd_nb, which has what programs about gradients use"
    assert (ran.stdout, ran.stderr) == (f"{told}\ntensor(1.5000)\n", "")


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "docs/support.md"])
def test_the_pages_say_what_the_core_is(page, place):
    files = len([*(place / "autograd_nb").rglob("*.py")])
    text = " ".join((ROOT / page).read_text(encoding="utf-8").split())
    said = re.search(r"core[^.]*?(\d+) files[^.]*NumPy alone", text)
    assert said and abs(int(said[1]) - files) <= 2, f"it has {files} files"
