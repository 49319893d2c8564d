"""Keeps the notebooks and their texts in step: python -m tests.refresh [chapters…] [--check | --headers]

A chapter is edited as text (notebooks/text/04_accumulation.py, in jupytext's py:percent form). Refreshing runs it and
writes the notebook with its outputs, in a normal form: the same text gives the same file. Each notebook remembers a
hash of its text. So refresh notices edits made in JupyterLab and never overwrites them: it refuses such a chapter until
`--from-notebook` has brought the edits into its text, or somebody has undone them. It also makes the header below a
chapter's title (course/header.py), which stands in no text, and the header's images; `--headers` renews only these and
runs nothing. A translation needs none of this: the course makes its notebooks from these and a catalogue.
"""

import argparse
import hashlib
import os
import re
import sys
import tempfile
from collections import Counter
from pathlib import Path

import jupytext
import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import v4

from autograd_nb import words
from autograd_nb.course import header
from autograd_nb.course.library import CLONE, MADE
from autograd_nb.drawing.shapes import COLOURS, Text
from autograd_nb.drawing.svg import write
from autograd_nb.microscope.files import write_whole

NOTEBOOKS = CLONE / "notebooks"
IMAGES = NOTEBOOKS / "images"
FRAME = 'rx="6" stroke="#6B7280"/>'  # the end of each panel's rectangle
FORM = "py:percent"
DESCRIPTION = "Run the chapters' texts and write their notebooks, in a normal form that does not drift."
KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
LANGUAGE = {"file_extension": ".py", "mimetype": "text/x-python", "name": "python"}
WIDGET = "application/vnd.jupyter.widget-view+json"
ADDRESS = re.compile(r"0x[0-9a-f]{8,16}\b")
CELL_FILE = re.compile(r"(?<!\S)\S*ipykernel_\d+/\d+\.py(?=:\d+: )")  # from a word's start: a picture is a long word
ANSI = re.compile(r"\x1b\[[0-9;]*m")


class RefreshError(Exception):
    """A chapter stays as it is; the text says why."""


def main(arguments=None, folder=None):
    """Run the command line; returns 0, or 1 when a chapter was refused, failed or did not pass the check."""
    parser = argparse.ArgumentParser(prog="python -m tests.refresh", description=DESCRIPTION)
    parser.add_argument("chapters", nargs="*", help="the start of a chapter's name, such as 04 (default: all)")
    parser.add_argument("--check", action="store_true", help="run nothing: is each pair in step and in normal form?")
    parser.add_argument("--from-notebook", action="store_true", help="bring edits of the notebook into its text first")
    parser.add_argument("--headers", action="store_true", help="run nothing: renew what stands below the titles")
    options = parser.parse_args(arguments)
    folder = folder or NOTEBOOKS
    texts = sorted((folder / "text").glob("*.py"))
    chosen = [text for text in texts if not options.chapters or text.stem.startswith(tuple(options.chapters))]
    missing = [start for start in options.chapters if not any(text.stem.startswith(start) for text in texts)]
    if missing:
        print(f"no text begins with {', '.join(missing)}", file=sys.stderr)
        return 1
    failed = 0
    if len(texts) > 1 and not options.check:
        for name, picture in (each for spoken in words.languages() for each in panels(IMAGES, spoken)):
            _write(folder / "images" / name, picture)
    for text in chosen:
        try:
            if options.headers:
                there = stored(text)
                put_header(there, text)
                _write(notebook_of(text), dump(normal(there)))
            elif options.check:
                check(text)
            else:
                if options.from_notebook:
                    take_over(text)
                print(refresh(text), flush=True)
        except (RefreshError, OSError) as problem:
            print(problem, file=sys.stderr)
            failed = 1
    return failed


def notebook_of(text):
    return text.parents[1] / f"{text.stem}.ipynb"


def refresh(text):
    """Run a chapter's text and write its notebook, and the text in its own normal form; returns a line about it.

    Errors: RefreshError if the notebook has edits that the text lacks, or if a cell fails that should not.
    """
    notebook, path = parse(text.read_text(encoding="utf-8")), notebook_of(text)
    if path.exists() and (edited := edits(stored(text), notebook)):
        raise RefreshError(f"{path.name} was edited since it was made from its text ({edited}); nothing is written. "
                      "Take the edits over with --from-notebook, or undo them.")
    put_header(notebook, text)
    run(notebook, text)
    _write(text, to_text(notebook))
    same = _write(path, dump(notebook))
    return f"{text.stem}: {'as before' if same else 'refreshed'}, {len(notebook.cells)} cells"


