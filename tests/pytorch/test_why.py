"""Judges why by facts about small programs, on this engine and on PyTorch."""

import importlib.util
import linecache

import pytest

import autograd_nb
from autograd_nb import record, why

LIBRARIES = ["autograd_nb", "torch"]
X = "x = torch.tensor(5., requires_grad=True)\n"
XW = X + "w = torch.tensor(2., requires_grad=True)\n"

NEITHER = "no_grad|detach|zero_grad|optimizer"  # of which nothing happens in a program

# name of a case -> (program, what is asked, what a right answer must say, and what none may say).  These come
# from facts about the program, not from why's answers: the cause, the line that brought it about where a
# recording knows it, and what helps; of parts between bars one is enough.  With a trace where the question has one.
CASES = {
    "no backward yet": (
        X + "y = x ** 3",
        "why(x)",
        ["x.grad is None", "y was computed from x", "no backward pass", "Call backward()"],
        NEITHER,
    ),
    "no leaf": (
        X + "y = x ** 3\ngrad = y.grad",
        "why(y)",
        ["y.grad is None", "no leaf", "PowBackward0", "y.retain_grad()"],
        "requires_grad_",
    ),
    "retained, not reached": (
        X + "y = x ** 3\ny.retain_grad()",
        "why(y)",
        ["y.grad is None", "retains its gradient", "no backward pass"],
        "Call y.retain_grad",
    ),
    "requires_grad is False": (
        "x = torch.tensor([5.])",
        "why(x)",
        ["x.requires_grad is False|x does not require grad", "requires_grad_()|Set requires_grad"],
        "detach|no_grad",
    ),
    "an integer": ("x = torch.tensor(5)", "why(x)", ["torch.int64", "only floating-point tensors"], "requires_grad_()"),
    "not reached": (XW + "z = w * 3", "why(x)", ["x.grad is None", "computed from x", "record()"], "cut off by"),
    "nothing there": (
        X,
        "why(x)",
        ["x.grad is None", "no backward pass has reached it", "record()"],
        "detach|was computed",
    ),
    "cut by detach, not recorded": (
        XW + "y = x ** 3\nd = y.detach()\nz = d * w",
        "why(x)",
        ["x.grad is None", "z was not computed from x|detach() gives y without its graph", "record()|Leave it out"],
        "requires_grad_",
    ),
    "cut by .data, not recorded": (
        X + "y = x ** 3\nd = y.data",
        "why(d)",
        [".data", "y|its input", "without its graph|cut it off", "Leave"],
        "requires_grad_",
    ),
    "set to None or returned": (
        X + "y = x ** 3\ny.backward()\nx.grad = None",
        "why(x)",
        ["x.grad is None", "a backward pass has freed the graph of y", "set it to None", "record()"],
        "detach|no leaf",
    ),
    "set to None by zero_grad": (
        "w = torch.tensor(5., requires_grad=True)\noptimizer = torch.optim.SGD([w], lr=0.1)\n"
        "(w ** 3).backward()\noptimizer.zero_grad()\nu = w * 1",
        "why(w, trace)",
        [
            "w.grad is None",
            "it had a gradient",
            "set it to None before a step",
            "line 5",
            "before backward() or after the step",
        ],
        "a step used",
    ),
    "cut by detach": (
        XW + "y = (x ** 3).detach()\nz = y * w\nz.backward()",
        "why(x, trace)",
        ["x.grad is None", "detach()", "line 4", "Leave it out"],
        "requires_grad_|no_grad",
    ),
    "made under no_grad": (
        X + "with torch.no_grad():\n    y = x ** 3",
        "why(y, trace)",
        ["y does not require grad", "no_grad", "line 4", "move this out|enable_grad"],
        "detach()|y.requires_grad_",
    ),
    "made under inference_mode": (
        X + "with torch.inference_mode():\n    y = x ** 3",
        "why(y, trace)",
        ["y does not require grad", "inference_mode", "line 4"],
        "detach()|y.requires_grad_",
    ),
    "cut by .data": (
        XW + "z = x.data * w\nz.backward()",
        "why(x, trace)",
        ["x.grad is None", ".data", "line 4", "Leave it out"],
        "requires_grad_|no_grad",
    ),
    "cut by item": (
        XW + "y = x ** 3\nz = y.item() * w\nz.backward()",
        "why(x, trace)",
        ["x.grad is None", "z was not computed from x|item()", "item()", "line 5|line 6"],
        "detach|no_grad",
    ),
    "cut by numpy, between the two engines": (
        XW
        + (
            "y = x ** 3\nz = autograd_nb.tensor(y.detach().numpy(), requires_grad=True) * 2\nz.backward()\n"
            "(w * 2).backward()"
        ),
        "why(x, trace)",
        ["x.grad is None", "not computed from x|NumPy|detach()", "line 5|line 6"],
        "cleared|zero_grad",
    ),
    "not used": (
        X + "z = torch.tensor(2., requires_grad=True) * 3\nz.backward()\nu = x * 2",
        "why(x, trace)",
        ["x.grad is None", "z was not computed from x", "line 4", "line 5", "use u in computing z"],
        "copies the numbers|cut off",
    ),
    "returned by autograd.grad": (
        X + "y = x ** 3\n(g,) = torch.autograd.grad(y, x)",
        "why(x, trace)",
        ["x.grad is None", "autograd.grad returned the gradient", "line 4", "Use its result"],
        "create_graph|zero_grad",
    ),
    "other inputs": (
        XW + "y = x * w\ny.backward(inputs=[w])",
        "why(x, trace)",
        ["x.grad is None", "asked for other tensors", "line 5", "inputs="],
        "not computed|detach",
    ),
    "no backward recorded": (
        X + "y = x ** 3",
        "why(x, trace)",
        ["x.grad is None", "no backward pass was recorded", "Call backward()"],
        "another thread|detach",
    ),
    "zero by relu": (
        "x = torch.tensor([-1., -2.], requires_grad=True)\ny = torch.relu(x).sum()\ny.backward()",
        "why(x, trace)",
        ["x.grad is zero", "ReluBackward0", "flat", "line 3", "leaky_relu"],
        "a factor|cancel|ends at",
    ),
    "zero by where": (
        "x = torch.tensor([-1., -2.], requires_grad=True)\ny = torch.where(x > 0, x, x.detach()).sum()\ny.backward()",
        "why(x, trace)",
        ["x.grad is zero", "WhereBackward0", "the other side was chosen", "line 3", "condition"],
        "is flat|a factor",
    ),
    "zero by a mask": (
        "x = torch.tensor([-1., -2.], requires_grad=True)\ny = x.masked_fill(x < 0, 0.).sum()\ny.backward()",
        "why(x, trace)",
        ["x.grad is zero", "MaskedFillBackward0", "the mask is set", "line 3"],
        "a factor",
    ),
    "zero by a product": (
        X + "w = torch.tensor(0.)\ny = x * w\ny.backward()",
        "why(x, trace)",
        ["x.grad is zero", "MulBackward0", "w is zero", "line 4", "Find out why"],
        "flat|cancel|ends at",
    ),
    "zero by saturation": (
        "x = torch.tensor(200., requires_grad=True)\ny = torch.sigmoid(x)\ny.backward()",
        "why(x, trace)",
        ["x.grad is zero", "SigmoidBackward0", "so large", "flat", "line 3", "smaller"],
        "a factor",
    ),
    "zero, not recorded": (
        "x = torch.tensor(-1., requires_grad=True)\ntorch.relu(x).backward()",
        "why(x)",
        ["x.grad is zero", "record()"],
        "is flat|ReluBackward0",
    ),
    "set to zero": (
        X + "(x ** 3).backward()\nx.grad.zero_()",
        "why(x, trace)",
        ["x.grad is zero", "this set it to zero", "line 4", "before backward() or after the step"],
        "node passed",
    ),
    "NaN in the backward pass": (
        "x = torch.tensor([0., 4.], requires_grad=True)\ny = (x * 0).sqrt().sum()\ny.backward()",
        "why(x, trace)",
        ["x.grad has NaN", "derivative of sqrt", "0 · inf is NaN", "line 3", "eps"],
        "below 0|overflow|ends at",
    ),
    "inf": (
        "x = torch.tensor(0., requires_grad=True)\ny = torch.sqrt(x)\ny.backward()",
        "why(x, trace)",
        ["x.grad has inf", "derivative of sqrt", "0", "line 3", "eps"],
        "NaN|below 0|ends at",
    ),
    "NaN in the forward pass": (
        "x = torch.tensor(-1., requires_grad=True)\ny = torch.log(x) * x\ny.backward()",
        "why(x, trace)",
        ["x.grad has NaN", "log made NaN", "−1", "line 3", "below 0"],
        "eps|derivative of",
    ),
    "NaN, not recorded": (
        "x = torch.tensor(-1., requires_grad=True)\n(torch.log(x) * x).backward()",
        "why(x)",
        ["x.grad has NaN", "record()"],
        "line 3",
    ),
    "cut beside another cut": (
        XW + "v = w.detach()\ny = x.detach() ** 2 * w\ny.backward()",
        "why(x, trace)",
        ["x.grad is None", "detach() gives x without its graph", "line 5"],
        "gives w|line 4",
    ),
    "NaN among the data": (
        "s = torch.tensor([1.] * 999 + [float('nan')])\nx = torch.ones(1000, requires_grad=True)\n"
        "(x * s).sum().backward()",
        "why(x, trace)",
        ["x.grad has NaN", "s has NaN before mul", "line 4", "Mask or replace"],
        "derivative of|ends at",
    ),
    "inf as the gradient given": (
        XW + "(x * w).backward(torch.tensor(float('inf')))",
        "why(x, trace)",
        ["x.grad has inf", "the gradient that the backward pass started with", "line 4", "argument of backward()"],
        "derivative of|ends at",
    ),
    "accumulated": (
        X + "for _ in range(3):\n    (x ** 3).backward()",
        "why(x, trace)",
        ["x.grad is 225", "sum of 3 backward passes", "(75, 75 and 75)", "line 4", "divide the loss by 3", "zero_grad()"],
        "mean over 3 backward passes: it",
    ),
    "accumulated, not recorded": (
        X + "for _ in range(3):\n    (x ** 3).backward()",
        "why(x)",
        ["x.grad is 225", "changed in place 2 times", "record()"],
        "sum of 3",
    ),
    "used twice": (
        X + "y = x * 2 + x * 3\ny.backward()",
        "why(x, trace)",
        ["x.grad is 5", "of one pass", "2 ways back", "3 and 2|2 and 3", "line 3", "no hook"],
        "cancel|nothing unusual",
    ),
    "freed": (
        X + "y = x ** 3\ny.backward()\ngrad = y.grad",
        "why(y)",
        ["y.grad is None", "no leaf", "y.retain_grad()"],
        "freed",
    ),
    "changed in place": (
        "x = torch.tensor([1., 2.], requires_grad=True)\ny = x * 2\nz = (y * y).sum()\ny.add_(1)",
        "why(z, trace)",
        ["MulBackward0 saved y", "changed in place", "line 5", "x = x + …|clone()"],
        "optimizer|the step",
    ),
    "changed in place, not recorded": (
        "x = torch.tensor([1., 2.], requires_grad=True)\ny = x * 2\nz = (y * y).sum()\ny.add_(1)",
        "why(z)",
        ["MulBackward0 saved y", "changed in place", "version 0 became 1", "record"],
        "the step of|line 2",
    ),
    "all is well": (
        X + "(x ** 3).backward()",
        "why(x)",
        ["x.grad is 75", "finite and not zero", "record()"],
        "changed",
    ),
    "a step": (
        XW + "o = torch.optim.SGD([x], lr=0.5)\n(x * w).backward()\no.step()",
        "why(x, trace)",
        ["x.grad is 2", "of one pass", "the last step of SGD used a .grad of 2", "moved it by up to 1"],
        "momentum",
    ),
    "the same gradient for two steps": (
        XW + "o = torch.optim.SGD([x], lr=0.5)\n(x * w).backward()\no.step()\no.step()",
        "why(x, trace)",
        ["the last step of SGD", "same x.grad as the step before, 2", "no backward pass", "line 7", "Call backward()"],
        "sum of",
    ),
    "a gradient turned round": (
        XW + "(x * w).backward()\nx.grad.mul_(-0.5)",
        "why(x, trace)",
        ["multiplied by −0.5", "points the other way", "line 5"],
        "clipped|cannot know",
    ),
    "a step that is lost in rounding": (
        "x = torch.tensor(1e8, requires_grad=True)\no = torch.optim.SGD([x], lr=0.5)\n(x * 2).backward()\no.step()",
        "why(x, trace)",
        ["the last step of SGD moved x by 0", "its .grad was 2", "line 5", "rounding"],
        "learning rate of o is 0",
    ),
    "summed, and divided by hand": (
        X + "for _ in range(2):\n    (x ** 3).backward()\nx.grad.div_(2)",
        "why(x, trace)",
        ["x.grad is 75", "the mean over 2 backward passes"],
        "nothing set it to zero|divide the loss",
    ),
    "a gradient from another thread": (
        XW + "import threading\ny = x * w\nt = threading.Thread(target=y.backward)\nt.start(); t.join()",
        "why(x, trace)",
        ["x.grad is 2", "no pass of this recording brought it", "another thread"],
        "of one pass",
    ),
    "a gradient below the smallest number": (
        "x = torch.tensor([1e-30], requires_grad=True)\n(x * 1e-30 * 1e-30).sum().backward()",
        "why(x, trace)",
        ["x.grad is zero", "float32 ends at 1.4e−45", "1e−30 · 1e−30", "line 3"],
        "a factor is zero|no pass",
    ),
    "contributions that cancel": (
        "x = torch.tensor([1., 2.], requires_grad=True)\n(x.sum() - x.sum()).backward()",
        "why(x, trace)",
        ["x.grad is zero", "contributions cancel", "[1, 1] and [−1, −1]|[−1, −1] and [1, 1]|1, 1"],
        "no gradient of this recording|no pass|Use it in computing",
    ),
}


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("case", CASES)
@pytest.mark.filterwarnings("ignore")
def test_an_answer_says_what_is_true_of_the_program_and_nothing_else(library, case):
    program, question, says, never = CASES[case]
    file, text = f"why_{library}_{case}.py", f"\n{program}\n"
    linecache.cache[file] = len(text), None, f"{text}{question}\n".splitlines(True), file
    _space = {"torch": importlib.import_module(library), "why": why, "autograd_nb": autograd_nb}
    with record() as trace:
        exec(compile(text, file, "exec"), _space)
    _space |= {"trace": trace} if "trace" in question else {}
    answer = eval(compile("\n" * text.count("\n") + question, file, "eval"), _space)
    assert all(any(each in answer for each in part.split("|")) for part in says), answer
    assert not any(each in answer for each in never.split("|")), answer


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
