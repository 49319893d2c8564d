"""``import autograd_nb as torch``: the names in it, and the errors for missing names."""

import inspect
from functools import reduce
from importlib import import_module
from pathlib import Path
from pkgutil import resolve_name

import forks
import pytest
from house import ROOT, anew, run
from members import EXAMPLES
from record_names import public_names

import autograd_nb as torch
from autograd_nb.engine import table
from autograd_nb.torch_api import absent, contents


def test_names_beside_those_of_the_page_are_there():
    names = "Size dtype int short inf nan pi e is_floating_point numel random cuda".split()
    assert [name for name in names if getattr(torch, name, None) is None] == []


OBJECTS = {"torch.Tensor": torch.ones(1, 1), "torch.nn.Module": torch.nn.Linear(1, 1)}  # test_members has the others


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


NAMESPACES = [line.partition(":")[0] for line in Path(absent.NAMES).read_text(encoding="utf-8").splitlines()]
MODULES = [each for each in NAMESPACES if each not in EXAMPLES]
OURS = ["torch", "torch.autograd", "torch.autograd.function", "torch.autograd.functional", "torch.autograd.graph",
        "torch.cuda", "torch.linalg", "torch.nn", "torch.nn.functional", "torch.nn.init", "torch.nn.utils",
        "torch.nn.parameter", "torch.optim", "torch.optim.lr_scheduler", "torch.optim.optimizer",
        "torch.random"]  # fmt: skip


def paths_of(namespace):
    """``name, path of its home`` for PyTorch's public names."""
    names = absent.pytorch_names(namespace).items()
    return [(name, f"{home or namespace}.{name}") for name, home in names if name != "*"]


def said_of(value):
    """A stand-in's message at any use; nothing for any other value."""
    if not isinstance(value, absent.StandIn):
        return None
    said = set()
    for use in (value, lambda: type("Net", (torch.nn.Module, value), {}), lambda: value.forward):
        with pytest.raises((NotImplementedError, AttributeError)) as raised:
            use()
        said.add(str(raised.value))
    (sentence,) = said
    return sentence


@pytest.mark.parametrize("namespace", [*OURS, *OBJECTS])
def test_each_public_name_of_pytorch_is_there_or_says_where_it_is_to_be_had(namespace):
    """More than a thousand names; none answers otherwise. Only classes and modules may be read without use."""
    home = home_of(namespace)
    for name, path in paths_of(namespace):
        for place in (home, type(home)) if namespace in OBJECTS else (home,):
            try:
                value = getattr(place, name)
            except AttributeError as error:
                assert str(error) == absent.sentence(path)
                assert not hasattr(place, name)
                assert place is not home or name not in dir(place)
            else:
                if isinstance(value, absent.StandIn):
                    assert said_of(value) == absent.sentence(path) and name.strip("_")[0].isupper()
                    assert not isinstance(torch.ones(1), value) and name not in dir(home)


@pytest.mark.parametrize("root", ["autograd_nb", "torch"])
def test_each_public_name_of_pytorch_can_be_imported_and_says_where_it_is_to_be_had_when_used(root, without_torch):
    with torch.as_torch():
        for namespace in MODULES:
            imported = {}
            exec(f"import {namespace}".replace("torch", root, 1), {})
            for name, path in paths_of(namespace):
                exec(f"from {namespace} import {name}".replace("torch", root, 1), imported)
                assert said_of(imported[name]) in (None, absent.sentence(path)), path


def test_what_is_there_is_not_called_absent(live):
    """Each object that PyTorch has under several paths: if we have it at one of them, we have it at all.

    The names of most of PyTorch's modules are not recorded, only those of objects that we have.
    """
    there = {}
    for namespace in OURS:
        for name in absent.pytorch_names(namespace):
            value = getattr(home_of(namespace), name, None)
            if value is not None and not isinstance(value, absent.StandIn | absent.ModuleType):
                there[name, id(getattr(resolve_name(namespace), name))] = value
    tried, other = 0, []
    for namespace in MODULES:
        try:
            its = import_module(namespace)
        except ImportError:  # it needs another package
            continue
        for name in public_names(namespace):
            if (name, id(getattr(its, name, None))) in there:
                mine = {}
                exec(f"from {namespace.replace('torch', 'autograd_nb', 1)} import {name}", mine)
                pair = mine[name], there[name, id(getattr(its, name))]
                tried += 1
                if pair[0] is not pair[1] and inspect.unwrap(pair[0]) != inspect.unwrap(pair[1]):
                    other.append((namespace, name))
    assert tried > 600 and not other


