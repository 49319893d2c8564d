"""``import torch`` means autograd_nb: :func:`as_torch`, or ``python -m autograd_nb.as_torch script.py``."""

import runpy
import sys
from contextlib import AbstractContextManager
from os.path import dirname, isfile

from .torch_api.absent import ModuleFinder


def loaded():
    """The modules that ``sys.modules`` has for ``torch`` and the paths below it."""
    return {path: module for path, module in sys.modules.items() if path.partition(".")[0] == "torch"}


class as_torch(AbstractContextManager):
    """From here on ``import torch``, ``from torch import nn`` and the like import autograd_nb instead.

    ``undo()`` ends this, and so does the end of a ``with`` block.  RuntimeError if PyTorch is loaded already::

        import autograd_nb; autograd_nb.as_torch()
        import torch.nn as nn
    """

    def __init__(self):
        self.before = loaded()
        if getattr(self.before.get("torch"), "__name__", "autograd_nb") != "autograd_nb":
            raise RuntimeError("as_torch() comes too late: this Python has imported PyTorch already; restart it, and "
                               "call as_torch() before the first `import torch`")  # fmt: skip
        self.paths = ModuleFinder("torch")
        sys.meta_path.insert(0, self.paths)

    def undo(self):
        """Let ``import torch`` mean PyTorch again; names imported before stay as they are."""
        if self.paths in sys.meta_path:
            sys.meta_path.remove(self.paths)
            for path in loaded():
                del sys.modules[path]
            sys.modules.update(self.before)

    def __exit__(self, *exception):
        self.undo()

    def __repr__(self):
        return "import torch means " + ("autograd_nb" if self.paths in sys.meta_path else "PyTorch again")


class CallableModule(type(sys)):
    """Makes this module callable, since ``autograd_nb.as_torch`` is the module once it is imported."""

    def __call__(self):
        return as_torch()


sys.modules[__name__].__class__ = CallableModule


def main(arguments):
    if not arguments or not isfile(arguments[0]):
        found = f"{arguments[0]!r} is not a file" if arguments else "which script?"
        sys.exit(f"{found}\nusage: python -m autograd_nb.as_torch script.py [its arguments]")
    sys.argv[:], sys.path[0] = arguments, dirname(arguments[0])
    report = sys.excepthook

    def from_first_line(kind, error, trace):
        """Print the traceback as Python does for a script: it begins in the script itself."""
        while trace and trace.tb_frame.f_code.co_filename != arguments[0]:
            trace = trace.tb_next
        report(kind, error.with_traceback(trace), trace)

    sys.excepthook = from_first_line
    with as_torch():
        runpy.run_path(arguments[0], run_name="__main__")


if __name__ == "__main__":
    main(sys.argv[1:])
