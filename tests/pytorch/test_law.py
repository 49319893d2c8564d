"""A program under record() ends as without it: all that it can ask afterwards is compared, after all programs."""

import contextlib
import functools
import io
import itertools
import random
import sys
import tomllib
import warnings
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from samples import all_samples

from autograd_nb import record

torch = pytest.importorskip("torch", reason="torch is what is looked at, and is not installed")
TorchDispatchMode = import_module("torch.utils._python_dispatch").TorchDispatchMode
pytestmark = pytest.mark.filterwarnings("ignore")
OF_WHY = tomllib.loads((Path(__file__).parents[1] / "why/programs.toml").read_text("utf-8"))["program"]
MOVING = tomllib.loads(Path(__file__).with_name("moving.toml").read_text("utf-8"))
SAMPLES, TOGETHER = all_samples(), 15  # so many programs of why are one test: what surrounds a test costs more


def asked(question):
    """What a program learns when it asks: the answer, or the error."""
    try:
        return question()
    except Exception as error:
        return type(error).__name__, str(error).partition("\n")[0]


def kept(tensor):
    """The bytes of a tensor's elements, or how it prints where there are none."""
    if tensor.untyped_storage().nbytes() < tensor.nbytes:
        return "freed"
    plain = tensor.detach().clone()
    return asked(lambda: plain.contiguous().view(torch.uint8).tolist()) if plain.numel() else repr(plain)


def storage(tensor, seen):
    """What can be asked of a tensor's storage; *seen* numbers the storages, so that shared ones have one number."""
    held = tensor.untyped_storage()
    return (seen.setdefault(held._cdata, len(seen)), held.nbytes(), held.resizable(), held.is_shared(),
            tensor.storage_offset(), tensor.numel() and tensor.data_ptr() - held.data_ptr(),
            torch._C._is_cow_tensor(tensor))  # fmt: skip


def sizes(tensor):
    """The shape; a size that is no number has another name in each run."""
    return [each if isinstance(each, int) else "symbol" for each in tensor.shape]


def strides(tensor):
    return None if "symbol" in sizes(tensor) else tensor.stride()


def hooks(tensor):
    return [list((each or {}).values()) for each in (tensor._backward_hooks, tensor._post_accumulate_grad_hooks)]


def node(tensor):
    made = tensor.grad_fn
    return made and (made.name(), [below and below.name() for below, _ in made.next_functions])


QUESTIONS = {
    "elements": kept, "shape": sizes, "stride": strides, "dtype": lambda x: x.dtype,
    "device": lambda x: str(x.device), "class": lambda x: type(x).__name__, "graph": node, "leaf": lambda x: x.is_leaf,
    "requires_grad": lambda x: x.requires_grad, "version": lambda x: x._version,
    "inference": lambda x: x.is_inference(),
    "hooks": lambda x: [len(each) for each in hooks(x)], "retains": lambda x: x.retains_grad,
    "attributes": lambda x: sorted(name for name in vars(x) if not name.startswith("_sym_sizes")),
    "view": lambda x: x._is_view(),
}  # fmt: skip


def described(thing, seen, known):
    """All that a program can ask of a value: of each tensor in it, too."""
    if id(thing) in known or len(known) > 500:
        return "again"
    if isinstance(thing, torch.Tensor):
        known[id(thing)] = thing
        told = {name: asked(lambda ask=ask: ask(thing)) for name, ask in QUESTIONS.items()}
        told["storage"] = asked(lambda: storage(thing, seen))
        has_grad = thing.is_leaf or thing.retains_grad
        return told | {"grad": described(thing.grad, seen, known) if asked(lambda: has_grad) is True else None}
    if isinstance(thing, torch.nn.Module | torch.optim.Optimizer):
        return described(thing.state_dict(keep_vars=True) if hasattr(thing, "parameters") else thing.state_dict(),
                         seen, known)  # fmt: skip
    if isinstance(thing, list | tuple):
        return [described(each, seen, known) for each in thing]
    if isinstance(thing, dict):
        return {str(name): described(each, seen, known) for name, each in thing.items()}
    return repr(thing) if isinstance(thing, int | float | complex | str | bytes | None) else type(thing).__name__


class Nothing(TorchDispatchMode):
    """A dispatch mode that changes nothing."""

    def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
        return operation(*args, **(kwargs or {}))


# For any dispatch mode PyTorch computes this result from other operations: it adds the bias, not in place.
PLAIN = {("linear", 7): Nothing}


