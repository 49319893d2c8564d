"""JupyterLite with the course in it: Python runs in the reader's browser, and a file server is all that it needs.

The package and the pure Python that it needs lie in the site, and each chapter begins with a cell that installs them.
Pyodide, with NumPy and matplotlib, comes from its CDN, unless a copy of it is put into the site.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import jupyterlite_core  # noqa: F401 - where these are missing, it is told before anything is done
import jupyterlite_pyodide_kernel  # noqa: F401
import nbformat
from nbformat import v4

from ... import __version__
from ...replay import language
from .. import launcher, words

INSTALL = "%pip install -q autograd-nb"
# what a kernel in a browser has not already, as wheels of pure Python
NEEDED = "ipywidgets", "anywidget", "psygnal", "comm", "jupyterlab-widgets", "typing-extensions"
PURE = "--only-binary=:all: --platform=any --implementation=py --abi=none --python-version=3.13".split()
PIP = "pip", "-q", "--disable-pip-version-check"
NO_WHEELS = "pip could not get the wheels: is the package index within reach?"
BUILD = "jupyterlite_core build --lite-dir=. --contents=contents --apps=lab --no-sourcemaps --output-dir".split()
PLUGIN = "@jupyterlite/pyodide-kernel-extension:kernel"


def build(options):
    """Write the site; returns a sentence about it."""
    if options.pyodide and not (options.pyodide / "pyodide-lock.json").is_file():
        raise launcher.LauncherError(f"{options.pyodide} holds no copy of Pyodide, for it has no pyodide-lock.json")
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        local = launcher.CLONE if (launcher.CLONE / "pyproject.toml").exists() else None
        own = local or f"autograd-nb=={__version__}"
        run(NO_WHEELS, *PIP, "wheel", "--no-deps", "--wheel-dir", here / "wheels", own)
        run(NO_WHEELS, *PIP, "download", "--no-deps", *PURE, "--dest", here / "wheels", *NEEDED)
        contents(here / "contents")
        settings = {"disablePyPIFallback": True}  # what is not in the site is not to be had
        if options.pyodide:
            shutil.copytree(options.pyodide, here / "static" / "pyodide")
        config = {"jupyter-lite-schema-version": 0, "jupyter-config-data": {"litePluginSettings": {PLUGIN: settings}}}
        (here / "jupyter-lite.json").write_text(json.dumps(config))
        wheels = [f"--piplite-wheels={wheel}" for wheel in sorted((here / "wheels").glob("*.whl"))]
        run("jupyter lite could not build the site", *BUILD, options.folder.resolve(), *wheels,
            cwd=here)  # where it leaves notes of its own  # fmt: skip
    return f"JupyterLite is in {options.folder}: serve it with python -m http.server -d {options.folder}"


def contents(folder):
    """The chapters of all languages, each with the cell that installs the course before its first code."""
    source = launcher.course_source()
    for spoken in language.known():
        part, said = language.subfolder(spoken), words.of("course", spoken)["site"]
        (folder / part / "images").mkdir(parents=True)
        for picture in (source / part).glob("images/*.svg"):  # JupyterLite shows none with a letter beyond ASCII in it
            text = picture.read_text("utf-8").encode("ascii", "xmlcharrefreplace")
            (folder / part / "images" / picture.name).write_bytes(text)
        for path in launcher.notebooks_of(source / part):
            notebook = nbformat.reads(launcher.for_a_learner(path).decode(), as_version=4)
            fails = any("raises-exception" in cell.metadata.get("tags", ()) for cell in notebook.cells)
            told = v4.new_markdown_cell(" ".join([said["first"], *([said["stops"]] if fails else []), said["kept"]]))
            place = next(number for number, cell in enumerate(notebook.cells) if cell.cell_type == "code")
            notebook.cells[place:place] = [told, v4.new_code_cell(INSTALL)]
            notebook.metadata.kernelspec = {"display_name": "Python (Pyodide)", "language": "python", "name": "python"}
            (folder / part / path.name).write_text(nbformat.writes(notebook), encoding="utf-8")


def run(otherwise, *module, cwd=None):
    """Run a module of Python as a program; LauncherError, which begins with *otherwise*, where it fails."""
    ran = subprocess.run([sys.executable, "-m", *module], capture_output=True, text=True, cwd=cwd)
    if ran.returncode:
        last = [line for line in (ran.stderr or ran.stdout).splitlines() if line.strip()][-1:]
        raise launcher.LauncherError(f"{otherwise} ({' '.join(last)})")
