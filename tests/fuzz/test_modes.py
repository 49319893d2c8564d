"""The engine with speed.py and without it: all visible results of random programs are the same, to the bit.

PyTorch is not needed for this.  A listener makes the engine take the plain way, too, so programs also run recorded.
"""

import random
import sys
from contextlib import nullcontext

import pytest

import autograd_nb
from autograd_nb.engine import backward, speed
from tests.fuzz.grammar import Writer
from tests.fuzz.running import Side

# one array goes to two receivers, and another gradient meets it at one of them
TWICE = ["x = torch.tensor([1., 2., 3.], requires_grad=True)", "y = (x * x + x).sum()", "y.backward()", "show(x.grad)",
         "z = (x * x * (x + x) + x).sum()", "show(torch.autograd.grad(z, x, create_graph=True))"]  # fmt: skip


def seen(lines, *blocks):
    """All visible results of a program, run within context managers."""
    side = Side(autograd_nb, {})
    autograd_nb.manual_seed(0)
    with blocks[0], blocks[1]:
        steps = [side.step(line) for line in lines]
    return repr((steps, side.final()))


def same_in_both(lines):
    quick = seen(lines, nullcontext(), nullcontext())
    assert seen(lines, speed.off(), nullcontext()) == quick
    assert seen(lines, nullcontext(), autograd_nb.record()) == quick


def test_an_array_that_goes_to_two_receivers():
    same_in_both(TWICE)


def test_a_debugger_meets_the_walk_that_is_read():
    """A tracer, which is how a breakpoint stops, sees GraphTask walk; so it does within speed.off()."""
    met = set()

    def tracer(frame, event, _):
        if frame.f_code.co_filename == backward.__file__:
            met.add(frame.f_code.co_name)

    x = autograd_nb.tensor(2.0, requires_grad=True)
    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        (x * x).backward()
    finally:
        sys.settrace(before)
    assert met >= {"walk", "count_dependencies", "send", "evaluate"} and x.grad == 4


@pytest.mark.slow
def test_programs_of_a_seed(request):
    count, seed = request.config.getoption("--fuzz"), request.config.getoption("--fuzz-seed")
    different = []
    for number in range(count):
        chooser = random.Random(f"{seed}:{number}")
        lines = Writer(chooser, autograd_nb, {}).program(chooser.randint(4, 16))
        try:
            same_in_both(lines)
        except AssertionError as error:
            different.append("\n".join([f"program {number}", *lines, str(error)[:2000]]))
    assert not different, f"{len(different)} of {count} programs differ\n\n" + "\n\n".join(different[:3])
