"""Everything that the microscope does with one training step, by any author; it must leave nothing behind."""

import time
import warnings

from autograd_nb import draw, info, record, step, why


def look(run, model=None):
    """``(trace, {question: seconds}, {name: text})`` of ``run()``, which gives a loss, or None if it keeps it.

    Every error passes on; so does every warning of ours, as an error.
    """
    seconds, made = {}, {}

    def ask(name, function):
        begun = time.perf_counter()
        made[name] = function()
        seconds[name] = time.perf_counter() - begun
        return made[name]

    with warnings.catch_warnings():
        warnings.filterwarnings("error", "not all that PyTorch", RuntimeWarning)
        trace = ask("record", lambda: record(run))
    loss = trace.result
    ask("draw(trace)", lambda: draw(trace).svg)
    made["boxes"] = len(draw(trace).picture.nodes)
    if getattr(loss, "requires_grad", False):
        ask("draw(loss)", lambda: draw(loss, model=model).svg)
        made["boxes"] = len(draw(loss, model=model).picture.nodes)
    ask("step", lambda: step(trace).as_page())
    if model is not None:
        ask("info", lambda: repr(info(model)))
        ask("why", lambda: repr(why(model)))
    return trace, seconds, made
