"""Expressions that make and convert tensors give PyTorch's recorded values, texts, errors and warnings."""

import expressions
import pytest
from house import anew

import autograd_nb as torch
from autograd_nb.engine.modes import warned

RECORDED = {name: expressions.recorded(name) for name in ("creation", "conversions")}


@pytest.mark.parametrize("name, expression", [(name, each) for name in RECORDED for each in RECORDED[name]])
def test_an_expression_gives_what_pytorch_gave(name, expression):
    warned.clear()
    assert expressions.outcome(expression, torch) == RECORDED[name][expression]


@pytest.mark.parametrize("name", RECORDED)
def test_the_recorded_answers_are_live_pytorchs(name, live):
    live.set_warn_always(True)
    try:
        differing = [each for each, recorded in RECORDED[name].items() if expressions.outcome(each, live) != recorded]
    finally:
        live.set_warn_always(False)
    assert not differing, anew("expressions")
