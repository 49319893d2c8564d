"""Nothing moves from step to step: compares a story's pictures with single pictures of the same moments."""

import contextlib
import os
import re
from collections import Counter
from itertools import pairwise

import house
import pytest
from sample_graphs import PROGRAMS

import autograd_nb
from autograd_nb.drawing.draw import fitted
from autograd_nb.drawing.outline import Painter
from autograd_nb.drawing.render import render
from autograd_nb.drawing.shapes import Group
from autograd_nb.drawing.svg import write
from autograd_nb.microscope.labels import in_line
from autograd_nb.microscope.moments import Moment
from autograd_nb.widgets.stories import Story, story_as_data

PLACES = re.compile(r' (x|y|width|height|cx|cy|d|points)="[^"]*"')
FEW = 40  # the tests look at every step of so many, and at about as many of more


def chain(length):
    x = autograd_nb.tensor(0.5, requires_grad=True)
    with autograd_nb.record() as trace:
        y = x
        for place in range(length):
            y = y * x if place % 7 == 3 else autograd_nb.sin(y)
        y.backward()
    return trace


def networks():
    """Five networks of real PyTorch, each with its inputs."""
    from torch import nn, randn

    class Residual(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = nn.Linear(6, 6), nn.Linear(6, 6)

        def forward(self, x):
            return x + self.second(self.first(x).relu())

    yield "layers", nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 1)), randn(5, 3)
    yield "convolutions", nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU(), nn.AvgPool2d(2), nn.Flatten(),
                                        nn.Linear(18, 2)), randn(2, 1, 8, 8)  # fmt: skip
    yield "residual", nn.Sequential(*(Residual() for _ in range(6))), randn(4, 6)
    yield "attention", nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True), randn(1, 3, 8)
    yield "recurrent", nn.GRUCell(3, 4), randn(2, 3)


def shown(story):
    """``{place of a slot: its form}`` after each step, as a view follows them."""
    now = {}
    for changed in story.changes:
        now |= changed
        yield {place: form for place, form in now.items() if form >= 0}


def boxes(story, forms):
    """``{key: markup}`` of the boxes in these forms of a story's slots."""
    return {story.slots[place]["keys"][0]: story.slots[place]["forms"][form] for place, form in forms.items()
            if story.slots[place]["kind"] == "box"}  # fmt: skip


def arrows(story, forms):
    found = [story.slots[place]["forms"][form] for place, form in forms.items() if story.slots[place]["kind"] == "lane"]
    return Counter(PLACES.sub("", group) for lane in found for group in re.findall(r"<g>.*?</g>", lane))


def from_nothing(trace, step, outline):
    """``(boxes, arrows)`` of a picture drawn alone: markup by key, and markup, without places."""
    moment = Moment(trace).advance(step.events[-1].index + 1, step.highlights)
    picture = Painter(outline, moment).picture()
    groups = [(shape.key, PLACES.sub("", *write([Group("", *shape[1:])])))
              for shape in render(picture)[0] if type(shape) is Group]  # fmt: skip
    keys = {node.key for node in picture.nodes}
    drawn = {}
    for key, markup in groups:
        if key in keys:
            drawn[key] = drawn.get(key, "") + markup
    return drawn, Counter(markup for key, markup in groups if key not in keys)


def place_of(markup):
    """The middle of a box's upper side, without the ring around the present event."""
    rectangles = [[float(re.search(rf' {name}="([\d.]+)"', each)[1]) for name in ("x", "y", "width")]
                  for each in re.findall("<rect[^>]*>", markup) if "fill=" in each]  # fmt: skip
    x, y, width = min(rectangles, key=lambda rectangle: rectangle[1])
    return x + width / 2, y


def concerned(trace, step):
    """The keys of tensors and nodes in a step's events; None at the start of a pass, which clears the graph."""
    keys = {part.partition(":")[0] for part in step.highlights}
    for event in step.events:
        if event.kind in ("Started", "Ended"):
            return None
        tensors = {getattr(event, "tensor", None), *dict(getattr(event, "others", ()))}
        tensors |= {*getattr(event, "inputs", ()), *getattr(event, "outputs", ())}
        place = getattr(event, "node", None), getattr(event, "output", 0)
        keys |= {f"op{event.index}", place[0], trace.tensor_at(place), *tensors}
        if event.kind == "Changed":  # a history that goes on
            keys |= {trace.tensors[tensor].node for tensor in tensors if tensor}
        elif event.kind == "Ran":
            keys |= {part for edge in trace.nodes[event.node].edges for part in (edge[0], trace.tensor_at(edge))}
        elif event.kind == "Accumulated":  # the computed new .grad has a name
            keys |= {key for key, record in trace.tensors.items() if record.value == event.total}
    return with_leaves(trace, keys)


