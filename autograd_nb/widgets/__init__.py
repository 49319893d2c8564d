"""Widgets: what a learner changes one thing in, to see at once what autograd does about it.

Each is made by one call and loads when that is first used; `kit` is what they share.  A front end is one JavaScript
module without a build step, which holds no derivative and no message of PyTorch: all it shows comes from a run of
the engine.  Modules here may import everything but the course.
"""

import importlib as _importlib

from ..torch_api.absent import not_installed as _not_installed

# function -> its module here, which bears another name
_HOMES = {
    "bench": "workbench", "step": "stepper", "tangent": "slopes", "vector_jacobian": "rows", "workshop": "crafting",
    "training": "learning", "predict": "cards", "landscape": "descent",
    "nudge": "nudging",
}  # fmt: skip


def __getattr__(name):
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        found = globals()[name] = getattr(_importlib.import_module(f".{_HOMES[name]}", __name__), name)
    except ModuleNotFoundError:  # where only NumPy is, the name is there, and who calls it is told

        def found(*_, **__):
            raise _not_installed(name, "anywidget")

    return found


def __dir__():
    return sorted({*globals(), *_HOMES})