def outcome(run, space, context):
    """All that can be asked after ``run()``, a program whose variables are *space*, in a context."""
    torch.manual_seed(0), random.seed(0), np.random.seed(0)
    printed, error = io.StringIO(), None
    with warnings.catch_warnings(record=True) as told, contextlib.redirect_stdout(printed):
        warnings.simplefilter("always")
        try:
            with context():
                run()
        except Exception as raised:
            error = type(raised).__name__, str(raised), raised.__traceback__ is not None
            raised.__traceback__ = None
    variables = {name: each for name, each in space.items() if not name.startswith("_") and name != "torch"}
    counts = {name: sys.getrefcount(each) for name, each in variables.items()
              if isinstance(each, torch.Tensor | torch.nn.Module | torch.optim.Optimizer | list | dict)}  # fmt: skip
    return {
        "printed": printed.getvalue(), "error": error, "counts": counts,
        # in anomaly mode the message has the stack of the forward call, with frames of the recording
        "warnings": [(each.category.__name__, str(each.message).partition("Traceback of forward call")[0],
                      each.filename, each.lineno) for each in told],
        "random": (torch.get_rng_state().tolist(), random.getstate(), np.random.get_state()[1].tolist()),  # noqa: NPY002
        "modes": (torch.is_grad_enabled(), torch._C._len_torch_function_stack(), torch._C._len_torch_dispatch_stack()),
        "variables": {name: described(each, seen, known) for seen, known in [({}, {})]
                      for name, each in variables.items()},
    }  # fmt: skip


def differences(run, without=contextlib.nullcontext):
    """``{name: (without, with)}`` of what is not alike after ``run(space)`` without a recording and with one."""
    for _ in range(2):  # a second time if they differ, as PyTorch warns of some things only once
        found = []
        for context in (without, record):
            space = {}
            found.append(outcome(lambda space=space: run(space), space, context))
        plain, recorded = found
        if plain == recorded:
            break
    return {name: (plain[name], recorded[name]) for name in plain if plain[name] != recorded[name]}


def unlike(found):
    """The programs that did not end alike, with what differs."""
    return {name: each for name, each in found.items() if each}


def program(setup, text):
    setup, code = compile(setup, "setup.py", "exec"), compile(text, "program.py", "exec")

    def run(space):
        space.update(torch=torch, __name__="__main__")
        exec(setup, space)
        exec(code, space)

    return run


@pytest.mark.parametrize("first", range(0, len(OF_WHY), TOGETHER))
def test_a_program_ends_as_without_a_recording(first):
    assert unlike({entry["name"]: differences(program(entry["setup"], entry["run"]))
                   for entry in OF_WHY[first : first + TOGETHER]}) == {}  # fmt: skip


@pytest.mark.parametrize("name", MOVING)
def test_a_program_that_moves_storages_ends_as_without_a_recording(name, tmp_path, monkeypatch, request):
    monkeypatch.chdir(tmp_path)
    request.addfinalizer(functools.partial(torch.set_warn_always, torch.is_warn_always_enabled()))
    torch.set_warn_always(True)
    assert differences(program("", MOVING[name])) == {}


def learning(sums=False):
    """Two updates of a network whose gradients are large; with *sums*, two of them meet at its input."""
    torch.manual_seed(0)
    model = torch.nn.Sequential(*(torch.nn.Linear(200, 200) for _ in range(4)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.ones(400, 200, requires_grad=sums)
    for _ in range(2):
        optimizer.zero_grad()
        y = model(x)
        (y + x if sums else y).square().mean().backward()
        optimizer.step()


def peak(run, context):
    """The most bytes that PyTorch had allocated at once while a program ran."""
    kinds = [torch.profiler.ProfilerActivity.CPU]
    with torch.profiler.profile(activities=kinds, profile_memory=True) as found, context():
        run()
    sizes = [each.nbytes() for each in found.profiler.kineto_results.events() if each.name() == "[memory]"]
    return max(itertools.accumulate(sizes))


@pytest.mark.parametrize("sums", [False, True])
def test_the_memory_that_a_program_needs_at_most_grows_by_no_more_than_a_gradient_that_waits_for_its_sum(sums):
    run = functools.partial(learning, sums)
    without = contextlib.nullcontext
    plain, recorded, again = (peak(run, context) for context in (without, record, without))
    assert plain == again > 1_000_000 and plain <= recorded <= plain + 400 * 200 * 4 * sums


@pytest.mark.parametrize("name", SAMPLES)
def test_an_operation_ends_as_without_a_recording(name):
    owners = (torch, name), (torch.nn.functional, name), (torch.Tensor, name), (torch.linalg, name.partition("_")[2])
    function = next(getattr(owner, own) for owner, own in owners if hasattr(owner, own))

    def run(sample, space):
        made = [torch.tensor(each, requires_grad=each.dtype.kind in "fc") if isinstance(each, np.ndarray) else each
                for each in sample.args]
        space["made"] = made
        space["result"] = result = function(*made, **sample.kwargs)
        if isinstance(result, torch.Tensor) and result.requires_grad:
            result.sum().abs().backward()

    runs = {number: functools.partial(run, sample) for number, sample in enumerate(SAMPLES[name])}
    assert unlike({number: differences(each, PLAIN.get((name, number), contextlib.nullcontext))
                   for number, each in runs.items()}) == {}  # fmt: skip
