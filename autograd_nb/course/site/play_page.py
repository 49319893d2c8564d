"""The page `play` of the site: the browser runs a program that a reader types, and shows its backward pass in steps."""

import html
import json
import shutil
import tomllib
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

from jupyterlite_pyodide_kernel.constants import PYODIDE_VERSION

from ...widgets.pages import PAGE
from ...widgets.step import Stepper
from . import file_text

HERE = Path(__file__).parent / "play"
COMPILED = "pyodide.asm.mjs" if int(PYODIDE_VERSION.partition(".")[0]) >= 314 else "pyodide.asm.js"
FILES = ["pyodide.mjs", COMPILED, "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json"]
CDN = f"https://cdn.jsdelivr.net/pyodide/v{PYODIDE_VERSION}/full/"


def write(out, wheel, pyodide=None, home="../index.html", chapters="../{name}.html", searched=True):
    """Write the page into a new folder `play` of the site.

    wheel: the path of the package's wheel, which is copied. pyodide: the address of a copy of Pyodide, seen from the
    page, in place of its CDN. home, chapters: the addresses of the site's first page and of a chapter, seen from the
    page. searched: whether the first page has a search.
    """
    folder = out / "play"
    folder.mkdir()
    without_chapters(wheel, folder / wheel.name)
    said = tomllib.loads(file_text("play/words.toml"))
    examples = [example | {"code": example["code"].lstrip()} for example in said["examples"]]
    settings = {"pyodide": pyodide or CDN, "files": FILES, "wheel": wheel.name, "words": said["words"],
                "examples": examples, "chapters": chapters, "stepper": Stepper.page_words()}
    page = file_text("play/index.html")
    page = page.replace("{{settings}}", json.dumps(settings).replace("<", "\\u003c"))
    page = page.replace("{{home}}", html.escape(home)).replace("{{hidden}}", "" if searched else " hidden")
    page = page.replace("{{cdn}}", "" if pyodide else html.escape(CDN))
    (folder / "index.html").write_text(page, "utf-8")
    step = f"anb.step = (() => {{ {Stepper.page_script()}return begin; }})();\n"
    (folder / "step.js").write_text(file_text("live.js") + step, "utf-8")
    (folder / "play.css").write_text(PAGE + Stepper.front_end("css") + file_text("play/play.css"), "utf-8")
    for name in ("address.js", "play.js", "worker.js", "python.html"):
        shutil.copy(HERE / name, folder)


def without_chapters(wheel, smaller):
    """A wheel without the chapters, because no program needs them."""
    with ZipFile(wheel) as there, ZipFile(smaller, "w", ZIP_DEFLATED) as here:
        for name in there.namelist():
            if not name.startswith("autograd_nb/course/notebooks/"):
                here.writestr(name, there.read(name))
