"""Widgets: a learner changes one thing and sees at once what autograd does about it.

Each is made by one call, whose file bears its name; `kit` is what they share.  A front end is one JavaScript module
without a build step, which holds no derivative and no message of PyTorch: all it shows comes from a run of the engine.
Modules here may import everything but the course.
"""

from ..torch_api.absent import not_installed as _not_installed
from .step import step

__all__ = [
    "bench", "depth", "landscape", "line", "nudge", "predict", "step", "tangent", "training", "vector_jacobian",
    "workshop",
]  # fmt: skip

try:
    from .bench import bench
    from .depth import depth
    from .landscape import landscape
    from .line import line
    from .nudge import nudge
    from .predict import predict
    from .tangent import tangent
    from .training import training
    from .vector_jacobian import vector_jacobian
    from .workshop import workshop
except ModuleNotFoundError:  # where only NumPy is, the names are there, and who calls one is told

    def _needs_more(name):
        def widget(*_, **__):
            raise _not_installed(name, "anywidget")

        return widget

    globals().update({name: _needs_more(name) for name in __all__ if name != "step"})
