"""The experiments of the sources, run on PyTorch or on this engine, with their results as plain data.

Each is a file of tests/data/experiments. Only the module in its import lines changes between a run on PyTorch and one
on this engine. `recorded.json` beside the programs holds a PyTorch run of each.

    python tests/tools/experiments.py        records again, with PyTorch 2.13 installed
"""

import contextlib
import hashlib
import importlib
import io
import json
import re
import traceback
import warnings

from comparison import state
from house import ROOT

from autograd_nb.engine.modes import warned

PROGRAMS = ROOT / "tests" / "data" / "experiments"
RECORDING = PROGRAMS / "recorded.json"
FILES = dict(sorted((path.stem, path) for path in PROGRAMS.glob("*.py")))  # {"A01": path, …}
NAMES = list(FILES)
ADDRESS = re.compile(r"0x[0-9a-f]+")


def source(name, module="torch"):
    """The text of a program, with `module` in place of torch in its import lines."""
    text = FILES[name].read_text(encoding="utf-8")
    if module == "torch":
        return text
    text = re.sub(r"^import torch$", f"import {module} as torch", text, flags=re.MULTILINE)
    return re.sub(r"^(import|from) torch\b", rf"\1 {module}", text, flags=re.MULTILINE)


def recorded():
    """``{name: what PyTorch did}``, with the `sha256` of the program that did it."""
    return json.loads(RECORDING.read_text(encoding="utf-8"))["programs"]


def digest(name):
    return hashlib.sha256(source(name).encode()).hexdigest()[:16]


def run(name, module="autograd_nb"):
    """Run a program with `module` for torch, as a new process would, and return the results as plain data.

    `output` is printed text and warnings (category, text, line) in order; `error` is None or type, text and line;
    `tensors` holds the state of each named tensor. Addresses read 0xADDR.
    """
    file, output, error, buffer = f"{name}.py", [], None, io.StringIO()
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
            # PyTorch blames its own Python file if one lies between; the engine must blame the learner's line.
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


@contextlib.contextmanager
def _as_new(module):
    """Let warnings that appear once a process appear again; yields the module's tensor class."""
    torch = importlib.import_module(module)
    if module != "torch":
        warned.clear()
        yield torch.Tensor
        return
    always = torch.is_warn_always_enabled()
    torch.set_warn_always(True)
    try:
        yield torch.Tensor
    finally:
        torch.set_warn_always(always)


def write():
    import torch

    records = [f'"{name}": ' + json.dumps(run(name, "torch") | {"sha256": digest(name)}, ensure_ascii=False,
                                          separators=(",", ":")) for name in NAMES]  # fmt: skip
    version = torch.__version__.partition("+")[0]
    text = f'{{"torch": "{version}",\n"programs": {{\n' + ",\n".join(records) + "\n}}\n"
    RECORDING.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write()
