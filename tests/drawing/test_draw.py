"""draw(): the pictures of living graphs and of traces, folding, odd inputs, bytes.

After a wanted change, write the SVGs in tests/golden again with

    PYTHONPATH=.:tests/tools python tests/drawing/test_draw.py
"""

import sys
import warnings
import weakref
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from house import anew
from sample_graphs import PROGRAMS, perceptron, power
from test_drawing import assert_clear, assert_plain_svg

import autograd_nb as torch
from autograd_nb import draw
from autograd_nb.drawing import legend
from autograd_nb.drawing.describe import lines_notes
from autograd_nb.drawing.legend import SIGNS, legend_of
from autograd_nb.microscope.labels import in_line, printed
from autograd_nb.microscope.moments import Moment

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "golden"


def node_of(drawing, title):
    (found,) = [node for node in drawing.picture.nodes if node.title == title]
    return found


def test_lists_tuples_and_dicts_of_tensors_are_drawn_with_their_names():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y1, y2 = x * 2, x.exp()
    together = str(draw(y1, y2))
    assert str(draw([y1, y2])) == str(draw((y1, y2))) == str(draw([y1], {}, (y2, []))) == together
    assert "y1: root" in together and "y2: root" in together
    assert str(draw([None, y1])) == str(draw(y1))
    named = str(draw({"loss": (x * 3).sum(), "odd": y1}))
    assert named.startswith("The graph of loss, odd:") and "loss: root" in named and "odd: root" in named
    round_and_round = [y1]
    round_and_round.append(round_and_round)
    assert "y1: root" in str(draw(round_and_round))


class Outputs:
    def __init__(self, *outputs):
        self.outputs = outputs

    def __iter__(self):
        return iter(self.outputs)


def test_what_cannot_be_drawn_says_how_its_tensors_are():
    x = torch.ones(1, requires_grad=True)
    outputs = Outputs(x * 2)
    with pytest.raises(TypeError, match=r"got Outputs: draw what is in it, draw\(\*outputs"):
        draw(outputs)
    draw(*outputs)
    with pytest.raises(TypeError, match="expected tensors or a trace, got float$"):
        draw([x, 2.0])


@pytest.mark.parametrize("library", ["autograd_nb", "torch"])
def test_a_view_that_requires_grad_in_vain_is_shown_as_the_leaf_that_it_is(library, request):
    library = torch if library == "autograd_nb" else request.getfixturevalue("torch")
    base = library.ones(2)
    with library.no_grad():
        lost = base[:1]
    base.requires_grad_()
    assert lost.requires_grad and lost.is_leaf
    assert str(draw(lost)).splitlines()[1:] == [
        "  lost: leaf, requires grad; (1,); [[1.]]; .grad None; view",
        "lost is a leaf: no recorded operation leads to it, so its graph is this one box.",
    ]
    with torch.record() as trace:
        (lost * 3).sum().backward()
    assert "\n  lost: leaf, requires grad; (1,); [[1.]]; .grad None\n" in str(draw(trace))


def test_looking_changes_nothing_and_holds_nothing():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * x
    z = y.sum()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        drawing = draw(z)
        assert drawing.svg
    saved, gone = y.grad_fn._saved_self, weakref.ref(y)
    assert saved is x
    del y, z
    assert gone() is None, "the picture holds a tensor"
    assert len(drawing.picture.nodes) == 5


def test_names_of_parameters():
    model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU())
    x = torch.ones(1, 2)
    drawing = draw(model(x), params=dict(model.named_parameters()))
    assert {"0.weight", "0.bias"} <= {node.title for node in drawing.picture.nodes}
    assert drawing.picture.title == "The graph of model(x)"
    assert {"model.0.weight", "model.0.bias"} <= {node.title for node in draw(model(x)).picture.nodes}


def test_names_in_containers_and_of_expressions():
    weights = [torch.tensor(1.0, requires_grad=True), torch.tensor(2.0, requires_grad=True)]
    state = {"bias": torch.tensor(0.5, requires_grad=True)}
    drawing = draw(weights[0] * weights[1] + state["bias"])
    assert {"weights[0]", "weights[1]", "state['bias']"} <= {node.title for node in drawing.picture.nodes}
    (weights[0] * 2).backward()
    assert draw(weights[0].grad).picture.title == "The graph of weights[0].grad"


def test_cuts_are_seen_while_both_sides_live():
    x = torch.tensor(5.0, requires_grad=True)
    y = x**3
    w = y.detach()
    v = y.data
    z = (w * x) * (v * x)
    cuts = [edge for edge in draw(z).picture.edges if edge.kind == "cut"]
    assert sorted(edge.label for edge in cuts) == [".data", "detach"]
    assert node_of(draw(z), "y").kind == "tensor"


