"""Small programs, each for one rule of PyTorch, that run on either library, and their outcomes.

A file beside this one holds programs of one room. In it ``torch`` stands for the library; ``@case`` runs a function and
``show(label, function, …)`` a call, and both keep the outcome: the value as text, warnings, the error.
``data/behaviours.json`` has PyTorch's outcomes, so that tests can compare without PyTorch too:

    python -m tests.behaviours        records again, with PyTorch 2.13 installed
"""

import importlib
import json
import re
import warnings
from pathlib import Path

FOLDER = Path(__file__).parent
RECORDED = FOLDER.parent / "data" / "behaviours.json"
ROOMS = sorted(path.stem for path in FOLDER.glob("*.py") if not path.stem.startswith("_"))


def outcomes(room, module):
    """``{label: text}`` of a room's programs with the named module as torch."""
    torch = importlib.import_module(module)
    found = {}

    def show(label, function, *args, **kwargs):
        assert label not in found, f"two programs of {room} are called {label!r}"
        log.clear()
        torch.set_grad_enabled(True)  # even if an earlier program left something
        forget_warnings(torch)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            warnings.filterwarnings("ignore", "`torch.jit.script`")  # PyTorch's own affair
            try:
                text = str(function(*args, **kwargs))
            except Exception as error:
                text = f"{type(error).__name__}: {error}"
        if log:
            text += f" | {log}"
        for each in dict.fromkeys((each.category.__name__, str(each.message)) for each in caught):
            text += f"\n{each[0]}: {each[1].partition('(Triggered')[0].strip()}"
        found[label] = re.sub(r" at 0x\w+", "", text)

    def case(function):
        show(function.__name__, function)
        return function

    def logged(name, result=lambda *args: None):
        """A hook that notes the gradient that it gets, and returns ``result(gradient)``."""

        def hook(*args):
            log.append((name, args))
            return result(*args)

        return hook

    log = []
    space = {
        "torch": torch, "case": case, "show": show, "log": log, "logged": logged, "module": module,
        "leaf": lambda value=2.0, **kwargs: torch.tensor(value, **{"requires_grad": True, **kwargs}),
        "tensor": torch.tensor, "__name__": room,
    }  # fmt: skip
    path = FOLDER / f"{room}.py"
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), space)
    torch.set_grad_enabled(True)
    return found


def forget_warnings(torch):
    """Let warnings that appear once a process appear again."""
    if torch.__name__ == "torch":
        torch.set_warn_always(True)
    else:
        importlib.import_module("autograd_nb.engine.modes").warned.clear()


def recorded():
    return json.loads(RECORDED.read_text(encoding="utf-8"))


def record():
    found = {room: outcomes(room, "torch") for room in ROOMS}
    RECORDED.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
