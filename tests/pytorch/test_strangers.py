"""A small program for each kind of code in other people's programs that the microscope once failed on."""

import subprocess
import sys

import pytest
from looking import look
from programs import cube

import autograd_nb
from autograd_nb import record

torch = pytest.importorskip("torch", reason="torch is what is looked at, and is not installed")


@pytest.mark.parametrize("library", [torch, autograd_nb])
def test_a_change_in_place_by_any_method_is_drawn(library):
    changed = 0
    for name in dir(library.Tensor):
        if not name.endswith("_") or name.startswith("_") or name == "set_":
            continue

        def run(name=name):
            h = library.tensor([0.2, 0.5, 0.7], requires_grad=True) * 0.5
            getattr(h, name)()
            if h.grad_fn is not None:
                h.sum().backward(retain_graph=True)
            return h

        try:
            run()
        except (TypeError, RuntimeError, NotImplementedError):  # it needs arguments, or other elements
            continue
        trace, _, made = look(run)
        if any(event.kind == "Changed" and event.node for event in trace):
            changed += 1
            assert "Backward" in made["draw(trace)"]
    assert changed > 20


def checkpoint(x):
    return torch.utils.checkpoint.checkpoint(torch.nn.Linear(3, 3), x, use_reentrant=True)


def compiled(x):
    torch.compiler.reset()
    return torch.compile(torch.nn.Linear(3, 3), backend="aot_eager")(x)


@pytest.mark.parametrize("retain", [False, True])
@pytest.mark.parametrize("function", [cube(torch).apply, checkpoint, compiled])
def test_a_graph_whose_nodes_are_written_in_python_is_drawn_when_it_is_freed(function, retain):
    x = torch.ones(2, 3, requires_grad=True)

    def run():
        loss = function(x).sum()
        loss.backward(retain_graph=retain)
        return loss

    look(run)
    assert (" freed" in autograd_nb.draw(run()).text) == (not retain)


def test_an_older_pytorch_is_said_to_be_too_old():
    """Before 2.10 a saved tensor has no such attribute."""
    code = """
import torch, warnings
del torch._C._autograd.SavedTensor.unpack_hook
import autograd_nb
x = torch.ones(2, requires_grad=True)
with warnings.catch_warnings(record=True) as told, autograd_nb.record() as trace:
    (x * 2).sum().backward()
print(x.grad.tolist(), len(trace), *(each.message for each in told))
autograd_nb.draw(x * 2)
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ran.stdout.startswith("[2.0, 2.0] 0 ")
    for text in (ran.stdout, ran.stderr):
        assert f"autograd_nb reads PyTorch 2.10 or newer, and this is {torch.__version__}" in text


def test_the_first_recording_imports_nothing():
    code = """
