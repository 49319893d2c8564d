"""Recorded networks: their modules by the calls, copies beside the graph, tasks, other devices."""

import asyncio
import math
from collections import Counter

import pytest

import autograd_nb
from autograd_nb import draw, record, step, why
from autograd_nb.drawing.draw import WIDEST

torch = pytest.importorskip("torch", reason="torch is what is looked at, and is not installed")
LIBRARIES = pytest.mark.parametrize("lib", [torch, autograd_nb], ids=["torch", "autograd_nb"])


def recorded(run):
    """The trace of ``run()``, made where no variable refers to a network."""
    with record() as trace:
        run()
    return trace


def boxes(picture):
    return [node.title for node in picture.nodes if node.kind == "group"]


def generator(lib):
    layer, tanh = lib.nn.Linear, lib.nn.Tanh()
    return lib.nn.Sequential(*(lib.nn.Sequential(layer(4, 4), tanh, layer(4, 4), tanh) for _ in range(3)))


class Pair:
    """Two generators, each the inverse of the other, as attributes of their trainer."""

    def __init__(self, lib):
        self.lib, self.there, self.back = lib, generator(lib), generator(lib)

    def train(self):
        x = self.lib.ones(2, 4)
        loss = ((self.back(self.there(x)) - x) ** 2).sum() + ((self.there(self.back(x)) - x) ** 2).sum()
        loss.backward()


@LIBRARIES
def test_a_box_is_a_call_of_a_module_by_the_name_that_it_has_where_it_is_called(lib):
    trace = recorded(Pair(lib).train)
    assert boxes(draw(trace, max_nodes=20).picture) == ["self.there", "self.back", "self.back", "self.there"]


@LIBRARIES
def test_a_trace_is_drawn_alike_wherever_that_is(lib, tmp_path):
    pair = Pair(lib)
    trace = recorded(pair.train)
    here = draw(trace).svg
    trace.save(tmp_path / "trace.json")

    def elsewhere(trace):
        return draw(trace).svg

    there, back = pair.there, pair.back  # they are in sight here
    assert there is not back and draw(trace).svg == here == elsewhere(trace)
    assert elsewhere(record.load(tmp_path / "trace.json")) == here


