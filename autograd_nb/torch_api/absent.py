"""The errors for missing names: those that PyTorch has and autograd_nb does not, and those that neither has."""

from functools import cache
from os.path import dirname, join

NAMES = join(dirname(__file__), "pytorch_names.txt")
TEXT = ("{} is not part of autograd_nb, which covers autograd only; with PyTorch installed, autograd_nb.step and .draw "
        "show it there")  # fmt: skip


@cache
def pytorch_names(namespace):
    """The public names of PyTorch's *namespace*, such as ``torch.nn``, recorded from PyTorch 2.13."""
    with open(NAMES, encoding="utf-8") as file:
        return next((frozenset(names.split()) for heading, _, names in (line.partition(":") for line in file)
                     if heading == namespace), frozenset())


def missing(namespace, name, otherwise):
    """The AttributeError for *name*: ours if PyTorch's *namespace* has it, else the text *otherwise*."""
    if not name.startswith("_") and name in pytorch_names(namespace):
        otherwise = TEXT.format(f"{namespace}.{name}")
    return AttributeError(otherwise, name=name)


def not_installed(what, package):
    """The error for *what* if *package* is missing; it names the command that installs it."""
    return ModuleNotFoundError(f"{what} needs {package}, which is not installed in this Python; add it with: "
                               f"python -m pip install {package}", name=package)  # fmt: skip


class Absent:
    """A class attribute for a PyTorch name that the class does not have; accessing it raises an error that says so.

    A ``__getattr__`` could do that for all names, but would make every attribute access five times as slow.
    """

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
