"""Do the tests notice?  Small random changes to the code, one by one, each with the tests that run what it changed.

    python -m tests.mutations autograd_nb/engine --number 200 --seed 1

works on a copy of the files that git knows, and prints how many changes were caught and which were not.  A first run
without a change finds out which functions each test calls and how long it takes.  A change in a function is tried with
the tests that call it, any other change with those that call anything in its file: those of the same folder first, then
the quickest, `--seconds` in all.  Tests in a browser, of an installation and of whole notebooks are left out.  No part
of the suite.
"""

import argparse
import ast
import cProfile
import os
import pickle
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from itertools import accumulate
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
OPTIONS = ["-q", "-p", "no:cacheprovider", "-m", "not browser and not fresh_clone and not slow", "-W", "ignore"]
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


def function_at(text, line):
    """The line where the innermost function around this line begins, as its code object has it, or None."""
    found = None
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.Lambda) and node.lineno <= line <= node.end_lineno:
            found = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))])
    return found


class Calls:
    """A pytest plugin that finds out which functions in a folder each passing test calls, and how long it takes."""

    def __init__(self, folder):
        self.folder, self.tests, self.failed = str(folder), {}, set()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item):
        profile, began = cProfile.Profile(), time.monotonic()
        profile.enable()
        try:
            return (yield)
        finally:
            profile.disable()
            codes = [entry.code for entry in profile.getstats() if not isinstance(entry.code, str)]
            called = {(sys.intern(code.co_filename), code.co_firstlineno)
                      for code in codes if code.co_filename.startswith(self.folder)}  # fmt: skip
            if item.nodeid not in self.failed:
                self.tests[item.nodeid] = time.monotonic() - began, called

    def pytest_runtest_logreport(self, report):
        if not report.passed:
            self.failed.add(report.nodeid)


class Copy:
    """A copy of the project in which tests run, each time in a process of its own that begins with PyTorch loaded."""

    def __init__(self, folder):
        self.folder = Path(folder).resolve()
        names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True).stdout
        for name in filter(None, names.decode().split("\0")):
            if (ROOT / name).is_file():
                (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, self.folder / name)

    def passes(self, tests, seconds, report=None):
        """Whether these tests pass within the time; *report* is a file that is told what each of them calls."""
        listed = self.folder / "chosen_tests"
        listed.write_text("\n".join(map(str, tests)), encoding="utf-8")
        child = os.fork()
        if not child:
            status = 1
            try:
                status = self.run(listed, report)
            finally:
                os._exit(status)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                return status in (0, 5 << 8)  # 5: no test in it
            time.sleep(0.02)
        os.killpg(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return False

    def run(self, listed, report):
        """pytest's exit status, in the child."""
        os.setsid()
        with open(os.devnull, "w") as nowhere:
            os.dup2(nowhere.fileno(), 1), os.dup2(nowhere.fileno(), 2)
        os.chdir(self.folder)
        os.environ["PYTHONPATH"] = str(self.folder)
        sys.path[:] = [str(self.folder), *(each for each in sys.path if each not in ("", str(ROOT)))]
        for name in [name for name in sys.modules if name.partition(".")[0] in ("tests", "autograd_nb")]:
            del sys.modules[name]
        sys.dont_write_bytecode = report is None  # the survey leaves it, compiled once, to all that follow
        if report is None:
            return int(pytest.main([*OPTIONS, "-x", f"@{listed}"]))
        calls = Calls(self.folder / "autograd_nb")
        status = int(pytest.main([*OPTIONS, f"@{listed}"], plugins=[calls]))
        report.write_bytes(pickle.dumps(calls.tests))
        return status

    def survey(self):
        """``{test: (seconds, functions that it calls)}`` for all tests that pass as it is."""
        found, report = {}, self.folder / "survey"
        for path in sorted(self.folder.glob("tests/**/test_*.py")):
            if path.stem.removeprefix("test_") not in LEFT_OUT:
                if not self.passes([path.relative_to(self.folder)], 1800, report):
                    print(f"left out: what fails as it is, or takes too long, in {path.name}")
                if report.exists():
                    found.update(pickle.loads(report.read_bytes()))
                    report.unlink()
        return found


def mutate(copy, files, number, generator, limit):
    """Make the changes one by one; the descriptions of those that no test noticed."""
    callers = defaultdict(set)
    known = copy.survey()
    for test, (_, functions) in known.items():
        for file, line in functions:
            callers[file, line].add(test)
            callers[file, None].add(test)
    sources = {path: path.read_text(encoding="utf-8") for path in files}
    choices = [(path, change) for path, text in sources.items() for change in changes(text)]
    survivors = []
    for count, (path, (first, last, fresh)) in enumerate(generator.sample(choices, min(number, len(choices))), 1):
        source = sources[path].encode()
        line = source[:first].count(b"\n") + 1
        told = f"{path.relative_to(copy.folder)}:{line}: {source[first:last].decode()} -> {fresh}"
        path.write_bytes(source[:first] + fresh.encode() + source[last:])
        home = f"tests/{path.relative_to(copy.folder).parts[1]}/"
        concerned = callers[str(path), function_at(sources[path], line)] or callers[str(path), None]
        tests = sorted((not test.startswith(home), known[test][0], test) for test in concerned)
        ends = [*accumulate(seconds for _, seconds, _ in tests)]
        tests = [test for end, (*_, test) in zip(ends, tests, strict=True) if end <= limit]
        caught = bool(tests) and not copy.passes(tests, 60 + 3 * limit)
        path.write_text(sources[path], encoding="utf-8")
        if not caught:
            survivors.append(told)
        result = f"{'caught' if caught else 'SURVIVED'} ({len(tests)} tests)"
        print(f"{count}. {result}: {' '.join(told.split())}", flush=True)
    print(f"{count - len(survivors)} of {count} caught")
    return survivors


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", help="files and folders of the package")
    parser.add_argument("--number", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=100, help="of tests for a change")
    given = parser.parse_args()
    import hypothesis  # noqa: F401 - loaded once, before the copies
    import numpy  # noqa: F401
    try:
        import torch  # noqa: F401
    except ImportError:
        print("without PyTorch: fewer tests, and fewer changes that they notice")
    with tempfile.TemporaryDirectory() as folder:
        copy = Copy(folder)
        files = [file for name in given.files for file in sorted((copy.folder / name).rglob("*.py"))
                 or [copy.folder / name]]  # fmt: skip
        mutate(copy, files, given.number, random.Random(given.seed), given.seconds)


if __name__ == "__main__":
    main()
