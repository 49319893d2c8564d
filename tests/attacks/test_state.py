"""The state after a program that is interrupted, fails, or leaves a mode on; and the state that threads share."""

import random
import signal
import sys
import threading
import time
import traceback
import warnings
from functools import partial

import numpy as np
import pytest
from programs import hooks, own_function, twice

import autograd_nb
from autograd_nb.engine.modes import state

KEPT = []  # modes that were entered; deleting PyTorch's inference mode would end it


def fail(_):
    raise AssertionError("a hook of another program runs")


def modes(torch):
    graph = torch.autograd.graph
    return {
        "no_grad": torch.no_grad, "enable_grad": torch.enable_grad, "inference_mode": torch.inference_mode,
        "set_grad_enabled": partial(torch.set_grad_enabled, False),
        "saved_tensors_hooks": partial(graph.saved_tensors_hooks, fail, fail),
    }  # fmt: skip


def in_hook(torch, enter):
    y = torch.ones(2, requires_grad=True) * 2
    y.register_hook(lambda grad: enter())
    y.sum().backward()


def in_unpack_hook(torch, enter):
    def unpack(tensor):
        enter()
        return tensor

    x = torch.ones(2, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda tensor: tensor, unpack):
        y = x * x
    y.sum().backward()
    assert x.grad.tolist() == [2, 2]


def in_failing_hook(torch, enter):
    def hook(grad):
        enter()
        raise ValueError

    y = torch.ones(2, requires_grad=True) * 2
    y.register_hook(hook)
    with pytest.raises(ValueError):
        torch.autograd.grad(y.sum(), y)


PLACES = (in_hook, in_unpack_hook, in_failing_hook)


def next_program(torch):
    x = torch.ones(2, requires_grad=True)
    y = x * x
    y.sum().backward()
    return torch.is_grad_enabled(), torch.is_inference_mode_enabled(), y.requires_grad, x.grad.tolist()


@pytest.mark.parametrize("mode", modes(autograd_nb))
@pytest.mark.parametrize("place", PLACES)
def test_a_mode_entered_in_a_backward_pass_ends_with_it(place, mode, live):
    found = []
    for torch in (live, autograd_nb):
        place(torch, lambda torch=torch: KEPT.append(modes(torch)[mode]()) or KEPT[-1].__enter__())
        found.append(next_program(torch))
    assert found[0] == found[1] == (True, False, True, [2, 2])


