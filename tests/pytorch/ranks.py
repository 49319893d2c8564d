"""Programs of two processes, which torchrun starts; it writes what each rank ends with, without a recording and with.

python -m torch.distributed.run --nproc-per-node 2 ranks.py FOLDER
"""

import contextlib
import json
import sys
import warnings
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.pipelining import PipelineStage, ScheduleGPipe
from torch.distributed.tensor import DTensor
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
from torch.nn.parallel import DistributedDataParallel
from torch.utils.checkpoint import checkpoint

from autograd_nb import record, why

warnings.simplefilter("ignore")
FOLDER = Path(sys.argv[1])


class Net(nn.Module):
    def __init__(self, checkpoints=False):
        super().__init__()
        self.first, self.last, self.checkpoints = nn.Linear(4, 8), nn.Linear(8, 2), checkpoints
        self.spare = nn.Linear(8, 2)

    def forward(self, x):
        hidden = checkpoint(self.first, x, use_reentrant=False) if self.checkpoints else self.first(x)
        return self.last(hidden.relu())


def batch():
    return torch.randn(3, 4, generator=torch.Generator().manual_seed(dist.get_rank()))


def train(model, turns=2):
    optimizer = torch.optim.SGD([each for each in model.parameters() if each.requires_grad], lr=0.1, momentum=0.9)
    for _ in range(turns):
        optimizer.zero_grad()
        model(batch()).square().mean().backward()
        optimizer.step()
    return model


def without_spare(model):
    del model.spare
    return model


def in_parts():
    model = DistributedDataParallel(without_spare(Net()))
    with model.no_sync():
        model(batch()).square().mean().backward()
    model(batch()).square().mean().backward()
    return model


def sharded(**options):
    model = without_spare(Net(**options))
    for each in (model.first, model.last, model):
        fully_shard(each)
    return train(model)


def on_a_mesh():
    model, mesh = without_spare(Net()), init_device_mesh("cpu", (2,))
    return train(parallelize_module(model, mesh, {"first": ColwiseParallel(), "last": RowwiseParallel()}))


def in_a_pipeline():
    model, rank = without_spare(Net()), dist.get_rank()
    part = nn.Sequential(model.first, nn.ReLU()) if rank == 0 else model.last
    stage = PipelineStage(part, rank, 2, torch.device("cpu"))
    schedule = ScheduleGPipe(stage, 2, loss_fn=lambda y, z: (y - z).square().mean())
    x = torch.randn(4, 4, generator=torch.Generator().manual_seed(1))
    schedule.step(x) if rank == 0 else schedule.step(target=torch.zeros(4, 2))
    return part


PROGRAMS = {
    "parallel": lambda: train(DistributedDataParallel(without_spare(Net()))),
    "unused": lambda: train(DistributedDataParallel(Net(), find_unused_parameters=True)),
    "static": lambda: train(DistributedDataParallel(without_spare(Net()), static_graph=True)),
    "in parts": in_parts, "sharded": sharded, "sharded and computed again": lambda: sharded(checkpoints=True),
    "on a mesh": on_a_mesh, "pipeline": in_a_pipeline,
}  # fmt: skip


def numbers(tensor):
    return None if tensor is None else (tensor.to_local() if isinstance(tensor, DTensor) else tensor).tolist()


def ending(name, is_recorded):
    torch.manual_seed(0)
    with record() if is_recorded else contextlib.nullcontext() as trace:
        model = PROGRAMS[name]()
    state = {key: (numbers(each.detach()), numbers(each.grad), each._version) for key, each in model.named_parameters()}
    if trace is not None:
        trace.save(FOLDER / f"{name}.json")
        told = why(next(model.parameters()), trace)
        (FOLDER / f"{name}.rank{dist.get_rank()}.txt").write_text(told, encoding="utf-8")
    return {"state": state, "random": torch.rand(2).tolist()}


dist.init_process_group("gloo")
found = {name: [ending(name, is_recorded) for is_recorded in (False, True)] for name in PROGRAMS}
(FOLDER / f"ends.rank{dist.get_rank()}.json").write_text(json.dumps(found))
dist.destroy_process_group()