import sys, torch
from autograd_nb import record
model = torch.nn.Linear(20, 20)
compute = lambda: model(torch.ones(5, 20)).sum().backward()
compute()
before = {*sys.modules}
record(compute)
assert {*sys.modules} == before, {*sys.modules} - before"""
    subprocess.run([sys.executable, "-c", code], check=True)


class Trainer:
    def __init__(self, model):
        self.model = model

    def loss(self):
        return self.model(torch.ones(2, 4)).sum()

    def drawn(self):
        return autograd_nb.draw(self.loss())


def deep():
    blocks = [torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU(), torch.nn.Linear(4, 4)) for _ in range(12)]
    return torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Sequential(*blocks), torch.nn.Linear(4, 1))


@pytest.mark.parametrize("where", ["attribute", "list", "dict", "given"])
def test_a_model_is_found_wherever_it_is_and_its_blocks_are_folded_into_a_picture_that_fits(where):
    trainer = Trainer(deep())
    loss, nets, known = trainer.loss(), [trainer.model], {"net": trainer.model}
    picture = {
        "attribute": trainer.drawn, "list": lambda: (nets, autograd_nb.draw(loss))[1],
        "dict": lambda: (known, autograd_nb.draw(loss))[1], 
        "given": lambda: autograd_nb.draw(loss, model=trainer.model),
    }[where]()  # fmt: skip
    names = {"attribute": "self.model", "list": "nets[0]", "dict": "known['net']", "given": "model"}
    (blocks,) = (node for node in picture.picture.nodes if node.title == f"{names[where]}.1")
    assert blocks.lines[0] == "Sequential × 12"
    width, height = map(float, picture.svg.partition('viewBox="0 0 ')[2].partition('"')[0].split())
    assert width <= 1600 and height <= 900 and len(picture.svg) < 120_000 and picture.again is not None


def played():
    """A model that runs in a loop, like models that play games: operations on its results stand outside it."""
    policy = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2))
    logs = [policy(torch.randn(1, 4)).log_softmax(-1)[:, 0] for _ in range(30)]
    return policy, lambda: torch.cat([-log * 0.5 for log in logs]).sum()


def flat_of_convolutions():
    """Many modules of one operation beside each other; none can be folded by itself."""
    layers = [torch.nn.Conv2d(3, 3, 3, padding=1) for _ in range(20)]
    net = torch.nn.Sequential(*[each for layer in layers for each in (layer, torch.nn.GroupNorm(1, 3))])
    return net, lambda: net(torch.randn(1, 3, 8, 8)).square().mean()


def adapted():
    """Frozen layers with a small trained part beside each, so that the last one's operations belong to nobody."""
    net = torch.nn.ModuleList([torch.nn.ModuleDict({
        "attention": torch.nn.MultiheadAttention(8, 2), "a": torch.nn.Linear(8, 2), "b": torch.nn.Linear(2, 8),
        "after": torch.nn.TransformerEncoderLayer(8, 2, 16)}) for _ in range(4)])  # fmt: skip
    net.requires_grad_(False)
    for layer in net:
        layer["a"].requires_grad_(), layer["b"].requires_grad_()

    def loss():
        x = torch.randn(3, 1, 8)
        for layer in net:
            x = layer["after"](layer["attention"](x, x, x)[0] + layer["b"](layer["a"](x)))
        return x.square().mean()

    return net, loss


def high():
    layer = torch.nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
    net = torch.nn.TransformerEncoder(layer, 6)
    return net, lambda: net(torch.randn(2, 5, 16)).square().mean()


@pytest.mark.parametrize("make", [played, flat_of_convolutions, adapted, high])
def test_a_folded_picture_fits_on_a_screen_and_is_no_single_box(make):
    net, loss_of = make()
    loss = loss_of()
    with record() as trace:
        loss_of().backward()
    for drawing in autograd_nb.draw(loss, model=net), autograd_nb.draw(trace):
        width, height = map(float, drawing.svg.partition('viewBox="0 0 ')[2].partition('"')[0].split())
        assert width <= 1600 and height <= 1200 and len(drawing.svg) < 120_000
        assert 3 <= len(drawing.picture.nodes) <= 40


def test_a_gradient_that_cannot_be_read_is_no_trouble():
    table = torch.nn.EmbeddingBag(9, 2, sparse=True)
    _, _, made = look(lambda: table(torch.tensor([[0, 1]])).sum().backward(), table)
    assert "model.weight.grad is sparse: it holds only the rows that the pass used" in made["why"]
    assert table.weight.grad.is_sparse and "not zero" not in made["why"]


@pytest.mark.parametrize("first", [0, 1], ids=["sparse", "dense"])
def test_a_sparse_gradient_and_a_dense_one_of_one_table_are_summed(first):
    table = torch.nn.Embedding(9, 2, sparse=True)
    parts = table(torch.tensor([0, 1])).sum(), (table.weight * 2).sum()
    trace, *_ = look(lambda: (parts[first] + parts[1 - first]).backward(), table)
    (summed,) = (event for event in trace if event.kind == "Summed")
    (put,) = (event for event in trace if event.kind == "Accumulated")
    assert summed.total.data == put.total.data == table.weight.grad.tolist()
