"""How it is measured: both sides of a workload in one process, round by round, and their results compared.

A machine's speed drifts within seconds, so a ratio is taken inside each round, where the sides run one after the other
in an order that rotates, and its median over the rounds counts. The garbage collector stays as a user has it. Memory
and import time need a process of their own; how long chains grow is in tests/engine/test_growth.py.
"""
import gc
import multiprocessing
import os
import statistics
import subprocess
import sys
import tracemalloc
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy as np

from .workloads import WORKLOADS

OURS, TORCH = "autograd_nb", "torch"


class Mismatch(AssertionError):
    """Two sides of one workload computed different results."""


@dataclass
class Row:
    """A workload's outcome: seconds a step per side and round, or why there are none; its bar and aim."""

    name: str
    title: str
    must: float
    aim: float
    seconds: dict[str, list[float]] = field(default_factory=dict)
    absent: dict[str, str] = field(default_factory=dict)
    mismatch: str = ""

    @property
    def failed(self):
        """Results disagree, or ours could not run; another side may be absent."""
        return bool(self.mismatch) or OURS in self.absent

    def ratio(self, typical=statistics.median):
        """Our time over torch's, or None: the median of the rounds' ratios, or with `min` that of the minima."""
        if OURS not in self.seconds or TORCH not in self.seconds:
            return None
        ours, theirs = self.seconds[OURS], self.seconds[TORCH]
        if typical is min:
            return min(ours) / min(theirs)
        return typical(a / b for a, b in zip(ours, theirs, strict=True))


@dataclass
class Fact:
    """A figure that is not a ratio of two steps' times, with its bars and torch's own figure where there is one."""

    title: str
    unit: str
    ours: float | None
    must: float | None = None
    aim: float | None = None
    torch: float | None = None
    absent: str = ""


# --------------------------------------------------------------------------------------------- steps side by side

def build_sides(name):
    """The steps of a workload by side, and for each side that cannot run it the reason."""
    steps, absent = {}, {}
    for side in (OURS, TORCH):
        try:
            step = WORKLOADS[name].build(load(side))
            step()
        except Exception as error:  # whatever it is, it is this side's outcome and not the run's end
            absent[side] = f"{type(error).__name__}: {error}"
        else:
            steps[side] = step
    return steps, absent


def load(module):
    """The module; torch on one thread."""
    loaded = import_module(module)
    if module == TORCH:
        loaded.set_num_threads(1)
    return loaded


def arrays(results):
    return [np.array(r.detach().numpy() if hasattr(r, "detach") else r) for r in results]


def compare(results):
    """Raise Mismatch unless all sides' results agree with torch's (without it, ours) up to float32 rounding.

    Ours and torch's must agree in dtype, and all in shape; an array's tolerance is 1e-4 of its values and 1e-5 of its
    largest one, for sums of many terms are added in another order.
    """
    reference = next(side for side in (TORCH, OURS, *results) if side in results)
    for side, values in results.items():
        if len(values) != len(results[reference]):
            raise Mismatch(f"{side} returned {len(values)} results, {reference} {len(results[reference])}")
        for index, (value, expected) in enumerate(zip(values, results[reference], strict=True)):
            if value.shape != expected.shape or (side == OURS and value.dtype != expected.dtype):
                raise Mismatch(f"result {index}: {side} has {value.dtype}{value.shape}, "
                               f"{reference} {expected.dtype}{expected.shape}")
            if not np.allclose(value, expected, rtol=1e-4, atol=1e-5 * np.abs(expected).max()):
                raise Mismatch(f"result {index}: {side} differs from {reference} by "
                               f"{np.abs(value - expected).max():.3g} where the largest value is "
                               f"{np.abs(expected).max():.3g}")


