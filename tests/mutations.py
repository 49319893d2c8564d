"""Do the tests notice?  Small random changes to the code, one by one, each with the tests of its folder.

    python -m tests.mutations autograd_nb/engine --number 50 --seed 1

works on a copy of the project and prints for each change which test caught it, or that none did. It leaves out slow
tests and tests in a browser or of an installation. It is not part of the suite.
"""

import argparse
import ast
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
OPTIONS = ["-q", "-x", "-p", "no:cacheprovider", "-m", "not browser and not slow"]
OTHER = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Pow: ast.Mult, ast.MatMult: ast.Mult,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.And: ast.Or, ast.Or: ast.And, ast.Lt: ast.LtE, ast.LtE: ast.Lt,
    ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip


def changes(tree):
    """All small changes to a source: ``(node, kind of change, changed part, new content)``."""
    for node in ast.walk(tree):
        parts = vars(node)
        match node:
            case ast.BinOp(op=op) | ast.BoolOp(op=op) if type(op) in OTHER:
                yield node, parts, "op", OTHER[type(op)]()
            case ast.Compare(ops=[op]):
                yield node, parts, "ops", [OTHER[type(op)]()]
            case ast.Constant(bool(value)):
                yield node, parts, "value", not value
            case ast.Constant(int(value)):
                yield node, parts, "value", value + 1
            case ast.If(test) | ast.IfExp(test) | ast.While(test):
                yield node, parts, "test", ast.UnaryOp(ast.Not(), test)
            case ast.Return(value) if ast.unparse(value or ast.Constant(None)) != "None":
                yield node, parts, "value", ast.Constant(None)
        for body in (parts.get("body"), parts.get("orelse")):
            for place, each in enumerate(body if isinstance(body, list) else ()):
                match each:
                    case (ast.Expr(ast.Call()) | ast.AugAssign() | ast.Raise() | ast.Continue() | ast.Break()
                          | ast.Delete() | ast.Assign([ast.Attribute() | ast.Subscript()])):  # fmt: skip
                        yield each, body, place, ast.Pass()


def caught(folder, tests, seconds, plain=False):
    """The first of these tests that fails in the copy, or "" where all pass, on the plain engine too if *plain*."""
    settings = os.environ | {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", *OPTIONS, *tests]
    for more in ({}, {"AUTOGRAD_NB_PLAIN": "1"})[: 1 + plain]:
        try:
            run = subprocess.run(
                command, cwd=folder, env=settings | more, timeout=seconds, capture_output=True, text=True)
        except subprocess.TimeoutExpired:
            return f"no end within {seconds:.0f} s"
        if run.returncode:
            named = re.findall(r"^(?:FAILED|ERROR) (.*?)(?: - .*)?$", run.stdout, re.MULTILINE)
            return [*named, f"exit code {run.returncode}"][0]
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", help="a folder or file of the package")
    parser.add_argument("--tests", nargs="+", help="instead of the folder of tests of the same name")
    parser.add_argument("--number", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    tests = given.tests or [f"tests/{Path(given.name).parts[1]}"]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "copy"
        shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(".git", ".venv*", ".hypothesis", "__pycache__"))
        begun = time.monotonic()
        assert not (told := caught(folder, tests, 3600)), f"without any change: {told}"
        longest = 60 + 4 * (time.monotonic() - begun)
        named = folder / given.name
        files = [named] if named.is_file() else sorted(named.rglob("*.py"))
        sources = {file: file.read_text(encoding="utf-8") for file in files}
        choices = [(file, number) for file in files for number, _ in enumerate(changes(ast.parse(sources[file])))]
        for file, number in random.Random(given.seed).sample(choices, min(given.number, len(choices))):
            tree = ast.parse(sources[file])
            node, holder, place, fresh = list(changes(tree))[number]
            holder[place] = fresh
            file.write_text(ast.unparse(ast.fix_missing_locations(tree)), encoding="utf-8")
            told = caught(folder, tests, longest, plain=file.parent.name == "engine")
            file.write_text(sources[file], encoding="utf-8")
            was = sources[file].splitlines()[node.lineno - 1].strip()
            now = "nothing" if isinstance(holder, list) else ast.unparse(node).splitlines()[0]
            print(f"{file.relative_to(folder)}:{node.lineno}: {was} -> {now}", flush=True)
            print(f"    {'caught by ' + told if told else 'SURVIVED'}", flush=True)


if __name__ == "__main__":
    main()
