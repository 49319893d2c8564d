"""Writes the public names of PyTorch's namespaces, which tell a missing name from one that nobody has.

Run with PyTorch 2.13 installed: ``python tests/tools/record_names.py``.
"""

import pkgutil
import re
import textwrap
from pathlib import Path
from types import ModuleType

FILE = Path(__file__).parents[2] / "autograd_nb" / "torch_api" / "pytorch_names.txt"
NAMESPACES = (
    "torch", "torch.Tensor", "torch.autograd", "torch.autograd.function", "torch.autograd.functional",
    "torch.autograd.graph", "torch.cuda", "torch.linalg", "torch.nn", "torch.nn.functional", "torch.nn.init",
    "torch.nn.Module", "torch.nn.ModuleList", "torch.nn.Sequential", "torch.nn.utils", "torch.optim",
    "torch.optim.Optimizer", "torch.optim.lr_scheduler", "torch.optim.lr_scheduler.StepLR", "torch.random",
    "torch.special",
)  # fmt: skip


def public_names(namespace):
    """The names that the live *namespace* offers: what it lists itself and what was made in PyTorch, no imports.

    With its submodules, loaded or not, and classes with an underscore, which programs derive from.
    """
    home = pkgutil.resolve_name(namespace)
    inside = pkgutil.iter_modules(getattr(home, "__path__", ()))
    listed = {*getattr(home, "__all__", ()), *[each.name for each in inside]}
    for name in dir(home):
        value = getattr(home, name, None)
        origin = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None) or "torch"
        if origin.partition(".")[0] in ("torch", "builtins"):
            listed.add(name)
    return sorted(name for name in listed if re.match(r"[^\W_]|_[A-Z]+[a-z]", name) and name.isidentifier())


def text():
    """What the file holds: a line for each namespace."""
    return "".join(f"{name}: {' '.join(public_names(name))}\n" for name in NAMESPACES)


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
    print(textwrap.shorten(FILE.read_text(encoding="utf-8"), 200), FILE.stat().st_size, "bytes")
