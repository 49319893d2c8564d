"""Random programs do on autograd_nb what they do on PyTorch, down to names, versions, warnings and errors.

A few hundred by default; ``pytest tests/fuzz --fuzz 50000 --fuzz-seed 1`` for more.  Program number i of a seed
is always the same.  A program that differs is cut down to the lines that it needs and shown as code to paste.
"""

import random
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import autograd_nb
from tests.behaviours import forget_warnings
from tests.fuzz.grammar import Writer
from tests.fuzz.known import unexplained
from tests.fuzz.running import ATTRIBUTES, difference, shrunk

DIFFERENCES = Path(__file__).with_name("known_differences.toml")
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


@settings(max_examples=50, deadline=None, database=None, derandomize=True)
@given(chooser=st.randoms(use_true_random=False), length=st.integers(2, 10))
def test_programs_that_hypothesis_writes_and_shrinks(torch, chooser, length):
    found = report(torch, Writer(chooser, torch, ATTRIBUTES).program(length))
    assert found is None, found


# Programs that once did something else here than on PyTorch, cut down to what matters
FOUND = r"""
# a view that was taken before its base had a history counts as a leaf until somebody asks for its node
x = torch.ones(2, requires_grad=True)
base = torch.ones(2)
view, other = base[:], base[:1]
base.mul_(x)
view.mul_(2)
show(other.grad_fn)
other.mul_(2)
view.copy_(x)
view.add_(1)
view.lerp_(view, view)

# a node whose gradient has nan in it, which anomaly mode does not let pass, has run all the same
x = torch.tensor([-1., 4.], requires_grad=True)
y = x.sqrt() * x
with torch.autograd.detect_anomaly(): y.sum().backward()
show(y.grad_fn._saved_self)
y.sum().backward()

# of two leaves the first is added up first, also where a hook of its own fails
x = torch.tensor([1., 2.], requires_grad=True)
y = torch.tensor([3., 4.], requires_grad=True)
x.register_hook(lambda g: [][0])
(x * y).sum().backward()
show(x.grad, y.grad)
(y * x).sum().backward()
show(x.grad, y.grad)
"""


@pytest.mark.parametrize("program", FOUND.strip().split("\n\n"))
def test_a_program_that_was_found_does_what_it_does_on_torch(torch, program):
    assert difference(autograd_nb, torch, program.split("\n")) is None


def known():
    return tomllib.loads(DIFFERENCES.read_text(encoding="utf-8"))["difference"]


@pytest.mark.parametrize("entry", [pytest.param(entry, id=entry["title"]) for entry in known()])
def test_a_known_difference_is_as_described(torch, entry, capsys):
    for library, expected in ((torch, entry["pytorch"]), (autograd_nb, entry["autograd_nb"])):
        forget_warnings(library)
        exec(entry["program"], {"torch": library})
        shown = capsys.readouterr().out.strip()
        assert shown in expected if isinstance(expected, list) else shown == expected
