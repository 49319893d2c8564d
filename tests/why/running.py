"""Runs the programs of programs.toml, asks why, and gives points: 2 for a full answer, 1 for part of one, −1 for a
misleading one."""

import functools
import importlib
import linecache
import re
import sys
import tomllib
from pathlib import Path

from autograd_nb import record, why

PROGRAMS = tomllib.loads((Path(__file__).parent / "programs.toml").read_text(encoding="utf-8"))["program"]


def answers(program, library):
    """``[(question, answer, whether it was recorded)]`` for each question, with a recording and without."""
    return answers_to(PROGRAMS.index(program), library)


@functools.cache  # several tests read them
def answers_to(place, library):
    return [*asked(PROGRAMS[place], library)]


def asked(program, library):
    for recorded in (True, False):
        torch = importlib.import_module(library)
        torch.manual_seed(0)
        file = f"{program['name'].replace(' ', '_')}.py"
        setup, run = program["setup"].strip("\n") + "\n", program["run"].strip("\n") + "\n"
        lines = (setup + run).count("\n")
        text = setup + run + "\n".join(f"why({question})" for question in program["ask"])
        linecache.cache[file] = len(text), None, text.splitlines(True), file
        _space, trace = {"torch": torch}, None
        sys.last_exc = sys.last_value = None
        exec(compile(setup, file, "exec"), _space)
        code = compile("\n" * setup.count("\n") + run, file, "exec")
        try:
            if recorded:
                with record() as trace:
                    exec(code, _space)
            else:
                exec(code, _space)
        except (RuntimeError, AttributeError, TypeError, ValueError, LookupError) as error:
            sys.last_exc = error
        try:
            for line, question in enumerate(program["ask"], lines):
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
