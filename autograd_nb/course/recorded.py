"""The experiments of the course: small PyTorch programs, and what PyTorch printed when it ran them.

A program is a file in `experiments/`; the module that stands for torch in its import lines is the only thing that
changes between a run on PyTorch and one on this engine. `recorded.json`, written by tests/tools/record_experiments.py,
holds a run on PyTorch of each program, so that notebooks can show and tests can compare it without PyTorch.
"""

import functools
import json
import re
import sys
from html import escape
from pathlib import Path

from .. import words

PROGRAMS = Path(__file__).parent / "experiments"
RECORDING = Path(__file__).parent / "recorded.json"


def names():
    """The names of all experiments, in order: 'A00', 'A00b', … 'F21'."""
    return sorted(path.stem for path in PROGRAMS.glob("*.py"))


def find(name):
    """The full name of an experiment: 'A9' is 'A09'. ValueError for one that is not there."""
    full = re.sub(r"^([A-Z])(?=\d(?!\d))", r"\g<1>0", name[:1].upper() + name[1:])
    if full not in names():
        raise ValueError(f"no experiment {name!r}: there are {', '.join(names())}")
    return full


def source(name, module="torch"):
    """The text of a program, with `module` in the place of torch in its import lines."""
    text = (PROGRAMS / f"{find(name)}.py").read_text(encoding="utf-8")
    if module == "torch":
        return text
    text = re.sub(r"^import torch$", f"import {module} as torch", text, flags=re.MULTILINE)
    return re.sub(r"^(import|from) torch\b", rf"\1 {module}", text, flags=re.MULTILINE)


def recording(name):
    return {key: value for key, value in file_content()["programs"][find(name)].items() if key != "sha256"}


@functools.cache
def file_content():
    return json.loads(RECORDING.read_text(encoding="utf-8"))


def in_pytorch(name):
    """Print what PyTorch 2.13 prints for an experiment: its text, its warnings, and the error that ends it.

    In a notebook its program stands folded above. ValueError for an experiment that is not there.

    >>> in_pytorch("A1")
    tensor(5.)
    tensor(125.)
    tensor(4.8283)
    """
    result = recording(name)
    if "IPython" in sys.modules and sys.modules["IPython"].get_ipython():
        heading = words.say("in_pytorch", version=file_content()["torch"])
        if rows := re.findall(r"^info\((.+)\)$", source(name), re.MULTILINE):
            heading += words.say("info_rows", names=rows[0])
        shown = f"<details><summary>{escape(heading)}</summary><pre>{escape(source(name))}</pre></details>"
        sys.modules["IPython"].display.display({"text/html": shown, "text/plain": heading}, raw=True)
    for part in result["output"]:
        told = part if isinstance(part, str) else f"{find(name)}.py:{part['line']}: {part['warning']}: {part['text']}\n"
        print(told, end="")
    if result["error"]:
        print(f"{result['error']['type']}: {result['error']['text']}")
