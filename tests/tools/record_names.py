"""Writes the public names of PyTorch's namespaces, to distinguish a name that we lack from one that nobody has.

Run with PyTorch 2.13 installed: ``python tests/tools/record_names.py``.
"""

import ast
import pkgutil
import re
import warnings
from importlib import import_module
from pathlib import Path
from types import ModuleType

FILE = Path(__file__).parents[2] / "autograd_nb" / "torch_api" / "pytorch_names.txt"
CLASSES = (  # Tensor comes first: the import of the package reads its line, and no other
    "torch.Tensor", "torch.nn.Module", "torch.nn.ModuleList", "torch.nn.Sequential", "torch.optim.Optimizer",
    "torch.optim.lr_scheduler.StepLR",
)  # fmt: skip
# only the first level of these is recorded: they are large, and programs about autograd do not use them
DEEP = re.compile(r"torch\.(ao|fx|quantization|onnx|package|export|distributed|jit|masked|nativert|contrib|numa"
                  r"|testing|utils\.(benchmark|hipify|data\.datapipes|serialization|model_dump|viz|jit|bottleneck)"
                  r"|nn\.(intrinsic|qat|quantizable|quantized))\.|torch\.utils\.bundled")  # fmt: skip
# the home of a name: `from torch.nn.modules.linear import Linear` is torch.nn's Linear
HOMES = (
    "torch", "torch.nn", "torch.nn.functional", "torch.nn.parameter", "torch.nn.init", "torch.nn.utils", "torch.optim",
    "torch.optim.lr_scheduler", "torch.autograd", "torch.autograd.function", "torch.autograd.functional",
    "torch.autograd.graph", "torch.utils.data", "torch.distributions", "torch.linalg", "torch.cuda", "torch.random",
)  # fmt: skip


def modules(places, prefix="torch."):
    """``path, source file`` of PyTorch's public modules, those inside private ones left out."""
    for each in pkgutil.iter_modules(places, prefix):
        name = each.name.rpartition(".")[2]
        if name.isidentifier() and not (name.startswith("_") or DEEP.match(each.name)):
            folder = Path(each.module_finder.path, name)
            yield each.name, folder / "__init__.py" if each.ispkg else folder.with_suffix(".py")
            if each.ispkg:
                yield from modules([folder], each.name + ".")


def public_names(namespace):
    """The public names that the live *namespace* offers, as a dict from each to the object: no imports from elsewhere.

    With its submodules, loaded or not, and classes with an underscore, which programs derive from.
    """
    home = pkgutil.resolve_name(namespace)
    inside = pkgutil.iter_modules(getattr(home, "__path__", ()))
    listed = {*getattr(home, "__all__", ()), *[each.name for each in inside]}
    # torch.backends.cudnn keeps its functions in m and its settings on its class
    for name in {*dir(home), *vars(type(home)), *dir(getattr(home, "m", home))}:
        value = getattr(home, name, None)
        origin = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None) or "torch"
        if origin.partition(".")[0] in ("torch", "builtins"):
            listed.add(name)
    listed = {name for name in listed if re.match(r"[^\W_]|_[A-Z]+[a-z]", name) and name.isidentifier()}
    return {name: getattr(home, name, None) for name in sorted(listed)}


def written(file):
    """The names that an unloadable module (it needs another package) imports or defines, by its source."""
    body = ast.parse(file.read_text(encoding="utf-8")).body
    names = [alias.asname or alias.name for each in body if isinstance(each, ast.ImportFrom) for alias in each.names]
    names += [each.name for each in body if isinstance(each, ast.ClassDef | ast.FunctionDef)]
    return {name: None for name in sorted(names) if not name.startswith("_")}


def text():
    """The content of the file: a line for each namespace, with ``name=home`` for a name of another namespace."""
    files, found = dict(modules(pkgutil.resolve_name("torch").__path__)), {}
    for path in ["torch", *files]:
        try:
            found[path] = import_module(path)
        except ImportError:
            found[path] = None
    lines = []
    for path in [*CLASSES, *found]:
        names = written(files[path]) if path in found and found[path] is None else public_names(path)
        entries = [name + home_of(name, value, path, found) for name, value in names.items()]
        lines += [f"{path}: {' '.join(entries)}\n"] if entries else []
    return "".join(lines)


def home_of(name, value, path, found):
    """``=home`` for a name whose object has the same name in one of the homes, else nothing."""
    if value is None or path in CLASSES or isinstance(value, ModuleType):
        return ""
    homes = HOMES[: HOMES.index(path)] if path in HOMES else HOMES
    return next((f"={home}" for home in homes if vars(found[home]).get(name) is value), "")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    FILE.write_text(text(), encoding="utf-8")
