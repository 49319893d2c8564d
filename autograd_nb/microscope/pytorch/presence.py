"""Whether the learner's program has imported PyTorch, and which tensors and files are PyTorch's."""

import sys
from functools import lru_cache
from os.path import dirname


def loaded():
    """The module torch if the learner's program has imported it, else None."""
    torch = sys.modules.get("torch")
    return torch if hasattr(torch, "Tensor") and hasattr(torch, "_C") else None


def is_tensor(thing):
    """Whether something is a tensor of real PyTorch."""
    return is_class_of_tensors(type(thing))


@lru_cache(4096)
def is_class_of_tensors(kind):
    torch = loaded()
    return torch is not None and issubclass(kind, torch.Tensor)


def folder():
    """How the file names of PyTorch's code begin, also of code it generates; an empty tuple if it is not loaded."""
    torch = loaded()
    return () if torch is None else (dirname(torch.__file__), "<eval_with_key>")
