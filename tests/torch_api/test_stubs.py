"""What an editor knows before anything has run: the stubs fit the package, and Jedi, JupyterLab's own, finds them."""

import inspect

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
    assert len(offered) >= 400
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
