"""A folded picture shows the architecture: the order of modules, repetitions, and the operations between modules."""

import re
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import autograd_nb as torch
from autograd_nb import draw, nn, record
from autograd_nb.drawing.folding import FEW, NAMES, Graph, _repetition
from autograd_nb.drawing.outline import Outline
from autograd_nb.microscope.moments import Moment


class Block(nn.Module):
    """A residual block, which ends in operations without parameters."""

    def __init__(self, width=4):
        super().__init__()
        self.one, self.two = nn.Linear(width, width), nn.Linear(width, width)

    def forward(self, x):
        return (x + self.two(self.one(x).relu())).relu()


class Net(nn.Module):
    """Modules by name, called one after another, and other operations."""

    def __init__(self, between=lambda x: x, **modules):
        super().__init__()
        self.names, self.between = list(modules), between
        for name, module in modules.items():
            setattr(self, name, module)

    def forward(self, x):
        for name in self.names:
            x = self.between(getattr(self, name)(x))
        return x


def blocks(count):
    return nn.Sequential(*(Block() for _ in range(count)))


def drawn(net, **options):
    loss = net(torch.ones(2, 4)).sum()
    drawing = draw(loss, model=net, **options)
    return [node for node in drawing.picture.nodes if node.kind in ("group", "function")], drawing


def told(nodes):
    return [(node.title, *node.lines) for node in nodes]


END = ("SumBackward0",)


def test_stages_are_boxes_that_say_what_is_repeated_and_have_all_of_their_blocks():
    net = Net(stem=nn.Linear(4, 4), layer1=blocks(2), layer2=blocks(3), layer3=blocks(20), head=nn.Linear(4, 1))
    nodes, _ = drawn(net)
    assert told(nodes) == [("model.stem", "Linear"), ("model.layer1", "Block × 2"), ("model.layer2", "Block × 3"),
                           ("model.layer3", "Block × 20"), ("model.head", "Linear"), END]  # fmt: skip
    assert [node.notes for node in nodes[:3]] == [[f"folded: {text}"] for text in (
        "2 functions, 3 leaves", "14 functions, 8 leaves", "21 functions, 12 leaves")]  # fmt: skip
    assert "ReluBackward0 × 4" in nodes[1].saved


def test_what_runs_between_modules_is_a_box_of_its_own_where_there_is_room():
    layers = {f"fc{place}": nn.Linear(4, 4) for place in range(6)}
    nodes, _ = drawn(Net(between=torch.tanh, **layers), max_nodes=14)
    assert told(nodes) == [each for place in range(6) for each in (
        (f"model.fc{place}", "Linear"), ("TanhBackward0",))] + [END]  # fmt: skip
    nodes, _ = drawn(Net(between=torch.tanh, **layers), max_nodes=10)
    assert told(nodes) == [("model.fc0", "Linear"), ("TanhBackward0",),
                           ("× 4", "model.fc1 … model.fc4", "TanhBackward0"),
                           ("model.fc5", "Linear"), ("TanhBackward0",), END]  # fmt: skip


def test_like_modules_outside_a_container_are_folded_together_and_opened_again():
    net = Net(stem=nn.Linear(4, 4), **{f"block{place}": Block() for place in range(40)}, head=nn.Linear(4, 1))
    nodes, drawing = drawn(net)
    assert told(nodes) == [("model.stem", "Linear"), ("model.block0", "Block"),
                           ("model.block1 … model.block38", "Block × 38"), ("model.block39", "Block"),
                           ("model.head", "Linear"), END]  # fmt: skip
    path = nodes[2].key.removeprefix("module ")
    opened, _ = drawing.again([path])
    assert [node.title for node in opened.nodes if "block" in node.title] == [f"model.block{n}" for n in range(40)]


def test_modules_that_take_turns_are_boxes_in_their_order():
    cells = Net(one=nn.Linear(4, 4), between=torch.tanh, norm=nn.LayerNorm(4))

    def run():
        x = torch.ones(2, 4)
        for _ in range(30):
            x = cells(x)
        return x.sum()

    nodes = [node for node in draw(run(), model=cells).picture.nodes if node.kind in ("group", "function")]
    turn = [("model.one", "Linear"), ("TanhBackward0",), ("model.norm", "LayerNorm"), ("TanhBackward0",)]
    assert told(nodes) == [*turn, ("× 28", *(name for name, *_ in turn)), *turn, END]
    keys = [node.key for node in nodes]
    assert len({*keys}) == len(keys) and keys[0] == "module model.one" and keys[5] == "module model.one #30"