def test_of_many_edges_between_two_boxes_twelve_are_drawn():
    x = torch.ones(2, requires_grad=True)
    edges = Counter((edge.source, edge.target) for edge in draw(torch.stack([x] * 50)).picture.edges)
    assert sorted(edges.values()) == [1, 12]


def test_a_change_that_backward_will_refuse_is_marked_beforehand():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x.exp()
    y.add_(1)
    assert node_of(draw(y.sum()), "ExpBackward0").error == "changed in place after it was saved"


def test_what_hooks_packed_is_left_alone():
    x, calls = torch.tensor([1.0, 2.0], requires_grad=True), []
    hooks = lambda saved: calls.append("packed"), lambda packed: calls.append("opened")
    with torch.autograd.graph.saved_tensors_hooks(*hooks):
        y = x.exp()
    node = node_of(draw(y, saved=True), "ExpBackward0")
    assert node.lines == ["result=packed by a hook"] and not node.error and calls == ["packed"]


@pytest.mark.parametrize("program", [
    lambda x: x**3 * torch.log(x), lambda x: torch.sin(x * 2.0) + torch.cos(x) * x,
    lambda x: torch.stack([x, x * x]).sum(), lambda x: torch.exp(x).unsqueeze(0).reshape(1, 1),
])  # fmt: skip
def test_a_living_graph_is_a_recording_in_which_nothing_has_happened_yet(program):
    """Both pictures have the same boxes, under the same names."""
    x = torch.tensor(5.0, requires_grad=True)
    with torch.record() as trace:
        y = program(x)
    living, recorded = draw(y).picture.nodes, draw(trace).picture.nodes
    recorded = [node for node in recorded if node.kind == "function" or node.title in {each.title for each in living}]
    kinds = {"tensor": "", "root": ""}  # a recording without a backward pass has no root
    assert sorted((node.title, kinds.get(node.kind, node.kind)) for node in living) == sorted(
        (node.title, kinds.get(node.kind, node.kind)) for node in recorded)


def test_every_root_has_its_box_also_those_of_earlier_passes():
    def twice():
        h = torch.tensor(0.5, requires_grad=True)
        for _ in range(20):
            h = torch.sin(h)
        torch.exp(h).backward(retain_graph=True)
        torch.cos(h).backward()

    trace = torch.record(twice)
    roots = {node.title for step in trace.steps() for node in draw(trace, step=step.index).picture.nodes
             if node.kind == "root"}  # fmt: skip
    assert roots == {"exp(h)", "cos(h)"}


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_step_agrees_with_the_entries_of_the_trace(name):
    trace = torch.record(PROGRAMS[name])
    moment, sent = Moment(trace), []
    for step in trace.steps():
        picture = draw(trace, step=step.index).picture
        entries = moment.advance(step.events[-1].index + 1).entries
        shown = {node.key: node for node in picture.nodes}
        for key, tensor in entries.items():
            if key in shown and shown[key].kind in ("leaf", "root") and "@" not in key:
                grad = tensor["grad"]
                assert shown[key].grad == (() if grad is None else lines_notes(grad)[0]), (step, key)
        edges = {edge.label for edge in picture.edges if edge.kind == "gradient"}
        arrived = [node.arrived for node in picture.nodes if node.arrived]
        edges |= {each.label for each in arrived}
        sent = [] if step.kind == "Started" else sent
        sent += [value for event in step.events if event.kind == "Ran" for value in event.results if value is not None]
        for value in sent if not any("→" in each.hook for each in arrived) else ():
            assert in_line(value) in edges, step
        assert picture.caption.startswith(step.sentence)
    assert draw(trace, step=-1).picture.caption.startswith(trace.steps()[-1].sentence)


def test_a_graph_without_pattern_loses_its_middle():
    choose = np.random.default_rng(0)
    pool = [torch.tensor(1.0, requires_grad=True) for _ in range(3)]
    for _ in range(2000):
        a, b = choose.integers(max(0, len(pool) - 20), len(pool), 2)
        pool.append((torch.mul, torch.add, torch.sub, torch.maximum)[choose.integers(4)](pool[a], pool[b]))
    drawing = draw(pool[-1], max_nodes=40)
    del pool[:]
    assert len(drawing.picture.nodes) <= 60
    assert any(node.title.startswith("inside: ") for node in drawing.picture.nodes)
    assert_plain_svg(drawing.svg)


def test_every_folding_is_drawn_clear():
    loss = perceptron(20)
    for limit in (3, 10, 40, 70):
        assert_clear(draw(loss, max_nodes=limit, values=False).picture)


