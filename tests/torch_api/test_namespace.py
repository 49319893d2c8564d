"""``import autograd_nb as torch``: what the namespace offers, and what is said of names it does not have."""

import importlib
import inspect
import tomllib
from pathlib import Path

import pytest
from house import ROOT, run

import autograd_nb as torch
from autograd_nb.engine import table
from autograd_nb.torch_api import absent, contents


def test_names_beside_those_of_the_page_are_there():
    names = "Size dtype int short inf nan pi e is_floating_point numel random cuda".split()
    assert [name for name in names if getattr(torch, name, None) is None] == []


@pytest.mark.parametrize("name", ["foo", "Bar", "_private", "__nothing__"])
def test_a_name_that_nobody_has_is_missing_in_pytorchs_words(name):
    with pytest.raises(AttributeError) as raised:
        getattr(torch, name)
    assert str(raised.value) == f"module 'torch' has no attribute '{name}'"
    with pytest.raises(AttributeError) as raised:
        getattr(torch.ones(1), name)
    assert str(raised.value) == f"'Tensor' object has no attribute '{name}'"


@pytest.mark.parametrize("name", [
    "torch.bfloat16", "torch.func", "torch.save", "torch.multinomial", "torch.Tensor.to_sparse", "torch.cuda.Stream",
    "torch.nn.DataParallel", "torch.autograd.forward_ad", "torch.random.fork_rng",
])  # fmt: skip
def test_a_name_of_pytorchs_that_is_missing_says_where_it_is_to_be_had(name):
    *path, short = name.split(".")[1:]
    home = torch
    for each in path:
        home = torch.ones(1) if each == "Tensor" else getattr(home, each)
    assert not hasattr(home, short)
    with pytest.raises(AttributeError) as raised:
        getattr(home, short)
    assert str(raised.value) == (
        f"{name} is not part of autograd_nb, which covers autograd only; with PyTorch installed, autograd_nb.step and "
        ".draw show it there"
    )


@pytest.mark.parametrize("namespace", [
    "torch.autograd", "torch.nn", "torch.nn.functional", "torch.nn.init", "torch.optim", "torch.optim.lr_scheduler",
])  # fmt: skip
def test_each_module_speaks_of_missing_names_alike(namespace):
    module = importlib.import_module(namespace.replace("torch", "autograd_nb"))
    with pytest.raises(AttributeError, match=f"^module '{namespace}' has no attribute 'foo'$"):
        module.foo  # noqa: B018
    names = {name for name in absent.pytorch_names(namespace) if not hasattr(module, name)}
    for name in names:
        with pytest.raises(AttributeError, match=f"^{namespace}.{name} is not part of autograd_nb"):
            getattr(module, name)


@pytest.mark.parametrize(("namespace", "home", "least"), [
    ("torch", torch, 200), ("torch.Tensor", torch.ones(1, 1), 200), ("torch.nn.Module", torch.nn.Linear(1, 1), 25),
    ("torch.optim.Optimizer", torch.optim.SGD([torch.ones(1)], lr=1), 3),
])  # fmt: skip
def test_each_public_name_of_pytorch_is_there_or_said_to_be_missing(namespace, home, least):
    """Of more than a thousand names; how many there are is printed, and no name answers otherwise."""
    names = absent.pytorch_names(namespace)
    there = set()
    for name in names:
        try:
            getattr(home, name)
            there.add(name)
        except AttributeError as error:
            assert str(error).startswith(f"{namespace}.{name} is not part of autograd_nb"), name
    print(f"{namespace}: {len(there)} of {len(names)} names")
    assert len(there) >= least


def test_the_recorded_names_are_live_pytorchs(live):
    # in a process of its own: what other tests made PyTorch load adds names to it
    tests = str(ROOT / "tests" / "tools")
    live = run("-c", f"import sys; sys.path.insert(0, {tests!r}); import record_names; print(record_names.text())")
    recorded = Path(absent.NAMES).read_text(encoding="utf-8")
    for mine, its in zip(recorded.splitlines(), live.splitlines(), strict=False):
        assert mine == its
    assert live.strip() == recorded.strip()


def test_the_version_is_the_packages():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert torch.__version__ == project["version"]


def test_the_import_brings_nothing_heavier_than_numpy():
    program = "import sys, numpy; before = set(sys.modules); import autograd_nb; print(*(set(sys.modules) - before))"
    brought = {name.partition(".")[0] for name in run("-c", program).split()}
    light = {"_heapq", "copy", "heapq", "importlib", "threading", "_thread", "traceback", "queue"}
    assert brought - {"autograd_nb"} <= light


# -- help() ----------------------------------------------------------------------------------------------------------

contents.load_table()
METHODS = sorted(name for name, method in table.methods.items() if callable(method) and not name.startswith("_"))


def parameters(call):
    return list(inspect.signature(call).parameters.values())


@pytest.mark.parametrize("name", METHODS)
def test_help_shows_a_methods_own_signature_and_words(name):
    method = table.methods[name]
    assert method.__name__ in table.methods
    assert inspect.getdoc(method), "no docstring"
    assert parameters(method)[0].name in ("self", "input", "tensor")
