"""A class is all of its members: each public member of PyTorch's objects is ours too, or a sentence says it is not."""

import inspect
import re
from functools import reduce

import pytest
from members import EXAMPLES, member, objects, public

import autograd_nb
from autograd_nb.torch_api import absent

# members whose values are of another kind here, and why
OTHERWISE = {
    "torch.autograd.function.FunctionCtx.dirty_tensors": "an empty tuple, where PyTorch has None",
    "torch.autograd.function.FunctionCtx.materialize_grads": "PyTorch's can only be set",
    "torch.autograd.function.FunctionCtx.non_differentiable": "likewise",
    "torch.autograd.graph.GradientEdge.ownership_token": "the tensor that keeps the graph, where PyTorch has None",
    "torch.autograd.graph.RemovableHandle.id": "a count of all handles before it",
    "torch.Generator.device": "a device is equal, and a generator has PyTorch's text of it",
    "torch.distributions.Distribution.arg_constraints": "PyTorch's base class refuses to be without its own",
}


@pytest.fixture(scope="module")
def pairs(live):
    return {path: (mine, its) for (path, mine), its in zip(objects(autograd_nb).items(), objects(live).values(),
                                                           strict=True)}  # fmt: skip


def test_every_published_class_has_an_example(live):
    """A class that PyTorch has at the same path, under its first name."""
    seen = {}
    for namespace in [each for each in absent.recorded(absent.NAMES) if "*" not in absent.pytorch_names(each)]:
        if namespace in EXAMPLES:
            continue
        home = reduce(getattr, namespace.split(".")[1:], autograd_nb)
        for name in absent.pytorch_names(namespace):
            value = getattr(home, name, None)
            if isinstance(value, type) and not isinstance(value, absent.StandIn) and not name.startswith("_"):
                seen.setdefault(value, f"{namespace}.{name}")
    known = {reduce(getattr, path.split(".")[1:], autograd_nb) for path in EXAMPLES}
    # makers of tensors; errors; a Function of which nobody makes an object
    legacy = r"torch\.\w+Tensor$|.*Error$|torch\.autograd\.Variable$|.*CheckpointFunction$"
    assert [path for value, path in seen.items() if value not in known and not re.match(legacy, path)] == []


@pytest.mark.parametrize("path", EXAMPLES)
def test_each_member_is_pytorchs_or_says_that_it_is_not_there(path, pairs):
    mine, its = pairs[path]
    names = public(its)
    if path == "torch.autograd.Function":  # PyTorch's derives from that of ctx
        names -= public(pairs["torch.autograd.function.FunctionCtx"][1])
    for name in sorted(names):
        value, theirs = member(mine, name), member(its, name)
        if isinstance(value, AttributeError):
            assert re.fullmatch(r"torch\.[\w.]+ is not part of autograd_nb, .*", str(value)), (name, value)
        else:
            assert alike(value, theirs) or f"{path}.{name}" in OTHERWISE, (name, value, theirs)


def alike(mine, its):
    """Whether two members are both functions, whose parameters test_keywords compares, or print the same."""
    if isinstance(its, Exception):
        return isinstance(mine, type(its))
    if not callable(its):
        return shown(mine) == shown(its)
    return callable(mine)


def shown(value):
    text = value.__name__ if inspect.ismodule(value) else repr(value)
    return re.sub(r" at 0x\w+|autograd_nb\.|torch\.(?=\w+\.)|utils\.data\.(dataset\.)?", "", text)
