"""Two engines, one trace: each program of the course has the same trace on PyTorch."""

import contextlib
import io
import re
import warnings

import nbformat
import pytest
from cells_on_pytorch import HELPERS
from house import compiled
from programs import ON_BOTH

import autograd_nb
from autograd_nb import draw, record
from autograd_nb.course import library
from autograd_nb.course.site import live

torch = pytest.importorskip("torch", reason="torch is what is looked at, and is not installed")

FILE = "program.py"
OURS = re.compile(rf"torch\.({'|'.join(HELPERS)})\b|autograd_nb|(figures|widgets)\.")
# PyTorch runs Python code of its own inside these; ours works in another way.
OWN_CODE = re.compile(r"gradcheck|functional\.|allclose|nn\.init|norm\(|multi_grad|backward_hook|inplace=|\.float\(")
# What only one of the engines knows by a name: a gradient that a loop over nodes hands on, what a Function of the
# learner's saved, and the view that an assignment to w[0] makes under no_grad. Products of 64 numbers round otherwise.
OTHERWISE = re.compile(r"my_backward\(|Exp\.apply\(.*y\.zero_\(\)|no_grad\(\):\n    w\[0\] =|\(64, ", re.DOTALL)


def programs(path):
    """The programs of a chapter's cells that run backward, without helpers of ours."""
    for cell, code in live.programs_of(nbformat.read(path, 4)):
        if re.search(r"backward\(|grad\(", cell.source) and not OURS.search(code):
            yield code


def run(source, module):
    """The trace of a program on one of the engines, and its error."""
    source, error = re.sub(r"^import torch$", f"import {module} as torch", source, flags=re.MULTILINE), None
    torch.manual_seed(0), autograd_nb.manual_seed(0)
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with record() as trace:
                exec(compiled(source, FILE), {"__name__": "__main__"})
        except Exception as raised:
            error = type(raised).__name__, str(raised)
    return trace, error


def shown(svg):
    """A picture with the numbers in its hints to five digits: the two libraries' exp differ in the last place."""
    return re.sub(r"-?\d+\.\d{5,}(e-?\d+)?", lambda found: f"{float(found[0]):.5g}", svg)


def told(trace, detail="full"):
    return [(step.kind, step.line, step.sentence) for step in trace.steps(detail)]


@pytest.mark.parametrize("path", [path for path in library.notebooks_of(library.course_source()) if [*programs(path)]],
                         ids=lambda path: path.stem)  # fmt: skip
def test_a_program_of_the_course_has_the_same_trace_on_both_engines(path):
    for program in programs(path):
        (theirs, their_error), (ours, our_error) = run(program, "torch"), run(program, "autograd_nb")
        assert their_error == our_error
        if OWN_CODE.search(program) or OTHERWISE.search(program):
            assert draw(theirs).svg.startswith("<svg"), program
            continue
        assert told(theirs) == told(ours), program
        assert told(theirs, "fast") == told(ours, "fast"), program
        code = [text.replace("autograd_nb as torch", "torch") for _, text in ours.code]
        assert [text for _, text in theirs.code] == code
        assert shown(draw(theirs).svg) == shown(draw(ours).svg), program


@pytest.mark.parametrize("program", ON_BOTH)
def test_a_program_has_the_same_trace_on_both_engines(program):
    traces = []
    for module in (torch, autograd_nb):
        with warnings.catch_warnings(), contextlib.suppress(ZeroDivisionError, RuntimeError), record() as trace:
            warnings.simplefilter("ignore")
            program(module)
        traces.append(trace)
    assert told(traces[0]) == told(traces[1])


@pytest.mark.parametrize("call", [
    lambda x: x.sum(-1), lambda x: x.cumsum(-1), lambda x: x.softmax(-1), lambda x: x.select(-1, -2),
    lambda x: x.max(-1)[0], lambda x: x.unsqueeze(-2), lambda x: x.transpose(-1, -2), lambda x: x.logsumexp((-2, -1))])
def test_places_counted_from_the_end_read_alike_of_a_node_that_is_older_than_the_recording(call, live):
    def places(trace):
        nodes = [node for node in trace.nodes.values() if node.name != "AccumulateGrad"]
        read = {"dim", "dim0", "dim1", "index"}
        return sorted((name, value) for node in nodes for name, value in node.constants if name in read)

    x = live.ones(2, 3, requires_grad=True)
    with record() as whole:
        call(x).sum().backward()
    y = call(x)
    with record() as later:
        y.sum().backward()
    assert places(later) == places(whole) != []
