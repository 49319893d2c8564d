"""A trace's plain data can be copied and pickled; each question of the course exists only once."""

import copy
import pickle

import pytest

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
@pytest.mark.parametrize("name", ["q1", "p1"])
def test_a_copy_of_an_exercise_is_the_exercise(copied, name, progress):
    asked = getattr(course.ch04, name)
    assert copied(asked) is asked
