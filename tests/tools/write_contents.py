"""``python tests/tools/write_contents.py`` writes torch_api/names.txt, the module of each name; ``--check`` compares.

It imports every module that may publish names, and notes the new ones after each. It does not use the present table,
which may be out of date or have marks of an unfinished merge.
"""

import sys
from importlib import import_module
from importlib.machinery import SourceFileLoader
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # the package beside this file, not an installed one

from autograd_nb.engine import table  # noqa: E402
from autograd_nb.torch_api import contents  # noqa: E402
from autograd_nb.torch_api.absent import pytorch_names  # noqa: E402

HEADING = "# What stands where, written by `python -m tests.write contents`; contents.py reads it.\n"
PACKAGE = Path(__file__).parents[2] / "autograd_nb"
REGISTRIES = (table.functions, table.methods, table.calls, table.operators)
# names of the first namespace that no module publishes when it loads
ENTRY_POINTS = {
    "as_torch": ["as_torch"], "course": ["predict"], "drawing": ["draw"], "microscope": ["info", "record"],
    "why": ["check", "why"], "widgets": ["bench", "step"],
}  # fmt: skip
# names of nn.functional that PyTorch has in its first namespace too
SHARED = ["cosine_similarity", "dropout", "layer_norm", "pairwise_distance", "prelu"]


def publishers():
    """The modules that publish names when they are loaded."""
    files = [*PACKAGE.glob("operations/[a-z]*.py"), *PACKAGE.glob("torch_api/[a-z]*.py")]
    return [f"{path.parent.name}.{path.stem}" for path in sorted(files)] + ["engine.backward", "nn.functional"]


def published():
    """Import all publishers: ``{name: module}`` for each registry."""
    found = [{} for _ in REGISTRIES]
    seen = [dict(registry) for registry in REGISTRIES]
    running = []  # the modules in the middle of loading, one by the code of another

    def take():
        for registry, before, homes in zip(REGISTRIES, seen, found, strict=True):
            for name, value in registry.items():
                if before.get(name) is not value:
                    before[name], homes[name] = value, running[-1].removeprefix("autograd_nb.")

    def watched(loader, module):
        if running:
            take()
        running.append(module.__name__)
        try:
            plain(loader, module)
        finally:
            take()
            running.pop()

    plain, SourceFileLoader.exec_module = SourceFileLoader.exec_module, watched
    waiting = publishers()
    while waiting:
        errors = {}
        for home in waiting:
            try:
                import_module(f"autograd_nb.{home}")
            except AttributeError as error:  # it uses an operation of a module that is not loaded yet
                errors[home] = error
        if len(errors) == len(waiting):
            raise errors[waiting[0]]
        waiting = list(errors)
    SourceFileLoader.exec_module = plain
    return found


def text():
    table.modules.clear()
    table.also_functions.update([name for name in pytorch_names("torch") if name.endswith("_")])
    for listed, namespace in ((contents.functions, "torch"), (contents.methods, "torch.Tensor")):
        listed.clear()
        listed.update(pytorch_names(namespace))  # second names and in-place forms exist if PyTorch has them
    functions, methods, *internal = published()
    places = [("torch." + name, home) for home, names in ENTRY_POINTS.items() for name in names]
    places += [(name, home) for name, home in functions.items() if methods.get(name) == home]
    places += [("torch." + name, home) for name, home in functions.items() if methods.get(name) != home]
    places += [("x." + name, home) for name, home in methods.items() if functions.get(name) != home]
    places += [("ops." + name, home) for homes in internal for name, home in homes.items()
               if name not in functions and name not in methods]  # fmt: skip
    places += [("torch." + name, "nn.functional") for name in SHARED]
    by_home = {}
    for name, home in places:
        by_home.setdefault(home, set()).add(name)
    rooms = {path.parent.name for path in PACKAGE.glob("[a-z]*/__init__.py")}
    rooms -= {"engine", "learner", "operations", "torch_api", "why", "words"}
    modules = [home for home in publishers() if home.startswith("torch_api.")]
    rooms.add("autograd.func")
    by_home["namespaces"] = rooms.union(home for home in modules if "__getattr__" in vars(contents.load_module(home)))
    return HEADING + "".join(f"{home}: {' '.join(sorted(names))}\n" for home, names in sorted(by_home.items()))


def main(arguments):
    current, new = Path(contents.TABLE).read_text(encoding="utf-8"), text()
    if "--check" not in arguments:
        Path(contents.TABLE).write_text(new, encoding="utf-8")
    elif new != current:
        gone, added = ({*one.split()} - {*other.split()} for one, other in ((current, new), (new, current)))
        sys.exit(f"names.txt is out of date; gone: {sorted(gone)}, new: {sorted(added)}; "
                 "run python -m tests.write contents")


if __name__ == "__main__":
    main(sys.argv[1:])
