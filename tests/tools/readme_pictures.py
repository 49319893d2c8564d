"""The pictures at the top of README.md: a stepper that moves, badges; and with ``shots`` two screenshots, by Chromium.

``python -m tests.write pictures`` writes the first, ``python -m tests.write shots`` the others.
"""

import runpy
import sys
import tempfile
from pathlib import Path

from house import compiled

import autograd_nb
from autograd_nb.drawing.shapes import QUIET, TEXT, Rectangle, Text, text_width
from autograd_nb.drawing.svg import to_svg

FOLDER = Path(__file__).parents[2] / "docs" / "images"
LINKS = runpy.run_path(str(FOLDER.parents[1] / "binder" / "links.py"))
WALK = LINKS["WALK"]
BADGES = {"licence": ("licence", "MIT"), "python": ("Python", "3.11 or newer"),
          "tests": ("tested beside", "PyTorch 2.13")}  # fmt: skip
CARD = "from autograd_nb import course\ncourse.ch04.p1"


def walk():
    """The stepper of the first gradient, as its page shows it."""
    with autograd_nb.record() as trace:
        exec(compiled(WALK, "readme.py"), {"torch": autograd_nb})
    return autograd_nb.step(trace).as_moving()


def badge(left, right):
    """Two words beside each other, as badges are drawn."""
    first, second = (text_width(text, 11) + 14 for text in (left, right))
    shapes = [Rectangle(0, 0, first, 20, QUIET), Rectangle(first, 0, second, 20, TEXT),
              Text(first / 2, 14, left, 11, "#FFFFFF"), Text(first + second / 2, 14, right, 11, "#FFFFFF")]  # fmt: skip
    return to_svg(shapes, first + second, 20, f"{left} {right}")


def drawn():
    """``{name: SVG}`` of the pictures that need no browser."""
    return {"walk.svg": walk()} | {f"badge_{name}.svg": badge(*words) for name, words in BADGES.items()}


def shots():
    """Screenshots of a card that was answered wrong, and of an answer of why."""
    import widget_page

    with widget_page.chromium() as browser, tempfile.TemporaryDirectory() as folder:
        with widget_page.lab(browser, Path(folder)) as lab:
            page = lab.notebook(CARD, width=760, height=900)
            card = page.locator(".jp-OutputArea-output").first
            card.get_by_role("textbox").fill("0.6")
            card.get_by_role("button", name="Check").click()
            widget_page.says(card, "Not quite")
            card.screenshot(path=FOLDER / "card.png")
            page = lab.notebook(LINKS["WHY"].rstrip(), width=900, height=900)
            asked = page.locator(".jp-CodeCell").first
            widget_page.says(asked, "w.grad")
            page.add_style_tag(content=".jp-cell-toolbar { display: none }")  # the buttons of a cell
            parts = ".cm-content", ".jp-OutputArea-output"
            code, answer = (asked.locator(each).first.bounding_box() for each in parts)
            bottom = answer["y"] + answer["height"]
            left, top = code["x"] - 8, code["y"]
            clip = {"x": left, "y": top, "width": code["width"] + 8, "height": bottom - top}
            page.screenshot(path=FOLDER / "why.png", clip=clip)


if __name__ == "__main__":
    if "shots" in sys.argv:
        shots()
    else:
        for name, svg in drawn().items():
            (FOLDER / name).write_text(svg, encoding="utf-8")
