"""``python tests/tools/write_stubs.py`` writes the stubs that editors read; ``--check`` compares.

Most names of ``torch``, ``torch.Tensor`` and ``torch.autograd`` come into being at their first use, and an editor runs
nothing. For names that an editor can find by reading, the stubs, ``__init__.pyi``, name the module. They write out the
rest: parameters, the type of the result, the first sentence of the documentation. Calls show the type of a result.
"""

import ast
import contextlib
import inspect
import keyword
import re
import sys
import types
import warnings
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))  # the package beside this file, not an installed one

import numpy  # noqa: E402

import autograd_nb as torch  # noqa: E402
from autograd_nb.torch_api import contents  # noqa: E402
from autograd_nb.torch_api.absent import Absent, pytorch_names  # noqa: E402
from autograd_nb.torch_api.install import OPERATORS  # noqa: E402

PACKAGE = ROOT / "autograd_nb"
STUBS = {
    PACKAGE / f"{path}.pyi": module for path, module in {
        "__init__": torch, "autograd/__init__": torch.autograd, "autograd/functional": torch.autograd.functional,
        "nn/functional": torch.nn.functional, "nn/parameter": torch.nn.parameter,
    }.items()
}  # fmt: skip
HEADING = "# Written by `python -m tests.write stubs`.\n# ruff: noqa\nimport builtins\nimport typing\n\n"
# Types that share a name with Tensor's methods and attributes have a second name in the stub.
SECOND_NAMES = """from numpy import ndarray as _ndarray
from autograd_nb.engine.dtypes import dtype as _dtype
from autograd_nb.torch_api.devices import device as _device
"""
ANY = "typing.Any"
RECORD = """class _Record:
    @typing.overload
    def __call__(self, function: typing.Callable, *inputs) -> _Trace: ...
    @typing.overload
    def __call__(self) -> _Recording: ...
    def load(self, path) -> _Trace: ...
record: _Record
"""
TYPES = {torch.Tensor: "Tensor", torch.dtype: "_dtype", torch.device: "_device", torch.Size: "Size",
         torch.Generator: "Generator", numpy.ndarray: "_ndarray", type(None): "None"}  # fmt: skip
TYPES |= {each: f"builtins.{each.__name__}" for each in (bool, int, float, str, list, dict)}
UNDERSCORED = {"_base", "_is_view", "_version"}  # people read them as well
PLAIN = re.compile(r"-?\d[-\w.]*|'\w*'|True|False|None|\(\)")  # a default that can stand in a stub as it is


def type_of(value):
    """A value's type as text; nothing if it has no short name."""
    if type(value) is tuple:  # one whose elements have no names
        inner = {type_of(each) for each in value}
        return f"builtins.tuple[{inner.pop()}, ...]" if len(inner) == 1 and inner != {""} else "builtins.tuple"
    return TYPES.get(type(value), "")


@cache
def examples():
    """``{function: a result of it}`` for functions that cannot be called with the usual arguments."""
    x = torch.tensor(2.0, requires_grad=True)
    y, functional, F = x * x, torch.autograd.functional, torch.nn.functional
    classes = torch.zeros(1, 2), torch.tensor([1])
    return {
        torch.draw: torch.draw(y), torch.info: torch.info(x), torch.step: torch.step(torch.exp, x),
        torch.why: torch.why(x), torch.check: torch.check(lambda: x * x, of=x),
        torch.bench: torch.bench(preset="hooks"),
        torch.autograd.grad: torch.autograd.grad(y, x), torch.autograd.backward: None,
        F.cross_entropy: F.cross_entropy(*classes), F.nll_loss: F.nll_loss(*classes),
        **{each: each(torch.exp, x) for each in (functional.jacobian, functional.hessian, functional.vjp,
                                                functional.jvp, functional.vhp, functional.hvp)},
    }  # fmt: skip


def firsts():
    """Tensors, one of which suits each method: a matrix, a leaf of one element, a vector, integers."""
    x = torch.tensor([[2.0, 1.0], [0.5, 3.0]])
    return x, torch.tensor(2.0, requires_grad=True), x[0], torch.tensor(3)


@cache
def inputs():
    x = firsts()[0]
    places = torch.tensor([[0, 1], [1, 0]])
    return [(), (x,), (0,), (1,), (2.0,), (0, 1), (0, x), (0, places), (0, places, x), (x, x), (2, 2), (-1, (2, 1)),
            (x > 1, 0.0), (x > 1, x, x), (x[0],), (x[0], x[0]), (x[None], x[None]), (0, places[0]), (0, places[0], x),
            ((2, 2),), (x > 1,), ((x,),), ("ij,jk", x, x), (0, 2, 2), ((places[0],), x[0])]  # fmt: skip


def result_of(function, *firsts):
    """The type of a function's result after one of *firsts*; nothing if it depends on the arguments."""
    found = []
    for first in firsts:
        for given in inputs():
            with contextlib.suppress(Exception):  # of arguments that are not for it
                found.append(function(*(each.clone() for each in first), *given))
    kinds = {type_of(each) for each in found if each is not NotImplemented}
    return kinds.pop() if len(kinds) == 1 else ""


