"""One can draw, step through and ask about all results of a random program, and none of them changes."""

import random

import autograd_nb
from autograd_nb import draw, info, record, step, why
from tests.fuzz.grammar import Writer
from tests.fuzz.running import Side


def look(trace, tensors):
    """Everything that a recording and its program's tensors show."""
    yield draw(trace).html
    yield step(trace)._repr_mimebundle_()
    yield str(why(trace))
    for tensor in tensors:
        yield from (str(why(tensor)), str(why(tensor, trace)), str(info(tensor)))
        if tensor.requires_grad:
            yield draw(tensor).html


def test_programs_of_a_seed_can_be_looked_at(request):
    programs_can_be_looked_at(autograd_nb, request)


def test_programs_on_pytorch_can_be_looked_at(request, live):
    programs_can_be_looked_at(live, request)


def programs_can_be_looked_at(library, request):
    count, seed = request.config.getoption("--fuzz") // 10, request.config.getoption("--fuzz-seed")
    for number in range(count):
        chooser = random.Random(f"looked at {seed}:{number}")
        lines = Writer(chooser, library, {}).program(chooser.randint(4, 16))
        side = Side(library, {})
        with record() as trace:
            for line in lines:
                side.step(line)
        before = repr(side.final())
        tensors = [value for value in side.space.values() if isinstance(value, library.Tensor)]
        try:
            assert all(look(trace, tensors))
        except Exception as error:
            raise AssertionError("\n".join([f"program {number} of seed {seed}", *lines])) from error
        assert repr(side.final()) == before, lines
