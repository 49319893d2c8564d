"""``python tests/tools/cells_on_pytorch.py NN`` runs every code cell of a chapter on PyTorch, and prints the results.

The cells have two changes: the import, and that helpers of ours come from `autograd_nb`.
"""

import ast
import contextlib
import io
import json
import linecache
import re
import sys
import warnings

import house
from IPython.lib.pretty import pretty

HELPERS = "draw", "step", "info", "record", "why", "bench"
SHOWN = re.compile(r"autograd_nb\.(?:course|drawing|widgets)\b")
PAGES = re.compile(rf"\btorch\.(?=(?:{'|'.join(HELPERS)})\b)")


def on_pytorch(source):
    """A cell's program with `torch` for PyTorch; helpers of ours are looked up in autograd_nb."""
    return PAGES.sub("autograd_nb.", source.replace("import autograd_nb as torch", "import autograd_nb, torch"))


def run(source, names, file):
    """What a cell prints; its value as text, unless it is a card, a picture or a widget; its error, or None."""
    linecache.cache[file] = len(source), None, source.splitlines(True), file  # from which `why` quotes a line
    body, last, value, error = ast.parse(source).body, None, None, None
    if body and isinstance(body[-1], ast.Expr):
        last = ast.Expression(body.pop().value)
    with contextlib.redirect_stdout(io.StringIO()) as printed, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec(compile(ast.Module(body, []), file, "exec"), names)
            value = last and eval(compile(last, file, "eval"), names)
        except Exception as raised:
            error = f"{type(raised).__name__}: {raised}"
    text = "" if value is None or SHOWN.match(type(value).__module__) else pretty(value)
    return printed.getvalue(), text, error


def main(number):
    names, found = {}, []
    for place, (_, source) in enumerate(house.cells(house.chapter(number), "code")):
        found.append(run(on_pytorch(source), names, f"cell {place} of {number}"))
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1])
