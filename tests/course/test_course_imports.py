"""The course's modules stand on one another in one order: no circle of imports, not even of those made late."""

import ast
import graphlib
from pathlib import Path

import autograd_nb
from autograd_nb.course.exercises import chapters

PACKAGE = Path(autograd_nb.__file__).parent
FILES = {".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__"): path
         for folder in ("course", "widgets") for path in PACKAGE.glob(f"{folder}/**/*.py")
         if "experiments" not in path.parts}  # fmt: skip


def imported(name, path):
    """The modules of FILES that a module imports, wherever in it; a package that is only passed through is none."""
    package = name if path.stem == "__init__" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            above = package.rsplit(".", node.level - 1)[0] if node.level > 1 else package
            base = f"{above}.{node.module}" if node.module else above
            for alias in node.names:
                found = f"{base}.{alias.name}"
                yield found if found in FILES else base


def test_no_circle():
    graph = {name: set(imported(name, path)) & FILES.keys() - {name} for name, path in FILES.items()}
    order = list(graphlib.TopologicalSorter(graph).static_order())
    assert order.index("autograd_nb.course.progress_file") < order.index("autograd_nb.course.exercises.question")
    assert order.index("autograd_nb.widgets.cards") < order.index("autograd_nb.course.predicting")


def test_what_keeps_the_progress_knows_no_exercise():
    assert set(imported("autograd_nb.course.progress_file", FILES["autograd_nb.course.progress_file"])) == {
        "autograd_nb.course.words", "autograd_nb.course.launcher"}


def test_a_chapter_knows_the_engine_and_what_exercises_are_made_of():
    for chapter in chapters():
        known = set(imported(f"autograd_nb.course.exercises.{chapter}", PACKAGE / f"course/exercises/{chapter}.py"))
        assert {name.rpartition(".")[2] for name in known} <= {"prediction", "question", "running"}, chapter