def signature(function, result):
    try:
        found = inspect.signature(function)
    except ValueError:
        return "(*args, **kwargs)"
    parameters = [each.replace(annotation=each.empty) for each in found.parameters.values()]
    parameters = [each if each.default is each.empty or PLAIN.fullmatch(repr(each.default))
                  else each.replace(default=...) for each in parameters]  # fmt: skip
    if (place := getattr(function, "collects", None)) is not None:
        named = [inspect.Parameter("named", inspect.Parameter.VAR_KEYWORD)]
        parameters[place:] = [parameters[place].replace(kind=inspect.Parameter.VAR_POSITIONAL),
                              *(parameters[place + 1 :] or named)]  # fmt: skip
    text = str(found.replace(parameters=parameters, return_annotation=found.empty)).replace("Ellipsis", "...")
    return text + (f" -> {result}" if result else "")


def documented(head, it, indent):
    """A stub's definition with the first paragraph of its documentation."""
    said = ((it and inspect.getdoc(it)) or "").partition("\n\n")[0].replace("\\", "\\\\").replace('"""', "'''")
    said = said.replace("\n", f"\n{indent}    ")
    said += " " if said.endswith('"') else ""
    return f'{indent}{head}:\n{indent}    """{said}"""\n' if said else f"{indent}{head}: ...\n"


@cache
def defined(home):
    """The names of the classes, and of functions without decorators, that a module defines."""
    body = ast.parse(inspect.getsource(sys.modules[home])).body
    return {each.name for each in body if isinstance(each, ast.ClassDef | ast.FunctionDef)
            and (isinstance(each, ast.ClassDef) or not each.decorator_list)}  # fmt: skip


def standing(name, it):
    """The module in which a function or class can be read under this name, if there is one.

    None of the widgets' and the course's: an editor would read all of ipywidgets for a signature.
    """
    homes = [home for home, module in sys.modules.items() if home.startswith("autograd_nb.")
             and not home.startswith(("autograd_nb.widgets", "autograd_nb.course"))
             and vars(module).get(name) is it and name in defined(home)]  # fmt: skip
    return homes[0] if homes else None


def tensor():
    """The class Tensor with everything that modules add to it."""
    x, *others = firsts()
    yield "class Tensor:\n    def __init__(self, *data, device=None) -> None: ...\n"
    for name, it in sorted(vars(torch.Tensor).items()):
        hidden = name.startswith("_") and not name.startswith("__") and name not in UNDERSCORED
        if isinstance(it, Absent) or hidden or keyword.iskeyword(name):
            continue
        found = getattr(torch.Tensor, name)
        if isinstance(found, property):
            result = "None | Tensor" if name == "grad" else type_of(getattr(x, name)).replace("None", ANY) or ANY
            if found.fset:
                yield f"    {name}: {result}\n"
            else:
                yield "    @property\n" + documented(f"def {name}(self) -> {result}", found, "    ")
        elif isinstance(found, types.FunctionType):
            said = getattr(torch.Tensor, OPERATORS.get(name, name), None) if name.startswith("__") else found
            result = result_of(found, [x], *([each] for each in others))
            yield documented(f"def {name}{signature(found, result)}", said, "    ")


def public_names(module):
    """The public names of the package; for a module in it, whose names include imports, PyTorch's names."""
    if module is torch:
        return ["__version__", *sorted(name for name in dir(module) if not name.startswith("_"))]
    if module is torch.nn.parameter:
        return ["Parameter"]
    names = {*pytorch_names(module.__name__.replace("autograd_nb", "torch"))}.intersection(dir(module))
    return sorted(names - {"Tensor"})


def second_name(kind):
    """The import of a class of the package in a stub, under a name that Tensor's names do not hide."""
    return f"from {kind.__module__} import {kind.__name__} as _{kind.__name__}\n"


def stub(module):
    """The stub of a module, with each of its public names."""
    home, lines = module.__name__, []
    imports = [SECOND_NAMES if module is torch else "from autograd_nb import Tensor\n"]
    for name in public_names(module):
        it = getattr(module, name)
        place = standing(name, it)
        if isinstance(it, types.ModuleType):
            inner = it.__name__.removeprefix(home).rpartition(".")
            imports.append(f"from .{inner[0].strip('.')} import {inner[2]} as {name}\n")
        elif it is torch.Tensor:
            lines += tensor()
        elif isinstance(it, type) and issubclass(it, torch.Tensor) and place == home:
            head = documented(f"class {name}(Tensor)", it, "").removesuffix(": ...\n")
            lines += head, f"    def __init__{signature(it.__new__, 'None').replace('cls', 'self')}: ...\n"
        elif it is torch.record:
            imports += map(second_name, (type(torch.record()), type(torch.record(torch.exp, torch.tensor(1.0)))))
            lines.append(RECORD)
        elif it in examples():
            result, kind = type_of(examples()[it]), type(examples()[it])
            imports += [] if result else [second_name(kind)]
            lines.append(documented(f"def {name}{signature(it, result or f'_{kind.__name__}')}", it, ""))
        elif place and place != home:
            imports.append(f"from {place} import {name} as {name}\n")
        elif callable(it) and not isinstance(it, type):
            result = result_of(it, [], *([each] for each in firsts()))
            lines.append(documented(f"def {name}{signature(it, result)}", it, ""))
        else:
            lines.append(f"{name}: {type_of(it) or ANY}\n")
    return HEADING + "".join(sorted(imports)) + "\n" + "".join(lines)


def main(arguments):
    contents.load_table()
    warnings.simplefilter("ignore")
    for path, module in STUBS.items():
        text = stub(module)
        if "--check" not in arguments:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            sys.exit(f"{path.relative_to(ROOT)} is out of date; run python -m tests.write stubs")


if __name__ == "__main__":
    main(sys.argv[1:])