def test_sums_of_gradients_overflow_in_silence():
    """Where paths meet, where a leaf accumulates, and for numbers as for arrays."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for elements in (2e38, [2e38], [2e38] * 1000):
            x = autograd_nb.tensor(elements, requires_grad=True)
            for _ in range(3):
                (x * 2e38 + x * 3e38 + x * 1e38).sum().backward()
            assert x.grad.flatten()[0].item() == float("inf")


def network():
    x = autograd_nb.ones(3, requires_grad=True)
    with autograd_nb.no_grad(), autograd_nb.inference_mode():
        x * 2
    y = x
    for _ in range(20):
        y = (y * 1.5).exp().log()
    y.add_(1)
    with autograd_nb.autograd.graph.save_on_cpu():
        z = (y * y).sum()
    z.backward()


def recording():
    x = autograd_nb.ones(3, requires_grad=True)
    str(autograd_nb.record(lambda: (x * x).exp().sum().backward()))


def anomaly():
    with autograd_nb.autograd.detect_anomaly():
        (autograd_nb.ones(3, requires_grad=True) ** 2).exp().sum().backward()


def benches():
    shown = autograd_nb.bench("x*x", x=2.0, plan=["z.backward()"])

    def bench():
        shown.x = random.random()

    return bench


def accumulating():
    x = autograd_nb.zeros(20_000, requires_grad=True)
    x.grad = autograd_nb.zeros(20_000)

    def accumulation():
        before = x.grad[0].item()
        try:
            for _ in range(3):
                (x * 1).sum().backward()
        finally:
            values = np.unique(x.grad.numpy())
            assert len(values) == 1 and before <= values[0] <= before + 3, "half a gradient"

    return accumulation


# An interrupt hits PyTorch too, before anything can be done, at the start or end of a with block, in Python's own
# call of __enter__ or __exit__ and what that calls to switch the state at once.
DOORS = {"__enter__", "__exit__", "__init__", "_switch", "change", "switch", "add_listener", "remove_listener",
         "refresh", "end", "watch", "loaded", "<listcomp>"}  # fmt: skip


def modes_now():
    return {name: value for name, value in vars(state).items() if name not in ("run", "for_calls", "listeners")} | {
        "recording": state.recording, "listeners": len(state.listeners), "trace": sys.gettrace()}  # fmt: skip


def changed(clean):
    now = modes_now()
    return [name for name in clean if clean[name] != now[name]]


def interrupted(program, seconds):
    """Run a program with an interrupt after this many seconds; the interrupted frames, None if it came too late."""

    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, seconds)
            program()
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except KeyboardInterrupt as error:
        return [frame.f_code.co_name for frame, _ in traceback.walk_tb(error.__traceback__)][:-1]
    finally:
        signal.signal(signal.SIGALRM, before)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timer's signal interrupts a program here")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("make", [
    lambda: network, *(lambda each=each: partial(each, autograd_nb) for each in (hooks, twice, own_function)),
    lambda: recording, lambda: anomaly, benches, accumulating,
])  # fmt: skip
def test_an_interrupt_leaves_everything_as_it_was(make, request, monkeypatch):
    """At random moments, 2,000 of them in all; more with `--fuzz`.

    PyTorch counts as not loaded: an interrupt may stop it at the entry to its own modes.
    """
    monkeypatch.setattr("autograd_nb.microscope.recorder.loaded", lambda: None)
    program = make()
    program()
    began = time.perf_counter()
    program()
    long, choose = time.perf_counter() - began, random.Random(request.config.getoption("--fuzz-seed"))
    clean, met, doors = modes_now(), 0, 0
    for _ in range(request.config.getoption("--fuzz") * 5 // 4):
        frames = interrupted(program, max(1e-6, choose.random() * long))
        met += frames is not None
        if modes_now() != clean:
            assert frames and DOORS.intersection(frames[-2:]), f"{frames[-5:]}: {changed(clean)}"
            doors += 1
            vars(state).clear()
            state.__init__()
            sys.settrace(clean["trace"])
        assert next_program(autograd_nb) == (True, False, True, [2, 2])
    assert met > 0 and doors <= max(4, met // 20)


def at_once(count, work):
    """Run work(number) in this many threads at once, which take turns as often as possible."""
    start, wrong, interval = threading.Barrier(count), [], sys.getswitchinterval()

    def run(number):
        start.wait()
        try:
            work(number)
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    sys.setswitchinterval(1e-5)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert not wrong, wrong


@pytest.mark.parametrize("size", [1, 400, 200_000])
@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.filterwarnings("ignore:Using backward")
def test_threads_accumulate_into_one_leaf(size, create_graph):
    for _ in range(10):
        x = autograd_nb.zeros(size, requires_grad=True)
        at_once(8, lambda _, x=x: [(x * 2).sum().backward(create_graph=create_graph) for _ in range(5)])
        assert x.grad.unique().tolist() == [80] if hasattr(x.grad, "unique") else set(x.grad.tolist()) == {80.0}


@pytest.mark.parametrize("library", ["autograd_nb", "torch"])
def test_a_recording_sees_its_own_thread_only(library, live):
    torch = {"autograd_nb": autograd_nb, "torch": live}[library]
    Function, Variable = live.autograd.Function, live.autograd.variable.Variable
    own = Function.__dict__["apply"], Variable._execution_engine

    def work(number):
        x = torch.ones(number + 1, requires_grad=True)
        for _ in range(10):
            if number % 2:
                (x * x).sum().backward()
                continue
            with autograd_nb.record() as trace:
                (x * x).sum().backward()
            assert [event.kind for event in trace].count("Operation") == 2
            assert {value.shape for event in trace if event.kind == "Accumulated" for value in [event.total]} == {
                (number + 1,)}  # fmt: skip

    at_once(8, work)
    assert not state.listeners
    assert (Function.__dict__["apply"], Variable._execution_engine) == own, "PyTorch is watched when nobody records"


def test_a_mode_holds_in_its_own_thread_only():
    def work(number):
        with autograd_nb.no_grad() if number % 2 else autograd_nb.enable_grad():
            for _ in range(200):
                assert (autograd_nb.ones(1, requires_grad=True) * 2).requires_grad == (not number % 2)

    at_once(8, work)
    assert autograd_nb.is_grad_enabled()