STATIC = """
import torch, torch.backends.cudnn as cudnn, torch.nn as nn, torch.distributed, typing
from torch.distributed import Store
from torch.fft import rfft
torch.manual_seed(0)
torch.backends.cudnn.deterministic = True
cudnn.benchmark = False
print(torch.backends.cudnn.deterministic, cudnn.benchmark, torch.rand(1))
print(torch.backends.mps.is_available(), hasattr(torch, "nosuch"), torch.rand(1))
def log(writer: Store | None, of: typing.Optional[nn.LSTM], kinds: list[nn.Conv3d]) -> torch.fft.Tensor: ...
class Logged(typing.NamedTuple):
    writer: Store
for layer in (nn.Linear(1, 1), nn.Sequential()):
    print(isinstance(layer, (nn.Conv3d, nn.ConvTranspose2d)), isinstance(layer, nn.modules.conv._ConvNd))
try:
    torch.cuda.manual_seed(0), torch.cuda.manual_seed_all(0), torch.cuda.empty_cache()
    print(1 / 0)
except (torch.cuda.OutOfMemoryError, ZeroDivisionError) as error:
    print(error)
try:
    from torch.nn import nosuch
except ImportError:
    print("none")
"""


def test_what_only_names_an_absent_thing_does_what_it_does_in_pytorch(live):
    program = f"import autograd_nb\nwith autograd_nb.as_torch():\n    exec({STATIC!r}, {{}})"
    expected = forks.python("-c", STATIC).stdout
    assert expected and run("-c", program) == expected


@pytest.mark.parametrize(("use", "said"), [
    ("LSTM(2, 3)", "torch.nn.LSTM"), ("torch.utils.benchmark.Timer(1)", "torch.utils.benchmark.Timer"),
    ("Timer(1)", "torch.utils.benchmark.Timer"), ("vmap(f)", "torch.vmap"), ("cudnn.enabled",
     "torch.backends.cudnn.enabled"), ("torch.fft.rfft(1)", "torch.fft.rfft"),
])  # fmt: skip
def test_the_first_use_of_an_import_says_where_it_is_to_be_had(use, said, without_torch):
    space = {"f": torch.exp}
    with torch.as_torch():
        exec("import torch, torch.utils.benchmark, torch.backends.cudnn as cudnn\nfrom torch.nn import LSTM\n"
             "from torch.utils.benchmark import Timer\nfrom torch.func import vmap", space)  # fmt: skip
        with pytest.raises((NotImplementedError, AttributeError)) as raised:
            exec(use, space)
    assert str(raised.value).partition("; instead: ")[0] == absent.sentence(said)


def test_a_module_that_is_absent_says_so_where_it_is_shown():
    assert absent.sentence("torch.fft") in repr(torch.fft)


def test_what_nobody_has_cannot_be_imported_in_pythons_words():
    with pytest.raises(ImportError, match="cannot import name 'foo' from 'autograd_nb.nn'"):
        from autograd_nb.nn import foo  # noqa: F401
    with pytest.raises(ImportError, match="cannot import name 'foo' from 'autograd_nb.nn.init'"):
        from autograd_nb.nn.init import foo  # noqa: F401
    with pytest.raises(ModuleNotFoundError, match="No module named 'autograd_nb.nn.LSTM'"):
        import autograd_nb.nn.LSTM  # noqa: F401
    with pytest.raises(ModuleNotFoundError, match="No module named 'autograd_nb.foo'"):
        import autograd_nb.foo  # noqa: F401


@pytest.mark.parametrize("path", ["Tensor", "nn.Module", "nn.Sequential", "optim.Optimizer"])
def test_a_class_is_no_module(live, path):
    for library in ("torch", "autograd_nb"):
        with pytest.raises(ModuleNotFoundError, match=f"No module named '{library}.{path}'"):
            import_module(f"{library}.{path}")


@pytest.mark.needs("nightly")
def test_the_recorded_names_are_live_pytorchs(live):
    # in a process of its own: modules that other tests made PyTorch load add names
    tests = str(ROOT / "tests" / "tools")
    program = f"import sys; sys.path.insert(0, {tests!r}); import record_names; print(record_names.text())"
    live = forks.python("-c", program).stdout
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
