"""record, draw, step, info and bench on real PyTorch: plain programs, odd tensors, and that nothing stays behind.

After a wanted change, ``python tests/pytorch/test_looking.py`` writes the picture in README.md again.
"""

import gc
import re
import weakref
from importlib import import_module
from pathlib import Path

import pytest
from house import anew, compiled
from programs import cube

import autograd_nb
from autograd_nb import bench, draw, info, record, step, why
from autograd_nb.microscope.standing import Standing
from autograd_nb.words import of

torch = pytest.importorskip("torch", reason="torch is what is looked at, and is not installed")


def leaf(*values):
    return torch.tensor(values, requires_grad=True)


def sentences(trace):
    return [each.sentence for each in trace.steps()]


def test_info_has_a_row_for_each_parameter_of_a_module():
    for nn in (torch.nn, autograd_nb.nn):
        model = nn.Linear(20, 4)
        lines = repr(info(model)).splitlines()
        assert [line.split()[0] for line in lines] == ["name", "model.weight", "model.bias"]
        assert "(4, 20), min " in lines[1] and "norm " in lines[1]


def test_bench_runs_a_function_on_the_library_that_it_uses():
    def f(x):
        return torch.special.entr(x) * 2

    shown = bench(f, x=2.0, plan=["z.backward()"])
    assert isinstance(shown.outcome.tensors["x"], torch.Tensor)
    assert shown.shown["cell"].startswith("import torch\n")
    assert shown.outcome.tensors["x"].grad.item() == pytest.approx(-3.386294)


def test_both_engines_in_one_recording():
    with record() as trace:
        theirs = leaf(2.0) ** 2
        ours = autograd_nb.tensor([2.0], requires_grad=True) ** 2
        theirs.backward(), ours.backward()
    half = len(trace) // 2
    assert len(trace) == 2 * half + (len(trace) % 2) and sum(event.kind == "Started" for event in trace) == 2
    with pytest.raises(TypeError, match="of autograd_nb and of PyTorch, whose graphs never meet"):
        draw(theirs, ours)


ROOT = Path(__file__).parents[2]
PICTURE = ROOT / "notebooks" / "images" / "pytorch.svg"


def picture_of_the_readme():
    (program,) = re.findall(r"```python\n(import torch\n.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
    space = {}
    exec(compiled(program, "readme.py"), space)
    return draw(space["trace"]).svg


def test_the_program_in_the_readme_gives_its_picture():
    assert picture_of_the_readme() == PICTURE.read_text(encoding="utf-8"), anew("readme")


PROGRAMS = {
    "ConvolutionBackward0": lambda: torch.nn.Conv2d(1, 2, 3)(torch.ones(1, 1, 4, 4)),
    "ScaledDotProductFlashAttentionForCpuBackward0": lambda: torch.nn.functional.scaled_dot_product_attention(
        *(torch.ones(1, 1, 4, 8, requires_grad=True) for _ in range(3))),
    "NativeBatchNormBackward0": lambda: torch.nn.BatchNorm1d(3)(torch.randn(4, 3)),
    "NativeLayerNormBackward0": lambda: torch.nn.LayerNorm(3)(torch.randn(4, 3)),
    "IndexBackward0": lambda: leaf(1.0, 2.0, 3.0)[torch.tensor([0, 2])],
    "EmbeddingBackward0": lambda: torch.nn.Embedding(5, 3)(torch.tensor([1, 4])),
    "MkldnnRnnLayerBackward0": lambda: torch.nn.LSTM(2, 3)(torch.ones(1, 2))[0],
    "CubeBackward": lambda: cube(torch).apply(leaf(2.0)),
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_any_operation_is_drawn_with_what_it_saved_and_told(name):
    result = PROGRAMS[name]()
    (node,) = (node for node in draw(result).picture.nodes if node.title == name)
    assert node.saved
    trace = step(result.sum().backward).trace
    does = f"{name} runs its own backward" if name == "CubeBackward" else f"{name} turns "
    assert any(does in text for text in sentences(trace))
    assert draw(trace).svg.startswith("<svg")


@pytest.mark.parametrize("library", [torch, autograd_nb])
def test_indices_are_shown_as_everything_that_is_saved(library):
    x, rows = library.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], requires_grad=True), library.tensor([0, 2])
    y = x[:, library.tensor([True, False])][rows]
    first, second = (node for node in draw(y).picture.nodes if node.title == "IndexBackward0")
    assert first.saved == ["indices[1]=[True, False]"] and second.saved == ["indices[0]=[0, 2]"]
    trace = step(y.sum().backward, retain_graph=True).trace
    assert [(event.name, event.value.data) for event in trace if event.kind == "Used"] == [
        ("indices[0]", [0, 2]), ("indices[1]", [True, False])]  # fmt: skip
    assert any("IndexBackward0 reads rows = [0, 2]" in each.sentence for each in trace.steps("full"))
    assert not any("freed" in node.signs for node in draw(y).picture.nodes)
    y.sum().backward()
    assert [node.title for node in draw(y).picture.nodes if "freed" in node.signs] == ["IndexBackward0"] * 2
    z = x[rows]
    rows.add_(0)
    assert "rows" in why(z) and "changed in place" in why(z)


