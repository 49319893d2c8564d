"""``import autograd_nb as torch``: what the namespace offers, and what is said of names it does not have."""

import inspect
from functools import reduce
from pathlib import Path

import pytest
import record_names
from house import ROOT, anew, run

import autograd_nb as torch
from autograd_nb.engine import table
from autograd_nb.torch_api import absent, contents


def test_names_beside_those_of_the_page_are_there():
    names = "Size dtype int short inf nan pi e is_floating_point numel random cuda".split()
    assert [name for name in names if getattr(torch, name, None) is None] == []


OBJECTS = {"torch.Tensor": torch.ones(1, 1), "torch.nn.Module": torch.nn.Linear(1, 1),
           "torch.nn.ModuleList": torch.nn.ModuleList(), "torch.nn.Sequential": torch.nn.Sequential(),
           "torch.optim.Optimizer": torch.optim.SGD([torch.ones(1)], lr=1)}  # fmt: skip
OBJECTS["torch.optim.lr_scheduler.StepLR"] = torch.optim.lr_scheduler.StepLR(OBJECTS["torch.optim.Optimizer"], 2)


def home_of(namespace):
    return OBJECTS[namespace] if namespace in OBJECTS else reduce(getattr, namespace.split(".")[1:], torch)


@pytest.mark.parametrize("namespace", [
    "torch", "torch.autograd", "torch.nn", "torch.nn.functional", "torch.nn.init", "torch.optim",
    "torch.optim.lr_scheduler", "torch.Tensor",
])  # fmt: skip
@pytest.mark.parametrize("name", ["foo", "_private", "__nothing__"])
def test_a_name_that_nobody_has_is_missing_in_pytorchs_words(namespace, name):
    with pytest.raises(AttributeError) as raised:
        getattr(home_of(namespace), name)
    subject = "'Tensor' object" if namespace == "torch.Tensor" else f"module '{namespace}'"
    assert str(raised.value) == f"{subject} has no attribute '{name}'"


@pytest.mark.parametrize("namespace", sorted({*record_names.NAMESPACES} - {"torch.special"}))
def test_each_public_name_of_pytorch_is_there_or_says_where_it_is_to_be_had(namespace):
    """Of more than a thousand names; none answers otherwise."""
    home = home_of(namespace)
    for name in absent.pytorch_names(namespace):
        for place in (home, type(home)) if namespace in OBJECTS else (home,):
            try:
                getattr(place, name)
            except AttributeError as error:
                assert str(error) == absent.sentence(f"{namespace}.{name}")
                assert not hasattr(place, name)
                assert place is not home or name not in dir(place)


@pytest.mark.parametrize("namespace", sorted({*record_names.NAMESPACES} - {*OBJECTS, "torch.special"}))
@pytest.mark.parametrize("root", ["autograd_nb", "torch"])
def test_each_public_name_of_pytorch_can_be_imported_or_says_where_it_is_to_be_had(namespace, root, without_torch):
    home, names = home_of(namespace), sorted(absent.pytorch_names(namespace))
    with torch.as_torch():
        for name in names:
            lines = [f"from {namespace.replace('torch', root, 1)} import {name}"]
            if not hasattr(home, name):
                lines += [f"import {namespace}.{name}", f"from {namespace}.{name} import anything"]
            for line in lines:
                space = {}
                try:
                    exec(line, space)
                except ImportError as error:
                    assert str(error) == absent.sentence(f"{namespace}.{name}"), line
                else:
                    assert space[name] is getattr(home, name)


def test_what_nobody_has_cannot_be_imported_in_pythons_words():
    with pytest.raises(ImportError, match="cannot import name 'foo' from 'autograd_nb.nn'"):
        from autograd_nb.nn import foo  # noqa: F401
    with pytest.raises(ModuleNotFoundError, match="No module named 'autograd_nb.foo'"):
        import autograd_nb.foo  # noqa: F401


def test_the_recorded_names_are_live_pytorchs(live):
    # in a process of its own: what other tests made PyTorch load adds names to it
    tests = str(ROOT / "tests" / "tools")
    live = run("-c", f"import sys; sys.path.insert(0, {tests!r}); import record_names; print(record_names.text())")
    recorded = Path(absent.NAMES).read_text(encoding="utf-8")
    for mine, its in zip(recorded.splitlines(), live.splitlines(), strict=False):
        assert mine == its, anew("names")
    assert live.strip() == recorded.strip(), anew("names")


def test_the_import_brings_nothing_heavier_than_numpy():
    program = (  # inspect comes with NumPy since 2.2
        "import sys, inspect, numpy; before = set(sys.modules); import autograd_nb; print(*(set(sys.modules) - before))"
    )
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
