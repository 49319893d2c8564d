"""Every cell of 00 to 16 runs twice in place, as people do: it shows the same, or the text says what a second run does.

If the second run fails because the graph is freed, the kernel says so (tests/course/test_opening.py); if it adds or
steps again, the text beside it says so.
"""

import contextlib
import io
import re

import house
import pytest
from IPython.core.interactiveshell import InteractiveShell

PASSING = re.compile(  # addresses, times and sizes
    r"0x[0-9a-f]+|\d+\.\d+ (?:ms|s|MB|KB)\b|\b\d+ (?:KB|MB|bytes)\b|\x1b\[[0-9;]*m|(?<=line )\d+|<ipython-\S+"
)
SAID = re.compile(r"[Rr]un (?:it|the cell|the last cell) (?:again|a second time)|when you run it a second time")


def outcome(shell, source):
    """A cell's printed text and value, or the type and first words of its error."""
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()):
        result = shell.run_cell(source, store_history=False, silent=True)
    error = result.error_in_exec or result.error_before_exec
    if error:
        return f"{type(error).__name__}: {str(error)[:60]}"
    return PASSING.sub("", out.getvalue() + repr(result.result))


@pytest.mark.parametrize("chapter", [f"{number:02}" for number in range(17)])
def test_a_cell_that_is_run_twice_shows_the_same_or_its_text_says_what_comes(chapter, monkeypatch, progress):
    monkeypatch.chdir(house.NOTEBOOKS)
    shell, cells = InteractiveShell(), house.cells(house.chapter(chapter))
    surprising = []
    for place, (cell, source) in enumerate(cells):
        if cell["cell_type"] == "code":
            first, second = outcome(shell, source), outcome(shell, source)
            told = second.startswith("RuntimeError: Trying to backward through the graph a second time")
            near = " ".join(text for _, text in cells[max(0, place - 1) : place + 4])
            if first != second and not told and not SAID.search(near):
                surprising.append((source, first[-200:], second[-200:]))
    assert surprising == []
