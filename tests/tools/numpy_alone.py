"""Runs a program with NumPy alone: Python without its installed packages, NumPy and one copy of ours beside it."""

import subprocess
import sys
from pathlib import Path

import numpy
from house import link


def run(program, package, folder):
    """The output of *program*, with the autograd_nb in the folder *package*; *folder* is empty."""
    for part in Path(numpy.__file__).parents[1].glob("numpy*"):
        link(folder / part.name, part)
    start = f"import sys; sys.path += {[str(package), str(folder)]}\n"
    command = [sys.executable, "-I", "-S", "-c", start + program]
    ran = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout
