"""Do the tests notice?  Small random changes to the code, one by one, each with the tests that import what it changed.

    python -m tests.mutations autograd_nb/engine --number 200 --seed 1

works on a copy of the files that git knows, and prints how many changes were caught and which were not.  A first run
without a change finds out which test file imports what and how long it takes.  Those of the changed file's own folder
run first, then the quickest, and none that would come after `--seconds`.  Tests in a browser, of an installation and of
whole notebooks are left out.  No part of the suite.
"""

import argparse
import ast
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from itertools import accumulate
from pathlib import Path

ROOT = Path(__file__).parents[1]
SECONDS = 300  # for a test file; a change that makes it take longer is caught
OPTIONS = ["-x", "-q", "-p", "no:cacheprovider", "-m", "not browser and not fresh_clone and not slow", "-W", "ignore"]
LEFT_OUT = "architecture contributing benchmarks refresh launcher notebooks processes fresh_clone".split()
SIGNS = {
    ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*", ast.FloorDiv: "*", ast.Mod: "*", ast.Pow: "*",
    ast.MatMult: "*", ast.BitAnd: "|", ast.BitOr: "&", ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">",
    ast.Eq: "!=", ast.NotEq: "==", ast.Is: "is not", ast.IsNot: "is", ast.In: "not in", ast.NotIn: "in",
}  # fmt: skip


def changes(text):
    """All small changes to a source, each ``(first, last, what stands there then)`` in bytes."""
    source, tree = text.encode(), ast.parse(text)
    starts = [0]
    for line in source.splitlines(True):
        starts.append(starts[-1] + len(line))

    def place(node):
        return starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset

    def code(node):
        first, last = place(node)
        return source[first:last].decode()

    for node in ast.walk(tree):
        match node:
            case ast.BinOp(left, op, right) if type(op) in SIGNS and not isinstance(left, ast.Constant | ast.JoinedStr):
                yield *place(node), f"({code(left)}) {SIGNS[type(op)]} ({code(right)})"
            case ast.Compare(left, [op], [right]):
                yield *place(node), f"(({code(left)}) {SIGNS[type(op)]} ({code(right)}))"
            case ast.BoolOp(op, values):
                word = " and " if isinstance(op, ast.Or) else " or "
                yield *place(node), "(" + word.join(f"({code(each)})" for each in values) + ")"
            case ast.UnaryOp(ast.Not(), operand):
                yield *place(node), f"bool({code(operand)})"
            case ast.Constant(bool(value)):
                yield *place(node), str(not value)
            case ast.Constant(int(value)):
                yield *place(node), str(value + 1)
            case ast.If(test) | ast.IfExp(test) | ast.While(test) if not isinstance(test, ast.Compare | ast.UnaryOp):
                yield *place(test), f"(not ({code(test)}))"
            case ast.Return(value) if value is not None:
                yield *place(node), f"return ({code(value)}, None)[1]"
            case ast.Expr(ast.Call()) | ast.AugAssign() | ast.Raise() | ast.Continue() | ast.Break() | ast.Delete():
                yield *place(node), "pass"
            case ast.Assign([ast.Attribute() | ast.Subscript()]):
                yield *place(node), "pass"


class Copy:
    """A copy of the project in which tests run, each in a process of its own that begins with PyTorch loaded."""

    def __init__(self, folder):
        self.folder = Path(folder)
        names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True).stdout
        for name in filter(None, names.decode().split("\0")):
            if (ROOT / name).is_file():
                (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, self.folder / name)

    def passes(self, *arguments, report=None):
        """Whether pytest is content within its time; *report* is a file that is told what was imported."""
        child = os.fork()
        if not child:
            os.setsid()
            with open(os.devnull, "w") as nowhere:
                os.dup2(nowhere.fileno(), 1), os.dup2(nowhere.fileno(), 2)
            os.chdir(self.folder)
            os.environ["PYTHONPATH"] = str(self.folder)
            sys.path[:] = [str(self.folder), *(each for each in sys.path if each not in ("", str(ROOT)))]
            for name in [name for name in sys.modules if name.partition(".")[0] in ("tests", "autograd_nb")]:
                del sys.modules[name]
            sys.dont_write_bytecode = report is None  # the survey leaves it, compiled once, to all that follow
            status = 1
            try:
                import pytest

                status = int(pytest.main([*OPTIONS, *map(str, arguments)]))
                if report:
                    loaded = {getattr(each, "__file__", None) or "" for each in list(sys.modules.values())}
                    Path(report).write_text(json.dumps([name for name in loaded if name.startswith(str(self.folder))]))
            finally:
                os._exit(status)
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                return status in (0, 5 << 8)  # 5: no test in it
            time.sleep(0.02)
        os.killpg(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return False

    def survey(self):
        """``{test file: (seconds, files of the package that it imports)}``, without what fails as it is."""
        found, report = {}, self.folder / "imported.json"
        for path in sorted(self.folder.glob("tests/**/test_*.py")):
            if path.stem.removeprefix("test_") not in LEFT_OUT:
                began = time.monotonic()
                if self.passes(path, report=report):
                    found[path] = time.monotonic() - began, set(json.loads(report.read_text()))
                else:
                    print(f"left out, for it fails or takes long as it is: {path.name}")
        return found


def mutate(copy, files, number, generator, limit):
    """Make the changes one by one; the descriptions of those that no test noticed."""
    known = copy.survey()
    sources = {path: path.read_text(encoding="utf-8") for path in files}
    choices = [(path, change) for path, text in sources.items() for change in changes(text)]
    survivors = []
    for count, (path, (first, last, fresh)) in enumerate(generator.sample(choices, min(number, len(choices))), 1):
        source = sources[path].encode()
        line = source[:first].count(b"\n") + 1
        told = f"{path.relative_to(copy.folder)}:{line}: {source[first:last].decode()} -> {fresh}"
        path.write_bytes(source[:first] + fresh.encode() + source[last:])
        home = path.relative_to(copy.folder).parts[1]
        tests = sorted((home not in test.parts, seconds, test) for test, (seconds, imported) in known.items()
                       if str(path) in imported)  # fmt: skip
        ends = accumulate(seconds for _, seconds, _ in tests)
        tests = [test for end, (*_, test) in zip(ends, tests, strict=True) if end <= limit]
        caught = not copy.passes(path, *tests)
        path.write_text(sources[path], encoding="utf-8")
        if not caught:
            survivors.append(told)
        print(f"{count}. {'caught' if caught else 'SURVIVED'}: {' '.join(told.split())}", flush=True)
    print(f"{count - len(survivors)} of {count} caught")
    return survivors


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", help="files and folders of the package")
    parser.add_argument("--number", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=600, help="of tests for a change")
    given = parser.parse_args()
    import hypothesis  # noqa: F401 - loaded once, before the copies
    import numpy  # noqa: F401
    try:
        import torch  # noqa: F401
    except ImportError:
        print("without PyTorch: fewer tests, and fewer changes that they notice")
    with tempfile.TemporaryDirectory() as folder:
        copy = Copy(Path(folder).resolve())
        files = [file for name in given.files for file in sorted((copy.folder / name).rglob("*.py"))
                 or [copy.folder / name]]  # fmt: skip
        mutate(copy, files, given.number, random.Random(given.seed), given.seconds)


if __name__ == "__main__":
    main()
