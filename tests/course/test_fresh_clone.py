"""The two commands of README.md, run in a fresh clone by a user with an empty home; and the wheel, as installed.

The run inside has AUTOGRAD_NB_INNER=1 (tests/conftest.py): it leaves out this file, the browser, the slow tests and the
chapters after 01, which all run outside. It has no torch, so it shows that everything else passes with recorded values.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import numpy_alone
import pytest
from house import ROOT
from serving import empty_home, free_port, page, serving

from autograd_nb.course.library import for_a_learner

RUN, TEST = re.findall(r"^python3 -m venv .*$", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)

pytestmark = pytest.mark.fresh_clone
INSTALLATION = 1200  # seconds; it took 40 on two quiet cores, and 264 on busy ones with a slow disk


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """An environment with an empty home, whose python3 is the interpreter behind these tests' environment.

    pip compiles nothing (by its documentation, "no" turns it off): most installed modules are not imported here.
    """
    folder = tmp_path_factory.mktemp("somebody")
    interpreter = Path(sys._base_executable).resolve().parent
    return empty_home(folder / "home", PATH=f"{interpreter}:{os.environ['PATH']}", AUTOGRAD_NB_INNER="1",
                      PIP_NO_COMPILE="no")  # fmt: skip


@pytest.fixture(scope="module")
def clone(tmp_path_factory, environment):
    """A clone of the last commit; a copy if this is an unpacked archive, which has no history."""
    folder = tmp_path_factory.mktemp("fresh")
    probe = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--dest", folder, "hatchling"]
    if subprocess.run(probe, env=environment, capture_output=True).returncode:
        pytest.skip("pip reaches no package index here: nothing can be installed in a fresh clone")
    if (ROOT / ".git").exists():
        subprocess.run(["git", "clone", "-q", f"file://{ROOT}", folder / "clone"], check=True)
    else:
        leave = shutil.ignore_patterns(".venv", ".*_cache", ".hypothesis", "__pycache__", ".ipynb_checkpoints")
        shutil.copytree(ROOT, folder / "clone", ignore=leave)
    return folder / "clone"


def test_the_run_command_serves_the_course(clone, environment, tmp_path):
    command = ["bash", "-c", f"{RUN} --no-browser"]
    with serving(command, tmp_path / "log", seconds=INSTALLATION, cwd=clone, env=environment) as address:
        url, text = page(address)
    assert "/lab/tree/00_welcome.ipynb" in url and "<title>JupyterLab</title>" in text
    assert f"The course is in {clone / 'autograd-nb-course'}." in (tmp_path / "log").read_text()


def test_the_test_command_passes_and_leaves_nothing_behind(clone, environment):
    done = subprocess.run(["bash", "-c", TEST], cwd=clone, env=environment, stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=2 * INSTALLATION)
    assert done.returncode == 0, done.stdout[-8000:]
    assert re.search(r"^=+ \d+ passed.*=+$", done.stdout.splitlines()[-1]), done.stdout[-2000:]
    if (clone / ".git").exists():
        status = subprocess.run(["git", "status", "--porcelain"], cwd=clone, capture_output=True, text=True)
        assert status.stdout == ""


def test_an_installed_wheel_hands_out_the_course(clone, environment, tmp_path):
    site, empty, log = tmp_path / "site", tmp_path / "empty", tmp_path / "log"
    empty.mkdir()
    pip = [sys.executable, "-m", "pip", "-q"]
    subprocess.run([*pip, "wheel", "--no-deps", "--wheel-dir", tmp_path, clone], env=environment, check=True)
    (wheel,) = tmp_path.glob("autograd_nb-*.whl")
    subprocess.run([*pip, "install", "--no-deps", "--target", site, wheel], env=environment, check=True)
    assert not (site / "notebooks").exists() and not list(site.glob("**/text"))
    empty.joinpath("alone").mkdir()
    program = "import autograd_nb as torch\nprint(torch.__file__, torch.tensor(2., requires_grad=True) ** 3)"
    said = numpy_alone.run(program, site, empty / "alone")
    assert said == f"{site / 'autograd_nb' / '__init__.py'} tensor(8., grad_fn=<PowBackward0>)\n"

    program = "from pathlib import Path; from autograd_nb.course.site.lite import own_wheel; own_wheel(Path('again'))"
    off = {"PYTHONPATH": str(site), "PIP_NO_INDEX": "1"}
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, env=environment | off, check=True)
    with ZipFile(wheel) as first, ZipFile(tmp_path / "again" / wheel.name) as second:
        inside = {name for name in first.namelist() if ".data/" not in name}
        assert {*second.namelist()} == inside
        assert [name for name in inside if first.read(name) != second.read(name)] == [
            name for name in inside if name.endswith("/RECORD")]  # it also names the parts in the first one's .data

    command = [sys.executable, "-m", "autograd_nb", "--no-browser", f"--port={free_port()}"]
    with serving(command, log, cwd=empty, env=environment | {"PYTHONPATH": str(site)}) as address:
        assert "/lab/tree/00_welcome.ipynb" in page(address)[0]
    handed_out = {path.name: path.read_bytes() for path in (empty / "autograd-nb-course").glob("*.ipynb")}
    assert handed_out == {path.name: for_a_learner(path) for path in (clone / "notebooks").glob("*.ipynb")}
