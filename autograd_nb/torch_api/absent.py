"""What is said of names that PyTorch has and autograd_nb does not, however they are asked for, and of neither's names.

``torch.nn.LSTM``, ``Module.compile`` and ``from autograd_nb.nn import LSTM`` raise the same sentence.
"""

import sys
from functools import cache
from importlib import import_module
from importlib.machinery import ModuleSpec
from os.path import dirname, join

from . import contents

NAMES = join(dirname(__file__), "pytorch_names.txt")


@cache
def pytorch_names(namespace):
    """The public names of PyTorch's *namespace*, such as ``torch.nn``, recorded from PyTorch 2.13."""
    return frozenset(read(NAMES).get(namespace, "").split())


@cache
def read(path):
    """What stands in a file in lines ``heading: text``."""
    with open(path, encoding="utf-8") as file:
        return dict(line.rstrip("\n").split(": ", 1) for line in file)


def words(key, path, **facts):
    """What is said of *path*; for those that are used most, what to write instead."""
    from ..words import of

    missing = of("missing")
    instead = missing["clauses"].get(path)
    return missing(key, **facts) + (missing["instead"] + instead if instead else "")


def sentence(name):
    """What is said of *name*, such as ``torch.nn.LSTM``."""
    return words("name", name, name=name)


def missing(namespace, name, otherwise):
    """The AttributeError for *name*: ours if PyTorch's *namespace* has it, else the text *otherwise*."""
    if name in pytorch_names(namespace):
        otherwise = sentence(f"{namespace}.{name}")
    return AttributeError(otherwise, name=name)


def not_installed(what, package):
    """The error for *what* if *package* is missing; it names the command that installs it."""
    return ModuleNotFoundError(f"{what} needs {package}, which is not installed in this Python; add it with: "
                               f"python -m pip install {package}", name=package)  # fmt: skip


class Absent(str):
    """A class attribute for a PyTorch name that the class does not have; accessing it raises an error that says so.

    A ``__getattr__`` could do that for all names, but would make every attribute access five times as slow.
    """

    def __get__(self, instance, owner):
        raise AttributeError(sentence(self), name=self.rpartition(".")[2])


def mark_absent(cls, namespace):
    """Give *cls* an attribute that raises for each name of PyTorch's class *namespace* that it does not have."""
    names, listed = pytorch_names(namespace).difference(*map(vars, cls.__mro__)), cls.__dir__
    if not names:
        return
    cls._namespace = namespace
    for name in names:
        setattr(cls, name, Absent(f"{namespace}.{name}"))
    cls.__dir__ = lambda self: [name for name in listed(self) if name not in names or name in self.__dict__]


def absent_from(namespace):
    """A ``__getattr__`` for the module that stands for *namespace*."""

    def __getattr__(name):
        if name == "__path__":  # so that Python asks Paths for what is imported from the module
            return []
        raise missing(namespace, name, f"module '{namespace}' has no attribute '{name}'")

    return __getattr__


class Paths:
    """Finds modules by PyTorch's paths below *root*; ImportError with our sentence for what only PyTorch has."""

    def __init__(self, root):
        self.root = root

    def find_spec(self, path, places=None, target=None):
        root, _, inner = path.partition(".")
        if root != self.root:
            return None
        home = contents.namespaces.get(inner, inner)
        if root == "autograd_nb" and home == inner:  # Python has found nothing
            namespace, _, name = f"torch.{inner.removeprefix('torch_api.')}".rpartition(".")
            if name in pytorch_names(namespace):
                raise ModuleNotFoundError(sentence(f"{namespace}.{name}"), name=f"{namespace}.{name}")
            return None
        module = import_module(f"autograd_nb.{home}".rstrip("."))
        return ModuleSpec(path, self, loader_state=(module, module.__spec__))

    def create_module(self, spec):
        return spec.loader_state[0]

    def exec_module(self, module):
        alias, name = module.__spec__.name, module.__name__
        _, module.__spec__ = module.__spec__.loader_state  # the import system has replaced it
        for path, part in list(sys.modules.items()):
            if path.startswith(name + "."):  # what the module has loaded can be found under PyTorch's path as well
                sys.modules.setdefault(alias + path.removeprefix(name), part)


sys.meta_path.append(Paths("autograd_nb"))
