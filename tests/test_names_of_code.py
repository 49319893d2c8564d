"""One name means one thing, and says what the thing is."""

import ast
from collections import defaultdict
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "autograd_nb"
# Programs of sources and of learners stand alone: two may give their class the same name, such as MyPow.
PROGRAMS = ("course/experiments/", "course/exercises/ch")
MODULES = {
    name: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(PACKAGE.rglob("*.py"))
    if not (name := path.relative_to(PACKAGE).as_posix()).startswith(PROGRAMS)
}  # fmt: skip
# They say of a function neither what it does nor what it returns.
EMPTY = {"told", "written", "called", "changed", "unchanged", "chosen", "place", "each", "found", "known", "kept",
         "held", "here"}  # fmt: skip


def test_no_two_classes_of_the_package_have_one_name():
    homes = defaultdict(list)
    for home, tree in MODULES.items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                homes[node.name].append(home)
    assert {name: found for name, found in homes.items() if len(found) > 1} == {}


def test_a_function_is_named_after_what_it_does_or_returns():
    named = {home: {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
             for home, tree in MODULES.items()}  # fmt: skip
    assert {home: found for home, names in named.items() if (found := EMPTY & names)} == {}