def check(text):
    """Raise RefreshError if a notebook is missing, differs from its text, or is not as refresh leaves it."""
    there, name, source = stored(text), notebook_of(text).name, text.read_text(encoding="utf-8")
    if (form := to_text(there)) != source:
        pairs = zip(form.split("\n# %%"), source.split("\n# %%"), strict=False)
        differing = [str(number) for number, (a, b) in enumerate(pairs, 1) if a != b]
        raise RefreshError(f"{name} and its text differ, in cells {', '.join(differing) or 'at the end'}")
    before, known = notebook_of(text).read_text(encoding="utf-8"), made_from(there)
    if before != dump(normal(there)) or hash_of(form) != known:
        raise RefreshError(f"{name} is not in its normal form: refresh it")
    put_header(there, text)
    if before != dump(normal(there)):
        raise RefreshError(f"{name} has a header of another time: python -m tests.refresh --headers")


def put_header(notebook, text):
    """Put the current header below the title, or none if a chapter stands alone."""
    titles = {each.stem: each.read_text(encoding="utf-8").split("\n")[1].removeprefix("# # ")
              for each in text.parent.glob("*.py")}  # fmt: skip
    made = header.source(text.stem, titles)
    cell = [v4.new_markdown_cell(made, metadata={"tags": [MADE]})] if made else []
    rest = [cell for cell in notebook.cells if not _is_made(cell)]
    notebook.cells = [*rest[:1], *cell, *rest[1:]]


def take_over(text):
    there = stored(text)
    known = made_from(there), hash_of(to_text(there))
    if hash_of(to_text(parse(text.read_text(encoding="utf-8")))) not in known:
        raise RefreshError(f"{text.stem}: both the notebook and its text were edited; bring them together by hand")
    _write(text, to_text(there))


def edits(there, notebook):
    """A notebook's edits that neither its new text nor the text that made it has, in words; "" for none."""
    if hash_of(to_text(there)) in (made_from(there), hash_of(to_text(notebook))):
        return ""
    known = {(cell.cell_type, cell.source) for cell in notebook.cells}
    new = [str(number) for number, cell in enumerate(there.cells, 1)
           if cell.source.strip() and not _is_made(cell) and (cell.cell_type, cell.source) not in known]  # fmt: skip
    return f"its cells {', '.join(new)} are not in the text" if new else "cells are missing, moved or tagged otherwise"


def panels(folder, spoken="en"):
    """(file name, SVG) of every panel of the header, plain and as the place where the reader is.

    The plain English ones in the folder are drawn by hand; the others are made from them.
    """
    said, end = words.of("course", spoken), header.ending(spoken)
    for part in header.PARTS:
        name, ink = f"map_{part}", COLOURS["leaf"]
        picture = (folder / f"{name}.svg").read_text(encoding="utf-8")
        picture = picture.replace(header.text(part), header.text(part, spoken))
        picture = picture.replace(f">{words.of('course', 'en')['map'][part][0]}<", f">{said['map'][part][0]}<")
        yield f"{name}{end}", picture
        [here] = write([Text(73, 102, said["here"], 11, ink.edge, bold=True)])
        framed = picture.replace(FRAME, f'rx="6" fill="{ink.fill}" stroke="{ink.edge}" stroke-width="2.5"/>')
        yield f"{name}_here{end}", framed.replace("<style>", f"{here}\n<style>")


# Text and notebook


def parse(text):
    notebook = jupytext.reads(text, fmt=FORM)
    notebook.metadata.clear()
    return notebook


def stored(text):
    """The notebook of a text. RefreshError if the file is missing or no notebook."""
    path = notebook_of(text)
    if not path.exists():
        raise RefreshError(f"{path.name} is missing: refresh it")
    try:
        return nbformat.reads(path.read_text(encoding="utf-8"), as_version=4)
    except (ValueError, nbformat.reader.NotJSONError) as error:
        raise RefreshError(f"{path.name} cannot be read as a notebook: {str(error).splitlines()[0]}") from None


