"""The wheel, as installed: it is complete, needs NumPy alone, and hands out the course."""

import subprocess
import sys
from zipfile import ZipFile

import numpy_alone
import pytest
from house import NOTEBOOKS, ROOT
from serving import empty_home, free_port, page, serving

from autograd_nb.course.library import for_a_learner

PROGRAM = "import autograd_nb as torch\nprint(torch.__file__, torch.tensor(2., requires_grad=True) ** 3)"
AGAIN = "from pathlib import Path; from autograd_nb.course.site.lite import own_wheel; own_wheel(Path('again'))"


@pytest.mark.slow
def test_an_installed_wheel_hands_out_the_course(tmp_path):
    site, empty, home = tmp_path / "site", tmp_path / "empty", empty_home(tmp_path / "home")
    empty.mkdir()
    pip = [sys.executable, "-m", "pip", "-q"]
    subprocess.run([*pip, "wheel", "--no-deps", "--wheel-dir", tmp_path, ROOT], env=home, check=True)
    (wheel,) = tmp_path.glob("autograd_nb-*.whl")
    subprocess.run([*pip, "install", "--no-deps", "--target", site, wheel], env=home, check=True)
    assert not (site / "notebooks").exists() and not list(site.glob("**/text"))
    empty.joinpath("alone").mkdir()
    said = numpy_alone.run(PROGRAM, site, empty / "alone")
    assert said == f"{site / 'autograd_nb' / '__init__.py'} tensor(8., grad_fn=<PowBackward0>)\n"

    off = {"PYTHONPATH": str(site), "PIP_NO_INDEX": "1"}
    subprocess.run([sys.executable, "-c", AGAIN], cwd=tmp_path, env=home | off, check=True)
    with ZipFile(wheel) as first, ZipFile(tmp_path / "again" / wheel.name) as second:
        inside = {name for name in first.namelist() if ".data/" not in name}
        assert {*second.namelist()} == inside
        assert [name for name in inside if first.read(name) != second.read(name)] == [
            name for name in inside if name.endswith("/RECORD")]  # it also names the parts in the first one's .data

    command = [sys.executable, "-m", "autograd_nb", "--no-browser", f"--port={free_port()}"]
    with serving(command, tmp_path / "log", cwd=empty, env=home | {"PYTHONPATH": str(site)}) as address:
        assert "/lab/tree/00_welcome.ipynb" in page(address)[0]
    handed_out = {path.name: path.read_bytes() for path in (empty / "autograd-nb-course").glob("*.ipynb")}
    assert handed_out == {path.name: for_a_learner(path) for path in NOTEBOOKS.glob("*.ipynb")}
