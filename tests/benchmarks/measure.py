"""Measures both sides of a workload in one process, round by round, and compares their results.

A machine's speed drifts within seconds. So each round gives a ratio, with the sides one after the other in a rotating
order, and the median over the rounds counts. The garbage collector stays as a user has it. How long chains grow is in
tests/engine/test_growth.py. Times are those of the processor, so other programs do not count.
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
from time import process_time

import numpy as np

from . import calls

OURS, TORCH, NUMPY = "autograd_nb", "torch", "numpy"
PLAIN, RECORDED = "plain", "recorded"
AGAIN = "again"  # our side again: its ratio shows the noise


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

    @property
    def noise(self):
        """The ratio of two best times of the same code, at least 1."""
        first, again = min(self.seconds[OURS]), min(self.seconds[AGAIN])
        return max(first / again, again / first)

    @property
    def over_numpy(self):
        """How many seconds longer our call takes than NumPy's, None if NumPy has none."""
        return min(self.seconds[OURS]) - min(self.seconds[NUMPY]) if NUMPY in self.seconds else None


def build_sides(build):
    """The steps of a workload by side; only of ours if PyTorch is not installed."""
    sides = [side for side in (OURS, TORCH) if find_spec(side)]
    return {side: build(load(side)) for side in sides}


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


def time_program(build, title, rounds, seconds=0.01):
    """Time a workload or a program on every side, and compare the results of its first and last steps.

    A round gives each side the same number of steps, enough for the fastest side to take about `seconds`.
    """
    steps = build_sides(build)
    compare({side: arrays(step()) for side, step in steps.items()})
    runs = {side: repeated(step) for side, step in (*steps.items(), (AGAIN, build(load(OURS))))}
    timed = time_runs(runs, rounds, seconds)
    compare({side: arrays(step()) for side, step in steps.items()})
    return Row(title, timed)


def time_call(code, numpy_code, rounds, seconds=0.0005):
    """Time one of the everyday calls on every side and in NumPy, and compare the results and changes."""
    libraries = {side: load(side) for side in (OURS, TORCH) if find_spec(side)}
    found = {side: calls.outcome(code, library) for side, library in libraries.items()}
    compare({side: arrays([each for each in values if each is not None]) for side, values in found.items()})
    runs = {side: calls.runner(code, calls.library_names(library)) for side, library in libraries.items()}
    runs[AGAIN] = calls.runner(code, calls.library_names(libraries[OURS]))
    if numpy_code is not None:
        runs[NUMPY] = calls.runner(numpy_code or code, calls.numpy_names())
    return Row(code, time_runs(runs, rounds, seconds))


def time_recording(library, build, title, rounds):
    """Time a training step plain and inside `record()`; None if its library is not installed."""
    if not find_spec(library):
        return None
    step, record = build(load(library)), load(OURS).record

    def recorded():
        with record():
            step()
    return Row(title, time_runs({PLAIN: repeated(step), RECORDED: repeated(recorded)}, rounds, 0))


def time_runs(runs, rounds, seconds):
    """Seconds a step by side and round; each side is a function that runs a number of steps."""
    for run in runs.values():
        run(3)
    repeats = max(1, round(seconds / min(time_steps(run, 3) for run in runs.values())))
    gc.collect()
    timed, order = {side: [] for side in runs}, list(runs)
    for _ in range(rounds):
        for side in order:
            timed[side].append(time_steps(runs[side], repeats))
        order.append(order.pop(0))
    return timed


def repeated(step):
    def run(count):
        for _ in range(count):
            step()
    return run


def time_steps(run, repeats):
    start = process_time()
    run(repeats)
    return (process_time() - start) / repeats


def import_seconds(rounds):
    """The time of `import autograd_nb` once NumPy is loaded: the best of fresh interpreters.

    As in an installed package, the modules' bytecode exists: a first start, not counted, writes it into a folder of its
    own, even if this process writes no bytecode.
    """
    code = "import numpy, time; start = time.process_time(); import autograd_nb; print(time.process_time() - start)"
    settings = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    with TemporaryDirectory() as folder:
        settings["PYTHONPYCACHEPREFIX"] = folder
        runs = [subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[2], env=settings,
                               capture_output=True, text=True, check=True) for _ in range(rounds + 1)]
    return min(float(run.stdout) for run in runs[1:])
