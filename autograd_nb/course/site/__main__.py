"""The command line: each problem is one sentence and a code that is not 0."""

import argparse
import importlib
import os
import sys
from pathlib import Path

from ..library import CourseError

KINDS = "pages to read, JupyterLite to work in, or the tour as slides"
NEEDS = "the site needs {name}, which is not installed here; add it with: python -m pip install {name}"


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m autograd_nb.course.site", description="The course as a site.")
    parser.add_argument("kind", choices=("html", "lite", "slides"), help=KINDS)
    parser.add_argument("folder", type=Path, help="a new or empty folder for the site")
    parser.add_argument("--lite", default="", metavar="ADDRESS", help="html: where the lite site is, for links to it")
    parser.add_argument("--pyodide", type=Path, metavar="FOLDER", help="lite: a copy of Pyodide, in place of its CDN")
    options = parser.parse_args(arguments)
    try:
        if options.folder.is_file() or any(options.folder.glob("*")):
            raise CourseError(f"{options.folder} is not an empty folder: name a new one")
        options.folder.mkdir(parents=True, exist_ok=True)
        if not os.access(options.folder, os.W_OK):
            raise CourseError(f"cannot write in {options.folder}")
        builder = {"html": "pages"}.get(options.kind, options.kind)
        print(importlib.import_module(f".{builder}", __package__).build(options))
    except ModuleNotFoundError as error:
        return f"autograd_nb.course.site: {NEEDS.format(name=error.name.partition('.')[0].replace('_', '-'))}"
    except (CourseError, OSError, ValueError) as error:
        return f"autograd_nb.course.site: {error}"
    return 0


if __name__ == "__main__":
    sys.exit(main())
