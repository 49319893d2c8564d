"""Whether the learner's program has imported PyTorch, and which tensors and files are PyTorch's."""

import sys
from contextlib import contextmanager, nullcontext
from os.path import dirname

tensors, MOST_KINDS = set(), 100  # the classes of PyTorch's tensors seen so far


def loaded():
    """The module torch if the learner's program has imported it, else None."""
    torch = sys.modules.get("torch")
    return torch if hasattr(torch, "Tensor") and hasattr(torch, "_C") else None


def is_tensor(thing):
    """Whether something is a tensor of real PyTorch."""
    kind = type(thing)
    if kind in tensors:
        return True
    found = hasattr(kind, "__torch_function__") and (torch := loaded()) is not None and issubclass(kind, torch.Tensor)
    if found and len(tensors) < MOST_KINDS:
        tensors.add(kind)
    return found


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
