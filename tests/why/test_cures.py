"""why recommends no cure that stands on the path already."""

import importlib
import re

import pytest
from house import compiled
from translations import texts

from autograd_nb import record, why
from autograd_nb.why.reasons import WORDS

LIBRARIES = ["autograd_nb", "torch"]
# a cure -> how it stands in a chain that shrinks the gradient, and words that would recommend it
STANDING = {
    "LayerNorm": ("torch.nn.LayerNorm(8)", "", "normali"),
    "ReLU": ("torch.nn.ReLU()", "", "activation"),
    "residual": ("", " + h", "residual"),
}
CHAIN = """
layers = torch.nn.Sequential(*(torch.nn.Sequential(torch.nn.Linear(8, 8), {layer}) for _ in range(18)))
head = torch.nn.Linear(8, 1)
def forward(h):
    for layer in layers:
        h = torch.sigmoid(layer(h)) * 0.2{more}
    return head(h)
"""


def answer_to(library, text, asked):
    torch = importlib.import_module(library)
    torch.manual_seed(0)
    space = {"torch": torch, "record": record, "why": why}
    text += f"with record() as trace:\n    run()\nanswer = why({asked}, trace)\n"
    exec(compiled(text, "chain.py"), space)
    return str(space["answer"])


@pytest.mark.parametrize("library", LIBRARIES)
def test_of_several_cures_those_are_named_that_do_not_stand(library):
    run = "def run(): (forward(torch.ones(3, 8)) - 1).pow(2).mean().backward()\n"
    bare = answer_to(library, CHAIN.format(layer="", more="") + run, "layers[0][0].weight")
    assert "times as large as that of" in bare
    assert all(word in bare for _, _, word in STANDING.values()), bare
    for name, (layer, more, word) in STANDING.items():
        text = CHAIN.format(layer=layer, more=more.replace("+ h", "+ 1e-3 * h")) + run
        told = answer_to(library, text, "layers[0][0].weight")
        assert "times as large as that of" in told and word not in told, f"{name}: {told}"
        assert "another initialisation" in told


@pytest.mark.parametrize("library", LIBRARIES)
def test_clipping_is_not_recommended_to_who_clips(library):
    text = """
w = torch.full((2,), 1e4, requires_grad=True)
def run():
    x = w
    for _ in range(3):
        x = x * w
    x.sum().backward()
    {clip}
"""
    asked = text.replace("{clip}", "pass"), text.replace("{clip}", "torch.nn.utils.clip_grad_norm_([w], 1e9)")
    without, clipped = (answer_to(library, each, "w") for each in asked)
    assert "clip the norm" in without and "smaller weights" in without, without
    assert "clip the norm" not in clipped, clipped


def test_every_cure_with_a_sign_is_one_of_several():
    choices = [each for _, text in texts(WORDS, "") for each in re.findall(r"\[([^][]*\|[^][]*)\]", text)]
    cures = [each.split("|") for each in choices]
    assert {cure.partition(":")[0] for *named, _ in cures for cure in named if ":" in cure} == WORDS["cures"].keys()
    assert not any(":" in last for *_, last in cures)  # it stays, so it must need no sign
