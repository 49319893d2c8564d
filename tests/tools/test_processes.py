"""A whole run in several processes fails if a share does, and shows the output of each."""

import subprocess
import sys
from pathlib import Path

import pytest
from serving import empty_home

CONFTEST = """import processes


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


@pytest.mark.parametrize("what, summary, told", [
    ("assert 6 * 7 == 42", "3 passed in ", "5 passed in "),
    ("assert 6 * 7 == 41", "1 failed, 2 passed in ", "what it printed"),
    ("os.kill(os.getpid(), signal.SIGKILL)", "1 failed, 2 passed in ", "ended with exit code -9"),
])  # fmt: skip
def test_what_ran_beside_is_told_and_its_failure_is_the_runs(tmp_path, what, summary, told):
    (tmp_path / "conftest.py").write_text(CONFTEST, encoding="utf-8")
    (tmp_path / "test_it.py").write_text(TESTS.replace("WHAT", what), encoding="utf-8")
    home = empty_home(tmp_path / "home", PYTHONPATH=str(Path(__file__).parent), PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")
    ran = subprocess.run([sys.executable, "-m", "pytest", f"--rootdir={tmp_path}"], cwd=tmp_path, env=home,
                         capture_output=True, text=True, stdin=subprocess.DEVNULL)  # fmt: skip
    assert summary in ran.stdout.splitlines()[-1] and told in ran.stdout, ran.stdout + ran.stderr
    assert (ran.returncode == 0) == (what == "assert 6 * 7 == 42")
