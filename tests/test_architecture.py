"""The architecture, read from the sources: which room imports which, and how large each may be."""

import ast
import functools
import re
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import house
import pytest
from reading import tokens

from autograd_nb.engine import table
from autograd_nb.torch_api import contents
from tests import sizes

PACKAGE = Path(__file__).parents[1] / "autograd_nb"
FILES = sorted(PACKAGE.rglob("*.py"))
ENGINE = sorted(PACKAGE.glob("engine/*.py"))
MODULES = {
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__"): path for path in FILES
}


@functools.cache
def tree_of(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def imported(module):
    """The modules of the package that *module* imports, at load and inside functions, each with its line."""
    path = MODULES[module]
    package = module.split(".") if path.stem == "__init__" else module.split(".")[:-1]
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node.lineno
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*base, *(node.module or "").split(".")]).strip(".")
            for alias in node.names:
                inner = f"{base}.{alias.name}"
                yield (inner if inner in MODULES else base), node.lineno


IMPORTS = {module: {name for name, _ in imported(module) if name in MODULES} for module in MODULES}


def test_the_linter_finds_nothing():
    """Its rules are in pyproject.toml, and in ruff.toml of the engine."""
    ran = subprocess.run([sys.executable, "-m", "ruff", "check", "--no-cache", PACKAGE.parent], capture_output=True)
    assert ran.returncode == 0, ran.stdout.decode()


def test_no_module_imports_itself_in_a_roundabout_way():
    TopologicalSorter({module: names - {module} for module, names in IMPORTS.items()}).prepare()  # it names a circle


EVERYTHING = """
import importlib, pkgutil, sys
import autograd_nb as torch

for module in pkgutil.walk_packages(torch.__path__, "autograd_nb."):
    if not module.name.endswith("__main__") and ".pytorch" not in module.name:  # which needs PyTorch
        importlib.import_module(module.name)
x = torch.tensor(2.0, requires_grad=True)
(torch.nn.functional.relu(x) ** 3).backward()
print(x.grad)
"""


def test_everything_loads_without_assertions_and_docstrings():
    assert house.run("-OO", "-c", EVERYTHING, cwd=PACKAGE.parent) == "tensor(12.)\n"


# The engine's files in the order in which the docstring of its ``__init__`` lists them
ORDER = re.findall(r"^(\w+)  +\S", ast.get_docstring(tree_of(PACKAGE / "engine" / "__init__.py")), re.MULTILINE)


def test_the_engine_lists_all_of_its_files():
    assert sorted([*ORDER, "__init__"]) == sorted(path.stem for path in ENGINE)


def test_a_file_of_the_engine_imports_only_what_was_read_before():
    faults = []
    for path in ENGINE:
        before = ORDER[: ORDER.index(path.stem)] if path.stem in ORDER else ORDER
        allowed = {f"autograd_nb.engine.{name}" for name in before}
        for name, line in imported(f"autograd_nb.engine.{path.stem}".removesuffix(".__init__")):
            outside = name.partition(".")[0]
            if name not in allowed and outside != "numpy" and outside not in sys.stdlib_module_names:
                faults.append(f"{path.name}:{line}: {name}")
    assert faults == []


def test_no_file_of_the_engine_asks_for_the_name_of_an_operation():
    """A rule for some operations is a field of their rows; code that runs an operation takes it from ``ops.sum``."""
    contents.load_table()
    faults = {}
    for path in ENGINE:
        named = {node.value for node in ast.walk(tree_of(path)) if isinstance(node, ast.Compare)
                 for node in ast.walk(node) if isinstance(node, ast.Constant)}  # fmt: skip
        sets = {each.value for node in ast.walk(tree_of(path)) if isinstance(node, ast.Set | ast.Tuple | ast.List)
                for each in node.elts if isinstance(each, ast.Constant)}  # fmt: skip
        faults[path.name] = (named | sets) & set(table.operations)
    assert {name: found for name, found in faults.items() if found} == {}


# -- what reading costs: lines could be packed, so tokens are counted; ruff bounds the complexity of functions ---------

# Each has at most five per cent of room above its size at the end of November 2026. The core, and the mechanism (all
# but what a course teaches), are counted over all languages.
MOST_TOKENS = {"engine": 23_100, "why": 20_400, "check": 2_640, "drawing": 21_700, "microscope": 39_900,
               "core": 115_300, "mechanism": 349_000}
CHECK = PACKAGE / "why" / "check.py"  # which runs programs, while the rest of `why` reads what is there


@pytest.mark.parametrize("what", MOST_TOKENS)
def test_there_is_not_much_more_to_read(what):
    why = [each for each in (PACKAGE / "why").rglob("*.py") if each != CHECK]
    rooms = {room: (PACKAGE / room).rglob("*.py") for room in ("drawing", "microscope")}
    files = {"engine": ENGINE, "check": [CHECK], "why": why} | rooms
    count = tokens(files[what]) if what in files else sizes.bounded(PACKAGE.parent)[what]
    assert count <= MOST_TOKENS[what], (
        f"the {what} has {count:,} tokens, and {MOST_TOKENS[what]:,} are allowed. `python -m tests.sizes` shows which "
        "rooms grew, `python -m tests.sizes ROOM` which files. Remove code that no reader would miss, or raise "
        "MOST_TOKENS here and say in CHANGELOG.md what the reader gets for it.")  # fmt: skip


SENTENCE = "A gradient adds up wherever a tensor is used."
WRITTEN = {"a.py": f'said = "{SENTENCE}"\nx = f(1, y)\n', "a.toml": f'said = "{SENTENCE}"\nx = ["f", 1, "y"]\n',
           "a.js": f'const said = "{SENTENCE}";\nx = f(1, y);\n', "a.css": f'a::after {{ content: "{SENTENCE}" }}'}


@pytest.mark.parametrize("name", WRITTEN)
def test_a_text_counts_the_same_in_each_language(name, tmp_path):
    (tmp_path / "autograd_nb").mkdir()
    (tmp_path / "autograd_nb" / name).write_text(WRITTEN[name], encoding="utf-8")
    ((count, text),) = sizes.sizes(tmp_path).values()
    assert text - len(SENTENCE.split()) in (0, 2) and 5 <= count <= 15  # TOML's "f" and "y" are texts
