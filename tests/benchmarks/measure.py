"""How it is measured: both sides of a workload in one process, round by round, and their results compared.

A machine's speed drifts within seconds, so a ratio is taken inside each round, where the sides run one after the other
in an order that rotates, and its median over the rounds counts. The garbage collector stays as a user has it. How long
chains grow is in tests/engine/test_growth.py.
"""
import gc
import os
import statistics
import subprocess
import sys
from dataclasses import dataclass
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
    """A workload's outcome: seconds a step per side and round."""

    title: str
    seconds: dict[str, list[float]]

    def ratio(self, typical=statistics.median):
        """Our time over torch's: the median of the rounds' ratios, or with `min` that of the minima."""
        ours, theirs = self.seconds[OURS], self.seconds[TORCH]
        if typical is min:
            return min(ours) / min(theirs)
        return typical(a / b for a, b in zip(ours, theirs, strict=True))


def build_sides(name):
    """The steps of a workload by side; of ours alone where PyTorch is not installed."""
    sides = [side for side in (OURS, TORCH) if find_spec(side)]
    return {side: WORKLOADS[name][0](load(side)) for side in sides}


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
    reference = TORCH if TORCH in results else OURS
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
    steps = build_sides(name)
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
    return Row(WORKLOADS[name][1], timed)


def time_steps(step, repeats):
    start = perf_counter()
    for _ in range(repeats):
        step()
    return (perf_counter() - start) / repeats


def import_seconds(rounds):
    """What `import autograd_nb` costs once NumPy is there: the best of fresh interpreters.

    As for an installed package, the modules' bytecode is there: a first start, not counted, leaves it in a folder of
    its own, whatever this process was told about writing bytecode.
    """
    code = "import numpy, time; start = time.perf_counter(); import autograd_nb; print(time.perf_counter() - start)"
    settings = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    with TemporaryDirectory() as folder:
        settings["PYTHONPYCACHEPREFIX"] = folder
        runs = [subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[2], env=settings,
                               capture_output=True, text=True, check=True) for _ in range(rounds + 1)]
    return min(float(run.stdout) for run in runs[1:])
