"""The patients of chapter 18: each has the faults that its exercise calls right, and a cure, in both libraries."""

import inspect
import math
import re
import textwrap

import pytest

import autograd_nb
from autograd_nb import course
from autograd_nb.course.exercises.ch18 import Cure
from autograd_nb.course.overview import items
from autograd_nb.course.patients import Patient, loss_with

# {letter of a fault: words that `why` says about it}
SAYS = {"a": "without its graph", "b": "the sum of 3 backward passes", "c": "(64, 1) and (64,) gives (64, 64)",
        "d": "ReluBackward0 passes nothing on", "e": "the derivative of sqrt is not finite",
        "f": "was changed in place", "g": "gradients are finite and not zero"}  # fmt: skip


@pytest.fixture(params=["autograd_nb", "torch"])
def library(request):
    return pytest.importorskip(request.param)


@pytest.mark.parametrize("number", range(1, 7))
def test_a_patient_has_what_its_exercise_calls_right(library, number):
    patient, right = Patient(library, number), getattr(course.ch18, f"q{number}").right
    with autograd_nb.record() as trace:
        try:
            losses = [patient.turn() for _ in range(3)]
        except RuntimeError as error:
            losses = []
            assert "f" in right and "modified by an inplace operation" in str(error)
    said = "\n".join(str(autograd_nb.why(each, trace)) for each in (patient.model, patient.model[0].weight))
    picture = re.search("cuts inside: [1-9]|Cut, no gradient passes", autograd_nb.draw(trace).text)  # folded or open
    found = {letter for letter, text in SAYS.items() if text in said}
    found |= {"a"} if picture and "g" not in found else set()  # the healthy patient keeps a loss that is cut, too
    assert found - {"g"} == right - {"g"} and ("g" in right) == (found == {"g"})
    assert math.isnan(losses[-1]) == ("e" in right) if losses else "f" in right
    if right == {"g"}:
        assert [patient.turn() for _ in range(60)][-1] < 0.2


@pytest.mark.parametrize("name", items("ch18", Cure))
def test_a_cure_is_judged_by_what_it_does_in_the_library_that_the_notebook_has(library, name):
    question = items("ch18", Cure)[name]

    def judged(function, **changes):
        names = {"torch": library, "loss_of": loss_with(library)}
        source = textwrap.dedent(inspect.getsource(function))
        for old, new in changes.items():
            source = source.replace(old, new)
        exec(source, names)
        threads = getattr(library, "get_num_threads", int)()
        outcome = question.judge(names[function.__name__])
        assert getattr(library, "get_num_threads", int)() == threads
        return outcome

    assert judged(question.right).kind == "right"
    failing = judged(question.right, Linear="Linera", backward="backwards")
    assert failing.kind == "wrong" and "AttributeError" in failing.text
    assert judged(question.ships).kind == "wrong"  # without its source, which says that nobody changed it