def with_leaves(trace, keys):
    return {part for key in keys if key for part in (key, key in trace.nodes and trace.nodes[key].leaf)}


def plain(key):
    return key.split("@")[0].split(":")[0]


def check(trace, detail="fast"):
    steps = trace.steps(detail)
    if not steps:
        return
    story, outline = Story(trace, steps), fitted(Moment(trace).advance(), ())[0]
    assert [each["sentence"] for each in story_as_data(story)["steps"]] == [each.sentence for each in steps]
    places, gone, before = {}, set(), {}
    every = -(-len(steps) // FEW)
    for step, forms in zip(steps, shown(story), strict=True):
        now = boxes(story, forms)
        for key, markup in now.items():
            at = place_of(markup)
            assert abs(at[0] - places.setdefault(key, at)[0]) <= 1 and abs(at[1] - places[key][1]) <= 1, key
        gone |= {key for key in boxes(story, before) if key not in now}
        if step.index % every == 0 or step is steps[-1]:
            drawn, edges = from_nothing(trace, step, outline)
            assert {key: PLACES.sub("", markup) for key, markup in now.items()} == drawn, step.sentence
            assert arrows(story, forms) == edges, step.sentence
        before = forms
    assert not gone and len(now) == len(places)
    for (first, second), changed in zip(pairwise(steps), story.changes[1:], strict=True):
        keys = concerned(trace, second)
        if keys is None:
            continue
        keys |= with_leaves(trace, map(plain, first.highlights))
        for place in changed:
            slot = story.slots[place]
            ends = [plain(key) for key in slot["keys"]]
            folded = not all(re.fullmatch(r"(t|n|op)\d+", key) for key in ends)
            assert folded or keys.intersection(ends), (second.sentence, ends)
    for step, forms in zip(steps, shown(story), strict=True):
        drawn = boxes(story, forms)
        for event in step.events:
            if event.kind == "Accumulated" and event.tensor in drawn and event.total.shape == ():
                assert in_line(event.total) in drawn[event.tensor]


@pytest.mark.parametrize("detail", ["fast", "full"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_small_programs(program, detail):
    with contextlib.suppress(RuntimeError), autograd_nb.record() as trace:
        PROGRAMS[program]()
    check(trace, detail)


@pytest.mark.parametrize("length", [5, 14, 15, 20, 60, 150, 400])
def test_chains(length):
    check(chain(length))


@pytest.mark.usefixtures("torch")
@pytest.mark.parametrize("place", range(5))
def test_networks_of_real_pytorch(place):
    _, network, inputs = list(networks())[place]
    with autograd_nb.record() as trace:
        network(inputs).square().mean().backward()
    check(trace)


def test_a_row_says_what_a_tensor_is():
    x = autograd_nb.ones(1, requires_grad=True)
    with autograd_nb.record() as trace:
        y = x * 2
        y.retain_grad()
        d = y.detach()
        d.mul_(3)
    story = story_as_data(Story(trace, trace.steps("full")))
    rows = story["first"].copy()
    for step in story["steps"]:
        rows |= step["rows"]
    flags = {story["names"][key]: row[2] for key, row in rows.items()}
    assert flags["x"] == "leaf, requires grad" and flags["d"].startswith("leaf, version 1, cut by detach")
    assert flags["y"].startswith("retained, requires grad") and "cut" not in flags["x"] + flags["y"]


def test_a_story_does_not_depend_on_how_strings_are_hashed():
    program = ("import autograd_nb as torch; x = torch.tensor(5., requires_grad=True); y = torch.log(x**3) + x * x; "
               "print(torch.step(y.backward).as_html())")  # fmt: skip
    first, *others = [house.run("-c", program, env=os.environ | {"PYTHONHASHSEED": seed}) for seed in "123"]
    assert "base64" in first and others == [first, first]


def test_a_long_story_offers_the_passes_the_first_nan_and_every_gradient():
    w = autograd_nb.tensor([1.0, 2.0], requires_grad=True)
    with autograd_nb.record() as trace:
        for turn in range(12):
            loss = (w * 2).sum() * (float("nan") if turn == 2 else 1.0)
            loss.backward()
    steps = trace.steps()
    places = dict(map(tuple, story_as_data(Story(trace, steps))["places"]))
    assert [name for name in places if name.startswith("backward pass")] == [f"backward pass {n}" for n in range(1, 13)]
    assert steps[places["backward pass 3"]].kind == "Started"
    assert steps[places["w.grad"]].kind == "Accumulated" and places["w.grad"] < places["backward pass 2"]
    assert places["backward pass 2"] < places["the first NaN"] < places["backward pass 3"]
    assert "places" not in story_as_data(Story(trace, steps[:40]))
