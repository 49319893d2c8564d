"""The reference: a document in Markdown for each namespace, made of its docstrings."""

import inspect
import re
from pkgutil import resolve_name

from ...torch_api import contents
from ...torch_api.absent import pytorch_names

NAMESPACES = [
    "autograd_nb", *(f"autograd_nb.{name}" for name in (
        "Tensor", "autograd", "autograd.functional", "autograd.graph", "nn", "nn.Module", "nn.functional", "nn.init",
        "nn.utils", "optim", "optim.Optimizer", "optim.lr_scheduler", "linalg"))
]  # fmt: skip
ROLE = re.compile(r":\w+:`~?([^`]+)`|``([^`]+)``")  # a reference and code, in the syntax of docstrings
EXAMPLE = re.compile(r"^(>>> .*(?:\n.+)*)", re.MULTILINE)


def document(namespace):
    """The document of one of the namespaces."""
    contents.load_table()
    place, first_names, parts = resolve_name(namespace.replace(".", ":", 1)), {}, []
    for name in names_of(namespace.replace("autograd_nb", "torch"), place):
        it = getattr(place, name)
        if inspect.ismodule(it) or not (said := documentation(it)):
            continue
        if (first := first_names.setdefault(id(it), name)) != name:
            said = f"Another name of `{first}`."
        parts.append(f"## {name}\n\n```python\n{name}{signature(it)}\n```\n\n{said}\n")
    return f"# {namespace}\n\n{documentation(place).splitlines()[0]}\n\n" + "\n".join(parts)


def names_of(namespace, place):
    """The sorted public names of a module or class: names that it lists, and names in PyTorch's *namespace*."""
    names = {*pytorch_names(namespace), *getattr(place, "__all__", ())}
    return sorted(name for name in names if hasattr(place, name))


def signature(it):
    """The parameters of a function or class, as text after its name; "" for anything else."""
    if not callable(it):
        return ""
    try:
        return str(inspect.signature(it)).replace("<no value>", "...")
    except ValueError:
        return "(...)"


def documentation(it):
    """A docstring as Markdown."""
    said = ROLE.sub(lambda found: f"`{' '.join((found[1] or found[2]).split())}`", inspect.getdoc(it) or "")
    return EXAMPLE.sub(r"```python\n\1\n```", said)
