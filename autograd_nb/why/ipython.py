"""What `%load_ext autograd_nb` brings to IPython and Jupyter: errors of autograd explained, `%%step` and `%why`."""

import sys
from functools import partial

from ..torch_api.contents import load_module
from . import explain, why


def load(shell):
    """Explain errors of autograd below their tracebacks, and add the magics."""
    shell.register_magic_function(partial(why_magic, shell), "line", "why")
    shell.register_magic_function(partial(step_magic, shell), "cell", "step")
    shell.events.register("post_run_cell", explain_error)


def explain_error(result):
    answer = explain(result.error_in_exec) if result.error_in_exec is not None else None
    if answer is not None:
        sys.modules["IPython"].display.display(answer)


def why_magic(shell, line):
    """%why x: what why(x) says of the variables of the session."""
    return eval(f"why({line})", {**shell.user_ns, "why": why})


def step_magic(shell, line, cell):
    """%%step: run a cell and step through what autograd did in it."""
    text = shell.transform_cell(cell)
    code = compile(text, shell.compile.cache(text, shell.execution_count, raw_code=cell), "exec")

    def this_cell():
        exec(code, shell.user_ns)

    return load_module("widgets.step").step(this_cell)
