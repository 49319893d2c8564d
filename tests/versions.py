"""The suite on every Python and on the oldest and newest libraries that pyproject.toml allows: python -m tests.versions

    python -m tests.versions 3.12 3.13      only these; without any, each that uv finds here
    python -m tests.versions --write        writes what came out into the table of docs/versions.md as well

uv makes an environment for each pair (python -m pip install uv). Tests that need a browser, PyTorch or an installation
are left out. On the newest libraries a warning of ours is an error.
"""

import argparse
import datetime
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.tools.house import python_of

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "versions.md"
LIBRARIES = {"lowest": ["--resolution", "lowest-direct"], "newest": ["--resolution", "highest"]}
SHOWN = "numpy ipython ipywidgets anywidget matplotlib jupyterlab pytest".split()
STRICT = ["-o", "filterwarnings=error:::autograd_nb"]  # our own warnings, because libraries may warn of one another


def pythons(uv):
    """The versions that the package allows and uv finds, the newest patch of each."""
    found = json.loads(subprocess.check_output([uv, "python", "list", "--only-installed", "--output-format", "json"],
                                               stderr=subprocess.DEVNULL))  # fmt: skip
    minors = {(each["version_parts"]["major"], each["version_parts"]["minor"]) for each in found
              if each["implementation"] == "cpython"}  # fmt: skip
    return [f"{major}.{minor}" for major, minor in sorted(minors) if (major, minor) >= (3, 11)]


def tried(uv, python, libraries, folder):
    """(outcome, {library: version}) of the suite with one Python and one choice of libraries."""
    environment = folder / f"{python}-{libraries}"
    subprocess.run([uv, "venv", "-q", "--seed", "--python", python, environment], check=True)
    command = [uv, "pip", "install", "-q", "--python", environment, "--only-binary", ":all:", *LIBRARIES[libraries]]
    subprocess.run([*command, "--no-binary", "autograd-nb", "-e", f"{ROOT}[test]"], check=True)
    listed = json.loads(subprocess.check_output([uv, "pip", "list", "-q", "--python", environment, "--format", "json"]))
    options = ["-q", "--tb=short", "-p", "no:cacheprovider", "-m", "not browser"]
    ran = subprocess.run([python_of(environment), "-m", "pytest", *options, *(STRICT if libraries == "newest" else ())],
                         cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)  # fmt: skip
    last = ran.stdout.rstrip().rpartition("\n")[2].strip("= ")
    if ran.returncode:
        print(ran.stdout[-20_000:])
    return re.sub(r" in .*|, \d+ (deselected|warnings?)", "", last), {
        each["name"]: each["version"] for each in listed if each["name"] in SHOWN
    }


def row(python, libraries, result, versions):
    """A row of the table in Markdown; *versions*: {library: version}."""
    return f"| {' | '.join([python, libraries, *map(versions.get, SHOWN), result, str(datetime.date.today())])} |\n"


def with_row(page, fresh):
    """The page with this row in its table, in place of the one of the same Python and libraries."""
    head, line, rows = page.partition("---|\n")
    named = {tuple(each.split("|")[1:3]): each for each in [*rows.splitlines(keepends=True), fresh]}
    return head + line + "".join(named[each] for each in sorted(named))


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m tests.versions", description=__doc__.partition("\n")[0])
    parser.add_argument("pythons", nargs="*", metavar="VERSION", help="such as 3.12")
    parser.add_argument("--write", action="store_true", help="write the table of docs/versions.md")
    options = parser.parse_args(arguments)
    uv = shutil.which("uv", path=str(Path(sys.executable).parent)) or shutil.which("uv")
    if uv is None:
        return "tests.versions needs uv: python -m pip install uv"
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for python in options.pythons or pythons(uv):
            for libraries in LIBRARIES:
                rows.append(row(python, libraries, *tried(uv, python, libraries, Path(folder))))
                print(rows[-1], end="", flush=True)
                if options.write:
                    PAGE.write_text(with_row(PAGE.read_text("utf-8"), rows[-1]), "utf-8")
    return any("failed" in each or "error" in each for each in rows)


if __name__ == "__main__":
    sys.exit(main())
