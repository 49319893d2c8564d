"""The workflows and templates for GitHub are valid, and what they call is there."""

import importlib.util
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import check_jsonschema
import pytest
from house import ROOT

GITHUB = ROOT / ".github"
WORKFLOWS = sorted(GITHUB.glob("workflows/*.yml"))
FORMS = sorted(path for path in GITHUB.glob("ISSUE_TEMPLATE/*.yml") if path.stem != "config")
SCHEMAS = {
    "vendor.github-workflows": WORKFLOWS,
    "custom.github-workflows-require-timeout": WORKFLOWS,
    "vendor.github-issue-forms": FORMS,
    "vendor.github-issue-config": [GITHUB / "ISSUE_TEMPLATE" / "config.yml"],
    "vendor.dependabot": [GITHUB / "dependabot.yml"],
}
TEXTS = {path.name: path.read_text(encoding="utf-8") for path in [*WORKFLOWS, *FORMS]}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.mark.parametrize("schema", SCHEMAS)
def test_each_file_has_the_form_that_github_reads(schema):
    assert SCHEMAS[schema]
    assert check_jsonschema.main(["--builtin-schema", schema, *map(str, SCHEMAS[schema])], standalone_mode=False) == 0


def test_no_workflow_gives_away_more_rights_than_it_needs():
    zizmor = Path(sys.executable).with_name("zizmor.exe" if os.name == "nt" else "zizmor")
    checked = subprocess.run([zizmor, "--offline", "--no-progress", "--quiet", ROOT], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_what_the_workflows_and_templates_call_is_there():
    called = {name for text in TEXTS.values() for name in re.findall(r"python -m ((?:tests|autograd_nb)[\w.]*)", text)}
    assert {"autograd_nb.versions", "autograd_nb.course.site", "tests.release", "tests.versions"} <= called
    assert [name for name in called if importlib.util.find_spec(name) is None] == []
    scripts = {name for text in TEXTS.values() for name in re.findall(r"run: (\.ci/\w+)", text)}
    assert ".ci/run" in scripts and all(os.access(ROOT / name, os.X_OK) for name in scripts)
    named = re.findall(r"\.\[(\w+)\]\"|tests/\w+|extra: \[(.+)\]", "".join(TEXTS.values()))
    extras = {name for pair in named for name in ", ".join(pair).split(", ") if name}
    assert extras <= PROJECT["optional-dependencies"].keys()


def test_the_suite_runs_on_each_python_that_the_package_declares():
    tried = re.findall(r"3\.\d+", re.search(r"python: \[(.*)\]", TEXTS["tests.yml"])[1])
    assert [f"Programming Language :: Python :: {each}" for each in tried] == [
        each for each in PROJECT["classifiers"] if re.search(r"3\.\d", each)]  # fmt: skip
    assert PROJECT["requires-python"] == f">={tried[0]}"
