"""Two engines, one trace: each experiment of the course has the same trace on PyTorch."""

import contextlib
import io
import linecache
import re
import warnings

import experiments
import pytest
from programs import ON_BOTH

import autograd_nb
from autograd_nb import draw, record

torch = pytest.importorskip("torch", reason="torch is what is looked at, and is not installed")

# Inside gradcheck PyTorch runs Python code of its own; ours works in another way.
OWN_CODE = ["A21"]


def run(name, module):
    """The trace of an experiment on one of the engines, and its error."""
    source, file, error = experiments.source(name, module), f"{name}.py", None
    linecache.cache[file] = len(source), None, source.splitlines(True), file
    torch.manual_seed(0), autograd_nb.manual_seed(0)
    space = {"__name__": "__main__"}
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with record() as trace:
                exec(compile(source, file, "exec"), space)
        except Exception as raised:
            error = type(raised).__name__, str(raised)
    return trace, error


def shown(svg):
    """A picture with the numbers in its hints to five digits: the two libraries' exp differ in the last place."""
    return re.sub(r"-?\d+\.\d{5,}(e-?\d+)?", lambda found: f"{float(found[0]):.5g}", svg)


def told(trace, detail):
    return [(step.kind, step.line, step.sentence) for step in trace.steps(detail)]


@pytest.mark.parametrize("name", [name for name in experiments.NAMES if name not in OWN_CODE])
def test_an_experiment_has_the_same_trace_on_both_engines(name):
    (theirs, their_error), (ours, our_error) = run(name, "torch"), run(name, "autograd_nb")
    assert their_error == our_error
    assert told(theirs, "full") == told(ours, "full")
    assert told(theirs, "fast") == told(ours, "fast")
    code = [text.replace("autograd_nb as torch", "torch").replace("autograd_nb", "torch") for _, text in ours.code]
    assert [text for _, text in theirs.code] == code
    assert shown(draw(theirs).svg) == shown(draw(ours).svg)


@pytest.mark.parametrize("name", OWN_CODE)
def test_an_experiment_with_other_code_inside_is_recorded_too(name):
    trace, error = run(name, "torch")
    assert error == run(name, "autograd_nb")[1]
    assert len(trace) > 10 and draw(trace).svg.startswith("<svg")


# -- programs beyond those of the course ---------------------------------------------------------------------------


@pytest.mark.parametrize("program", ON_BOTH)
def test_a_program_has_the_same_trace_on_both_engines(program):
    traces = []
    for module in (torch, autograd_nb):
        with warnings.catch_warnings(), contextlib.suppress(ZeroDivisionError, RuntimeError), record() as trace:
            warnings.simplefilter("ignore")
            program(module)
        traces.append(trace)
    assert told(traces[0], "full") == told(traces[1], "full")


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