def test_what_cannot_be_drawn_is_refused_by_name():
    z = torch.tensor(1.0, requires_grad=True) * 2
    trace = torch.record(power)
    for call, error, message in (
        (lambda: draw(), TypeError, "draw.. needs something to draw"),
        (lambda: draw(3), TypeError, "draw.*: expected tensors or a trace, got int"),
        (lambda: draw("z"), TypeError, "got str"),
        (lambda: draw(z, step=1), TypeError, "only a trace has steps"),
        (lambda: draw(trace, trace), TypeError, "one trace at a time"),
        (lambda: draw(trace, step=99), IndexError, "step is 99, and the trace has"),
    ):
        with pytest.raises(error, match=message):
            call()


@pytest.mark.parametrize("number, text", [
    (5.0, "5."), (0.008000000379979610, "0.008"), (1.6094380617141724, "1.609"), (-0.0048, "-0.0048"), (1e-9, "1e-09"),
    (3, "3"), (True, "True"), (float("-inf"), "-inf"), (1234567.5, "1.235e+06"), (0.00012345, "0.0001234"),
])  # fmt: skip
def test_numbers_have_four_significant_digits(number, text):
    assert printed(number) == text


def pictures():
    """``{file: drawing}`` of every drawing with a golden file."""
    found = {GOLDEN / f"trace_{name}.svg": draw(torch.record(program)) for name, program in PROGRAMS.items()}
    found |= {GOLDEN / f"step_{step}.svg": draw(torch.record(power), step=step) for step in (1, 3, 4)}
    found[GOLDEN / "folded.svg"] = draw(perceptron(60))
    for drawing in found.values():
        drawing.picture.caption = ""  # replay makes the sentences, and its tests check them
    return found


def test_pictures_equal_the_golden_files():
    """Another process with another hash seed draws them, so the bytes are the same in any."""
    differing = [path.name for path, drawing in pictures().items() if path.read_text(encoding="utf-8") != drawing.svg]
    assert differing == [], anew("pictures")


@pytest.mark.parametrize("name", PROGRAMS)
def test_pictures_are_clear_and_described(name):
    drawing = draw(torch.record(PROGRAMS[name]))
    assert_clear(drawing.picture)
    root = assert_plain_svg(drawing.svg)
    title, description = list(root)[:2]
    assert title.text and all(node.title in description.text for node in drawing.picture.nodes if node.title)


def test_a_hook_shows_as_soon_as_it_is_registered():
    x = torch.tensor(5.0, requires_grad=True)
    y = x**3
    y.register_hook(print)
    y.register_hook(lambda grad: grad * 2)
    x.register_post_accumulate_grad_hook(len)
    flags = {node.title: node.flags for node in draw(y).picture.nodes}
    assert flags["y"] == ["hook print", "hook lambda"] and flags["x"] == ["hook len"]


def look(grad):
    """A hook that changes nothing."""


@pytest.mark.parametrize(("hooks", "label"), [
    ([look, look], "look · look: 0.008"), ([torch.neg, look], "neg: 0.008 → -0.008, look: -0.008"),
    ([look, lambda grad: grad * 2, look], "look: 0.008, 0.008 → 0.016, look: 0.016"),
    ([lambda grad: None], "hook: 0.008"),
])  # fmt: skip
def test_an_edge_says_which_hook_saw_what(hooks, label):
    x = torch.tensor(5.0, requires_grad=True)
    with torch.record() as trace:
        y = x**3
        for hook in hooks:
            y.register_hook(hook)
        torch.log(y).backward()
    assert [node.arrived.hook for node in draw(trace).picture.nodes if node.arrived and node.arrived.hook] == [label]


def test_every_picture_has_a_legend_of_the_signs_in_it():
    x = torch.tensor(5.0, requires_grad=True)
    told = " ".join(legend_of(draw(x**3, saved=True).picture))
    assert "bold blue frame" in told and "under PyTorch's name" in told and "scissors" not in told
    assert legend_of(legend().picture) == list(SIGNS.values())
    assert "<summary>Legend" in draw(x**3)._repr_mimebundle_()["text/html"]


def test_views_are_joined_to_what_they_share_memory_with():
    x = torch.ones(3, requires_grad=True)
    y = x * 2
    first, second = y[:2], y[1:]
    drawing = draw(first, second, y)
    found = {edge.ends for edge in drawing.picture.edges if edge.kind == "view"}
    names = {node.key: node.title for node in drawing.picture.nodes}
    assert sorted((names[a], names[b]) for a, b in found) == [("y", "first"), ("y", "second")]


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    for path, drawing in pictures().items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(drawing.svg, encoding="utf-8", newline="\n")
