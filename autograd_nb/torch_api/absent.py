"""Errors for names that PyTorch has and autograd_nb does not, however a program reaches them.

One table, pytorch_names.txt, lists the names, and one function, :func:`sentence`, writes their errors.  Reading or
importing a missing module or class gives a stand-in, since programs often name one without needing it: in an import, an
annotation, ``isinstance``, ``torch.backends.cudnn.benchmark = True``.  Using the stand-in raises the error.  So does a
call of a function for which there is advice, since the advice depends on the arguments.
"""

import sys
from collections import OrderedDict
from contextlib import suppress
from functools import cache
from importlib import import_module
from importlib.machinery import ModuleSpec
from os.path import dirname, join
from types import MethodType

from ..engine.tensor import Tensor
from . import contents

NAMES = join(dirname(__file__), "pytorch_names.txt")
ModuleType = type(sys)


@cache
def recorded(path):
    """``{subject: the rest of its line}`` of a file of facts about PyTorch 2.13."""
    with open(path, encoding="utf-8") as file:
        return dict(line.split(": ", 1) for line in file)


@cache
def pytorch_names(namespace):
    """``{name: home}`` of the public names of PyTorch's *namespace*, such as ``torch.nn``.

    *home* is another namespace that has the same object, or empty.  A name "*" stands for those that are not recorded.
    The dict is empty if PyTorch has no such namespace.
    """
    entries = recorded(NAMES).get(namespace, "").split()
    return {name: home for name, _, home in [each.partition("=") for each in entries]}


def sentence(path, *call):
    """The sentence for a missing *path*, such as ``torch.nn.LSTM``, or ``torch.nn.Embedding(sparse)`` for a keyword.

    *call*: the arguments, a tuple and a dict.  If the advice covers them, the sentence ends with the code to write.
    """
    from ..words import of

    missing, (name, _, keyword) = of("missing"), path.partition("(")
    key = "keyword" if keyword else "name"
    text = missing(key, name=name, function=name.rpartition(".")[2], keyword=keyword.rstrip(")"))
    text += "" if keyword or "record" not in contents.functions else missing["look"]
    instead = next(filter(None, [code_for(*each, *call) for each in advice().get(name, ())]), "") if call else ""
    return text + (missing["instead"] + instead if instead else "")


@cache
def advice():
    """``{path: [(parameters, code)]}`` for the calls that programs often make."""
    from ..words import of

    found = {}
    for signature, code in of("missing")["clauses"].items():
        path, _, parameters = signature.partition("(")
        method = path.replace("torch.", "torch.Tensor.")
        for each in {path, method if method[13:] in pytorch_names("torch.Tensor") else path}:
            found.setdefault(each, []).append((parameters, code))
    return found


def code_for(parameters, code, args, kwargs):
    """The code with the call's arguments in it; None if they do not fit the parameters.

    A parameter's annotation is a type, or the only value for which the code is right.
    """
    space = {"Tensor": Tensor, "OrderedDict": OrderedDict}
    exec(f"def call({parameters}: return locals()", space)
    try:
        values = space["call"](*args, **kwargs)
    except TypeError:
        return None
    kinds = [(values[name], kind) for name, kind in space["call"].__annotations__.items()]
    fits = [isinstance(it, type(kind)) and it == kind if isinstance(kind, bool | str) else isinstance(it, kind)
            for it, kind in kinds]  # fmt: skip
    return code.format_map(values) if all(fits) else None


def not_installed(what, package):
    """The error for *what* if *package* is missing; it names the command that installs it."""
    return ModuleNotFoundError(f"{what} needs {package}, which is not installed in this Python; add it with: "
                               f"python -m pip install {package}", name=package)  # fmt: skip


# -- attributes of classes -------------------------------------------------------------------------------------------


class Absent(str):
    """A class attribute for a PyTorch name that the class does not have; accessing it raises an error that says so.

    A ``__getattr__`` could do that for all names, but would make every attribute access five times as slow.
    """

    def __get__(self, instance, owner):
        found = read_from(self)
        return found if instance is None else MethodType(found, instance)


def read_from(path, may_stand_in=False):
    """What code gets that reads a missing *path*: a stand-in, since it may know what to write instead, or an error."""
    if may_stand_in or path in advice() and reads().startswith("LOAD"):
        return stand_in(path)
    raise AttributeError(sentence(path), name=path.rpartition(".")[2])


def mark_absent(cls, namespace):
    """Give *cls* an attribute that raises for each name of PyTorch's class *namespace* that it does not have."""
    names, listed = {*pytorch_names(namespace)}.difference(*map(vars, cls.__mro__)), cls.__dir__
    if not names:
        return
    for name in names:
        setattr(cls, name, Absent(f"{namespace}.{name}"))
    cls.__dir__ = lambda self: [name for name in listed(self) if name not in names or name in self.__dict__]


