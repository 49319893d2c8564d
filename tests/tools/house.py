"""Shared by tests: the root of the project, its stored notebooks, and programs in new processes."""

import json
import linecache
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = ROOT / "notebooks"
# PYTHONPATH of kernels that start quickly; JupyterLab sometimes fails if a kernel has no debugger
LEAN = os.pathsep.join(filter(None, (str(ROOT / "tests" / "tools" / "lean"), os.environ.get("PYTHONPATH"))))


def chapter(number):
    """The file of a chapter, by its number or the name of its exercises."""
    (path,) = NOTEBOOKS.glob(f"{number.removeprefix('ch')}_*.ipynb")
    return path


def cells(path, kind=None):
    """(cell, its source) of a notebook's cells, those of one kind or all."""
    content = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [(cell, "".join(cell["source"])) for cell in content if kind in (None, cell["cell_type"])]


def python_of(environment):
    return environment / ("Scripts" if os.name == "nt" else "bin") / "python"


def link(path, target):
    """A link, or a copy where the system allows no link."""
    try:
        path.symlink_to(target)
    except OSError:
        (shutil.copytree if target.is_dir() else shutil.copy)(target, path)


def compiled(text, file, mode="exec"):
    """The code of a text, of which messages quote lines as if it stood in a file."""
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    return compile(text, file, mode)


def anew(what):
    """A test's message if a result is not the stored one; *what* is a step of `tests/write.py`."""
    return f"if you wanted this change: python -m tests.write {what}, then look at git diff"


def run(*command, **options):
    """The output of Python, run with these arguments."""
    ran = subprocess.run([sys.executable, *command], capture_output=True, text=True, **options)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout
