"""A whole run in two processes is told as one: outcomes, texts of failures, the count, and what was not reached."""

import subprocess
import sys
from pathlib import Path

from serving import empty_home

CONFTEST = """import second_process


def pytest_configure(config):
    plugin = second_process.plugin(lambda items: len(items) > 3, lambda item: "first" not in item.name)
    config.pluginmanager.register(plugin)
"""
TESTS = """import os
import signal

import pytest

SECOND = "AUTOGRAD_NB_REPORTS" in os.environ


@pytest.mark.parametrize("text", ["a b", "::", "é", "[1]"])
def test_in_the_second(text):
    assert SECOND


def test_that_fails(capsys):
    with capsys.disabled():
        print("a figure for the reader")
    print("what it printed")
    assert 6 * 7 == 41, "a reason"


def test_that_is_skipped():
    pytest.skip("another reason")


def test_that_may_end_it():
    if END:
        os.kill(os.getpid(), signal.SIGKILL)


def test_after_it():
    pass


def test_in_the_first():
    assert not SECOND
"""


def run(folder, *arguments, end=False):
    (folder / "conftest.py").write_text(CONFTEST, encoding="utf-8")
    (folder / "test_it.py").write_text(f"END = {end}\n{TESTS}", encoding="utf-8")
    environment = empty_home(folder / "home", PYTHONPATH=str(Path(__file__).parent), PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")
    ran = subprocess.run([sys.executable, "-m", "pytest", "-rs", f"--rootdir={folder}", *arguments], cwd=folder,
                         env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL)  # fmt: skip
    return ran.stdout + ran.stderr


def test_outcomes_and_texts_of_both_are_told(tmp_path):
    told = run(tmp_path)
    assert "1 failed, 7 passed, 1 skipped in " in told and told.count("test session starts") == 1, told
    for text in ("test_it.py .....Fs..", "AssertionError: a reason", "assert (6 * 7) == 41", "what it printed",
                 "\na figure for the reader\n", "SKIPPED [1] test_it.py:", "another reason"):  # fmt: skip
        assert text in told, told


def test_a_second_process_that_ends_fails_what_it_did_not_reach(tmp_path):
    told = run(tmp_path, end=True)
    assert "3 failed, 5 passed, 1 skipped in " in told, told
    assert told.count("the second process ended with exit code -9 before this test did") >= 2, told
