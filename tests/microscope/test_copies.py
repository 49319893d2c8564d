"""A trace's plain data can be copied and pickled; each question of the course exists only once."""

import copy
import pickle

import pytest

import autograd_nb
import autograd_nb as torch
from autograd_nb import course, record

COPIES = [copy.copy, copy.deepcopy, lambda thing: pickle.loads(pickle.dumps(thing))]
each_way = pytest.mark.parametrize("copied", COPIES, ids=["copy", "deepcopy", "pickle"])


@each_way
def test_a_copy_of_a_trace_tells_the_same(copied):
    x = torch.tensor(5.0, requires_grad=True)
    trace = record(lambda: torch.log(x**3).backward())
    other = copied(trace)
    assert other is not trace and str(other) == str(trace) and other.events == trace.events
    assert torch.draw(other).svg == torch.draw(trace).svg


@each_way
def test_a_copy_of_a_running_trace_holds_what_was_recorded_so_far(copied):
    x = torch.tensor(5.0, requires_grad=True)
    with record() as trace:
        x**3
        other = copied(trace)
        x**2
    assert len(other) == 1 and len(trace) == 2


@each_way
@pytest.mark.parametrize("library", ["autograd_nb", "torch"])
def test_a_copy_of_a_generator_goes_on_where_it_was(copied, library, request):
    torch = request.getfixturevalue("torch") if library == "torch" else autograd_nb
    generator = torch.Generator().manual_seed(3)
    torch.randn(3, generator=generator)
    other = copied(generator)
    assert other is not generator and other.initial_seed() == 3
    assert torch.randn(20, generator=other).tolist() == torch.randn(20, generator=generator).tolist()


@each_way
@pytest.mark.parametrize("make", [
    lambda: torch.step(lambda: torch.tensor(5.0, requires_grad=True).log().backward()),
    lambda: torch.bench(preset="accumulation"), lambda: course.ch04.p1.card(),
], ids=["stepper", "bench", "card"])  # fmt: skip
def test_a_widget_says_that_it_has_no_copy(copied, make, progress):
    with pytest.raises(TypeError, match=r"^[A-Z]\w+: a widget belongs to its kernel and is neither"):
        copied(make())


@each_way
@pytest.mark.parametrize("name", ["q1", "p1"])
def test_a_copy_of_an_exercise_is_the_exercise(copied, name, progress):
    asked = getattr(course.ch04, name)
    assert copied(asked) is asked