def test_a_module_is_not_drawn_before_it_computed_anything():
    with pytest.raises(TypeError, match=r"got Linear: draw what it computed, as in draw\(model\(x\)\)"):
        draw(torch.nn.Linear(2, 2))


@pytest.mark.parametrize("make", [
    lambda: torch.eye(3).to_sparse(), lambda: torch.empty(3, 3, device="meta"),
    lambda: torch.quantize_per_tensor(torch.ones(3), 0.1, 0, torch.qint8),
], ids=["sparse", "meta", "quantised"])  # fmt: skip
@pytest.mark.filterwarnings("ignore")
def test_elements_that_cannot_be_read_are_said_to_be_so(make):
    t = make()
    assert "elements that cannot be read" in draw(t).text and "elements that cannot be read" in repr(info(t))


@pytest.mark.parametrize("library", [torch, autograd_nb])
def test_of_a_view_whose_history_was_lost_info_and_draw_say_what_is_known(library):
    x, base = library.ones(3, requires_grad=True), library.zeros(3)
    with library.no_grad():
        view = base[:2]
    base.mul_(x)
    with pytest.raises(RuntimeError):
        _ = view.grad_fn
    row = dict(zip(of("microscope")["info"]["columns"], info(view).rows[0], strict=True))
    assert (row["requires_grad"], row["is_leaf"], row["grad_fn"]) == ("True", "False", "history cannot be read")
    record = Standing([view], {}).trace.tensors["t0"]
    assert (record.requires_grad, record.is_leaf, record.node) == (True, False, None)


def test_a_pass_over_elements_that_cannot_be_read_is_told():
    loss = torch.nn.Linear(4, 1, device="meta")(torch.empty(2, 4, device="meta")).sum()
    told = sentences(step(loss.backward).trace)
    assert told[0].startswith("Backward pass starts at loss with the gradient 1 element of float32 that cannot be read")


@pytest.mark.parametrize("dtype", [
    torch.bfloat16, torch.float16, torch.complex64, torch.float8_e5m2, torch.float8_e4m3fnuz, torch.uint16
])  # fmt: skip
@pytest.mark.parametrize("size", [3, 70])
def test_every_dtype_is_shown(dtype, size):
    t = torch.ones(size).to(dtype)
    assert str(dtype).removeprefix("torch.") in draw(t).text and repr(info(t))


def network():
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.LayerNorm(8), torch.nn.GELU(), torch.nn.Linear(8, 2))
    return model, torch.randn(16, 4)


def test_graphs_die_while_they_are_recorded():
    with record():
        x = torch.ones(100, requires_grad=True)
        y = x.exp()
        gone = weakref.ref(y)
        y.sum().backward()
        del y
        assert gone() is None
        grad = weakref.ref(x.grad)
        x.grad = None
        gc.collect()
        assert grad() is None


def test_saved_tensors_in_the_hands_of_hooks_are_left_alone():
    asked = []
    x = leaf(1.0, 2.0)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: asked.append(t) or t):
        y = (x * x).sum()
    draw(y)
    assert not asked
    step(y.backward)
    assert len(asked) == 2


def cubes(x):
    return (x**3).sum()


TRANSFORMS = {
    "grad": torch.func.grad(cubes), "vmap": torch.func.vmap(torch.sin), "hessian": torch.func.hessian(cubes),
    "jvp": lambda x: torch.func.jvp(cubes, (x,), (x,))[1],
}  # fmt: skip


@pytest.mark.parametrize("name", TRANSFORMS)
def test_a_transform_says_that_it_is_not_recorded(name):
    x = torch.tensor([1.0, 2.0])
    trace = record(TRANSFORMS[name], x)
    told = "What runs inside a transform of torch.func is not recorded: its tensors have no elements to be read."
    assert sentences(trace).count(told) == 1
    assert torch.equal(trace.result, TRANSFORMS[name](x)) and draw(trace).svg.startswith("<svg")


BACKENDS = {"eager": "PowBackward0", "aot_eager": "CompiledFunctionBackward"}


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_compiled_function_gives_what_it_gives(backend):
    torch.compiler.reset()
    function = torch.compile(cubes, backend=backend)
    x = leaf(1.0, 2.0)
    trace = record(lambda: function(x).backward())  # it is compiled in here
    assert [event.kind for event in trace].count("Started") == 1
    assert BACKENDS[backend] in {node.name for node in trace.nodes.values()}
    assert {record.name for record in trace.tensors.values()} <= {"x", "x.grad", ""}
    step(function(x).backward)
    assert x.grad.tolist() == [6.0, 24.0]
    assert BACKENDS[backend] in {node.title for node in draw(function(x)).picture.nodes}


@pytest.mark.parametrize("reentrant", [False, True])
def test_checkpoints(reentrant):
    model, inputs = network()
    inputs.requires_grad_()
    model(inputs).sum().backward()
    plain = [each.grad.clone() for each in model.parameters()]
    model.zero_grad()
    checkpoint = import_module("torch.utils.checkpoint").checkpoint
    trace = record(lambda: checkpoint(model, inputs, use_reentrant=reentrant).sum().backward())
    assert all(map(torch.equal, plain, (each.grad for each in model.parameters())))
    assert sum(event.kind == "Started" for event in trace) == 1 + reentrant


if __name__ == "__main__":
    PICTURE.write_text(picture_of_the_readme(), encoding="utf-8")
