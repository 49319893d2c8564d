"""torchviz draws our graphs unchanged where the name torch stands for autograd_nb: the text that it makes of PyTorch's.

torchviz and graphviz come without their dependencies (torch, and a program that draws), setuptools for the distutils
that Python 3.12 left out: ``pip install --no-deps torchviz graphviz setuptools``.
"""

import house
import pytest

pytestmark = pytest.mark.needs("torchviz")
GRAPHS = {
    "a chain": "x = leaf(2); make_dot((x ** 3).log().sum())",
    "names of parameters": "x, w = leaf(2), leaf(2); make_dot((x * w).sum(), params={'x': x, 'w': w})",
    "what nodes saved": "x, w = leaf(3, 2), leaf(2, 4); make_dot((x @ w).tanh().mean(), show_saved=True)",
    "several outputs": "x = leaf(4); a, b = x.split(2); make_dot((a * b, a.sum()))",
    "a change in place": "x = leaf(2, 3); y = x * 2; y[0] = 1; make_dot(y.sum())",
    "a network and its loss":
        "m = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU(), torch.nn.Linear(3, 1));"
        "make_dot(torch.nn.functional.mse_loss(m(leaf(4, 2)), torch.ones(4, 1)), dict(m.named_parameters()))",
    "a Function of one's own": "x = leaf(2); make_dot(Cube.apply(x).sum())",
    "a derivative of a derivative":
        "x = leaf(2); (g,) = torch.autograd.grad((x ** 3).sum(), x, create_graph=True); make_dot((g, x), {'x': x})",
}  # fmt: skip
PROGRAM = """
import re, sys, warnings
warnings.simplefilter("ignore")
if sys.argv[1] == "autograd_nb":
    import autograd_nb
    sys.modules["torch"], sys.modules["torch.autograd"] = autograd_nb, autograd_nb.autograd
import torch
from torchviz import make_dot

class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 3

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 3 * x * x

def leaf(*shape):
    return torch.ones(*shape, requires_grad=True)

for program in sys.argv[2:]:
    *before, last = program.split(";")
    exec(";".join(before).strip())
    order = {}
    numbered = lambda found: str(order.setdefault(found[0], len(order)))
    print(re.sub(r"(?<![-\\d])\\d{9,}", numbered, eval(last.strip()).source))
    print("=" * 20)
"""


def drawn(library):
    return dict(zip(GRAPHS, house.run("-c", PROGRAM, library, *GRAPHS.values()).split("=" * 20), strict=False))


@pytest.fixture(scope="module")
def ours():
    return drawn("autograd_nb")


@pytest.fixture(scope="module")
def theirs(torch):
    return drawn("torch")


@pytest.mark.parametrize("name", GRAPHS)
def test_the_picture_is_the_one_of_pytorchs_graph(ours, theirs, name):
    assert ours[name] == theirs[name]


def test_pictures_show_nodes_and_leaves(ours):
    assert "LogBackward0" in ours["a chain"] and "AccumulateGrad" in ours["a chain"]
    assert ours["a chain"].startswith("digraph {")
