"""The course: its exercises, predictions and progress, and the tools that keep and open its notebooks.

Nothing loads before it is used. `course.ch04` is the module of chapter 04's exercises and predictions,
`course.progress()` shows how far a learner has come, and `course.compare(dh=dh)` says where a gradient worked out by
hand is wrong. In a notebook errors end at the learner's line, and `course.tracebacks("full")` shows the frames below
it. Modules here may import everything. Only the package imports them, when somebody uses one of its names.
"""

import importlib as _importlib
import re as _re
import sys as _sys

from ..learner import began as _began  # noqa: F401 - this import notes the folder

_HOMES = {"cheat_sheet": "overview", "compare": "comparing", "digits": "library", "home": "overview",
          "predict": "exercises.prediction", "progress": "overview", "review": "overview",
          "tracebacks": "kernel"}  # fmt: skip


def __getattr__(name):
    if name in _HOMES:
        return getattr(_importlib.import_module(f".{_HOMES[name]}", __name__), name)
    if _re.fullmatch(r"ch\d\d", name):
        from .exercises import chapters

        if name in chapters():
            return _importlib.import_module(f".exercises.{name}", __name__)
        more = "; those of a teacher's own come with: autograd-nb --with FOLDER"
        raise AttributeError(f"no exercises in {name!r}: there are {', '.join(chapters())}{more}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _repr_mimebundle_(**options):
    """A cell that ends in `course` shows the progress."""
    return __getattr__("progress")()._repr_mimebundle_()


def __dir__():
    from .exercises import chapters

    return sorted({*globals(), *_HOMES, *chapters()})


if "IPython" in _sys.modules:
    _importlib.import_module(".kernel", __name__).take_over_errors()
