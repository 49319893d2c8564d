"""why: each of its sentences, with a program that brings it about, on this engine and on PyTorch."""

import importlib.util
import linecache

import pytest

import autograd_nb
from autograd_nb import record, why

LIBRARIES = ["autograd_nb", pytest.param("torch", marks=pytest.mark.skipif(
    importlib.util.find_spec("torch") is None, reason="torch is not installed"))]  # fmt: skip
RECORD = "with autograd_nb.record() as trace: … around forward and backward, then why({}, trace)"
X = "x = torch.tensor(5., requires_grad=True)\n"
XW = X + "w = torch.tensor(2., requires_grad=True)\n"

# name of a case -> (program, what is asked, the answer); with a trace where the question has one
CASES = {
    "no backward yet": (X + "y = x ** 3", "why(x)",
        "x.grad is None: y was computed from x, and its graph shows no backward pass. Call backward() on it or on its "
        "loss."),
    "no leaf": (X + "y = x ** 3", "why(y)",
        "y.grad is None: y is no leaf but made by PowBackward0, so backward leaves it no .grad. Call "
        "y.retain_grad() first."),
    "retained, not reached": (X + "y = x ** 3\ny.retain_grad()", "why(y)",
        "y.grad is None: y retains its gradient, but no backward pass has reached it."),
    "requires_grad is False": ("x = torch.tensor([5.])", "why(x)",
        "x does not require grad, and why() sees nothing behind it that does. Set requires_grad on the tensors "
        "that are to be trained before computing with them; if you did, a recording tells where the graph was cut:"
        " with autograd_nb.record() as trace: … around forward and backward, then why(x, trace)."),
    "an integer": ("x = torch.tensor(5)", "why(x)",
        "x.grad is None: x is torch.int64, and only floating-point tensors have gradients."),
    "not reached": (XW + "z = w * 3", "why(x)",
        "x.grad is None: nothing in sight was computed from x, as far as graphs tell. Use it in computing the "
        "loss; if you did, a recording tells where it was cut off: with autograd_nb.record() as trace: … around "
        "forward and backward, then why(x, trace)."),
    "nothing there": (X, "why(x)",
        "x.grad is None: no backward pass has reached it, or zero_grad() or other code set it to None; which of "
        "these happened cannot be seen now. A recording tells: with autograd_nb.record() as trace: … around "
        "forward and backward, then why(x, trace)."),
    "cut by detach, not recorded": (XW + "y = x ** 3\nd = y.detach()\nz = d * w", "why(x)",
        "x.grad is None: z was not computed from x, as far as graphs tell (y was, but no backward pass has gone "
        "through it). Use it in computing the loss; if you did, a recording tells where it was cut off: with "
        "autograd_nb.record() as trace: … around forward and backward, then why(x, trace)."),
    "cut by .data, not recorded": (X + "y = x ** 3\nd = y.data", "why(d)",
        "d does not require grad: d has the elements of y, but .data cut it off. Leave that out where the "
        "gradient is to pass."),
    "set to None or returned": (X + "y = x ** 3\ny.backward()\nx.grad = None", "why(x)",
        "x.grad is None, though a backward pass has freed the graph of y, which was computed from x: zero_grad() "
        "or other code set it to None, autograd.grad returned it, or the pass failed. A recording tells which of "
        "these it was: with autograd_nb.record() as trace: … around forward and backward, then why(x, trace)."),
    "set to None by zero_grad": (
        "w = torch.tensor(5., requires_grad=True)\noptimizer = torch.optim.SGD([w], lr=0.1)\n"
        "(w ** 3).backward()\noptimizer.zero_grad()\nu = w * 1", "why(w, trace)",
        "w.grad is None: it had a gradient, and this set it to None before a step could use it (line 5, "
        "optimizer.zero_grad()). Do it before backward() or after the step, not between."),
    "cut by detach": (XW + "y = (x ** 3).detach()\nz = y * w\nz.backward()", "why(x, trace)",
        "x.grad is None: detach() gives x**3 without its graph (line 4, y = (x ** 3).detach()). Leave it out"
        " where the gradient is to pass."),
    "made under no_grad": (X + "with torch.no_grad():\n    y = x ** 3", "why(y, trace)",
        "y does not require grad: this ran under no_grad, which records no graph (line 4, y = x ** 3). If a "
        "gradient is to pass here, move this out of no_grad, or put `with torch.enable_grad():` around it."),
    "cut by no_grad": (XW + "with torch.no_grad():\n    y = x ** 3\nz = y * w\nz.backward()", "why(x, trace)",
        "x.grad is None: this ran under no_grad, which records no graph (line 5, y = x ** 3). If a gradient is to "
        "pass here, move this out of no_grad, or put `with torch.enable_grad():` around it."),
    "cut by .data": (XW + "z = x.data * w\nz.backward()", "why(x, trace)",
        "x.grad is None: .data gives x without its graph (line 4, z = x.data * w). Leave it out where the gradient is "
        "to pass."),
    "cut by item": (XW + "y = x ** 3\nz = y.item() * w\nz.backward()", "why(x, trace)",
        "x.grad is None: z was not computed from x (line 6, z.backward()). Use x in computing z; look whether the "
        "program used a copy of it, or took its numbers out with item(), float() or NumPy."),
    "cut by numpy, between the two engines": (
        XW + ("y = x ** 3\nz = autograd_nb.tensor(y.detach().numpy(), requires_grad=True) * 2\nz.backward()\n"
        "(w * 2).backward()"), "why(x, trace)",
        "x.grad is None: w * 2 was not computed from x (line 7, (w * 2).backward()). Use x in computing "
        "w * 2; look whether the program used a copy of it, or took its numbers out with item(), float() or "
        "NumPy."),
    "not used": (X + "z = torch.tensor(2., requires_grad=True) * 3\nz.backward()\nu = x * 2", "why(x, trace)",
        "x.grad is None: z was not computed from x (line 4, z.backward()). Use x in computing z; look whether the "
        "program used a copy of it, or took its numbers out with item(), float() or NumPy."),
    "returned by autograd.grad": (X + "y = x ** 3\n(g,) = torch.autograd.grad(y, x)", "why(x, trace)",
        "x.grad is None: autograd.grad returned the gradient, and leaves .grad alone (line 4, (g,) = "
        "torch.autograd.grad(y, x)). Use its result, or call backward()."),
    "other inputs": (XW + "y = x * w\ny.backward(inputs=[w])", "why(x, trace)",
        "x.grad is None: the backward pass was asked for other tensors only (line 5, y.backward(inputs=[w])). "
        "Name x among inputs=, or leave inputs= out."),
    "no backward recorded": (X + "y = x ** 3", "why(x, trace)",
        "x.grad is None: no backward pass was recorded. Call backward() inside the recording."),
    "zero by relu": (
        "x = torch.tensor([-1., -2.], requires_grad=True)\ny = torch.relu(x).sum()\ny.backward()", "why(x, trace)",
        "x.grad is zero: ReluBackward0 passes nothing on, for its whole input lies where it is flat, its result ="
        " [0, 0] (line 3, y = torch.relu(x).sum()). Use leaky_relu or GELU, a smaller step, or another start of "
        "the bias."),
    "zero by where": (
        "x = torch.tensor([-1., -2.], requires_grad=True)\ny = torch.where(x > 0, x, x.detach()).sum()\n"
        "y.backward()", "why(x, trace)",
        "x.grad is zero: WhereBackward0 passes nothing on, for the other side was chosen everywhere (line 3, y = "
        "torch.where(x > 0, x, x.detach()).sum()). Look at the condition."),
    "zero by a mask": (
        "x = torch.tensor([-1., -2.], requires_grad=True)\ny = x.masked_fill(x < 0, 0.).sum()\n"
        "y.backward()", "why(x, trace)",
        "x.grad is zero: MaskedFillBackward0 passes nothing on, for the mask is set everywhere (line 3, y = "
        "x.masked_fill(x < 0, 0.).sum()). Look at how the mask is made."),
    "zero by a product": (X + "w = torch.tensor(0.)\ny = x * w\ny.backward()", "why(x, trace)",
        "x.grad is zero: MulBackward0 passes nothing on, for w is zero everywhere (line 4, y = x * w). Find out "
        "why that is zero, or start it from other numbers."),
    "zero by saturation": (
        "x = torch.tensor(200., requires_grad=True)\ny = torch.sigmoid(x)\ny.backward()", "why(x, trace)",
        "x.grad is zero: SigmoidBackward0 passes nothing on, for its input is so large that it is flat there, its"
        " result = 1 (line 3, y = torch.sigmoid(x)). Keep its input small: scale it, normalise, or start with "
        "smaller weights; or give the loss the scores themselves."),
    "zero, not recorded": ("x = torch.tensor(-1., requires_grad=True)\ntorch.relu(x).backward()", "why(x)",
        "x.grad is zero: a node passed nothing on, contributions cancel, or zero_grad(set_to_none=False) or other "
        "code set it to zero. A recording tells which of these it is: with autograd_nb.record() as trace: … around"
        " forward and backward, then why(x, trace)."),
    "set to zero": (X + "(x ** 3).backward()\nx.grad.zero_()", "why(x, trace)",
        "x.grad is zero: this set it to zero (line 4, x.grad.zero_()). Do it before backward() or after the step,"
        " not between."),
    "NaN in the backward pass": (
        "x = torch.tensor([0., 4.], requires_grad=True)\ny = (x * 0).sqrt().sum()\ny.backward()", "why(x, trace)",
        "x.grad has NaN: the derivative of sqrt is not finite at its result = [0, 0]; then 0 · inf is NaN (line "
        "3, y = (x * 0).sqrt().sum()). Add a small eps under the root, or mask the zeros before it."),
    "inf": ("x = torch.tensor(0., requires_grad=True)\ny = torch.sqrt(x)\ny.backward()", "why(x, trace)",
        "x.grad has inf: the derivative of sqrt is not finite at its result = 0 (line 3, y = torch.sqrt(x)). Add "
        "a small eps under the root, or mask the zeros before it."),
    "NaN in the forward pass": (
        "x = torch.tensor(-1., requires_grad=True)\ny = torch.log(x) * x\ny.backward()", "why(x, trace)",
        "x.grad has NaN: log made NaN of x = −1 (line 3, y = torch.log(x) * x). Its input is below 0, where this "
        "is not defined: clamp it, or take its absolute value, before that line."),
    "NaN, not recorded": ("x = torch.tensor(-1., requires_grad=True)\n(torch.log(x) * x).backward()", "why(x)",
        "x.grad has NaN: which node made it cannot be seen now. A recording tells: with autograd_nb.record() as "
        "trace: … around forward and backward, then why(x, trace)."),
    "cut beside another cut": (
        XW + "v = w.detach()\ny = x.detach() ** 2 * w\ny.backward()", "why(x, trace)",
        "x.grad is None: detach() gives x without its graph (line 5, y = x.detach() ** 2 * w). Leave it out where the "
        "gradient is to pass."),
    "NaN among the data": (
        "s = torch.tensor([1.] * 999 + [float('nan')])\nx = torch.ones(1000, requires_grad=True)\n"
        "(x * s).sum().backward()", "why(x, trace)",
        "x.grad has NaN: s has NaN before mul uses it (line 4, (x * s).sum().backward()). Mask or replace it "
        "before that line: a where() or a factor 0 behind it does not help, as 0 · NaN is NaN."),
    "inf as the gradient given": (
        XW + "(x * w).backward(torch.tensor(float('inf')))", "why(x, trace)",
        "x.grad has inf: the gradient that the backward pass started with had it (line 4, (x * "
        "w).backward(torch.tensor(float('inf')))). Look at the argument of backward(), and whether the loss was "
        "scaled."),
    "accumulated": (X + "for _ in range(3):\n    (x ** 3).backward()", "why(x, trace)",
        "x.grad is 225, the sum of 3 backward passes (75 + 75 + 75): nothing set it to zero in between (line 4, "
        "(x ** 3).backward()). If it is to be a mean over them, divide the loss by 3; if not, call zero_grad() "
        "before each backward()."),
    "accumulated, not recorded": (X + "for _ in range(3):\n    (x ** 3).backward()", "why(x)",
        "x.grad is 225, finite and not zero; it was changed in place 2 times, as further uses and passes, "
        "clipping, unscaling and zero_grad() do. A recording tells how it came about: with autograd_nb.record() as"
        " trace: … around forward and backward, then why(x, trace)."),
    "used twice": (X + "y = x * 2 + x * 3\ny.backward()", "why(x, trace)",
        "x.grad is 5: finite, not zero, of one pass, the sum over 2 ways back (3 and 2 through MulBackward0 (line "
        "3, y = x * 2 + x * 3)), and no hook changed it; whether it is the gradient that you want, why() cannot "
        "know."),
    "freed": (X + "y = x ** 3\ny.backward()", "why(y)",
        "y.grad is None: y is no leaf but made by PowBackward0, so backward leaves it no .grad. Call "
        "y.retain_grad() first."),
    "changed in place": (
        "x = torch.tensor([1., 2.], requires_grad=True)\ny = x * 2\nz = (y * y).sum()\ny.add_(1)", "why(z, trace)",
        "MulBackward0 saved y for the way back, and it was changed in place since (line 5, y.add_(1)). Write that"
        " line with a new tensor, x = x + … in place of x += …, or x.clone() before it."),
    "changed in place, not recorded": (
        "x = torch.tensor([1., 2.], requires_grad=True)\ny = x * 2\nz = (y * y).sum()\ny.add_(1)", "why(z)",
        "MulBackward0 saved y for the way back, and it was changed in place since (version 0 became 1). To see "
        "which line did it, record it: with autograd_nb.record() as trace: … around forward and backward, then "
        "why(z, trace)."),
    "all is well": (X + "(x ** 3).backward()", "why(x)",
        "x.grad is 75, finite and not zero. A recording tells how it came about: with autograd_nb.record() as "
        "trace: … around forward and backward, then why(x, trace)."),
}  # fmt: skip


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("case", CASES)
@pytest.mark.filterwarnings("ignore")
def test_a_program_and_the_sentence_about_it(library, case):
    program, question, answer = CASES[case]
    file, text = f"why_{library}_{case}.py", f"\n{program}\n#\n"
    linecache.cache[file] = len(text), None, text.splitlines(True), file
    _space = {"torch": importlib.import_module(library), "why": why, "autograd_nb": autograd_nb}
    with record() as trace:
        exec(compile(text, file, "exec"), _space)
    _space |= {"trace": trace} if "trace" in question else {}
    assert eval(compile(question, "question", "eval"), _space) == answer


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_module_gives_a_line_for_each_thing_that_is_unusual(library):
    torch = importlib.import_module(library)
    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1))
    loss = model(torch.ones(3, 2)).sum()
    assert why(model) == ("model.0.weight.grad is None: loss was computed from model.0.weight, and its graph shows no "
                          "backward pass. Call backward() on it or on its loss. Likewise model.0.bias, model.1.weight "
                          "and model.1.bias.")  # fmt: skip
    loss.backward()
    assert why(model).startswith("4 gradients are finite and not zero, of a root mean square from ")
    model[0].requires_grad_(False)
    *_, frozen = why(model).split("\n")
    assert frozen == "model.0.weight and model.0.bias do not require grad."
    assert " gradients are finite" in why(model)._repr_html_()


def test_what_is_no_tensor_is_refused():
    with pytest.raises(TypeError, match=r"why\(\): expected a tensor, a module, an optimizer or an error, got int"):
        why(3)
    with pytest.raises(TypeError, match=r"why\(\): expected a trace of record\(\), got str"):
        why(autograd_nb.ones(2), trace="trace")