def time_workload(name, rounds, seconds=0.01):
    """Time a workload on every side, and compare the results of its first and last steps.

    A round gives each side the same number of steps, enough for the fastest side to take about `seconds`.
    """
    workload = WORKLOADS[name]
    row = Row(name, workload.title, workload.must, workload.aim)
    steps, row.absent = build_sides(name)
    if not steps:
        return row
    try:
        compare({side: arrays(step()) for side, step in steps.items()})
        repeats = max(1, round(seconds / min(time_steps(step, 3) for step in steps.values())))
        gc.collect()
        timed = {side: [] for side in steps}
        order = list(steps)
        for _ in range(rounds):
            for side in order:
                timed[side].append(time_steps(steps[side], repeats))
            order.append(order.pop(0))
        compare({side: arrays(step()) for side, step in steps.items()})
        row.seconds = timed
    except Mismatch as error:
        row.mismatch = str(error)
    return row


def time_steps(step, repeats):
    start = perf_counter()
    for _ in range(repeats):
        step()
    return (perf_counter() - start) / repeats


# ------------------------------------------------------------------------------------------ figures of other kinds

def in_fresh_process(function, *arguments):
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(function, arguments)


def import_facts(rounds, quick):
    """What `import autograd_nb` costs once NumPy is there: the best of fresh interpreters.

    As for an installed package, the modules' bytecode is there: for ours a first start, not counted, leaves it in a
    folder of its own, whatever this process was told about writing bytecode; torch's is where its installation put it.
    """
    def best(module, rounds):
        code = f"import numpy, time; start = time.perf_counter(); import {module}; print(time.perf_counter() - start)"
        with TemporaryDirectory() as folder:
            settings = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
            if module == OURS:
                settings["PYTHONPYCACHEPREFIX"] = folder
            runs = [subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[2], env=settings,
                                   capture_output=True, text=True, check=True) for _ in range(rounds + 1)]
        return 1e3 * min(float(run.stdout) for run in runs[1:])
    torch = best(TORCH, 1 if quick else 3) if find_spec(TORCH) else None
    return [Fact("import, over NumPy's", "ms", best(OURS, rounds), 15.0, 8.0, torch)]


def peak_bytes(module, name):
    """The most memory that a first step holds at once beyond its inputs, results and leaves' gradients included.

    NumPy reports its arrays to tracemalloc, which also counts every Python object of ours; torch's profiler lists what
    its CPU allocator hands out, which leaves out its nodes: where the two instruments differ, torch has the advantage.
    """
    os.environ["KINETO_LOG_LEVEL"] = "99"  # the profiler's own notes
    torch = load(module)
    build = WORKLOADS[name].build
    build(torch)()  # what is made once, such as a lazily loaded module, is not the step's
    step = build(torch)
    gc.collect()
    if module != TORCH:
        tracemalloc.start()
        step()
        return tracemalloc.get_traced_memory()[1]
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True) as profile:
        step()
    held = peak = 0
    for event in sorted(profile.profiler.kineto_results.events(), key=lambda event: event.start_ns()):
        if event.name() == "[memory]":
            held += event.nbytes()
            peak = max(peak, held)
    return peak


def memory_facts(rounds, quick):
    """Peak memory of a step: at most torch's and a tenth where arrays, which both instruments count, make it up.

    A small network is shown without a bar: there half of ours is Python objects, while torch's own nodes go uncounted.
    """
    facts = []
    for name in ("elementwise_polynomial", "elementwise_functions", "mlp_small", "mlp_middle", "mlp_large"):
        ours = in_fresh_process(peak_bytes, OURS, name) / 1e3
        torch = in_fresh_process(peak_bytes, TORCH, name) / 1e3 if find_spec(TORCH) else None
        must = 1.1 * torch if torch and torch > 100 else None
        facts.append(Fact(f"peak memory, {WORKLOADS[name].title}", "kB", ours, must, None, torch))
    return facts


FACTS = {"import_time": import_facts, "memory": memory_facts}


def measure_facts(name, rounds, quick):
    """The facts of a group, or one that says why there are none."""
    try:
        return FACTS[name](rounds, quick)
    except Exception as error:  # as for a workload
        return [Fact(name, "", None, absent=f"{type(error).__name__}: {error}")]
