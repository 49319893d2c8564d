"""Widgets: a learner changes one thing and sees at once what autograd does about it.

One call makes each widget, and its file has the name of the call; they share `kit`.  A front end is one JavaScript
module without a build step.  It holds no derivative and no message of PyTorch: it shows results of the engine's runs.
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
except ModuleNotFoundError:  # without these libraries the names still exist; a call says what is missing

    def _needs_more(name):
        def widget(*_, **__):
            raise _not_installed(name, "anywidget")

        return widget

    globals().update({name: _needs_more(name) for name in __all__ if name != "step"})
