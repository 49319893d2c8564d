"""One command makes every stored result again, and each test that compares with one names it."""

import re
from pathlib import Path

import pytest
from house import ROOT, run

from tests import write

# their tests have other words, or the command that they name calls the step
BY_TOOL = {"contents": "write_contents.py", "stubs": "write_stubs.py"}
# strict nbval shows the outputs that differ; no test compares screenshots, for fonts differ
BY_EYE = {"notebooks", "shots"}


def test_each_step_is_named_where_its_result_is_compared():
    texts = [path.read_text(encoding="utf-8") for path in Path(__file__).parent.rglob("test_*.py")]
    named = {name for text in texts for name in re.findall(r'''\banew\(["'](\w+)["']\)''', text)}
    tools = Path(__file__).parent / "tools"
    for name, file in BY_TOOL.items():
        assert f"python -m tests.write {name}" in (tools / file).read_text(encoding="utf-8")
    assert named | BY_TOOL.keys() | BY_EYE == write.STEPS.keys()


def test_what_is_stored_is_what_the_command_writes():
    assert run("-m", "tests.write", "contents", "stubs", cwd=ROOT) == "contents: as before\nstubs: as before\n"


@pytest.mark.parametrize("what", ["content", "all"])
def test_a_step_that_is_not_there_is_told(what):
    assert write.main([what]) == f"there is no {what}; there are {', '.join(write.STEPS)}"
