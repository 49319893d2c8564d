"""Runs the programs of programs.toml, asks why, and gives points: 2 for a full answer, 1 for part of one, −1 for a
misleading one."""

import functools
import importlib
import linecache
import re
import sys
import tomllib
from pathlib import Path

import pytest

from autograd_nb import record, why

PROGRAMS = tomllib.loads((Path(__file__).parent / "programs.toml").read_text(encoding="utf-8"))["program"]
CASES = [pytest.param(library, program, id=f"{library}-{program['name']}") for library in ("autograd_nb", "torch")
         for program in PROGRAMS if library == "torch" or program.get("engine", True)]  # fmt: skip


def answers(program, library):
    """``[(question, answer, whether it was recorded)]`` for each question, with a recording and without."""
    return answers_to(PROGRAMS.index(program), library)


@functools.cache  # several tests read them
def answers_to(place, library):
    return [*asked(PROGRAMS[place], library)]


def text_of(program):
    return program["setup"].strip("\n") + "\n" + program["run"].strip("\n") + "\n"


def code_of(program, file, more=""):
    """The codes of a program's two halves; messages quote its lines, before *more*, from the file."""
    setup, text = program["setup"].strip("\n") + "\n", text_of(program) + more
    linecache.cache[file] = len(text), None, text.splitlines(True), file
    run = "\n" * setup.count("\n") + program["run"].strip("\n")
    return compile(setup, file, "exec"), compile(run, file, "exec")


def asked(program, library):
    for recorded in (True, False):
        torch = importlib.import_module(library)
        torch.manual_seed(0)
        file = f"{program['name'].replace(' ', '_')}.py"
        setup, code = code_of(program, file, "\n".join(f"why({question})" for question in program["ask"]))
        _space, trace = {"torch": torch}, None
        sys.last_exc = sys.last_value = None
        exec(setup, _space)
        try:
            if recorded:
                with record() as trace:
                    exec(code, _space)
            else:
                exec(code, _space)
        except (RuntimeError, AttributeError, TypeError, ValueError, LookupError) as error:
            sys.last_exc = error
        try:
            for line, question in enumerate(program["ask"], text_of(program).count("\n")):
                given = ", ".join(filter(None, (question, "trace=_trace" * recorded)))
                call = compile("\n" * line + f"why({given})", file, "eval")
                yield question, str(eval(call, {**_space, "why": why, "_trace": trace})), recorded
        finally:
            sys.last_exc = None


def points(program, answer, recorded):
    if any(re.search(re.escape(part), answer) for part in program.get("never", ())):
        return -1
    found = [any(each in answer for each in part.split("|")) for part in program["says"]]
    return 2 if all(found) else int(any(found))
