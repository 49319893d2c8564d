"""What is said about names that are missing: PyTorch's own, and names that nobody has."""

import os

NAMES = os.path.join(os.path.dirname(__file__), "pytorch_names.txt")

# What does the work here, for names of PyTorch's that learners may look for; most need nothing but the first word.
INSTEAD = {
    "torch.bfloat16": "torch.float16 or torch.float32",
    "torch.compile": "the function itself; nothing is compiled",
    "torch.jit": "the function itself; nothing is compiled",
    "torch.distributed": "one process",
    "torch.multiprocessing": "Python's multiprocessing",
    "torch.vmap": "a loop and torch.stack",
    "torch.sparse_coo_tensor": "a dense tensor, torch.zeros and index assignment",
    "torch.quantize_per_tensor": "torch.round",
    "torch.profiler": "Python's cProfile",
    "torch.hub": "a file of your own and torch.load",
    "torch.fx": "autograd_nb.record, which shows the operations of a run",
    "torch.complex": "two tensors, one for each part",
    "torch.complex64": "two tensors, one for each part",
    "torch.complex128": "two tensors, one for each part",
    "torch.Tensor.bfloat16": "half() or float()",
    "torch.Tensor.share_memory_": "numpy() and multiprocessing.shared_memory",
    "torch.Tensor.imag": "a tensor of its own for the imaginary part",
}
_names = {}


def pytorch_names(namespace):
    """The public names of PyTorch's *namespace*, such as ``torch.nn``, recorded from PyTorch 2.13.

    >>> "bfloat16" in pytorch_names("torch")
    True
    """
    if not _names:
        with open(NAMES, encoding="utf-8") as file:
            for line in file:
                heading, _, names = line.partition(":")
                _names[heading] = frozenset(names.split())
    return _names.get(namespace, frozenset())


def missing(namespace, name, otherwise):
    """The AttributeError for *name*: ours if PyTorch's *namespace* has it, else the text *otherwise*."""
    if not name.startswith("_") and name in pytorch_names(namespace):
        instead = INSTEAD.get(f"{namespace}.{name}")
        otherwise = f"{namespace}.{name} is not part of autograd_nb" + (f"; use {instead}" if instead else "")
    return AttributeError(otherwise, name=name)


class Absent:
    """Stands on a class for a name of PyTorch's that it does not have, and says so when it is asked for.

    A ``__getattr__`` could do that for all names, but with one Python reads every attribute five times as slowly.
    """

    __slots__ = ("namespace", "name")

    def __init__(self, namespace, name):
        self.namespace = namespace
        self.name = name

    def __get__(self, instance, owner):
        raise missing(self.namespace, self.name, "")


def absent_from(namespace):
    """A ``__getattr__`` for the module that stands for *namespace*."""

    def __getattr__(name):
        raise missing(namespace, name, f"module '{namespace}' has no attribute '{name}'")

    return __getattr__
