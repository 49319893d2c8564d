"""Writes the keywords of PyTorch's functions that ours lack, from PyTorch's signatures, stubs and docstrings.

Run with PyTorch 2.13 installed: ``python tests/tools/record_keywords.py``.
"""

import ast
import inspect
import pkgutil
import re
from functools import cache, reduce
from pathlib import Path

from members import EXAMPLES

import autograd_nb
from autograd_nb.torch_api.keywords import ALIASES

FILE = Path(autograd_nb.__file__).parent / "torch_api" / "keywords.txt"
NAMESPACES = (
    "torch", "torch.Tensor", "torch.autograd", "torch.autograd.functional", "torch.autograd.graph", "torch.linalg",
    "torch.nn", "torch.nn.functional", "torch.nn.init", "torch.nn.Module", "torch.nn.utils", "torch.optim",
    "torch.optim.Optimizer", "torch.optim.lr_scheduler", "torch.random", "torch.Generator", "torch.func",
    "torch.utils.checkpoint", "torch.utils.data",
)  # fmt: skip
STUBS = {"torch": ("_C/_VariableFunctions.pyi", None), "torch.Tensor": ("_C/__init__.pyi", "TensorBase")}
# named in stubs or docstrings only: the functions themselves refuse them; nobody makes a handle by hand
NOT_REAL = {
    "torch.Tensor": {"out"}, "torch.Tensor.requires_grad_": {"mode"}, "torch.Tensor.to": {"other"},
    "torch.full": {"names"}, "torch.nn.functional.one_hot": {"tensor"}, "torch.linalg.norm": {"A"},
    "torch.autograd.graph.RemovableHandle": {"hooks_dict", "extra_dict"},
}  # fmt: skip


@cache
def stub(namespace):
    """``{function: {keyword: default}}`` of all overloads in one of PyTorch's stubs."""
    path, cls = STUBS.get(namespace, (None, None))
    if path is None:
        return {}
    body = ast.parse((Path(pkgutil.resolve_name("torch").__file__).parent / path).read_text(encoding="utf-8")).body
    if cls:
        body = next(node.body for node in body if isinstance(node, ast.ClassDef) and node.name == cls)
    found = {}
    for node in body:
        if isinstance(node, ast.FunctionDef):
            plain, keyword = node.args.args, node.args.kwonlyargs
            defaults = [None] * (len(plain) - len(node.args.defaults)) + node.args.defaults + node.args.kw_defaults
            for argument, default in zip(plain + keyword, defaults, strict=True):
                known = found.setdefault(node.name, {})
                known[argument.arg] = known.get(argument.arg) or (ast.unparse(default) if default else "")
    return found


def keywords(namespace, name):
    """``{keyword: default as text}`` of a function, or of the ``__init__`` of a class, of PyTorch."""
    value = getattr(pkgutil.resolve_name(namespace), name)
    try:
        signature = inspect.signature(value.__init__ if inspect.isclass(value) else value)
    except ValueError:
        if name in stub(namespace):
            return stub(namespace)[name]
        call = re.search(rf"{name}\((.*?)\) *->", inspect.getdoc(value) or "", re.DOTALL)
        found = re.findall(r"(\w+)(?:=([^,\s]+))?(?=,|$)", call[1]) if call else []
        return {word: default or "" for word, default in found}
    kinds = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
    named = [each for each in signature.parameters.values() if each.kind in kinds]
    return {each.name: "" if each.default is each.empty else repr(each.default) for each in named}


def places(namespace, name):
    """``{keyword: its place among the arguments}``, where PyTorch's function is written in Python."""
    value = getattr(pkgutil.resolve_name(namespace), name)
    try:
        parameters = inspect.signature(value.__init__ if inspect.isclass(value) else value).parameters.values()
    except ValueError:
        return {}
    return {each.name: place for place, each in enumerate(parameters) if each.kind is each.POSITIONAL_OR_KEYWORD}


def functions():
    """``path, function of ours, its keywords in PyTorch``, for each that both have."""
    classes = [path for path in EXAMPLES if path not in NAMESPACES]
    for namespace in [*NAMESPACES, *classes]:
        mine, its = reduce(getattr, namespace.split(".")[1:], autograd_nb), pkgutil.resolve_name(namespace)
        names = vars(its) if namespace in classes else dir(its)  # what a class inherits stands at the other class
        for name in sorted(name for name in names if not name.startswith("_")):
            there = getattr(mine, name, None)
            if callable(there) and name in dir(mine) and callable(getattr(its, name)):
                path = f"{namespace}.{name}"
                left_out = {"self", "cls", *NOT_REAL.get(namespace, ()), *NOT_REAL.get(path, ())}
                named = {word: each for word, each in keywords(namespace, name).items() if word not in left_out}
                yield path, there, named


def own(function):
    """The keywords of one of our functions; None if it takes any."""
    parameters = inspect.signature(function.__init__ if inspect.isclass(function) else function).parameters.values()
    return None if any(each.kind is each.VAR_KEYWORD for each in parameters) else {each.name for each in parameters}


def text():
    lines = {}
    for path, function, its in functions():
        mine = own(function)
        at = places(*path.rsplit(".", 1))
        for word, default in its.items() if mine is not None else ():
            if word not in mine and ALIASES.get(word) not in mine:
                place = f"@{at[word]}" if word in at else ""
                lines.setdefault(path, []).append(f"{word}{place}={default}")
    return "".join(f"{path}: {' '.join(words)}\n" for path, words in sorted(lines.items()))


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
