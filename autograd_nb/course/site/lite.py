"""JupyterLite with the course in it: Python runs in the reader's browser, and the site needs only a file server.

The package and the pure Python that it needs lie in the site, and each chapter begins with a cell that installs them.
Pyodide, with NumPy and matplotlib, comes from its CDN, unless a copy of it is put into the site.
"""

import base64
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from importlib import metadata
from pathlib import Path

import jupyterlite_core  # noqa: F401 - if these are missing, the import fails before anything is written
from jupyterlite_pyodide_kernel.constants import PYODIDE_LOCK, PYODIDE_PYTHON_VERSION

from ... import words
from .. import library
from . import play_page
from .chapter import in_lite

NAME = "autograd-nb"
# packages that a kernel in a browser lacks, as wheels of pure Python
NEEDED = "ipywidgets", "anywidget", "psygnal", "comm", "jupyterlab-widgets", "typing-extensions"
# packages that the kernel and the course take from Pyodide itself, each with its dependencies
FROM_PYODIDE = "micropip", "ipython", "traitlets", "jedi", "sqlite3", "numpy", "matplotlib"
PURE = "--only-binary=:all: --platform=any --implementation=py --abi=none --python-version=3.13".split()
PIP = "pip", "-q", "--disable-pip-version-check"
NO_WHEELS = "pip could not get the wheels: is the package index within reach?"
BUILD = "jupyterlite_core build --lite-dir=. --contents=contents --apps=lab --no-sourcemaps --output-dir".split()
PLUGIN = "@jupyterlite/pyodide-kernel-extension:kernel"


def build(options):
    """Write the site; returns a sentence about it."""
    if options.pyodide and (lacking := what_lacks(options.pyodide)):
        raise library.CourseError(f"{options.pyodide} holds no copy of Pyodide that can work here: {lacking}")
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        own_wheel(here / "wheels")
        run(NO_WHEELS, *PIP, "download", "--no-deps", *PURE, "--dest", here / "wheels", *NEEDED)
        contents(here / "contents")
        settings = {"disablePyPIFallback": True}  # it loads only files of the site
        if options.pyodide:
            shutil.copytree(options.pyodide, here / "static" / "pyodide")
        config = {"jupyter-lite-schema-version": 0, "jupyter-config-data": {"litePluginSettings": {PLUGIN: settings}}}
        (here / "jupyter-lite.json").write_text(json.dumps(config), "utf-8")
        wheels = [f"--piplite-wheels={wheel}" for wheel in sorted((here / "wheels").glob("*.whl"))]
        run("jupyter lite could not build the site", *BUILD, options.folder.resolve(), *wheels,
            cwd=here)  # it leaves notes of its own there  # fmt: skip
        (own,) = (here / "wheels").glob(f"{NAME.replace('-', '_')}-*.whl")
        lab = "../lab/index.html"
        play_page.write(options.folder, own, "../static/pyodide/" if options.pyodide else None, lab,
                        f"{lab}?path={{name}}.ipynb", searched=False)  # fmt: skip
    return f"JupyterLite is in {options.folder}: serve it with python -m http.server -d {options.folder}"


def what_lacks(folder):
    """The parts that a copy of Pyodide lacks for the course, in words; "" if it is complete."""
    try:
        lock = json.loads((folder / PYODIDE_LOCK).read_text("utf-8"))
        packages, python = lock["packages"], lock["info"]["python"]
        wanted, files = [*FROM_PYODIDE], {}
        for name in wanted:
            if name not in files:
                package = packages.get(name, {"file_name": name, "depends": ()})
                files[name] = package["file_name"]
                wanted += [re.sub("[-_.]+", "-", each).lower() for each in package["depends"]]  # the keys of these
    except FileNotFoundError:
        return f"it has no {PYODIDE_LOCK}"
    except (ValueError, KeyError, TypeError, AttributeError):
        return f"its {PYODIDE_LOCK} cannot be read"
    if not python.startswith(f"{PYODIDE_PYTHON_VERSION}."):
        return f"it has Python {python}, and jupyterlite-pyodide-kernel requires {PYODIDE_PYTHON_VERSION}"
    missing = [file for file in files.values() if not (folder / file).is_file()]
    shown = ", ".join(missing[:5]) + (f" and {len(missing) - 5} more" if len(missing) > 5 else "")
    return f"it lacks {shown}" if missing else ""


def own_wheel(folder):
    """Make a wheel of the package out of the files of the clone or the installation, without asking an index."""
    if (library.CLONE / "pyproject.toml").exists():
        run(NO_WHEELS, *PIP, "wheel", "--no-deps", "--wheel-dir", folder, library.CLONE)
        return
    files = [file for file in metadata.distribution(NAME).files or () if file.parts[0] != ".."]  # not folders outside
    record = next(file for file in files if file.name == "RECORD")
    folder.mkdir()
    name = record.parent.name.removesuffix(".dist-info")
    with zipfile.ZipFile(folder / f"{name}-py3-none-any.whl", "w", zipfile.ZIP_DEFLATED) as wheel:
        lines = [f"{record.as_posix()},,"]
        for file in files:
            if file.suffix != ".pyc" and file.name not in ("RECORD", "INSTALLER", "REQUESTED", "direct_url.json"):
                content = file.locate().read_bytes()
                digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
                lines.insert(-1, f"{file.as_posix()},sha256={digest},{len(content)}")
                wheel.writestr(file.as_posix(), content)
        wheel.writestr(record.as_posix(), "\n".join(lines) + "\n")


def contents(folder):
    """The chapters of all languages, each with the cell that installs the course before its first code."""
    source = library.course_source()
    (folder / "images").mkdir(parents=True)
    for picture in source.glob("images/*.svg"):  # JupyterLite shows only ASCII names
        text = picture.read_text("utf-8").encode("ascii", "xmlcharrefreplace")
        (folder / "images" / picture.name).write_bytes(text)
    for spoken in words.languages():
        (folder / words.subfolder(spoken)).mkdir(exist_ok=True)
        for path in library.notebooks_of(source):
            (folder / library.place_of(path, spoken)).write_bytes(in_lite(path, spoken))


def run(otherwise, *module, cwd=None):
    """Run a module of Python as a program; if it fails, raise CourseError, which begins with *otherwise*."""
    ran = subprocess.run([sys.executable, "-m", *module], capture_output=True, text=True, cwd=cwd)
    if ran.returncode:
        last = (ran.stderr or ran.stdout).strip().splitlines()[-1:]
        raise library.CourseError(f"{otherwise} ({' '.join(last)})")