def missing(instance, name):
    """The AttributeError for *name*, from an object's own ``__getattr__``."""
    found = next((vars(cls)[name] for cls in type(instance).__mro__ if name in vars(cls)), None)
    otherwise = f"'{type(instance).__name__}' object has no attribute '{name}'"
    return AttributeError(sentence(found) if isinstance(found, Absent) else otherwise, name=name)


# -- attributes of modules -------------------------------------------------------------------------------------------


class StandIn(type):
    """The type of stand-ins for a class or function: calling one, deriving from it and reading from it raise."""

    def __new__(cls, name, bases, body):
        for base in bases:
            if isinstance(base, cls):
                base()
        return super().__new__(cls, name, bases, body)

    def __call__(cls, *args, **kwargs):
        raise NotImplementedError(sentence(path_of(cls), args, kwargs))

    def __getattr__(cls, name):
        raise AttributeError(repr(cls), name=name)

    def __getitem__(cls, item):
        return cls  # Dataset[int], in an annotation

    def __repr__(cls):
        return sentence(path_of(cls))


def path_of(cls):
    return f"{cls.__module__}.{cls.__name__}"


@cache
def stand_in(path):
    """The one stand-in for *path*; a stand-in for an error may stand in ``except``."""
    namespace, _, name = path.rpartition(".")
    return StandIn(name, (Exception,) if name.endswith("Error") else (), {"__module__": namespace})


def attribute(namespace, name):
    """The value of *name* in the module for PyTorch's *namespace*, if the module does not define it.

    AttributeError if PyTorch does not have the name either, and for a function without advice that is read, not
    imported.
    """
    names = pytorch_names(namespace)
    if name not in names and ("*" not in names or name.startswith("__")):
        raise AttributeError(f"module '{namespace}' has no attribute '{name}'", name=name)
    if name == "is_available":
        return lambda: False  # there is only the CPU
    home = names.get(name)
    path = f"{home or namespace}.{name}"
    if home:
        with suppress(AttributeError):
            return getattr(import_module(home.replace("torch", "autograd_nb", 1)), name)
    elif name.islower() and pytorch_names(path):  # no class is a module
        return import_module(path.replace("torch", "autograd_nb", 1))
    return read_from(path, name.strip("_")[0].isupper() or reads() == "IMPORT_FROM")


def reads():
    """The instruction with which a program reads an attribute: LOAD_…, IMPORT_FROM, or a call of ``hasattr``."""
    from opcode import opname

    frame = sys._getframe(1)
    while frame.f_code.co_filename == __file__ or frame.f_code.co_name == "__getattr__":
        frame = frame.f_back
    return opname[frame.f_code.co_code[frame.f_lasti]]


def absent_from(namespace):
    """A ``__getattr__`` for the module that stands for *namespace*."""

    def __getattr__(name):
        # given a path, Python asks ModuleFinder for imports from the module
        return [] if name == "__path__" else attribute(namespace, name)

    return __getattr__


class ModuleFinder:
    """Finds modules by PyTorch's paths below *root*: ours, or an empty one where only PyTorch has a module."""

    def __init__(self, root):
        self.root = root

    def find_spec(self, path, places=None, target=None):
        root, _, inner = path.partition(".")
        its = f"torch.{inner}"
        is_class = inner.rpartition(".")[2][:1].isupper()  # no module of PyTorch has such a name
        if root != self.root or inner and not (inner in contents.namespaces or not is_class and pytorch_names(its)):
            return None
        home = f"autograd_nb.{contents.namespaces.get(inner, inner)}".rstrip(".")
        if home != path:
            module = import_module(home)
            return ModuleSpec(path, self, loader_state=(module, module.__spec__))
        # Python has found nothing
        module, spec = ModuleType(path), ModuleSpec(path, self, origin=sentence(its))
        module.__getattr__ = absent_from(its)
        spec.loader_state = module, spec
        return spec

    def create_module(self, spec):
        return spec.loader_state[0]

    def exec_module(self, module):
        alias, name = module.__spec__.name, module.__name__
        _, module.__spec__ = module.__spec__.loader_state  # the import system has replaced it
        for path, part in list(sys.modules.items()):
            if path.startswith(name + "."):  # modules that it has loaded are found under PyTorch's path as well
                sys.modules.setdefault(alias + path.removeprefix(name), part)


sys.meta_path.append(ModuleFinder("autograd_nb"))
