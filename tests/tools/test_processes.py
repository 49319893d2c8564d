"""A whole run in several processes counts the tests of all, and names each that failed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from serving import empty_home

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the suite runs in one process here")

CONFTEST = """import processes


def pytest_configure(config):
    processes.configure(config)


def pytest_collection_modifyitems(session, items):
    if len(items) > 5:
        again = {"once more": (lambda item: "first" in item.name, {"WHICH_RUN": "the second"})}
        processes.beside(session, items, {"a share": lambda item: "first" not in item.name}, again)
"""
TESTS = """import os
import signal

import pytest


@pytest.mark.parametrize("text", ["a b", "::", "é", "[1]"])
def test_beside(text):
    pass


def test_that_may_fail():
    print("what it printed")
    WHAT


def test_in_the_first(pytestconfig):
    second = pytestconfig.args_source is pytestconfig.ArgsSource.ARGS
    assert os.environ.get("WHICH_RUN") == ("the second" if second else None)
"""


ALONE = "test_it.py::test_that_may_fail"


def lines(folder, tests):
    """What a run of these tests prints."""
    (folder / "conftest.py").write_text(CONFTEST, encoding="utf-8")
    (folder / "test_it.py").write_text(tests, encoding="utf-8")
    home = empty_home(folder / "home", PYTHONPATH=str(Path(__file__).parent), PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")
    ran = subprocess.run([sys.executable, "-m", "pytest", f"--rootdir={folder}"], cwd=folder, env=home,
                         capture_output=True, text=True, stdin=subprocess.DEVNULL)  # fmt: skip
    assert ran.returncode == (" failed, " in ran.stdout), ran.stdout + ran.stderr
    return ran.stdout.splitlines()


@pytest.mark.parametrize("what, summary, why", [
    ("assert 6 * 7 == 42", "7 passed in ", ""),
    ("assert 6 * 7 == 41", "1 failed, 6 passed in ", "assert (6 * 7) == 41"),
    ("assert False, 'one\\n\\n  two'", "1 failed, 6 passed in ", "AssertionError: one two assert False"),
    ("os.kill(os.getpid(), signal.SIGKILL)", "1 failed, 6 passed in ",
     "the process ended with exit code -9, and 1 of its tests did not end"),
], ids=["passes", "fails", "has lines", "is killed"])  # fmt: skip
def test_what_ran_beside_counts_and_its_failure_is_named(tmp_path, what, summary, why):
    *before, named, command, last = lines(tmp_path, TESTS.replace("WHAT", what))
    assert last.strip("= ").startswith(summary)
    if why:
        assert named.startswith(f"FAILED {ALONE} - {why}")
        assert ("what it printed" in before) == ("SIGKILL" not in what)
        assert command == f"    {sys.executable} -m pytest --rootdir={tmp_path} {ALONE}"


def test_a_failure_in_another_environment_is_repeated_there(tmp_path):
    tests = TESTS.replace("WHAT", "pass").replace('("the second" if second else None)', "None")
    *_, named, command, last = lines(tmp_path, tests)
    assert named.startswith("FAILED test_it.py::test_in_the_first - AssertionError: ") and "1 failed, 6 passed" in last
    assert command.split(" -m ")[0] == f"    WHICH_RUN='the second' {sys.executable}"
