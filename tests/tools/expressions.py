"""Expressions in a namespace called torch: their texts, warnings and errors.

We and PyTorch evaluate the same text. PyTorch's answers are recorded, so that tests can compare without it too:
``data/NAME.json`` maps expressions to outcomes.  To add one, put it there with any outcome and run
``python tests/tools/expressions.py`` with PyTorch 2.13 installed.
"""

import importlib
import json
import sys
from pathlib import Path

from programs import told

FOLDER = Path(__file__).parents[1] / "data"


def surroundings(torch):
    """The names that expressions may use: tensors of each kind."""
    torch.manual_seed(0)
    a = torch.ones(2, requires_grad=True)
    b = torch.tensor(2.0, requires_grad=True)
    return {
        "a": a, "b": b, "c": a * 2, "d": b * 2, "e": torch.tensor([]),
        "f": torch.tensor([1.5, 2.0]), "i": torch.tensor(3), "m": torch.tensor([[0, 1, 2], [3, 4, 5]]),
        "g": torch.Generator(),
        **{name: importlib.import_module(name) for name in ("array", "copy", "fractions", "math", "pickle")},
    }  # fmt: skip


def outcome(expression, torch):
    """The expression's text (or its error), and its warnings."""
    return dict(zip(("shown", "warned"), told(torch, expression, **surroundings(torch)), strict=True))


def recorded(name):
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def record(name, torch):
    outcomes = {expression: outcome(expression, torch) for expression in recorded(name)}
    (FOLDER / f"{name}.json").write_text(json.dumps(outcomes, indent=0, ensure_ascii=False) + "\n", encoding="utf-8")
    return outcomes


if __name__ == "__main__":
    torch = importlib.import_module("torch")
    torch.set_warn_always(True)
    for name in sys.argv[1:] or ("creation", "conversions"):
        print(name, len(record(name, torch)), "expressions")
