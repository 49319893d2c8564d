"""What objects of a class are, and whether the learner's program has imported PyTorch."""

import sys
from contextlib import contextmanager, nullcontext
from os.path import dirname
from types import ModuleType

from ..engine.tensor import Tensor

TENSORS = OURS, PYTORCHS = "tensor", "tensor of PyTorch"
TRAINED = "module", "optimizer"
HOLLOW = "simple", *TENSORS  # what holds nothing else
SIMPLE = bool, int, float, str, type(None), type(len), type(lambda: None)
# packages whose classes last, while a learner's may be gone soon
LASTING = sys.stdlib_module_names | {"torch", "numpy", __name__.partition(".")[0]}


def loaded():
    """The module torch if the learner's program has imported it, else None."""
    torch = sys.modules.get("torch")
    return torch if hasattr(torch, "Tensor") and hasattr(torch, "_C") else None


class Lasting(dict):
    """``{class: what *decide* says of it}``; of a class that may be gone soon it is decided each time.

    isinstance would ask an object's ``__class__``, which may be a learner's code.
    """

    def __init__(self, decide):
        self.decide = decide

    def __missing__(self, kind):
        found, package = self.decide(kind), str(getattr(kind, "__module__", "")).partition(".")[0]
        is_own = kind.__name__ == getattr(kind.__base__, "__name__", "")  # a class that traitlets makes for one object
        if package in LASTING and not is_own:
            self[kind] = found
        return found


@Lasting
def kinds(kind):
    """OURS or PYTORCHS, "simple", "module", "optimizer" (perhaps), or "" for anything else."""
    if kind in SIMPLE or issubclass(kind, type | ModuleType):
        return "simple"
    if issubclass(kind, Tensor):
        return OURS
    if hasattr(kind, "__torch_function__") and (torch := loaded()) is not None and issubclass(kind, torch.Tensor):
        return PYTORCHS
    return "module" if hasattr(kind, "named_parameters") else "optimizer" if hasattr(kind, "zero_grad") else ""


def is_tensor(thing):
    """Whether something is a tensor of real PyTorch."""
    return kinds[type(thing)] == PYTORCHS


def unseen():
    """A context in which neither modes nor subclasses of the learner's see what we do with PyTorch."""
    torch = sys.modules.get("torch")
    if torch is None or not hasattr(torch, "_C"):
        return nullcontext()
    return without_modes(torch) if torch._C._len_torch_dispatch_stack() else torch._C.DisableTorchFunction()


@contextmanager
def without_modes(torch):
    with torch._C.DisableTorchFunction(), torch.utils._python_dispatch._disable_current_modes():
        yield


def rank():
    """``(number, count)`` of this process among those that work together with torch.distributed; (0, 1) for none."""
    distributed = sys.modules.get("torch.distributed")
    if distributed is None or not distributed.is_available() or not distributed.is_initialized():
        return 0, 1
    return distributed.get_rank(), distributed.get_world_size()


def folder():
    """How the file names of PyTorch's own and generated code begin; an empty tuple if it is not loaded."""
    torch = loaded()
    return () if torch is None else (dirname(torch.__file__), "<eval_with_key>")
