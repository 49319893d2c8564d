"""A release, made and tried: python -m tests.release 0.3.0

Writes the version and the heading of CHANGELOG.md, builds the sdist and the wheel, and tries both in environments that
hold nothing else: chapters run, both sites are built, the tests of the engine pass.  Then it commits, tags, and opens
the next version; the files are in ``dist``. It pushes and uploads nothing. With --try it commits nothing, and takes its
changes back. With --tagged it builds and tries the commit as it is, which has that version, and changes nothing.
"""

import argparse
import datetime
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from tests import sizes
from tests.tools.house import python_of
from tests.tools.serving import empty_home

ROOT = Path(__file__).parents[1]
VERSIONED = "pyproject.toml", "autograd_nb/__init__.py", "autograd_nb/widgets/labextension/package.json", "CITATION.cff"
CHAPTERS = "00_welcome", "04_accumulation", "16_training"


def version_of(root):
    return re.search(r'^version = "(.*)"', (root / "pyproject.toml").read_text("utf-8"), re.M)[1]


def write_version(root, new):
    """Write a version wherever the present one stands; ValueError if it is missing, or another number equals it."""
    old = version_of(root)
    texts = {root / name: (root / name).read_text("utf-8") for name in VERSIONED}
    for path, text in texts.items():
        if text.count(old) != 1:
            raise ValueError(f"{path.name} does not have the version {old} once")
    for path, text in texts.items():
        path.write_text(text.replace(old, new), "utf-8")


def write_heading(root, old, new):
    """Put the heading *new* in place of *old* in the list of changes; ValueError if *old* is not the first."""
    path = root / "CHANGELOG.md"
    text = path.read_text("utf-8")
    first = re.search("^## .*", text, re.M)[0]
    if first != old:
        raise ValueError(f"the first heading of CHANGELOG.md is {first!r}, not {old!r}")
    path.write_text(text.replace(old, new, 1), "utf-8")


def following(version):
    """The version under development after a release: of 0.3.0 it is 0.4.0.dev0."""
    major, minor, _ = version.split(".")
    return f"{major}.{int(minor) + 1}.0.dev0"


def run(*command, **options):
    print("$", *command, flush=True)
    return subprocess.run(list(map(str, command)), check=True, **options)


def environment(folder, what):
    """The interpreter of a new environment in which only *what* and its requirements are installed."""
    run(sys.executable, "-m", "venv", folder)
    python = python_of(folder)
    run(python, "-m", "pip", "install", "-q", *what)
    return python


def build(folder):
    """(sdist, wheel): the wheel comes from the sdist, as for anybody who installs from that."""
    shutil.rmtree(ROOT / "dist", ignore_errors=True)
    python = environment(folder / "builder", ["hatchling"])
    run(python, "-m", "hatchling", "build", "-t", "sdist", "-d", ROOT / "dist", cwd=ROOT)
    (sdist,) = (ROOT / "dist").glob("*.tar.gz")
    run(python, "-m", "pip", "wheel", "-q", "--no-deps", "-w", ROOT / "dist", sdist)
    (wheel,) = (ROOT / "dist").glob("*.whl")
    return sdist, wheel


def try_out(what, sdist, folder):
    """Try *what*, the sdist or the wheel: chapters, sites, and the sdist's engine tests on the installed package."""
    python = environment(folder / "env", [f"{what}[course,site,test]"])
    home = empty_home(folder / "home", AUTOGRAD_NB_PROGRESS=str(folder / "progress"))
    run(python, "-m", "autograd_nb", "--help", cwd=folder, env=home, stdout=subprocess.DEVNULL)
    program = "from autograd_nb.course import library; print(library.course_source())"
    source = subprocess.check_output([python, "-c", program], cwd=folder, env=home, text=True).strip()
    for chapter in CHAPTERS:
        run(python, "-m", "jupyter", "execute", f"{source}/{chapter}.ipynb", "--output", folder / f"{chapter}.ipynb",
            cwd=folder, env=home)  # fmt: skip
    for kind in ("html", "lite"):
        run(python, "-m", "autograd_nb.course.site", kind, folder / kind, cwd=folder, env=home)
    with tarfile.open(sdist) as archive:
        archive.extractall(folder / "unpacked", filter="data")
    (unpacked,) = (folder / "unpacked").iterdir()
    shutil.rmtree(unpacked / "autograd_nb")  # the trial uses the installed package
    run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/engine", cwd=unpacked, env=home)


def made(root, version):
    """Build the sdist and the wheel, and try both; a sentence if the version of *root* is another one."""
    if version_of(root) != version:
        return f"this commit has the version {version_of(root)}, not {version}"
    with tempfile.TemporaryDirectory() as folder:
        sdist, wheel = build(Path(folder))
        for name, what in (("wheel", wheel), ("sdist", sdist)):
            Path(folder, name).mkdir()
            try_out(what, sdist, Path(folder, name))
    print(f"{sdist.name} and {wheel.name} are in {ROOT / 'dist'}")
    return 0


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m tests.release", description=__doc__.partition("\n")[0])
    parser.add_argument("version", help="such as 0.3.0")
    parser.add_argument("--try", dest="trial", action="store_true", help="build and try, and commit nothing")
    parser.add_argument("--tagged", action="store_true", help="build and try this commit, which is the release")
    options = parser.parse_args(arguments)
    new = options.version
    if options.tagged:
        return made(ROOT, new)
    if not re.fullmatch(r"\d+\.\d+\.\d+", new):
        return f"a version is three numbers, such as 0.3.0, not {new!r}"
    if subprocess.check_output(["git", "status", "--porcelain"], cwd=ROOT):
        return "there are changes that are not committed: a release is made of a commit"
    try:
        write_version(ROOT, new)
        write_heading(ROOT, "## Next", f"## {new}, {datetime.date.today()}")
        made(ROOT, new)
        if not options.trial:
            sizes.write(ROOT, new)
            run("git", "commit", "-qam", f"Release {new}", cwd=ROOT)
            run("git", "tag", "-a", f"v{new}", "-m", f"autograd_nb {new}", cwd=ROOT)
    except (ValueError, OSError, subprocess.CalledProcessError) as error:
        run("git", "checkout", "-q", ".", cwd=ROOT)
        return f"nothing is released: {error}"
    if options.trial:
        run("git", "checkout", "-q", ".", cwd=ROOT)
    else:
        write_version(ROOT, following(new))
        write_heading(ROOT, f"## {new}, {datetime.date.today()}", f"## Next\n\n## {new}, {datetime.date.today()}")
        run("git", "commit", "-qam", f"Open {following(new)}", cwd=ROOT)
    return 0


if __name__ == "__main__":
    sys.exit(main())
