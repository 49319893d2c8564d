"""What one process can show only once: programs too long to record or to look at, and what TorchScript compiles."""

import forks
import pytest

pytest.importorskip("torch")

PROGRAM = """
import time
import torch
from autograd_nb import record, why

def chain(x):
    for turn in range(100_000):
        x = x + 1
    return x

start = torch.ones(1, requires_grad=True)
with record() as trace:
    end = chain(start)
    end.backward()
begun = time.process_time()
answers = [why(start), why(end), why(start, trace), why(), why(trace=trace)]
start.grad = None
chain(start).backward()
answers += [why(start), why()]
took = time.process_time() - begun
begun = time.process_time()
sum(number * number for number in range(1_000_000))
print(torch._C._len_torch_function_stack(), took < 250 * (time.process_time() - begun))
print(*answers, sep="\\n")
"""


def test_a_long_loop_is_recorded_up_to_the_limit_and_why_says_what_it_does_not_look_at(tmp_path):
    path = tmp_path / "long.py"
    path.write_text(PROGRAM)
    done = forks.python(path)
    assert done.returncode == 0, done.stderr
    modes, *answers = done.stdout.splitlines()
    assert modes == "0 True"
    assert answers[0].startswith("start.grad is [1]")
    assert answers[1].startswith("end: the graphs in sight have more nodes than why() looks at")
    assert answers[2].startswith("start.grad is [1]") and "ended before the program" in answers[3]


SCRIPTED = """
import torch
from autograd_nb import record

def doubled(x: torch.Tensor):
    with torch.autograd.profiler.record_function("label"):
        y = x * 2
    return y

with record():
    print(torch.jit.script(doubled)(torch.ones(2)).tolist())
"""


def test_torchscript_compiles_a_label_of_the_profiler_within_a_recording_too(tmp_path):
    path = tmp_path / "scripted.py"
    path.write_text(SCRIPTED)
    done = forks.python(path)
    assert (done.returncode, done.stdout) == (0, "[2.0, 2.0]\n"), done.stderr
