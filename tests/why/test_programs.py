"""why finds what is wrong with each program, and says nothing that leads astray, on this engine and on PyTorch."""

import importlib.util

import pytest

from .running import PROGRAMS, answers, points

CASES = [pytest.param(library, program, id=f"{library}-{program['name']}", marks=marks)
         for library, marks in (("autograd_nb", ()), ("torch", pytest.mark.skipif(
             importlib.util.find_spec("torch") is None, reason="torch is not installed")))
         for program in PROGRAMS if library == "torch" or program.get("engine", True)]  # fmt: skip


@pytest.mark.parametrize("library, program", CASES)
@pytest.mark.filterwarnings("ignore")
def test_a_program_is_explained(library, program):
    for question, answer, recorded in answers(program, library):
        got = points(program, answer, recorded)
        assert got == 2 if recorded else got >= 0, f"why({question}) {'with' * recorded}: {answer}"
