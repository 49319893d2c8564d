"""Random programs do on autograd_nb what they do on PyTorch, down to names, versions, warnings and errors.

A few hundred by default; ``pytest tests/fuzz --fuzz 50000 --fuzz-seed 1`` for more.  Program number i of a seed
is always the same.  A program that differs is cut down to the lines that it needs and shown as code to paste.
"""

import random

import pytest

import autograd_nb
from tests.behaviours import forget_warnings
from tests.fuzz.grammar import Writer
from tests.fuzz.known import ENTRIES, unexplained
from tests.fuzz.running import ATTRIBUTES, shrunk

SHOWN_AT_MOST = 5


@pytest.fixture(scope="module")
def torch(torch):
    torch.set_num_threads(1)
    torch.set_warn_always(True)
    yield torch
    torch.set_warn_always(False)


def report(torch, lines):
    """The shortest part of a program that differs in a way not known, and how; None when it does not differ."""

    def found(lines):
        return unexplained(autograd_nb, torch, lines)

    first = found(lines)
    if first is None:
        return None
    lines = shrunk(lines, found)
    return "\n".join(["import torch", "show = print", *lines, "", found(lines) or f"only at first, {first}"])


@pytest.mark.slow
def test_programs_of_a_seed(torch, request):
    count, seed = request.config.getoption("--fuzz"), request.config.getoption("--fuzz-seed")
    reports = []
    for number in range(count):
        chooser = random.Random(f"{seed}:{number}")
        lines = Writer(chooser, torch, ATTRIBUTES).program(chooser.randint(4, 16))
        found = report(torch, lines)
        if found is not None:
            reports.append(f"program {number} of seed {seed}\n\n{found}")
    text = "\n\n".join(reports[:SHOWN_AT_MOST])
    assert not reports, f"{len(reports)} of {count} programs differ\n\n{text}"


@pytest.mark.parametrize("entry", [pytest.param(entry, id=entry["title"]) for entry in ENTRIES])
def test_a_known_difference_is_as_described(torch, entry, capsys):
    for library, expected in ((torch, entry["pytorch"]), (autograd_nb, entry["autograd_nb"])):
        forget_warnings(library)
        exec(entry["program"], {"torch": library})
        shown = capsys.readouterr().out.strip()
        assert shown in expected if isinstance(expected, list) else shown == expected
