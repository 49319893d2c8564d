"""why: each of its sentences, with a program that brings it about, on this engine and on PyTorch."""

import importlib.util
import linecache

import pytest

import autograd_nb
from autograd_nb import record, why

LIBRARIES = ["autograd_nb", pytest.param("torch", marks=pytest.mark.skipif(
    importlib.util.find_spec("torch") is None, reason="torch is not installed"))]  # fmt: skip
RECORD = ("; to see where, record it: with autograd_nb.record() as trace: … around forward and backward, then "
          "why({}, trace)")  # fmt: skip
X = "x = torch.tensor(5., requires_grad=True)\n"
XW = X + "w = torch.tensor(2., requires_grad=True)\n"

# name of a case -> (program, what is asked, the answer); with a trace where the question has one
CASES = {
    "no backward yet": (X + "y = x ** 3", "why(x)",
        "x.grad is None: no backward pass has been run from y, which was computed from x."),
    "no leaf": (X + "y = x ** 3", "why(y)",
        "y.grad is None: y is no leaf but made by PowBackward0, so backward leaves it no .grad; y.retain_grad() "
        "asks for it."),
    "retained, not reached": (X + "y = x ** 3\ny.retain_grad()", "why(y)",
        "y.grad is None: y retains its gradient, but no backward pass has reached it yet."),
    "requires_grad is False": ("x = torch.tensor(5.)", "why(x)",
        "x.grad is None: x.requires_grad is False: call x.requires_grad_() before computing with it, or see that "
        "it is not computed under no_grad or from such tensors" + RECORD.format("x") + "."),
    "an integer": ("x = torch.tensor(5)", "why(x)",
        "x.grad is None: x is torch.int64, and only floating-point tensors have gradients."),
    "not reached": (XW + "z = w * 3", "why(x)",
        "x.grad is None: z was not computed from x, as far as its graph tells" + RECORD.format("x") + "."),
    "nothing there": (X, "why(x)",
        "x.grad is None: no backward pass has reached it" + RECORD.format("x") + "."),
    "cut by detach, not recorded": (XW + "y = x ** 3\nd = y.detach()\nz = d * w", "why(x)",
        "x.grad is None: the way back from z does not lead to x: d has the elements of y, but detach cut it off."),
    "cut by .data, not recorded": (X + "y = x ** 3\nd = y.data", "why(d)",
        "d.grad is None: d has the elements of y, but .data cut it off."),
    "set to None or returned": (X + "y = x ** 3\ny.backward()\nx.grad = None", "why(x)",
        "x.grad is None: a backward pass from y has been run, and since then zero_grad() or other code set it to "
        "None, or autograd.grad returned it instead" + RECORD.format("x") + "."),
    "set to None by zero_grad": (
        "w = torch.tensor(5., requires_grad=True)\noptimizer = torch.optim.SGD([w], lr=0.1)\n"
        "(w ** 3).backward()\noptimizer.zero_grad()\nu = w * 1", "why(w, trace)",
        "w.grad is None: it was set to None (line 5, optimizer.zero_grad())."),
    "cut by detach": (XW + "y = (x ** 3).detach()\nz = y * w\nz.backward()", "why(x, trace)",
        "x.grad is None: detach cut it off from the root of the backward pass (line 4, y = (x ** 3).detach())."),
    "made under no_grad": (X + "with torch.no_grad():\n    y = x ** 3", "why(y, trace)",
        "y.grad is None: y was cut off from what it was computed from by no_grad (line 4, y = x ** 3)."),
    "cut by no_grad": (XW + "with torch.no_grad():\n    y = x ** 3\nz = y * w\nz.backward()", "why(x, trace)",
        "x.grad is None: no_grad cut it off from the root of the backward pass (line 5, y = x ** 3)."),
    "cut by .data": (XW + "z = x.data * w\nz.backward()", "why(x, trace)",
        "x.grad is None: .data cut it off from the root of the backward pass (line 4, z = x.data * w)."),
    "cut by item": (XW + "y = x ** 3\nz = y.item() * w\nz.backward()", "why(x, trace)",
        "x.grad is None: item() left the graph (line 5, z = y.item() * w)."),
    "cut by numpy, between the two engines": (
        XW + ("y = x ** 3\nz = autograd_nb.tensor(y.detach().numpy(), requires_grad=True) * 2\nz.backward()\n"
        "(w * 2).backward()"), "why(x, trace)",
        "x.grad is None: detach cut it off from the root of the backward pass (line 5, z = "
        "autograd_nb.tensor(y.detach().numpy(), requires_grad=True) * 2)."),
    "not used": (X + "z = torch.tensor(2., requires_grad=True) * 3\nz.backward()\nu = x * 2", "why(x, trace)",
        "x.grad is None: z was not computed from x."),
    "returned by autograd.grad": (X + "y = x ** 3\n(g,) = torch.autograd.grad(y, x)", "why(x, trace)",
        "x.grad is None: autograd.grad returned the gradient (line 4, (g,) = torch.autograd.grad(y, x)) and leaves "
        ".grad alone."),
    "other inputs": (XW + "y = x * w\ny.backward(inputs=[w])", "why(x, trace)",
        "x.grad is None: the backward pass (line 5, y.backward(inputs=[w])) was asked for other tensors only."),
    "no backward recorded": (X + "y = x ** 3", "why(x, trace)",
        "x.grad is None: no backward pass was recorded."),
    "zero by relu": (
        "x = torch.tensor([-1., -2.], requires_grad=True)\ny = torch.relu(x).sum()\ny.backward()", "why(x, trace)",
        "x.grad is zero: ReluBackward0 passes nothing on, for its input is not positive (line 4, y.backward())."),
    "zero by where": (
        "x = torch.tensor([-1., -2.], requires_grad=True)\ny = torch.where(x > 0, x, x.detach()).sum()\n"
        "y.backward()", "why(x, trace)",
        "x.grad is zero: WhereBackward0 passes nothing on, for the other side was chosen (line 4, y.backward())."),
    "zero by a mask": (
        "x = torch.tensor([-1., -2.], requires_grad=True)\ny = x.masked_fill(x < 0, 0.).sum()\n"
        "y.backward()", "why(x, trace)",
        "x.grad is zero: MaskedFillBackward0 passes nothing on, for the mask is set (line 4, y.backward())."),
    "zero by a product": (X + "w = torch.tensor(0.)\ny = x * w\ny.backward()", "why(x, trace)",
        "x.grad is zero: MulBackward0 multiplies by w, which is zero (line 5, y.backward())."),
    "zero by saturation": (
        "x = torch.tensor(200., requires_grad=True)\ny = torch.sigmoid(x)\ny.backward()", "why(x, trace)",
        "x.grad is zero: SigmoidBackward0 passes nothing on, for its input is so large that it is flat there (line"
        " 4, y.backward())."),
    "zero, not recorded": ("x = torch.tensor(-1., requires_grad=True)\ntorch.relu(x).backward()", "why(x)",
        "x.grad is zero: some node on the way back passed nothing on" + RECORD.format("x") + "."),
    "set to zero": (X + "(x ** 3).backward()\nx.grad.zero_()", "why(x, trace)",
        "x.grad is zero: it was set to zero (line 4, x.grad.zero_())."),
    "NaN in the backward pass": (
        "x = torch.tensor([0., 4.], requires_grad=True)\ny = (x * 0).sqrt().sum()\ny.backward()", "why(x, trace)",
        "x.grad has NaN: SqrtBackward0 made the first, [inf, inf], from the gradient [1, 1] and its result = [0, "
        "0] (line 4, y.backward())."),
    "inf": ("x = torch.tensor(0., requires_grad=True)\ny = torch.sqrt(x)\ny.backward()", "why(x, trace)",
        "x.grad has inf: SqrtBackward0 made the first, inf, from the gradient 1 and its result = 0 (line 4, "
        "y.backward())."),
    "NaN in the forward pass": (
        "x = torch.tensor(-1., requires_grad=True)\ny = torch.log(x) * x\ny.backward()", "why(x, trace)",
        "x.grad has NaN: log made the first, nan, from x = −1 (line 3, y = torch.log(x) * x)."),
    "NaN, not recorded": ("x = torch.tensor(-1., requires_grad=True)\n(torch.log(x) * x).backward()", "why(x)",
        "x.grad has NaN: a node on the way back made it, or a tensor had it before" + RECORD.format("x") + "."),
    "cut beside another cut": (
        XW + "v = w.detach()\ny = x.detach() ** 2 * w\ny.backward()", "why(x, trace)",
        "x.grad is None: detach cut it off from the root of the backward pass (line 5, y = x.detach() ** 2 * w)."),
    "NaN among the data": (
        "s = torch.tensor([1.] * 999 + [float('nan')])\nx = torch.ones(1000, requires_grad=True)\n"
        "(x * s).sum().backward()", "why(x, trace)",
        "x.grad has NaN: s had it before mul ran (line 4, (x * s).sum().backward())."),
    "inf as the gradient given": (
        XW + "(x * w).backward(torch.tensor(float('inf')))", "why(x, trace)",
        "x.grad has inf: the gradient had it before MulBackward0 ran (line 4, (x * "
        "w).backward(torch.tensor(float('inf'))))."),
    "accumulated": (X + "for _ in range(3):\n    (x ** 3).backward()", "why(x, trace)",
        "x.grad is the sum of 3 backward passes, 75 + 75 + 75 = 225: nothing set it to zero in between."),
    "accumulated, not recorded": (X + "for _ in range(3):\n    (x ** 3).backward()", "why(x)",
        "x.grad is 225 and was changed in place 2 times: each backward pass without zero_grad() in between adds to"
        " it" + RECORD.format("x") + "."),
    "used twice": (X + "y = x * 2 + x * 3\ny.backward()", "why(x, trace)",
        "x.grad is 5, the sum over 2 paths: x was used that often."),
    "freed": (X + "y = x ** 3\ny.backward()", "why(y)",
        "y.grad is None: y is no leaf but made by PowBackward0, so backward leaves it no .grad; y.retain_grad() "
        "asks for it; and y.backward() would fail, for a backward pass has freed what the nodes below y had saved:"
        " compute y again, or give the pass before retain_graph=True."),
    "changed in place": (
        "x = torch.tensor([1., 2.], requires_grad=True)\ny = x * 2\nz = (y * y).sum()\ny.add_(1)", "why(z, trace)",
        "z.backward() fails: MulBackward0 saved y at version 0, and it was changed in place since (it is at "
        "version 1): add did it, line 5, y.add_(1)."),
    "changed in place, not recorded": (
        "x = torch.tensor([1., 2.], requires_grad=True)\ny = x * 2\nz = (y * y).sum()\ny.add_(1)", "why(z)",
        "z.backward() fails: MulBackward0 saved y at version 0, and it was changed in place since (it is at "
        "version 1)" + RECORD.format("z") + "."),
    "all is well": (X + "(x ** 3).backward()", "why(x)",
        "x.grad is 75, and there is nothing unusual about it."),
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
    _space["trace"] = trace
    assert eval(compile(question, "question", "eval"), _space) == answer


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_module_gives_a_table_of_the_parameters_with_trouble(library):
    torch = importlib.import_module(library)
    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1))
    loss = model(torch.ones(3, 2)).sum()
    assert [row[0] for row in why(model).rows] == ["model.0.weight", "model.0.bias", "model.1.weight", "model.1.bias"]
    assert why(model).rows[0][1] == ("model.0.weight.grad is None: no backward pass has been run from loss, which was "
                                     "computed from model.0.weight.")  # fmt: skip
    model[0].requires_grad_(False)
    loss = model(torch.ones(3, 2)).sum()
    loss.backward()
    table = why(model)
    assert [row[0] for row in table.rows] == ["model.0.weight", "model.0.bias"]
    assert "model.0.bias.requires_grad is False" in repr(table) and "<table>" in table._repr_mimebundle_()["text/html"]


def test_what_is_no_tensor_is_refused():
    with pytest.raises(TypeError, match=r"why\(\): expected a tensor or a module, got int"):
        why(3)
    with pytest.raises(TypeError, match=r"why\(\): expected a trace of record\(\) after the tensor, got str"):
        why(autograd_nb.ones(2), "trace")
