"""The extension that `%load_ext autograd_nb` loads: it explains errors of autograd, and adds `%%step` and `%why`."""

import sys
from contextlib import suppress
from functools import partial

from ..microscope.trace import Recording
from ..torch_api.contents import load_module
from . import Answer, explain, why
from .code import SAY


def load(shell):
    """Explain errors of autograd below their tracebacks, and add the magics."""
    shell.register_magic_function(partial(why_magic, shell), "line", "why")
    shell.register_magic_function(partial(step_magic, shell), "cell", "step")
    shell.events.register("post_run_cell", explain_error)


def explain_error(result):
    if answer := explain(result.error_in_exec):
        sys.modules["IPython"].display.display(answer)


def why_magic(shell, line):
    """%why x answers as why(x) does; %why --again x first runs the previous cell again, and records it."""
    asked, trace = line.removeprefix("--again").strip(), None
    if line.startswith("--again"):
        recording = Recording(eval("__import__('sys')._getframe()", shell.user_ns))
        with suppress(Exception), recording as trace:
            exec(compiled(shell, shell.user_ns["In"][-2]), shell.user_ns)
    answer = eval(f"why({asked}{asked and ', '}trace=_trace)", {**shell.user_ns, "why": why, "_trace": trace})
    offer = "\n" + SAY("offer", magic=f"%why --again {asked}".rstrip())
    return Answer(answer + offer, answer.chapters) if trace is None and "record()" in answer else answer


def step_magic(shell, line, cell):
    """%%step: run a cell and step through what autograd did in it."""
    code = compiled(shell, cell)

    def this_cell():
        exec(code, shell.user_ns)

    return load_module("widgets.step").step(this_cell)


def compiled(shell, cell):
    text = shell.transform_cell(cell)
    return compile(text, shell.compile.cache(text, shell.execution_count, raw_code=cell), "exec")
