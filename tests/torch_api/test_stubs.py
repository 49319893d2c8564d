"""An editor's knowledge before code runs: the stubs fit the package, and Jedi, which JupyterLab uses, finds them."""

import inspect
import subprocess
import sys

import jedi
import pytest
from house import ROOT, run

import autograd_nb as torch

BEGIN = "import autograd_nb as torch\nx = torch.tensor([1.])\n"


def script(code):
    return jedi.Script(BEGIN + code, path=ROOT / "cell.py", project=jedi.Project(ROOT))


def public(names):
    return {name for name in names if not name.startswith("_")}


def test_the_stubs_are_what_the_command_writes():
    run(ROOT / "tests" / "tools" / "write_stubs.py", "--check")


@pytest.mark.parametrize("code", ["x", "y = x * 2\ny", "torch.zeros(2).sum()", "x[0].grad"])
def test_every_name_of_a_tensor_is_offered(code):
    offered = {each.name for each in script(code + ".").complete()}
    assert len(offered) >= 380
    listed = {name for name in dir(torch.tensor([1.0])) if name.isidentifier()}
    assert public(listed) - offered == set()


@pytest.mark.parametrize("code, names", [
    ("torch.", public(torch.__all__) | {"nn", "optim", "autograd", "linalg", "Tensor"}),
    ("torch.nn.Lin", {"Linear"}),
    ("torch.autograd.", {"Function", "grad", "backward", "no_grad", "gradcheck", "functional"}),
    ("torch.record().", {"trace"}),
])  # fmt: skip
def test_every_name_of_a_namespace_is_offered(code, names):
    assert names - {each.name for each in script(code).complete()} == set()


@pytest.mark.parametrize("code, function", [
    ("torch.tensor(", torch.tensor), ("torch.gather(", torch.gather), ("x.add(", torch.Tensor.add),
    ("torch.relu(", torch.relu), ("torch.autograd.grad(", torch.autograd.grad), ("torch.step(", torch.step),
])  # fmt: skip
def test_signature_and_first_paragraph_are_those_of_the_function(code, function):
    (found,) = script(code).get_signatures()
    expected = [name for name in inspect.signature(function).parameters if name != "self" or not code.startswith("x.")]
    assert [each.name for each in found.params] == expected
    paragraph = inspect.getdoc(function).partition("\n\n")[0]
    assert " ".join(found.docstring(raw=True).split()).startswith(" ".join(paragraph.split()))


# Some sixty lines in a learner's style, on the course's subjects.
PROGRAM = """
import autograd_nb as torch
from autograd_nb import nn
from autograd_nb.nn import functional as F


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return 2 * x * grad


class Net(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.first = nn.Linear(2, width)
        self.second = nn.Linear(width, 1)
        self.scale = nn.Parameter(torch.ones(1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return scaled(self.second(F.relu(self.first(x))), self.scale)


def scaled(x: torch.Tensor, by: torch.Tensor) -> torch.Tensor:
    return x.view(-1, 1) * by


def train(model: Net, steps: int, lr: float = 0.1) -> list[float]:
    optimizer = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9)
    inputs, losses = torch.randn(8, 2), []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = F.mse_loss(model(inputs), inputs.sum(1, keepdim=True))
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    return losses


net = Net(3)
print(torch.__version__, train(net, 2))
x = torch.tensor([1.0, 2.0], requires_grad=True)
x.register_hook(lambda grad: grad * 2)
with torch.record() as trace:
    Square.apply(x).sum().backward()
trace.save("trace.json")
torch.draw(torch.record.load("trace.json")).save("graph.svg")
torch.step(torch.exp, x).save("steps.html")
(slope,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
rows: torch.Tensor = torch.autograd.functional.jacobian(torch.exp, x)
largest, places = rows.max(0)
count: int = torch.arange(6).view(2, 3).permute(1, 0).size(0) + places[0].item() + x._version
print(rows.max(dim=1).values, torch.topk(rows, 1).indices, torch.where(rows > 0, rows, largest).tolist(), count)
if x.grad is not None:
    print(net.scale.item(), x.grad.mean().item(), slope.grad_fn.next_functions, torch.why(x), torch.info(x), rows[0])
"""
MISTAKES = (
    "torch.relu(1, 2, 3)", "torch.draw(x, stepp=1)", "x.backwards()", "torch.autograd.grad(x, x).shape",
    "F.relu(x).summ()", "x.grad.sum()", "torch.recordd()", "torch.autograd.functional.jacobian(torch.exp)",
)  # fmt: skip


def test_a_learners_program_passes_mypy_and_mistakes_do_not(tmp_path):
    pytest.importorskip("mypy", reason="mypy is not installed")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM + "\n".join(MISTAKES) + "\n")
    begin = PROGRAM.count("\n") + 1
    found = subprocess.run([sys.executable, "-m", "mypy", "--cache-dir", tmp_path, program], capture_output=True,
                           text=True, cwd=ROOT)  # fmt: skip
    wrong = {int(line.split(":")[1]) for line in found.stdout.splitlines() if ": error:" in line}
    assert wrong == {*range(begin, begin + len(MISTAKES))}, found.stdout + found.stderr
