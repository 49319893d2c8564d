"""Errors in a notebook end at the learner's line: the frames of autograd_nb below it are left out, as PyTorch's C++ is.

IPython offers two ways. A local variable `__tracebackhide__` in every function would cost each operation its time, and
still show the frame that raises; so this is the other, a handler of the shell's own, set when the course is imported
in a notebook. It changes nothing but what is displayed: the exception keeps its frames, `%tb` shows them all, and
after `course.tracebacks("full")` nothing is left out.
"""

import contextlib
import sys
from functools import partial
from types import TracebackType

from .. import words
from . import opening

KINDS = ("short", "full")
_wanted = "short"
_told = False  # that %tb shows more; once is enough


def tracebacks(kind):
    """From now on show errors "short", without the frames of autograd_nb, or "full".

    >>> from autograd_nb import course
    >>> course.tracebacks("short")
    """
    global _wanted
    if kind not in KINDS:
        raise ValueError(f"tracebacks(): got {kind!r}, expected one of {KINDS}")
    _wanted = kind


def begin():
    """Take over how the running shell shows errors, unless somebody has done so before; nothing outside IPython."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if shell is None:
        return
    shell.events.register("post_run_cell", partial(opening.after, shell))
    if not shell.custom_exceptions:
        shell.set_custom_exc((Exception, KeyboardInterrupt), _show)


def _show(shell, kind, error, trace, tb_offset=None):
    with _shortened(error) if _wanted == "short" else contextlib.nullcontext():
        shell.showtraceback((kind, error, error.__traceback__), tb_offset=tb_offset)
    sys.last_traceback = trace  # what %tb shows and %debug enters


@contextlib.contextmanager
def _shortened(error):
    """An exception and those it came from without hidden frames; afterwards they are as they were."""
    global _told
    before, chain = [], error
    while chain is not None and all(chain is not each for each, *_ in before):
        before.append((chain, chain.__traceback__, chain.__suppress_context__))
        chain = chain.__cause__ or chain.__context__
    notes = getattr(error, "__notes__", None)
    try:
        for each, trace, _ in before:
            each.__traceback__ = without_hidden(trace)
            # an error that the engine met and put into better words is hidden as a whole
            inner = each.__context__
            if each.__cause__ is None and inner is not None and without_hidden(inner.__traceback__) is None:
                each.__suppress_context__ = True
        if not _told and any(each.__traceback__ is not trace for each, trace, _ in before):
            _told = True
            error.__notes__ = [*(notes or []), words.say("frames_hidden")]
        yield
    finally:
        for each, trace, suppressed in before:
            each.__traceback__, each.__suppress_context__ = trace, suppressed
        if notes is not None:
            error.__notes__ = notes
        elif hasattr(error, "__notes__"):
            del error.__notes__


def without_hidden(trace):
    """A traceback without frames of autograd_nb, PyTorch and what they called, but a learner's hooks and Functions."""
    from ..microscope import presence
    from .exercises.running import is_learners, is_ours

    kept, below, link, shown = [], [False], trace, None
    while link is not None:
        code = link.tb_frame.f_code
        hidden = is_ours(code) or code.co_filename.startswith(presence.folder())
        below.append(hidden or (below[-1] and not is_learners(code)))
        kept += [] if below[-1] else [link]
        link = link.tb_next
    for link in reversed(kept):
        shown = TracebackType(shown, link.tb_frame, link.tb_lasti, link.tb_lineno)
    return shown if any(below) else trace
