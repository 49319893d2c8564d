"""The course on one page: the summary of every chapter, read off the notebooks, to look at and to print."""

import html
import re

from .. import words
from ..microscope import files
from . import library
from .showing import Card

# Twice the class, since JupyterLab has rules of its own for tables.
STYLE = """.anb-sheet { columns: 2 380px; column-gap: 20px; font: 11.5px/1.35 system-ui, Helvetica, Arial, sans-serif; }
.anb-sheet section { break-inside: avoid; margin: 0 0 10px; }
.anb-sheet h2 { font-size: 13px; margin: 0 0 2px; border-bottom: 1px solid #9CA3AF; }
.anb-sheet table { border-collapse: collapse; width: 100%; font-size: inherit; margin: 0; }
.anb-sheet.anb-sheet table { table-layout: auto; }
.anb-sheet.anb-sheet td { text-align: left; vertical-align: top; color: inherit; padding: 0 5px 1px 0; }
.anb-sheet.anb-sheet td { white-space: normal; word-break: normal; overflow-wrap: normal; }
.anb-sheet.anb-sheet td:last-child { padding-right: 0; }
.anb-sheet tr:first-child td { font-weight: 600; }
.anb-sheet tr + tr { border-top: 1px solid #9CA3AF55; }
.anb-sheet.anb-sheet code { font-size: 10.5px; padding: 0; white-space: normal; word-break: normal; }"""
PRINT = """@page { size: A4 landscape; margin: 7mm; } body { margin: 0; }
.anb-sheet { columns: 3; column-gap: 5mm; font-size: 5.8pt; line-height: 1.1; }
.anb-sheet h2 { font-size: 6.8pt; } .anb-sheet.anb-sheet code { font-size: 5.3pt; }
.anb-sheet section { margin-bottom: 1mm; } .anb-sheet.anb-sheet td { padding: 0 3px 0 0; }"""


class CheatSheet(Card):
    """All summaries; `.save(path)` writes one page of A4 to print. `chapters` is [(title, rows of cells)]."""

    def __init__(self, chapters):
        self.chapters = chapters
        parts = ["\n".join([title, *("  " + " | ".join(row) for row in rows)]) + "\n" for title, rows in chapters]
        super().__init__("hint", words.say("cheat_sheet"), parts)

    @property
    def html(self):
        return f"<style>{STYLE}</style>{self._body()}"

    def save(self, path, overwrite=False):
        """Write the sheet as a page of its own, ``"sheet.html"``.

        FileExistsError where there is a file that save() did not write, unless *overwrite* is true.
        """
        head = f'<meta charset="utf-8"><title>{html.escape(self.heading)}</title><style>{STYLE}{PRINT}</style>'
        page = f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head><body>{self._body()}</body></html>\n'
        files.save(path, {".html": lambda: page}, overwrite)
        print(words.say("exported", path=path))

    def _body(self):
        sections = ""
        for title, rows in self.chapters:
            lines = "".join("<tr>" + "".join(f"<td>{_inline(cell)}</td>" for cell in row) + "</tr>" for row in rows)
            sections += f"<section><h2>{html.escape(title)}</h2><table>{lines}</table></section>"
        return f'<div class="anb-sheet">{sections}</div>'


def cheat_sheet():
    """The course on one page: the summary of every chapter.

    >>> from autograd_nb import course
    >>> course.cheat_sheet().chapters[0][0]
    '00 Welcome'
    """
    chapters = []
    for notebook in library.chapters():
        for kind, source in library.cells(notebook):
            if kind == "markdown" and source.startswith(("## Summary", f"## {words.say('summary')}")):
                lines = [line.strip().strip("|") for line in source.splitlines() if line.startswith("|")]
                lines[1:2] = []  # the line below the headings
                rows = [[cell.strip() for cell in line.split("|")] for line in lines]
                chapters.append((library.title(notebook), rows))
    return CheatSheet(chapters)


def _inline(text):
    """A cell of a table, with its code, bold words and links, as HTML."""
    text = re.sub(r"\[([^]]+)\]\([^)]+\)", r"\1", html.escape(text, quote=False))
    text = re.sub(r"\*\*([^*]+)\*\*", r"<b>\1</b>", re.sub(r"`([^`]+)`", r"<code>\1</code>", text))
    return re.sub(r"(?<=\w)(?=\.[a-z])", "<wbr>", text)  # a name may go to the next line, whole
