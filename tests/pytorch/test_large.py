"""A large network of real PyTorch: folded by its modules, drawn and stepped within limits of time and size."""

import gc
import time
import weakref

import pytest
from pace import pace, within

import autograd_nb
from autograd_nb import draw, record, step, why
from autograd_nb.widgets.unfolding import Unfolding

torch = pytest.importorskip("torch", reason="torch is what is looked at, and is not installed")
nn = torch.nn


class Transformer(nn.Module):
    def __init__(self, width=256, blocks=6):
        super().__init__()
        self.embed = nn.Embedding(1000, width)
        self.blocks = nn.Sequential(*(
            nn.TransformerEncoderLayer(width, 4, 4 * width, dropout=0.0, batch_first=True) for _ in range(blocks)))
        self.head = nn.Linear(width, 1000)

    def forward(self, x):
        return self.head(self.blocks(self.embed(x)))


def data():
    return torch.randint(1000, (4, 32)), torch.randint(1000, (4, 32))


@pytest.fixture
def network():
    """``(model, loss)``: the network and a function that computes its loss again, on one thread."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    model, (inputs, targets) = Transformer(), data()
    yield model, lambda: nn.functional.cross_entropy(model(inputs).flatten(0, -2), targets.flatten())
    torch.set_num_threads(threads)


def seconds(function):
    """The processor's time for it, without collecting other tests' garbage, and the result."""
    gc.disable()
    try:
        start = time.process_time()
        result = function()
        return time.process_time() - start, result
    finally:
        gc.enable()


def test_a_large_graph_is_drawn_folded_soon_and_small(network):
    loss = network[1]()
    spent, shown = seconds(lambda: draw(loss)._repr_mimebundle_())
    assert spent <= 4 * pace()
    assert len(shown["image/svg+xml"].encode()) <= 300_000 and len(shown["text/html"]) <= 300_000
    assert len(draw(loss).picture.nodes) <= 100


def test_a_large_backward_pass_is_stepped_at_little_cost(network):
    model, compute = network
    compute().backward()
    plain = min(seconds(compute().backward)[0] for _ in range(2))
    model.zero_grad()
    loss = compute()
    spent, shown = seconds(lambda: step(loss.backward))
    assert spent <= 3 * plain + 2 * pace()
    opened, story = seconds(lambda: shown.do_tell() or shown.stories[0])
    assert opened <= 2 * pace() and len(story) <= 1_000_000
    assert max(len(event.grad.raw) for event in shown.trace if event.kind == "Accumulated") <= 512


def test_a_page_of_all_steps_is_made_soon(network):
    with record() as trace:
        network[1]().backward()
    spent, page = min((seconds(step(trace).as_page) for _ in range(2)), key=lambda pair: pair[0])
    assert spent <= 0.14 * pace() and len(page) <= 500_000


def nested(lib):
    layer, tanh, relu = lib.nn.Linear, lib.nn.Tanh(), lib.nn.ReLU()
    blocks = (lib.nn.Sequential(layer(4, 4), tanh, layer(4, 4), relu) for _ in range(3))
    return lib.nn.Sequential(*blocks, layer(4, 1))


def modules(picture):
    return [node.title for node in picture.nodes if node.kind == "group"]


LIBRARIES = pytest.mark.parametrize("lib", [torch, autograd_nb], ids=["torch", "autograd_nb"])


@LIBRARIES
def test_modules_fold_into_boxes_that_nest_and_open(lib):
    model = nested(lib)
    loss = model(lib.ones(2, 4)).sum()
    folded = [node for node in draw(loss, max_nodes=8).picture.nodes if node.kind == "group"]
    assert [node.title for node in folded][:3] == ["model.0", "model.1", "model.2"]
    assert folded[1].lines == ["Sequential"] and folded[1].notes == ["folded: 6 functions, 4 leaves"]
    opened = ["model.0", "model.1.0", "model.1.2", "model.2", "model.3"]
    assert modules(draw(loss, max_nodes=8, open="model.1").picture) == opened
    bare = draw(loss, max_nodes=8, open="model.1.2").picture  # a module without others in it
    assert modules(bare) == ["model.0", "model.1.0", "model.2", "model.3"]
    assert {"model.1.2.weight", "AddmmBackward0", "ReluBackward0"} <= {node.title for node in bare.nodes}
    with record() as trace:
        model(lib.ones(2, 4)).sum().backward()
    assert {"model.0", "model.1", "model.2"} <= {node.title for node in draw(trace, max_nodes=8).picture.nodes}


VIEW = "application/vnd.jupyter.widget-view+json"


@LIBRARIES
def test_a_picture_with_folded_modules_has_a_live_form_that_keeps_no_graph(lib):
    model = nested(lib)
    loss = model(lib.ones(2, 4)).sum()
    whole, drawing = draw(loss, max_nodes=100), draw(loss, max_nodes=8)
    assert VIEW not in whole._repr_mimebundle_()
    still = drawing.html
    shown = drawing._repr_mimebundle_()
    assert VIEW in shown and shown["text/html"] == still and shown["text/plain"] == drawing.text
    gone = weakref.ref(loss)
    del loss
    gc.collect()
    assert gone() is None
    live = Unfolding(drawing)
    live.opened = ["model.1", "model.1.2"]
    svg = "".join(live.graph["groups"])
    assert 'data-key="module model.1.0"' in svg and "model.1.2.weight" in svg
    assert "model.0 is folded: a click or Enter opens it." in svg
    live.opened = []
    assert 'data-key="module model.1"' in (svg := "".join(live.graph["groups"])) and "model.1.2.weight" not in svg


def test_why_looks_for_cuts_once_however_many_parameters_are_cut_off():
    class Cut(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers, self.head = nn.ModuleList(nn.Linear(2, 2) for _ in range(200)), nn.Linear(2, 1)

        def forward(self, x):
            for layer in self.layers:
                x = layer(x).detach()
            return self.head(x)

    model = Cut()
    loss = model(torch.ones(1, 2)).sum()
    loss.backward()
    with within(2):
        text = str(why(model))
    assert "model.layers.0.weight.grad is None" in text


def test_why_answers_of_a_deep_network_in_bounded_time_whatever_became_of_its_gradients():
    model = nn.Sequential(*(nn.Linear(2, 2) for _ in range(1000)))
    with within(4):
        before = str(why(model))
        loss = model(torch.ones(1, 2)).sum()
        computed = str(why(model))
        loss.backward()
        why(model)
        model.zero_grad()
        zeroed = str(why(model))
    assert "no backward pass" in before and "shows no backward pass" in computed
    assert "zero_grad() or other code set it" in zeroed
