"""README.md keeps its word: its links lead somewhere, CI runs its test command, its Binder badge fits the setting."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_every_relative_link_and_picture_is_there():
    targets = re.findall(r"\]\(([^)#:]+)\)", README)
    assert targets
    assert [target for target in targets if not (ROOT / target).exists()] == []


def test_every_chapter_is_on_the_map():
    linked = set(re.findall(r"\]\(notebooks/([^)]+\.ipynb)\)", README))
    assert linked == {path.name for path in (ROOT / "notebooks").glob("*.ipynb") if ".new" not in path.name}


def test_ci_runs_the_test_command_as_it_stands_here():
    """`.ci/run` greps the line out of README.md; its pattern finds no other."""
    (pattern,) = re.findall(r"grep -m1 '([^']+)' README\.md", (ROOT / ".ci" / "run").read_text())
    assert re.findall(pattern, README, re.MULTILINE) == [
        "python3 -m venv .venv && .venv/bin/pip install -e '.[test]' && .venv/bin/pytest"]


def test_the_binder_badge_is_the_one_of_the_repository_setting():
    check = subprocess.run([sys.executable, ROOT / "binder" / "link.py", "--check"], capture_output=True, text=True)
    assert check.returncode == 0, "run: python binder/link.py" + check.stderr
