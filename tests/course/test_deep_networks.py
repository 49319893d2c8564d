"""Chapter 20 beside all states of its widget: its table, and each sentence that speaks of them, for 20 layers."""

import itertools
import math
import re

import house
import pytest

from autograd_nb import widgets

NORMS, INPUTS, SCALES = ("none", "layer", "batch"), ("none", "whole", "zero"), (1.0, 1.41, 4.0)
PROSE = [text for _, text in house.cells(house.chapter("20"), "markdown")]
TABLE = next(text for text in PROSE if "| whole | from 0 |" in text)
GUESS = math.log(2)


def learned(state):
    return state.losses[-1] < 0.1 and state.right >= 39


def lost(state):
    return not math.isfinite(state.losses[-1])


SIGNS = {
    "✓": learned,
    "✗": lambda state: state.losses[-1] > GUESS - 1e-3,
    "~": lambda state: 0.02 < state.losses[-1] < 0.95,
    "NaN": lost,
}


def changes(state):
    """What the first step changes of the weights of layers 2 to 20, over their size."""
    return state.felt[0]["update"][1:]


# each sentence, and whether it holds for all 27 states of an activation by (norm, input, scale)
SENTENCES = {
    "No sigmoid network has learned.": lambda name, states: name != "sigmoid" or not any(map(learned, states.values())),
    "Of the plain ReLUs one has, at He's scale, 1.41": lambda name, states: name != "relu" or [
        learned(states["none", "none", scale]) for scale in SCALES] == [False, True, False],
    "ReLUs with batch norm have in all nine cells": lambda name, states: name != "relu" or all(
        learned(state) for (norm, *_), state in states.items() if norm == "batch"),
    "residual connections help tanh and ruin ReLUs without norm": lambda name, states: {
        "sigmoid": lambda: True,
        "tanh": lambda: sum(learned(states["none", "whole", scale]) for scale in SCALES)
        > sum(learned(states["none", "none", scale]) for scale in SCALES),
        "relu": lambda: all(lost(states["none", "whole", scale]) for scale in SCALES)}[name](),
    "In the first step of the ReLUs at 1.41, layers 2 to 20 change by 0.00016 to 0.00098 of their size.":
        lambda name, states: name != "relu" or [min(changes(states["none", "none", 1.41])),
                                                max(changes(states["none", "none", 1.41]))]
        == pytest.approx([0.00016, 0.00098], abs=5e-6),
    "layer 20 changes by 0.00086 and layer 2 by 1.6e-15": lambda name, states: name != "sigmoid" or (
        changes(states["none", "none", 1.0])[-1] == pytest.approx(0.00086, abs=5e-6)
        and changes(states["none", "none", 1.0])[0] == pytest.approx(1.6e-15, abs=5e-17)),
    "as over half of the tanhs at scale 4 are": lambda name, states: name != "tanh" or sum(
        states["none", "none", 4.0].felt[0]["flat"]) / 20 > 0.5,
    "That is why 1.41 was the scale at which plain ReLUs learned.": lambda name, states: name != "relu" or [
        learned(states["none", "none", scale]) for scale in SCALES] == [False, True, False],
    "In the widget no gradient of such sigmoids vanishes": lambda name, states: name != "sigmoid" or all(
        min(changes(state)) > 5e-5 for (_, way, _), state in states.items() if way == "whole"),
    "the first loss is far above ln 2": lambda name, states: name != "sigmoid" or all(
        state.losses[0] > 2 * GUESS for (_, way, _), state in states.items() if way == "whole"),
    "the weights of the branch feel 0": lambda name, states: all(
        not any(changes(state)) for (_, way, _), state in states.items() if way == "zero"),
    "In that column nothing is worse than a guess but ReLUs at scale 4": lambda name, states: all(
        state.losses[-1] < GUESS or (name, norm, scale) == ("relu", "none", 4.0)
        for (norm, way, scale), state in states.items() if way == "zero"),
    "at 0.3 tanh learns at all three scales, without any norm": lambda name, states: name != "tanh" or all(
        learned(widgets.depth(activation="tanh", residual="zero", scale=scale, rate=0.3)) for scale in SCALES),
    "with layer norm the gradient of sigmoids still vanishes": lambda name, states: name != "sigmoid" or all(
        changes(states["layer", "none", scale])[0] < 1e-8 * changes(states["layer", "none", scale])[-1]
        for scale in SCALES),
    "No network with a norm ended in NaN.": lambda name, states: not any(
        lost(state) for (norm, *_), state in states.items() if norm != "none"),
}  # fmt: skip


NIGHTLY = [pytest.param(name, marks=pytest.mark.needs("nightly")) for name in ("sigmoid", "tanh")]


@pytest.mark.parametrize("activation", ["relu", *NIGHTLY])
def test_no_state_of_the_widget_refutes_the_chapter(activation):
    states = {(norm, way, scale): widgets.depth(activation=activation, norm=norm, residual=way, scale=scale)
              for norm, way, scale in itertools.product(NORMS, INPUTS, SCALES)}  # fmt: skip
    names = {norm: activation + f", {norm} norm" * (norm != "none") for norm in NORMS}
    rows = {norm: re.search(rf"^\| {name} \|(.*)\|$", TABLE, re.M)[1] for norm, name in names.items()}
    table = {(norm, way, scale): sign for norm, row in rows.items()
             for way, cell in zip(INPUTS, row.split("|"), strict=True)
             for scale, sign in zip(SCALES, cell.split(), strict=True)}  # fmt: skip
    assert {state: states[state].losses[-1] for state, sign in table.items() if not SIGNS[sign](states[state])} == {}
    prose = " ".join(" ".join(PROSE).split())
    assert [sentence for sentence in SENTENCES if sentence not in prose] == []
    assert [sentence for sentence, holds in SENTENCES.items() if not holds(activation, states)] == []


def test_each_sentence_after_the_table_is_held():
    told = TABLE.rpartition("|")[2].replace("\n", " ")
    for sentence in SENTENCES:
        told = told.replace(sentence, "")
    assert re.sub(r"[\W]+", " ", told).split() == "One cure does not fit all".split()