def to_text(notebook):
    """A notebook as text: its cells, tags and slides, without the metadata that programs leave in it."""
    bare = v4.new_notebook(cells=[cell for cell in notebook.cells if cell.source.strip() and not _is_made(cell)])
    bare.metadata["jupytext"] = {"notebook_metadata_filter": "-all", "cell_metadata_filter": "tags,slideshow,-all"}
    return jupytext.writes(bare, fmt=FORM)


def _is_made(cell):
    return MADE in cell.metadata.get("tags", ())


def _kept(cell):
    """The metadata that a text has as well: tags, and a cell's kind of slide."""
    tags, slide = cell.metadata.get("tags"), cell.metadata.get("slideshow")
    return ({"slideshow": dict(slide)} if slide else {}) | ({"tags": list(tags)} if tags else {})


def made_from(notebook):
    return notebook.metadata.get("autograd_nb", {}).get("text")


def hash_of(text):
    return hashlib.sha256(text.encode()).hexdigest()


# Running and the normal form


def run(notebook, text):
    """Run a chapter in its notebook's folder, with the progress elsewhere, and bring it to its normal form."""
    with tempfile.TemporaryDirectory() as elsewhere:
        environment = os.environ | {
            "AUTOGRAD_NB_LANGUAGE": "en",
            "AUTOGRAD_NB_PROGRESS": str(Path(elsewhere) / "progress.json"),
            "PYTHONPATH": os.pathsep.join(filter(None, [str(CLONE), os.environ.get("PYTHONPATH")])),
        }
        client = NotebookClient(notebook, timeout=120, kernel_name="python3", coalesce_streams=True,
                                resources={"metadata": {"path": str(text.parents[1])}})  # fmt: skip
        try:
            client.execute(env=environment)
        except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
            raise RefreshError(f"{text.stem} was not written, a cell failed:\n{ANSI.sub('', str(error))}") from None
    normal(notebook)


def normal(notebook):
    """Bring a notebook to its normal form, in place: without traces of the run or the machine. Returns it."""
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    notebook.metadata = type(notebook.metadata)(
        autograd_nb={"text": hash_of(to_text(notebook))}, kernelspec=KERNEL, language_info=LANGUAGE)  # fmt: skip
    addresses, seen, count = {}, Counter(), 0
    for cell in notebook.cells:
        cell.metadata = type(cell.metadata)(_kept(cell))
        if not cell.get("attachments"):
            cell.pop("attachments", None)
        digest = hash_of(f"{cell.cell_type}\n{cell.source}")[:12]
        seen[digest] += 1
        cell.id = digest if seen[digest] == 1 else f"{digest}-{seen[digest]}"
        if cell.cell_type == "code":
            count += 1
            cell.execution_count = count
            cell.outputs = [_normal_output(output, count, addresses) for output in cell.outputs]
    return notebook


def _normal_output(output, count, addresses):
    if "execution_count" in output:
        output.execution_count = count
    if "metadata" in output:
        output.metadata = type(output.metadata)()
    output.get("data", {}).pop(WIDGET, None)
    for place in (output.get("data", {}), output):
        for kind in place:
            if kind in ("text", "evalue") or kind.startswith("text/"):
                place[kind] = _steady(place[kind], addresses)
    if "traceback" in output:
        frames = [ANSI.sub("", frame) for frame in output.traceback]
        output.traceback = [_steady(frame, addresses) for frame in frames if not frame.startswith("File ")]
    return output


def _steady(text, addresses):
    """A text with addresses numbered in order, one number for an object; a warning's file is its cell."""

    def numbered(match):
        return addresses.setdefault(match[0], f"0x{0x7F0000000000 + 16 * len(addresses):x}")

    return CELL_FILE.sub("<cell>", ADDRESS.sub(numbered, text))


def dump(notebook):
    return nbformat.writes(notebook, version=4) + "\n"


def _write(path, content):
    """Write a file if it differs; whether it was the same before."""
    same = path.exists() and path.read_text(encoding="utf-8") == content
    if not same:
        path.parent.mkdir(exist_ok=True)
        write_whole(path, content.encode())
    return same


if __name__ == "__main__":
    sys.exit(main())
