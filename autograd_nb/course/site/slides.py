"""The tour as slides, for a talk of twenty minutes: nbconvert sorts the cells into slides and notes, and reveal.js
shows them.

Steppers step, all else is as stored, and the page loads nothing from elsewhere. S opens the speaker's notes.
"""

from pathlib import Path

from nbconvert import SlidesExporter

from ...widgets.pages import KIT
from ...widgets.step import Stepper
from .. import library
from . import file_text
from .live import made_live
from .pages import own_script, script_of, template, tree

TOUR = "tour.ipynb"


def build(options):
    """Write the slides; a sentence about them."""
    out, path = options.folder, library.course_source() / TOUR
    (out / "pictures").mkdir()
    notebook = made_live(path)
    notebook.cells = [cell for cell in notebook.cells if "made" not in cell.metadata.get("tags", ())]
    exporter = SlidesExporter(raw_template=template("slides"))
    made, _ = exporter.from_notebook_node(notebook, resources={"title": library.title(path), "site": {}})
    for key in ("stored", "stored_above"):
        made = made.replace(KIT[key], "")  # nobody runs it
    page = tree(made, path, out, {})
    (out / "index.html").write_text(str(page), "utf-8")
    licence = file_text("vendored/reveal.txt")
    for name in ("reveal.js", "reveal.css", "reveal-notes.js"):
        code = file_text(f"vendored/{name}")
        (out / name).write_text(f"/*!\n{licence}*/\n{code}", "utf-8")
    (out / "step.js").write_text(script_of("step", Stepper, "begin"), "utf-8")
    (out / "slides.js").write_text(own_script("slides"), "utf-8")
    style = map(file_text, ("site.css", "slides.css"))
    (out / "slides.css").write_text("\n".join([*style, Stepper.front_end("css")]), "utf-8")
    return f"{len(page('section'))} slides are in {out}: open {Path(out, 'index.html')}; S shows the speaker's notes"
