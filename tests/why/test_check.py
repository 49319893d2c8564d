"""check() tells a gradient that is the derivative from one that is not, and names where a pass went wrong."""

import importlib
import re
import subprocess
import sys

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
# a step, and what the answer says: how it begins, and parts
RIGHT, OTHER, UNCLEAR = " is the derivative of", " differs from the derivative of", "check() cannot tell whether"
LONELY = "(w - torch.tensor([1.0, 2.0]))"  # zero
STEPS = {
    "(w.exp() * x).sum()": [RIGHT],
    "torch.dropout(w.repeat(50), 0.5, True).square().sum()": [RIGHT],
    "(torch.randn(2) * w).sin().sum()": [RIGHT],
    "(w * 0).sum()": [RIGHT],
    "apply(lambda ctx, grad: grad * 0.5)(w).square().sum()": [RIGHT],
    f"{LONELY}.relu().sum()": [UNCLEAR, "at a kink"],
    f"({LONELY}.relu() - (-{LONELY}).relu()).sum()": [UNCLEAR, "at a kink"],  # kinks that cancel
    f"{LONELY}.log().sum()": [UNCLEAR, "not finite (why() looks for the cause)"],
    "apply(lambda ctx, grad: grad)(w).square().sum()": [
        OTHER, "The backward of Own", "not the derivative of its forward", "A straight-through estimator"],
    "(x * 1 + apply(lambda ctx, grad: grad.mul_(0.5))(w * 3)).square().sum()": [
        OTHER, "At MulBackward0 (", "the gradient leaves the derivative",
        "changed in place during the pass (program.py"],
    "(w * w.detach()).sum()": [OTHER, "detach() gives w without its graph"],
    "(w + (w.round() - w).detach()).square().sum()": [OTHER, "detach() gives"],
    "(w * w.data).sum()": [OTHER, ".data gives w without its graph"],
    "(w.sum() * w[0].item()).sum()": [OTHER, "At MulBackward0 (", "a number from item()"],
    "hooked(w * 2, lambda grad: grad.clamp(max=0.1)).exp().sum()": [OTHER, "The hook lambda grad: grad.clamp(max"],
    "apply(lambda ctx, grad: grad * 0.5)(hooked(w * 2, lambda grad: grad * 0.5)).exp().sum()": [
        OTHER, "The hook lambda grad: grad * 0.5 changes the gradient"],
    "hooked(apply(lambda ctx, grad: grad * 0.5)(w), lambda grad: grad.mul_(0.5) * 1).exp().sum()": [
        OTHER, "At Own (", "changed in place during the pass (program.py"],
    "(w - torch.autograd.grad((w ** 3).sum(), w)[0]).square().sum()": [
        OTHER, "autograd.grad without create_graph=True"],
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
    w, x = space["w"], space["x"]  # names for the answer
    answer = str(check(space["step"], of=[w, x]))
    assert begin in answer and all(each in answer for each in says), answer
    assert sum(kind in answer for kind in (RIGHT, OTHER)) == 1, answer  # "cannot tell whether … is the derivative"


STATEFUL = """
net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4), torch.nn.Linear(4, 1))
data, rows, mean = torch.randn(6, 3), torch.tensor(0), torch.zeros(1)
net(data).sum().backward()
grad = net[0].weight.grad
class Holder:
    pass
far = Holder()
far.inner = Holder()
far.inner.scale = torch.ones(1, requires_grad=True)
far.inner.scale.sum().backward()
def step():
    rows.add_(len(data))
    with torch.no_grad():
        net[2].weight.clamp_(-0.1, 0.1)
        mean.add_(1.5)
    loss = (net(data) * far.inner.scale).square().mean()
    return loss
"""


@pytest.mark.parametrize("library", LIBRARIES)
def test_nothing_is_left_of_the_runs(library):
    """Values, memory and .grad are there again, of buffers and counts too, and of a leaf that is out of sight."""
    space = space_of(library, STATEFUL)
    torch, net, far = space["torch"], space["net"], space["far"].inner.scale
    tensors = [*net.parameters(), *net.buffers(), far, *(space[name] for name in ("data", "rows", "mean", "grad"))]

    def state():
        grads = [each.grad is not None and each.grad.tolist() for each in tensors]
        return [(each.dtype, each.tolist()) for each in tensors], grads, torch.get_default_dtype()

    before, memory, draws = state(), [each.data for each in tensors], torch.get_rng_state().tolist()
    answer = str(check(space["step"], of=net))
    assert RIGHT in answer and "(float64)" in answer, answer
    assert state() == before and torch.get_rng_state().tolist() == draws
    for tensor, own in zip(tensors, memory, strict=True):
        if tensor.dtype.is_floating_point:
            own += 1
            assert tensor.tolist() == own.tolist()  # the same memory
    assert net[0].weight.grad is space["grad"]


# In float32, without a way to more digits: what the answer says of a right loss, of one whose digits are too few, and
# of one with half of its gradient.
FLOAT32 = {"(w * x).tanh().sum()": [RIGHT], "1e6 + (w * x).tanh().sum()": [UNCLEAR],
           "apply(lambda ctx, grad: grad * 0.25)(w).square().sum()": [OTHER, "The backward of Own"]}  # fmt: skip


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("line", FLOAT32)
def test_a_program_that_wants_its_own_dtype_is_judged_in_that(library, line):
    space = space_of(library, f"""
{BEGIN}
def step():
    assert w.dtype == torch.float32
    loss = {line}
    return loss
""")
    answer = str(check(space["step"], of=space["w"]))
    assert all(each in answer for each in FLOAT32[line]), answer


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_hook_that_clips_in_place_is_no_backward_of_a_function(library):
    space = space_of(library, """
w = torch.tensor([1.0, 2.0], requires_grad=True)
w.register_hook(lambda grad: grad.clamp_(-1, 1))
def step():
    return w.exp().sum()
""")
    answer = str(check(space["step"], of=space["w"]))
    assert OTHER in answer and "At AccumulateGrad the gradient leaves the derivative" in answer, answer
    assert "in place during the pass (program.py, line 3, w.register_hook(lambda grad: grad.clamp_(-1, 1)))" in answer


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
    with pytest.raises(ValueError, match="or the step makes them anew"):
        check(lambda: torch.ones(1, requires_grad=True).sum(), of=w)
    with pytest.raises(ValueError, match="no backward pass puts a gradient into these leaves"):
        check(lambda: None, of=w)


@pytest.mark.parametrize("library, program", CASES)
@pytest.mark.filterwarnings("ignore")
def test_no_gradient_is_called_wrong_that_is_the_derivative(library, program):
    """In the programs of why, gradients are lost, cut off and kept too long; none comes from a wrong formula."""
    importlib.import_module(library).manual_seed(0)
    space, file = {"torch": importlib.import_module(library)}, f"{program['name'].replace(' ', '_')}.py"
    space["__file__"] = file
    compiled(text := text_of(program), file)
    try:
        answer = str(of_script(eval("__import__('sys')._getframe()", space), text))
    except (RuntimeError, AttributeError, TypeError, ValueError, IndexError):
        return  # the program's own error, or no pass to look at
    assert (OTHER in answer) == (program["name"] in UNLIKE), answer


# Programs whose gradient is not the derivative: a hook or detach() takes a part of it away, a backward lacks a factor,
# a gradient in the loss is a constant, and torch.normal passes back 0, though what it draws moves with its mean.
UNLIKE = {"a hook that returns zeros", "a hook that zeroes", "a hook that zeroes another branch",
          "a codebook loss of the straight-through output", "a backward that returns None for a factor",
          "a constant gradient in a penalty", "a draw of torch.normal"}  # fmt: skip


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
