"""Chapters on networks run on real PyTorch as well, and every cell prints the same there as here."""

import contextlib
import io
import linecache
import re

import house
import pytest
from comparison import differences

from autograd_nb import course, record, why
from autograd_nb.drawing import figures


@pytest.mark.parametrize("number", ["20", "21"])
def test_a_chapter_prints_on_pytorch_what_it_prints_here(torch, number):
    names, compared = {"course": course, "figures": figures, "record": record, "why": why}, 0
    for cell, source in house.cells(house.chapter(number), "code"):
        if any(each in source for each in (".check(", "torch.draw(", "widgets.", f"course.ch{number}.p")):
            continue
        program, name = re.sub(r"autograd_nb as (?=torch)|torch\.(?=record|why)", "", source), f"<a cell of {number}>"
        linecache.cache[name] = len(program), None, source.splitlines(True), name  # from which `why` quotes a line
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(program, name, "exec"), names)
        stored = "".join("".join(output.get("text", "")) for output in cell["outputs"])
        assert differences(stored, printed.getvalue()) == [], source
        compared += bool(stored)
    assert names["torch"] is torch and compared >= 8
