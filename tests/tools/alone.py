"""Runs functions, each in a process that loaded only the package's core: `alone.py NAME`.

The process is a copy of one that imported the package and the tests' samples and used neither; where a process cannot
be copied, `alone.py NAME TITLE` is a new one. Prints a line for each process in which something went wrong.
"""

import os
import subprocess
import sys
import threading
import traceback
import warnings

import numpy as np
from rows import checked, ours, run_twice
from samples import all_samples

import autograd_nb as torch
from autograd_nb.torch_api import contents


def in_copies(jobs):
    """Run each of *jobs*, ``{title: function}``, in a copy of this process; True if all went well."""
    well = True
    for title, job in jobs.items():
        if not hasattr(os, "fork"):
            well = subprocess.run([sys.executable, __file__, sys.argv[1], title]).returncode == 0 and well
            continue
        copy = os.fork()
        if not copy:
            status = 1
            try:
                job()
                status = 0
            except BaseException:
                print(f"{title}: {traceback.format_exc()}")
            sys.stdout.flush()
            os._exit(status)
        well = os.waitpid(copy, 0)[1] == 0 and well
    return well


def operation(name, sample):
    """An operation runs first, then backward through its graph and through the graph of its gradients."""
    warnings.simplefilter("ignore")
    run_twice(*checked(ours(name), sample), sample.smooth and sample.twice)


def threads():
    """Threads that all use names for the first time at once get them."""
    names = ["relu", "softmax", "gather", "einsum", "sort", "cumsum", "clamp", "flip", "lerp", "var"]
    start, wrong = threading.Barrier(2 * len(names)), []

    def use(name):
        x = torch.ones(2, requires_grad=True)
        start.wait()
        try:
            assert callable(getattr(torch, name)) and (name == "einsum" or callable(getattr(x, name)))
            (x * 2 - 1).exp().sum().backward(create_graph=True)
            assert x.grad.tolist() == [2 * np.exp(np.float32(1)).item()] * 2
        except BaseException as error:
            wrong.append(error)

    started = [threading.Thread(target=use, args=(name,)) for name in names * 2]
    for each in started:
        each.start()
    for each in started:
        each.join()
    assert not wrong, wrong


def operations():
    return {
        name: lambda name=name, samples=samples: operation(name, max(samples, key=lambda it: it.smooth and it.twice))
        for name, samples in all_samples().items() if samples
    }  # fmt: skip


def modules():
    """An operation of each module of the table: what loads when it is used first is the whole module."""
    jobs = operations()
    first = {contents.homes.get(name): name for name in reversed(jobs)}
    return {name: jobs[name] for name in first.values()}


JOBS = {"operations": operations, "modules": modules,
        "threads": lambda: {f"round {number}": threads for number in range(10)}}  # fmt: skip

if __name__ == "__main__":
    jobs = JOBS[sys.argv[1]]()
    assert "autograd_nb.operations" not in sys.modules, "something loaded the table, so nothing would be alone"
    sys.exit(jobs[sys.argv[2]]() if len(sys.argv) > 2 else not in_copies(jobs))
