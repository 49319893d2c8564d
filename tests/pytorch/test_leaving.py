"""However a recording ends, it leaves PyTorch as it was; and its cost once it has become too long."""

import gc
import sys
import threading
import time

import pytest
from pace import pace

from autograd_nb import record
from autograd_nb.engine.modes import state

torch = pytest.importorskip("torch", reason="torch is what is looked at, and is not installed")
optimizers = sys.modules["torch.optim.optimizer"]
OURS = tuple(f"autograd_nb/microscope/{name}.py" for name in ("recorder", "trace", "pytorch/forward"))


def standing():
    Function, Variable = torch.autograd.Function, torch.autograd.variable.Variable
    return (torch._C._len_torch_function_stack(), torch._C._len_torch_dispatch_stack(),
            Function.__dict__["apply"], Variable._execution_engine, len(state.listeners), state.for_calls[1:],
            len(optimizers._global_optimizer_pre_hooks), len(optimizers._global_optimizer_post_hooks))  # fmt: skip


def program():
    x = torch.ones(2, requires_grad=True)
    with record():
        (x * x).sum().backward()


def stopped_at(place):
    """Run the program, with an error at the opcode of this number of the start and the end; how many there were."""
    seen = 0

    def trace(frame, event, argument):
        nonlocal seen
        if not frame.f_code.co_filename.endswith(OURS):
            return None
        name, caller = frame.f_code.co_name, frame.f_back
        around = {"__enter__", "__exit__", "__init__", "begin", "end", "leave", "stop", "put", "take_back", "finish"}
        if name not in around or caller is None:
            return None
        frame.f_trace_opcodes = True
        if event == "opcode":
            seen += 1
            if seen == place:
                sys.settrace(None)
                raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        program()
    except KeyboardInterrupt:
        pass
    finally:
        sys.settrace(before)
    return seen


def test_an_interrupt_at_any_point_of_start_and_end_leaves_pytorch_as_it_was():
    program()
    clean, count = standing(), stopped_at(None)
    assert count > 300
    for place in range(1, count + 1):
        stopped_at(place)
        assert standing() == clean, f"after an interrupt at opcode {place} of {count}"


def test_what_fails_in_reading_pytorch_is_told_and_disturbs_nothing(monkeypatch):
    clean = standing()
    monkeypatch.setattr("autograd_nb.microscope.pytorch.forward.node_made", None)
    x = torch.ones(2, requires_grad=True)
    with pytest.warns(RuntimeWarning, match="not all that PyTorch .* did was recorded"), record():
        (x * x).sum().backward()
    assert x.grad.tolist() == [2, 2] and standing() == clean


def test_what_follows_a_step_that_raised_is_recorded():
    x = torch.ones(1, requires_grad=True)
    x.grad = torch.ones(1)
    optimizer = torch.optim.SGD([{"params": x, "lr": "0.1"}])
    with record() as trace:
        with pytest.raises(TypeError):
            optimizer.step()
        (x * 3).sum().backward()
        optimizer.param_groups[0]["lr"] = 0.1
        optimizer.step()
    made = [step.sentence.partition(" ")[0] for step in trace.steps() if step.kind in ("Operation", "Changed")]
    assert made == ["mul", "sum", "SGD"]


def test_a_thread_that_trains_the_same_model_is_neither_seen_nor_disturbed():
    weight, wrong, stop = torch.ones(3, requires_grad=True), [], threading.Event()
    bias = torch.zeros(1, requires_grad=True)
    optimizer = torch.optim.SGD([bias], lr=0.1)
    weight.register_hook(lambda grad: None)

    def train():
        try:
            while not stop.is_set():
                (weight * 2 + bias).sum().backward()
                optimizer.step()
        except Exception as error:
            wrong.append(error)

    other, interval = threading.Thread(target=train), sys.getswitchinterval()
    other.start()
    sys.setswitchinterval(1e-5)
    try:
        for _ in range(60):
            with record() as trace:
                (weight * weight).sum().backward()
            kinds = [event.kind for event in trace]
            assert [kinds.count(each) for each in ("Operation", "Accumulated", "Hooked")] == [2, 1, 1], kinds
    finally:
        stop.set()
        sys.setswitchinterval(interval)
        other.join()
    assert not wrong and list(weight._backward_hooks.values())[0].__name__ == "<lambda>"
    assert not hasattr(list(weight._backward_hooks.values())[0], "pass_")


def chain(count):
    y = torch.ones(1, requires_grad=True)
    for _ in range(count):
        y = y * 1.0
    return y


@pytest.mark.parametrize("count", [40_000, pytest.param(200_000, marks=pytest.mark.needs("nightly"))])
def test_a_recording_that_is_full_watches_no_more(count):
    began = time.process_time()
    y = chain(count)
    y.backward()
    plain = time.process_time() - began
    gc.collect()
    began = time.process_time()
    with record() as trace:
        y = chain(count)
        y.backward()
    assert trace.notice and time.process_time() - began < 2 * plain + 2 * pace()
    assert sys._getframe().f_trace is sys.gettrace() is None
    y = chain(count)
    began = time.process_time()
    record(y.backward)
    assert time.process_time() - began < plain + 2 * pace()

