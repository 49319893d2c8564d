"""Writes the public names of PyTorch's namespaces, to distinguish a name that we lack from one that nobody has.

Run with PyTorch 2.13 installed: ``python tests/tools/record_names.py``.
"""

import pkgutil
import re
import warnings
from importlib import import_module
from pathlib import Path
from types import ModuleType

from members import lacking

from autograd_nb.torch_api.absent import StandIn, advice

FILE = Path(__file__).parents[2] / "autograd_nb" / "torch_api" / "pytorch_names.txt"
CLASSES = "torch.Tensor", "torch.nn.Module"  # all of their names; of other classes, those that ours lack
# only the first level of these is recorded: they are large, and programs about autograd do not use them
DEEP = re.compile(r"torch\.(ao|fx|quantization|onnx|package|export|distributed|jit|masked|nativert|contrib|numa"
                  r"|testing|utils\.(benchmark|hipify|data\.datapipes|serialization|model_dump|viz|jit|bottleneck)"
                  r"|nn\.(intrinsic|qat|quantizable|quantized))\.|torch\.utils\.bundled")  # fmt: skip
# the home of a name: `from torch.nn.modules.linear import Linear` is torch.nn's Linear
HOMES = (
    "torch", "torch.nn", "torch.nn.functional", "torch.nn.parameter", "torch.nn.init", "torch.nn.utils", "torch.optim",
    "torch.optim.lr_scheduler", "torch.autograd", "torch.autograd.function", "torch.autograd.functional",
    "torch.autograd.graph", "torch.utils.data", "torch.distributions", "torch.linalg", "torch.cuda", "torch.random",
    "torch.func", "torch.utils.checkpoint",
)  # fmt: skip
WHOLE = {*HOMES, "torch.utils", "torch.optim.optimizer"}  # of others, the names of objects that we have, and a star


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


def text():
    """The content of the file: a line for each namespace, with ``name=home`` for a name of another namespace."""
    files, found = dict(modules(pkgutil.resolve_name("torch").__path__)), {}
    for path in ["torch", *files]:
        try:
            found[path] = import_module(path)
        except ImportError:
            found[path] = None
    entries = {path: list(public_names(path)) for path in CLASSES}
    entries |= {path: names for path, names in lacking().items() if path not in CLASSES}
    for path, module in found.items():
        names = public_names(path) if module else {}
        homes = {name: home_of(name, value, path, found) for name, value in names.items()}
        if path in WHOLE:
            entries[path] = [name + (home and f"={home}") for name, home in homes.items()]
        else:
            entries[path] = ["*", *[f"{name}={home}" for name, home in homes.items() if home and is_ours(home, name)]]
    return "".join(f"{path}: {' '.join(names)}\n" for path, names in entries.items() if names)


def home_of(name, value, path, found):
    """The first of the homes before *path* whose *name* is this very object, or nothing."""
    if value is None or isinstance(value, ModuleType):
        return ""
    homes = HOMES[: HOMES.index(path)] if path in HOMES else HOMES
    return next((home for home in homes if vars(found[home]).get(name) is value), "")


def is_ours(home, name):
    """Whether we have the *name* of PyTorch's module *home*, or advice for it."""
    value = getattr(import_module(home.replace("torch", "autograd_nb", 1)), name, StandIn)
    return f"{home}.{name}" in advice() or not (value is StandIn or isinstance(value, StandIn))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    FILE.write_text(text(), encoding="utf-8")