def test_a_module_used_twice_has_its_parameters_once_and_no_arrow_leads_from_these_to_the_other_call():
    first, last = nn.Linear(4, 4, bias=False), blocks(20)
    net = Net(first=first, blocks=last)
    loss = first(net(torch.ones(2, 4))).sum()
    picture = draw(loss, model=net).picture
    groups = [node for node in picture.nodes if node.kind == "group"]
    assert told(groups) == [("model.first", "Linear"), ("model.blocks", "Block × 20"), ("model.first", "Linear")]
    assert [node.notes for node in groups[::2]] == [
        ["folded: 2 functions, 2 leaves"], ["folded: 2 functions"]]  # fmt: skip
    assert [node.flags for node in groups] == [["shared: model.first.weight"], [], ["shared: model.first.weight"]]
    ends = [(edge.source, edge.target) for edge in picture.edges]
    assert (groups[0].key, groups[2].key) not in ends and (groups[1].key, groups[2].key) in ends


def test_a_container_of_like_modules_that_is_all_there_is_is_opened():
    nodes, _ = drawn(blocks(6))
    assert told(nodes) == [*((f"model.{place}", "Block") for place in range(6)), END]


@pytest.mark.parametrize("net", [
    Net(stem=nn.Linear(4, 4), layer=blocks(4), head=nn.Linear(4, 1)), blocks(7),
    Net(a=Net(inner=blocks(2)), b=Net(inner=blocks(3))),
    nn.Sequential(*(each for _ in range(16) for each in (nn.Linear(4, 4), nn.ReLU()))),
], ids=["stages", "blocks", "wrapped", "layers"])  # fmt: skip
def test_every_box_of_modules_opens_until_all_is_seen(net):
    loss = net(torch.ones(2, 4)).sum()
    calls = len(draw(loss, model=net, max_nodes=10_000).picture.nodes)
    with record() as trace:
        net(torch.ones(2, 4)).sum().backward()
    for drawing in draw(loss, model=net), draw(trace):
        picture, opened = drawing.picture, []
        assert 3 <= len(picture.nodes) <= 40
        while folded := [node.key for node in picture.nodes if node.key.startswith("module ")]:
            assert len(opened) < 400
            opened.append(folded[0].removeprefix("module "))
            picture, _ = drawing.again(opened)
        assert not [node for node in picture.nodes if node.kind == "group"] and len(picture.nodes) >= calls / 2


MOTIF = st.lists(st.sampled_from(["one", "other", "step0", "step1", "step2", ""]), min_size=1, max_size=3)
TURNS = st.lists(st.tuples(MOTIF, st.integers(1, 6)).map(lambda pair: pair[0] * pair[1]), min_size=1, max_size=4)


@settings(deadline=None, max_examples=30)
@given(TURNS.map(lambda parts: sum(parts, [])), st.booleans())
def test_a_box_tells_the_modules_whose_calls_are_in_it_and_no_others(turns, chained):
    """The modules are of one class; they are called one after another or side by side, with functions between them."""
    own = SimpleNamespace(**{name: Block() for name in turns if name})
    with record() as trace:
        start = x = torch.ones(2, 4, requires_grad=True)
        results = []
        for name in turns:
            x = getattr(own, name)(x if chained else start) if name else x * 2
            results.append(x.sum())
        sum(results).backward()
    whole = Moment(trace).advance()
    for limit in 4, 9, 20:
        outline, calls_in = Outline(Graph(whole), limit), {}
        for call in outline.graph.calls:
            calls_in.setdefault(outline.end[call], []).append(call)
        assert {box for box in outline.boxes if box.startswith("module")} <= calls_in.keys()  # none is left empty
        for box in calls_in.keys() - outline.graph.calls.keys():
            group = outline.folded[box]
            around = [path for call in calls_in[box] for path, _ in whole.within.get(call, ())]
            made = {path for path in around if re.fullmatch(r"own\.\w+", path)}
            texts = [re.findall(r"own\.\w+", text) for text in (group.name, *group.lines)]
            told = {name for names in texts for name in names}
            ranges = {re.sub(r"\d", "", names[0]) for names in texts if len(names) == 2}  # "own.step0 … own.step2"
            if not told and len(made) < 2:  # functions of one module that is open
                continue
            untold = {name for name in made - told if re.sub(r"\d", "", name) not in ranges}
            assert told <= made and (not untold or len(group.lines) > NAMES)  # "and 2 more"
            if len(turns) < FEW / 2:
                assert len(made) < 2 or "×" in f"{group.name}{group.lines}" and "inside" not in group.name


@given(st.lists(st.sampled_from("ab"), max_size=14))
def test_a_repetition_is_folded_where_most_is_saved_and_two_at_least_go_into_one_box(names):
    """The test compares with every periodic stretch; its first and last times stay open."""
    count, best = len(names), 0
    for period in range(1, count):
        for first in range(period, count):
            for last in range(first + 2 * period, count - period + 1, period):
                if all(names[place] == names[place - period] for place in range(first, last + period)):
                    best = max(best, last - first - 1)
    saved, period, first, last = _repetition(names, [1] * count)
    assert saved == best and (not saved or last - first == saved + 1 >= 2 * period)
