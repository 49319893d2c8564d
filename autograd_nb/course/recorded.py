"""The experiments of the course: small PyTorch programs, and what PyTorch printed when it ran them.

A program is a file in `experiments/`; the module that stands for torch in its import lines is the only thing that
changes between a run on PyTorch and one on this engine. `recorded.json`, written by tests/tools/record_experiments.py,
holds a run on PyTorch of each program, so that tests and notebooks can compare without PyTorch.
"""

import contextlib
import functools
import importlib
import io
import json
import re
import traceback
import warnings
from pathlib import Path

from ..engine.modes import said
from .comparison import state

PROGRAMS = Path(__file__).parent / "experiments"
RECORDING = Path(__file__).parent / "recorded.json"
ADDRESS = re.compile(r"0x[0-9a-f]+")


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


def run(name, module="autograd_nb"):
    """Run a program with `module` for torch, as a new process would, and return what came out as plain data.

    `output` is printed text and warnings (category, text, line) in order; `error` is None or type, text and line;
    `tensors` holds the state of each named tensor. Addresses read 0xADDR.
    """
    file, output, error, buffer = f"{find(name)}.py", [], None, io.StringIO()
    namespace = {"__name__": "__main__"}

    def printed():
        if text := buffer.getvalue():
            output.append(ADDRESS.sub("0xADDR", text))
            buffer.seek(0)
            buffer.truncate()

    def line_of(frames):
        return next((line for frame, line in frames if frame.f_code.co_filename == file), None)

    def warned(message, category, warned_file, line, *_):
        if warned_file != file:
            # PyTorch blames its own Python file where one lies between; the engine must blame the learner's line.
            line = line_of(traceback.walk_stack(None)) if module == "torch" else f"{warned_file}:{line}"
        text = str(message).partition(" (Triggered internally")[0]
        printed()
        output.append({"warning": category.__name__, "text": ADDRESS.sub("0xADDR", text), "line": line})

    with _as_new(module) as tensor_type, contextlib.redirect_stdout(buffer), warnings.catch_warnings():
        warnings.simplefilter("default")
        warnings.showwarning = warned
        try:
            exec(compile(source(name, module), file, "exec"), namespace)
        except Exception as raised:
            line = line_of(reversed(list(traceback.walk_tb(raised.__traceback__))))
            error = {"type": type(raised).__name__, "text": ADDRESS.sub("0xADDR", str(raised)), "line": line}
    printed()
    tensors = {key: state(value) for key, value in sorted(namespace.items()) if isinstance(value, tensor_type)}
    return {"output": output, "error": error, "tensors": tensors}


def recording(name):
    return {key: value for key, value in file_content()["programs"][find(name)].items() if key != "sha256"}


def transcript(name, result):
    lines = [part if isinstance(part, str) else f"{find(name)}.py:{part['line']}: {part['warning']}: {part['text']}\n"
             for part in result["output"]]  # fmt: skip
    return "".join(lines) + (f"{result['error']['type']}: {result['error']['text']}\n" if result["error"] else "")


@contextlib.contextmanager
def _as_new(module):
    """Let warnings that come once a process come again; yields the module's class of tensors."""
    torch = importlib.import_module(module)
    if module != "torch":
        said.clear()
        yield torch.Tensor
        return
    always = torch.is_warn_always_enabled()
    torch.set_warn_always(True)
    try:
        yield torch.Tensor
    finally:
        torch.set_warn_always(always)


@functools.cache
def file_content():
    return json.loads(RECORDING.read_text(encoding="utf-8"))