@LIBRARIES
def test_a_network_without_a_name_is_called_by_its_class(lib):
    class Net(lib.nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = lib.nn.ModuleList(lib.nn.Linear(4, 4) for _ in range(3))

        def forward(self, x):
            for layer in self.layers:
                x = layer(x)
            return x

    trace = recorded(lambda: Net()(lib.ones(2, 4)).sum().backward())
    assert [path for path, _, _ in trace.calls] == ["Net", "Net.layers.0", "Net.layers.1", "Net.layers.2"]
    assert {record.name for record in trace.tensors.values()} >= {"Net.layers.0.weight", "Net.layers.2.bias"}


@LIBRARIES
def test_calls_nest_and_end_also_by_an_error(lib):
    class Wrong(lib.nn.Module):
        def forward(self, x):
            raise RuntimeError("on purpose")

    first, wrong, last = lib.nn.Linear(4, 4), Wrong(), lib.nn.Linear(4, 4)

    def run():
        x = first(lib.ones(2, 4))
        with pytest.raises(RuntimeError, match="on purpose"):
            wrong(x * 2)
        last(last(x)).sum().backward()

    trace = recorded(run)
    assert [path for path, _, _ in trace.calls] == ["first", "last", "last"]
    assert [[path for path, _ in trace.within[event.index]] for event in trace if event.kind == "Operation"
            and event.name == "mul"] == [[]]  # fmt: skip
    assert boxes(draw(trace, max_nodes=9).picture) == ["first", "last", "last"]


@LIBRARIES
def test_layers_that_are_called_one_by_one_have_a_box_each(lib):
    model = lib.nn.Sequential(*(lib.nn.Linear(4, 4) for _ in range(4)))

    def run():
        hidden = model[1](model[0](lib.ones(2, 4))).detach()
        model[3](model[2](hidden)).sum().backward()

    assert boxes(draw(recorded(run), max_nodes=9).picture) == [f"model.{place}" for place in range(4)]


@LIBRARIES
def test_a_weight_that_two_modules_have_is_named_once_and_each_module_by_its_call(lib):
    class Tied(lib.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner, self.between, self.head = (lib.nn.Linear(4, 4, bias=False) for _ in range(3))
            self.head.weight = self.inner.weight

        def forward(self, x):
            return self.head(self.between(self.inner(x).tanh()).tanh())

    model = Tied()
    trace = recorded(lambda: model(lib.ones(2, 4)).sum().backward())
    assert boxes(draw(trace, max_nodes=6).picture) == ["model.inner", "model.between", "model.head"]
    names = [record.name for record in trace.tensors.values() if record.is_leaf and record.requires_grad]
    assert names == ["model.inner.weight", "model.between.weight"]


@LIBRARIES
@pytest.mark.parametrize("layers", [1, 6])
def test_copies_from_network_to_network_are_one_box_where_they_are_many(lib, layers):
    online, target = (lib.nn.Sequential(*(lib.nn.Linear(4, 4) for _ in range(layers))) for _ in range(2))

    def run():
        online(lib.ones(2, 4)).sum().backward()
        for old, new in zip(target.parameters(), online.parameters(), strict=True):
            old.data.copy_(old.data * 0.9 + new.data * 0.1)

    picture = draw(recorded(run)).picture
    apart = [node for node in picture.nodes if node.title == "outside any graph"]
    if layers == 1:
        assert not apart and sum(node.title.startswith(".data") for node in picture.nodes) == 6
    else:
        assert [node.lines for node in apart] == [[".data × 36"]]
        assert not [node for node in picture.nodes if node.title.startswith((".data", "target"))]


class Policy:
    """A step of SAC: two critics of one class, their targets and an actor, each with a method that trains it."""

    def __init__(self, lib):
        def critic():
            return lib.nn.Sequential(lib.nn.Linear(4, 8), lib.nn.ReLU(), lib.nn.Linear(8, 1))

        self.lib, self.actor = lib, lib.nn.Sequential(lib.nn.Linear(3, 8), lib.nn.ReLU(), lib.nn.Linear(8, 1))
        self.q1, self.q2, self.q1_target, self.q2_target = (critic() for _ in range(4))

    def least(self, state, one, other):
        pair = self.lib.cat([state, self.actor(state).tanh()], dim=1)
        return self.lib.minimum(one(pair), other(pair))

    def train(self):
        lib, state, action = self.lib, self.lib.ones(2, 3), self.lib.ones(2, 1)
        with lib.no_grad():
            wanted = 1 + 0.9 * self.least(state * 2, self.q1_target, self.q2_target)
        for critic in self.q1, self.q2:
            lib.nn.functional.mse_loss(critic(lib.cat([state, action], dim=1)), wanted).backward()
        (-self.least(state, self.q1, self.q2)).mean().backward()
        for old, new in (self.q1_target, self.q1), (self.q2_target, self.q2):
            for target, source in zip(old.parameters(), new.parameters(), strict=True):
                target.data.copy_(target.data * 0.9 + source.data * 0.1)


@LIBRARIES
@pytest.mark.parametrize("limit", [None, 6, 12, 20])
def test_two_critics_of_one_class_have_a_box_for_each_of_their_calls(lib, limit):
    drawing = draw(recorded(Policy(lib).train), max_nodes=limit, turn=0)
    named = [title for title in boxes(drawing.picture) if title.startswith("self.")]
    assert named == [f"self.{name}" for name in ("actor", "q1_target", "q2_target", "q1", "q2", "actor", "q1", "q2")]
    if limit is None:
        assert drawing.arranged[1].size[0] <= WIDEST


@LIBRARIES
def test_more_calls_of_modules_than_have_room_are_listed_by_name_in_one_box(lib):
    layer, left, right = (lib.nn.Linear(4, 4) for _ in range(3))

    def run():
        x = lib.ones(2, 4)
        total = sum((left if place == "0" else right)(layer(x)).sum() for place in "0110100110010110")
        total.backward()

    picture = draw(recorded(run), max_nodes=12).picture
    inside = max((node for node in picture.nodes if node.title.startswith("inside")), key=lambda node: len(node.lines))
    assert {line.partition(" ×")[0] for line in inside.lines} >= {"layer", "left", "right"}


@LIBRARIES
def test_two_turns_of_a_loop_are_joined_by_no_arrow_and_the_loss_is_outside_of_the_network(lib):
    net = lib.nn.Sequential(*(each for _ in range(4) for each in (lib.nn.Linear(4, 4), lib.nn.ReLU())))
    x, y = lib.ones(2, 4), lib.zeros(2, 4)
    with record() as trace:
        for _ in range(2):
            (net(x) - y).pow(2).mean().backward()
    picture = draw(trace).picture
    first, second = [node.key for node in picture.nodes if node.title == "net"]
    ends = [(edge.source, edge.target) for edge in picture.edges]
    shared = {node.key for node in picture.nodes if node.title in ("x", "y")}
    reached = {first}
    for _ in ends:
        reached |= {each for pair in ends if reached & {*pair} for each in pair} - shared
    assert len(reached) > 3 and second not in reached
    assert sum(node.title == "MeanBackward0" for node in picture.nodes) == 2


@LIBRARIES
def test_what_runs_between_two_modules_is_in_no_box_of_a_module(lib):
    class Net(lib.nn.Module):
        def __init__(self):
            super().__init__()
            self.down, self.up, self.out = (lib.nn.Sequential(*[lib.nn.Linear(4, 4)] * 3) for _ in range(3))

        def forward(self, x):
            low = self.down(x)
            high = self.up(low.exp().log())
            return self.out(high.sin() * low.cos() + x)

    net, x = Net(), lib.ones(2, 4)
    with record() as trace:
        net(x).sum().backward()
    nodes = draw(trace, max_nodes=8).picture.nodes
    inside = {node.title: {*node.lines, *node.saved} for node in nodes if node.kind == "group"}
    assert {"net.down", "net.up", "net.out"} <= inside.keys()
    for name in ("net.down", "net.up", "net.out"):
        assert not any(each.startswith(("Sin", "Cos", "Exp", "Log", "Mul")) for each in inside[name]), inside


@LIBRARIES
def test_a_variable_of_a_loop_over_parameters_takes_no_name_from_them(lib):
    net, target = lib.nn.Linear(2, 2), lib.nn.Linear(2, 2)
    with record() as trace:
        net(lib.ones(1, 2)).sum().backward()
        with lib.no_grad():
            for p, pt in zip(net.parameters(), target.parameters(), strict=True):
                pt.mul_(0.9).add_(p * 0.1)
    assert {"net.weight", "net.bias", "target.weight", "target.bias"} <= {*trace.labels.values()}
    assert not {"p", "pt"} & {label.partition(" ")[0] for label in trace.labels.values()} and pt is not p


@LIBRARIES
def test_recordings_of_several_tasks_see_each_its_own_task_and_those_that_it_began(lib):
    async def part(y):
        await asyncio.sleep(0)
        return y * 2

    async def task(power):
        x = lib.tensor(2.0, requires_grad=True)
        with record() as trace:
            await asyncio.sleep(0)
            y = x**power
            (z,) = await asyncio.gather(part(y))
            await asyncio.sleep(0)
            z.register_hook(lambda grad: grad * 3)
            z.backward()
            await asyncio.sleep(0)
        return trace

    async def alone():
        return [await task(3)]

    async def together():
        return await asyncio.gather(*(task(power) for power in (3, 4, 5)))

    ((expected,), traces) = asyncio.run(alone()), asyncio.run(together())
    assert [[event.kind for event in trace] for trace in traces] == [[event.kind for event in expected]] * 3


@LIBRARIES
def test_a_recording_within_another_is_not_seen_by_it(lib):
    def train():
        x = lib.tensor([1.0, 2.0], requires_grad=True)
        y = x**2
        y.register_hook(lambda grad: grad * 3)
        y.sum().backward()

    with record() as outer, record() as inner:
        train()
    expected = [event.kind for event in recorded(train)]
    assert [event.kind for event in inner] == expected == [event.kind for event in outer]


def test_what_a_node_saved_is_read_without_a_hook():
    from autograd_nb.microscope.pytorch.readings import PACKED, GraphNode, entries

    calls, x = [], torch.ones(2, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda tensor: tensor, calls.append):
        packed = torch.exp(x).grad_fn
    assert [entry[:2] for entry in entries(GraphNode(packed))] == [("result", PACKED)] and calls == []
    ((name, saved, *_),) = entries(GraphNode(torch.exp(x).grad_fn))
    assert name == "result" and saved.tolist() == pytest.approx([math.e] * 2)


def values_in(it):
    """The snapshots in the fields of events and records, each once for each time it was taken."""
    if hasattr(it, "is_readable"):
        yield it
    elif isinstance(it, tuple):
        for each in it:
            yield from values_in(each)


def test_on_another_device_no_more_is_copied_than_the_trace_shows(monkeypatch):
    from torch.utils._python_dispatch import TorchDispatchMode

    class Operations(TorchDispatchMode):
        def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
            counts[operation.overloadpacket.__name__] += 1
            return operation(*args, **(kwargs or {}))

    layers = [layer for _ in range(16) for layer in (torch.nn.Linear(9, 9), torch.nn.Tanh())]
    model = torch.nn.Sequential(*layers).to("meta")
    optimizer, x = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9), torch.ones(4, 9, device="meta")

    def train():
        loss = (model(x) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        return loss

    train()  # the first step makes the optimizer's momenta
    copies, cpu, counts = [], torch.Tensor.cpu, Counter()
    with Operations():
        train()
    plain, counts = counts, Counter()
    with Operations(), monkeypatch.context() as patched:
        patched.setattr(torch.Tensor, "cpu", lambda tensor: copies.append(tensor) or cpu(tensor))
        trace = recorded(train)
    assert counts == plain  # a mode of the learner's sees none of ours
    assert sum(each.computes for each in trace) >= 100
    parts = [part for each in (*trace, *trace.tensors.values()) for part in each]
    shown = {id(value) for part in parts for value in values_in(part)}
    assert len(shown) < 4 * len(trace) and 0 < len(copies) <= len(shown)
    loss = train()
    for shown in (draw(trace), draw(loss), step(trace)):
        assert len(str(shown)) > 100
    assert "cannot be read" in str(why(model, trace))


def training(lib, losses=1, width=6, error=None):
    """``run(updates)``: so many updates of a network of ten layers, each after this many backward passes."""
    model = lib.nn.Sequential(*(lib.nn.Linear(width, width) for _ in range(10)))
    optimizer = lib.optim.SGD(model.parameters(), lr=0.1)

    def update(number):
        for _ in range(losses):
            model(lib.ones(5, width)).square().mean().backward()
        if number == error:
            raise KeyError
        optimizer.step()
        optimizer.zero_grad()

    def run(updates):
        for number in range(updates):
            update(number)
            model[0].weight.mean().item()

    return run


def passes(trace):
    return [event.pass_number for event in trace if event.kind == "Started"]


@LIBRARIES
@pytest.mark.parametrize("losses", [1, 2])
def test_a_recording_parts_into_the_turns_of_the_loop_around_its_backward_passes(lib, losses, tmp_path):
    run = training(lib, losses)
    trace = recorded(lambda: run(3))
    one = recorded(lambda: run(1))
    turns = [trace.turn(number) for number in range(len(trace.turns) + 1)]
    counts = [len(each) for each in turns]
    assert sum(counts) == len(trace) and [event.index for event in turns[-1]] == [*range(counts[-1])]
    assert len(turns) == 3 * losses  # gradients may add up over several turns of a loop
    if losses == 1:
        assert [passes(each) for each in turns] == [[1], [2], [3]]
        assert [event.kind for event in turns[1]] == [event.kind for event in one]
        assert turns[1].calls == one.calls
        weight = next(key for key, record in trace.tensors.items() if record.name.endswith("0.weight"))
        changed = [event.value for event in turns[0] if event.kind == "Changed" and event.tensor == weight]
        assert turns[1].tensors[weight].value == changed[-1] != turns[0].tensors[weight].value
        assert turns[2].tensors[weight].grad is None
        for number in 1, 2, 3:
            assert f"(turn {number} of 3)" in draw(trace, turn=number).title
        assert draw(trace).text == draw(trace, turn=3).text
        assert boxes(draw(trace, turn=0).picture) != boxes(draw(trace).picture)
    trace.save(tmp_path / "trace.json")
    assert record.load(tmp_path / "trace.json").turns == trace.turns
    for call in (lambda: draw(trace, turn=9), lambda: draw(trace, backward=99)):
        with pytest.raises(IndexError, match="the trace has no such"):
            call()


@LIBRARIES
def test_turns_that_share_a_graph_are_one_and_the_last_may_end_in_an_error(lib):
    def total():
        w, total = lib.ones(3, requires_grad=True), 0
        for _ in range(3):  # each pass is followed by one through all graphs
            y = (w * w).sum()
            lib.autograd.grad(y, w, create_graph=True)
            total = total + y
        total.backward()

    assert recorded(total).turns == ()
    run = training(lib, error=2)
    with pytest.raises(KeyError), record() as trace:
        run(3)
    assert len(trace.turns) == 2 and trace.turn(2)[len(trace.turn(2)) - 1].kind == "Failed"


@LIBRARIES
def test_a_pass_is_drawn_alone_with_what_led_to_it_even_across_a_cut(lib):
    maker, judge = (lib.nn.Linear(4, 4) for _ in range(2))

    def run():
        for _ in range(2):
            made = maker(lib.ones(2, 4))
            judge(lib.zeros(2, 4)).sum().backward()
            judge(made.detach()).sum().backward()
            judge(made).sum().backward()

    trace = recorded(run)
    alone = [draw(trace, backward=number, max_nodes=4) for number in (4, 5, 6)]
    names = [" ".join(boxes(each.picture)) for each in alone]
    assert ["maker" in each for each in names] == [False, True, True]
    assert [each.picture.edges and any(edge.kind == "cut" for edge in each.picture.edges) for each in alone] == [
        False, True, False]  # fmt: skip
