"""Hooks, Functions, modes, saved tensors, graph utilities, checks and backward passes do what PyTorch's do.

The programs are in tests/behaviours, a file for each room, with PyTorch 2.13's recorded outcomes.
"""

import doctest
import functools

import pytest
from house import anew

from autograd_nb.engine import function
from autograd_nb.engine import modes as grad_mode
from tests.behaviours import ROOMS, outcomes, recorded

RECORDED = recorded()
LABELS = [pytest.param(room, label, id=f"{room}-{label}") for room in RECORDED for label in RECORDED[room]]
ours = functools.cache(functools.partial(outcomes, module="autograd_nb"))


@pytest.mark.parametrize("room, label", LABELS)
def test_a_program_shows_what_pytorch_showed(room, label):
    assert ours(room)[label] == RECORDED[room][label]


@pytest.mark.parametrize("room", ROOMS)
def test_every_program_is_recorded(room):
    assert list(ours(room)) == list(RECORDED[room]), anew("behaviours")


@pytest.mark.parametrize("room", ROOMS)
def test_pytorch_still_shows_what_was_recorded(torch, room):
    assert outcomes(room, "torch") == RECORDED[room], anew("behaviours")


@pytest.mark.parametrize("documented", [
    grad_mode.no_grad, grad_mode.enable_grad, grad_mode.set_grad_enabled, grad_mode.inference_mode, function.Function,
])  # fmt: skip
def test_examples_of_classes_that_print_as_pytorchs_run(documented):
    finder, runner = doctest.DocTestFinder(recurse=False), doctest.DocTestRunner()
    for each in finder.find(documented, documented.__name__, module=False):
        assert runner.run(each).failed == 0
