"""Evidence only adds: an answer with a recording, or by any of why's doors, says what the answer without it says."""

import importlib
import re
import sys
import warnings

import pytest

from autograd_nb import record, why
from autograd_nb.course import playing
from autograd_nb.optim.optimizer import Optimizer
from autograd_nb.why import explain, script

from .running import CASES, answers, code_of, points, text_of

ERRORS = RuntimeError, AttributeError, TypeError, ValueError, LookupError


def says(program, answer):
    """The parts of a full answer that an answer has."""
    return {part for part in program["says"] if any(each in answer for each in part.split("|"))}


def outcome(program, library, way):
    """The error in which a program ends, or None, and the trace: *way* is where it is recorded and caught."""
    torch = importlib.import_module(library)
    torch.manual_seed(0)
    _space, trace = {"torch": torch, "__name__": "program"}, None
    setup, run = code_of(program, "program.py")
    exec(setup, _space)
    try:
        if way == "not recorded":
            exec(run, _space)
        elif way == "left the recording":
            with record() as trace:
                exec(run, _space)
        else:
            with record() as trace:
                try:
                    exec(run, _space)
                except ERRORS as error:
                    return error, trace
    except ERRORS as error:
        return error, trace
    return None, trace


def as_script(program, library):
    return f"import {library} as torch\ntorch.manual_seed(0)\n{text_of(program)}"


def of_program(answer):
    """An answer about a script, with the line numbers of the program in it."""
    return re.sub(r"\bline (\d+)", lambda found: f"line {int(found[1]) - 2}", answer)


def on_the_page(program, monkeypatch):
    """What the page `play`, whose Python has no PyTorch, says below the error."""
    with monkeypatch.context() as patch, warnings.catch_warnings():
        for path in [path for path in sys.modules if path.partition(".")[0] == "torch"]:
            patch.delitem(sys.modules, path)
        patch.setattr(sys, "meta_path", [*sys.meta_path])
        try:
            return of_program(playing.run(as_script(program, "torch"))["why"])
        finally:
            for path in [path for path in sys.modules if path.partition(".")[0] == "torch"]:
                del sys.modules[path]


def by_command(program, library, path, monkeypatch, capsys):
    """What `python -m autograd_nb.why` prints below the traceback."""
    path.write_text(as_script(program, library), encoding="utf-8")
    monkeypatch.setattr(Optimizer, "step", Optimizer.step)
    monkeypatch.setattr(sys, "argv", ["why", str(path)])
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])
    assert script.main() == 1
    return of_program(capsys.readouterr().err.rpartition("\nwhy: ")[2])


@pytest.mark.parametrize("library, program", CASES)
@pytest.mark.filterwarnings("ignore")
def test_whoever_has_more_evidence_never_says_less(library, program, tmp_path, monkeypatch, capsys):
    told = {True: {}, False: {}}
    for question, answer, recorded in answers(program, library):
        told[recorded][question] = answer
    for question, plain in told[False].items():
        assert says(program, told[True][question]) >= says(program, plain), f"{told[True][question]}\n{plain}"
    error, _ = outcome(program, library, "not recorded")
    for door, answer in by_doors(error, program, library, tmp_path, monkeypatch, capsys) if error else ():
        if answer in ("", "None") and str(why(error)).startswith(type(error).__name__):
            continue  # where the error stands above, nothing is said that it says itself
        assert says(program, answer) >= says(program, plain := str(why(error))), f"{door}: {answer}\nplain: {plain}"
        assert points(program, answer, True) >= 0 and "no part in" not in answer, f"{door}: {answer}"


def by_doors(error, program, library, tmp_path, monkeypatch, capsys):
    """``(door, answer)`` about the error that ends a program, for each way to ask."""
    yield "in IPython", str(explain(error))
    for way in "left the recording", "caught inside":
        again, trace = outcome(program, library, way)
        yield way, str(why(again, trace))
        yield f"{way}, in IPython", str(explain(again, trace))
    yield "by the command", by_command(program, library, tmp_path / "program.py", monkeypatch, capsys)
    if library == "autograd_nb":
        yield "on the page", on_the_page(program, monkeypatch)
