"""check() tells a gradient that is the derivative from one that is not, and names where a pass went wrong."""

import importlib
import re
import subprocess
import sys
from types import ModuleType

import pytest
from house import compiled

from autograd_nb import check
from autograd_nb.why.check import of_script

from .running import CASES, text_of

LIBRARIES = ["autograd_nb", "torch"]
BEGIN = """
kept = []
w = torch.tensor([1.0, 2.0], requires_grad=True)
x = torch.tensor([3.0, 0.5], requires_grad=True)
def apply(backward, forward=lambda x: x * 0.5):
    class Own(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return forward(x)
        @staticmethod
        def backward(ctx, grad):
            return backward(ctx, grad)
    return Own.apply
def hooked(result, hook):
    result.register_hook(hook)
    kept.append(result)  # a recording of PyTorch sees the hooks of tensors that are there
    return result
"""
# a step, and what the answer says besides its first sentence; a list begins with how this begins
RIGHT, WRONG, PARTIAL = "is the derivative of", "is not the derivative of", "but for what the program cuts off"
STEPS = {
    "(w.exp() * x).sum()": [RIGHT],
    "torch.dropout(w.repeat(50), 0.5, True).square().sum()": [RIGHT],
    "(torch.randn(2) * w).sin().sum()": [RIGHT],
    "(w * 0).sum()": [RIGHT],
    "apply(lambda ctx, grad: grad * 0.5)(w).square().sum()": [RIGHT],
    "(w - torch.tensor([1.0, 2.0])).relu().sum()": ["cannot tell", "at a kink"],
    "apply(lambda ctx, grad: grad)(w).square().sum()": [
        WRONG, "The backward of Own", "not the derivative of its forward"],
    "(x * 1 + apply(lambda ctx, grad: grad.mul_(0.5))(w * 3)).square().sum()": [
        WRONG, "The backward of Own", "changes its incoming gradient in place"],
    "(w * w.detach()).sum()": [PARTIAL, "detach() gives w without its graph"],
    "(w + (w.round() - w).detach()).square().sum()": [PARTIAL, "detach() gives"],
    "(w * w.data).sum()": [PARTIAL, ".data gives w without its graph"],
    "hooked(w * 2, lambda grad: grad.clamp(max=0.1)).exp().sum()": [PARTIAL, "The hook lambda grad: grad.clamp(max"],
    "(w - torch.autograd.grad((w ** 3).sum(), w)[0]).square().sum()": [
        WRONG, "autograd.grad without create_graph=True"],
    "(w - torch.autograd.grad((w ** 3).sum(), w, create_graph=True)[0]).square().sum()": [RIGHT],
}  # fmt: skip


def space_of(library, text, name="program.py"):
    """The variables of a program, run as Python runs a file."""
    space = {"torch": importlib.import_module(library)}
    exec(compiled(text, name), space)
    return space


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("line", STEPS)
def test_a_step_is_judged(library, line):
    begin, *says = STEPS[line]
    space = space_of(library, f"{BEGIN}\ndef step():\n    loss = {line}\n    return loss\n")
    w, x = space["w"], space["x"]
    before = [(each, each.dtype, each.tolist()) for each in (w, x)]
    answer = str(check(space["step"], of=[w, x]))
    assert begin in answer and all(each in answer for each in says), answer
    assert w.grad is None and x.grad is None
    assert before == [(each, each.dtype, each.tolist()) for each in (w, x)]
    assert space["torch"].get_default_dtype() == space["torch"].float32


@pytest.mark.parametrize("library", LIBRARIES)
def test_the_numbers_are_those_of_the_derivative(library):
    space = space_of(library, "w = torch.tensor(2.0, requires_grad=True)\nstep = lambda: w ** 3\n")
    answer = str(check(space["step"], of=space["w"]))
    found = [float(each.replace("−", "-")) for each in re.findall(r"−?12\b", answer)]
    assert len(found) == 6 and {abs(each) for each in found} == {12.0}, answer  # one unit to either side


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_step_with_backward_clipping_and_an_optimizer_counts_up_to_its_pass(library):
    space = space_of(library, """
net = torch.nn.Linear(3, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.5)
data = torch.randn(4, 3)
def step():
    optimizer.zero_grad()
    loss = net(data).square().mean()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(net.parameters(), 1e-3)
    optimizer.step()
    optimizer.zero_grad()
""")
    before = space["net"].weight.tolist()
    answer = str(check(space["step"], of=space["net"]))
    assert RIGHT in answer and "(float64)" in answer and "net" in answer, answer
    assert space["net"].weight.tolist() == before


@pytest.mark.parametrize("library", LIBRARIES)
def test_bad_input_is_named(library):
    torch = importlib.import_module(library)
    w, count = torch.ones(2, requires_grad=True), iter(range(100))
    with pytest.raises(TypeError, match="expected a function, and a tensor or a module, got Tensor and Tensor"):
        check(w, of=w)
    with pytest.raises(TypeError, match="got function and int"):
        check(lambda: w.sum(), of=3)
    for wrong in (w * 2, torch.ones(2)):
        with pytest.raises(ValueError, match="expected leaves that require grad"):
            check(lambda: w.sum(), of=wrong)
    with pytest.raises(ValueError, match="does not give the same loss twice"):
        check(lambda: (w * next(count)).sum(), of=w)
    with pytest.raises(ValueError, match="no backward pass of the step"):
        check(lambda: torch.ones(1, requires_grad=True).sum(), of=w)
    with pytest.raises(ValueError, match="not finite"):
        check(lambda: (w - 1).log().sum(), of=w)


# Programs of which a hook or detach() takes away a part of the derivative, as their authors know.
PARTLY = {"a hook that returns zeros", "a hook that zeroes", "a hook that zeroes another branch",
          "a codebook loss of the straight-through output"}  # fmt: skip


@pytest.mark.parametrize("library, program", CASES)
@pytest.mark.filterwarnings("ignore")
def test_no_gradient_is_called_wrong_that_is_the_derivative(library, program):
    """In the programs of why, gradients are lost, cut off and kept too long; none comes from a wrong formula."""
    importlib.import_module(library).manual_seed(0)
    module = ModuleType("program")
    module.torch, module.__file__ = importlib.import_module(library), f"{program['name'].replace(' ', '_')}.py"
    compiled(text := text_of(program), module.__file__)
    try:
        answer = str(of_script(module, text))
    except (RuntimeError, AttributeError, TypeError, ValueError, IndexError):
        return  # the program's own error, or no pass to look at
    assert (WRONG in answer) == (program["name"] in UNLIKE), answer
    assert (PARTIAL in answer) == (program["name"] in PARTLY), answer


# Programs whose gradient is not the derivative: a backward lacks a factor, a gradient in the loss is a constant, and
# torch.normal passes back 0, though what it draws moves with its mean.
UNLIKE = {"a backward that returns None for a factor", "a constant gradient in a penalty", "a draw of torch.normal"}


def test_a_script_is_checked(tmp_path):
    script = tmp_path / "train.py"
    script.write_text("""
import autograd_nb as torch
print("once")
net = torch.nn.Linear(2, 1)
for turn in range(1000):
    x = torch.randn(4, 2)
    loss = net(x).exp().mean()
    loss.backward()
    assert turn == 0, "the first pass is enough"
""")
    ran = subprocess.run([sys.executable, "-m", "autograd_nb.why", "--check", script], capture_output=True, text=True)
    assert ran.returncode == 0 and ran.stdout == "once\n", ran.stderr
    assert "check: The gradient of net.weight and net.bias is the derivative of loss" in ran.stderr
