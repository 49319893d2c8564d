"""Two processes under torchrun: each records by itself, ends as without a recording, and tells what they exchange."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from autograd_nb import record, why
from autograd_nb.widgets.stories import row_of

torch = pytest.importorskip("torch", reason="torch is what is looked at, and is not installed")
if not torch.distributed.is_available() or not torch.distributed.is_gloo_available():
    pytest.skip("this PyTorch has no gloo, by which processes speak on a CPU", allow_module_level=True)
PROGRAMS = ("parallel", "unused", "static", "in parts", "sharded", "sharded and computed again", "on a mesh",
            "pipeline")  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The files that the programs of ranks.py wrote, which both processes ran."""
    path = tmp_path_factory.mktemp("ranks")
    command = "-m torch.distributed.run --standalone --nproc-per-node 2".split()
    ended = subprocess.run([sys.executable, *command, Path(__file__).with_name("ranks.py"), path], timeout=300,
                           capture_output=True, text=True)  # fmt: skip
    assert ended.returncode == 0, ended.stderr[-3000:]
    return path


@pytest.mark.parametrize("rank", [0, 1])
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_process_ends_as_without_a_recording(name, rank, folder):
    plain, recorded = json.loads((folder / f"ends.rank{rank}.json").read_text())[name]
    assert plain == recorded and len(plain["state"]) >= 2


@pytest.mark.parametrize("rank", [0, 1])
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_trace_of_one_process_is_drawn_and_walked_through(name, rank, folder):
    trace = record.load(folder / f"{name}.rank{rank}.json")
    assert {"Started", "Ran", "Accumulated", "Finished"} <= {event.kind for event in trace}
    titles = {node.title for node in trace.draw().picture.nodes}
    assert len(titles) > 3 and len(trace.step().as_page()) > 10_000
    if "sharded" in name:
        assert titles & {"model.first", "model.last", "self.first", "self.last"}, titles


@pytest.mark.parametrize("name", ["parallel", "unused", "static", "in parts"])
def test_an_average_over_processes_is_an_event_and_both_end_with_it(name, folder):
    ends = []
    for rank in (0, 1):
        trace = record.load(folder / f"{name}.rank{rank}.json")
        exchanged = [event for event in trace if event.kind == "Changed" and "processes" in event.name]
        assert exchanged, [event.name for event in trace if event.kind == "Changed"]
        ends.append([(trace.tensors[event.tensor].name, event.value) for event in exchanged])
        told = [step.sentence for step in trace.steps()]
        text = r".*\.grad( #2)? is averaged over 2 processes: (.*) became (.*)\."
        averaged = [re.fullmatch(text, each) for each in told]
        averaged = [each.groups()[1:] for each in averaged if each]
        assert len(averaged) == len(exchanged) and all(before != after != "nothing" for before, after in averaged)
    assert ends[0] == ends[1] and all(name.endswith(".grad") for name, _ in ends[0])
    before = [[event.total for event in record.load(folder / f"{name}.rank{rank}.json") if event.kind == "Accumulated"]
              for rank in (0, 1)]  # fmt: skip
    assert before[0] != before[1]


@pytest.mark.parametrize("rank", [0, 1])
@pytest.mark.parametrize("name", ["sharded", "on a mesh"])
def test_a_sharded_parameter_is_told_with_its_place_and_the_elements_of_this_process(name, rank, folder):
    trace = record.load(folder / f"{name}.rank{rank}.json")
    shards = {record.name: record for record in trace.tensors.values() if record.place}
    first = next(record for name, record in shards.items() if name.endswith("first.weight"))
    assert first.place == f"(4, 4) of (8, 4), Shard(dim=0), process {rank} of 2"
    assert first.value.shape == (4, 4) and first.value.is_whole
    state = json.loads((folder / f"ends.rank{rank}.json").read_text())[name][0]["state"]
    changed = [event for event in trace if event.kind == "Changed" and event.tensor == first.key]
    assert changed[-1].value.data == state["first.weight"][0]
    flags = row_of(first, {"value": first.value, "grad": None, "version": 0, "cut": None})[2]
    assert f"shard {first.place}" in flags


@pytest.mark.parametrize("rank", [0, 1])
@pytest.mark.parametrize("name", ["parallel", "static"])
def test_why_tells_what_the_processes_made_of_a_gradient_and_what_the_step_used(name, rank, folder):
    told = (folder / f"{name}.rank{rank}.txt").read_text(encoding="utf-8")
    made = told.partition("the mean over 2 processes made ")[2]
    used = told.partition(" used a .grad of ")[2]
    assert used and made.partition(".grad ")[2].partition("; ")[0] == used.partition(" and moved")[0], told


@pytest.fixture
def alone():
    """A mesh of this process alone."""
    torch.distributed.init_process_group("gloo", store=torch.distributed.HashStore(), rank=0, world_size=1)
    yield torch.distributed.init_device_mesh("cpu", (1,))
    torch.distributed.destroy_process_group()


@pytest.mark.filterwarnings("ignore")
def test_why_does_not_claim_that_a_sharded_parameter_was_not_used(alone):
    from torch.distributed.fsdp import fully_shard

    model = torch.nn.Sequential(torch.nn.Linear(4, 2))
    for each in (model[0], model):
        fully_shard(each, mesh=alone)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with record() as trace:
        loss = model(torch.ones(3, 4)).sum()
        told = [why(model)]
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    assert "set it to None" not in why(trace=trace) and "inputs=" not in why(trace=trace)
    for each in (*told, why(model), why(model, trace)):
        assert each.startswith("model.0.weight.grad is None: model.0.weight is a DTensor, in whose place a module may")
        assert "not computed from" not in each and "Likewise model.0.bias" in each


@pytest.mark.filterwarnings("ignore")
def test_why_sees_a_distributed_tensor_that_is_used_itself(alone):
    from torch.distributed.tensor import Replicate, distribute_tensor

    w = distribute_tensor(torch.ones(2), alone, [Replicate()]).requires_grad_()
    loss = (w * w).sum()
    assert why(w).startswith("w.grad is None: loss was computed from w, and its graph shows no backward pass")
    assert loss.requires_grad
