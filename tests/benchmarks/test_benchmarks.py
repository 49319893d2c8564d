"""The benchmark stays in order: every workload runs untimed on our engine, beside torch where it is installed."""
import re

import numpy as np
import pytest

from tests.benchmarks import __main__ as command
from tests.benchmarks import measure, report
from tests.benchmarks.measure import OURS, TORCH, Mismatch, Row
from tests.benchmarks.workloads import WORKLOADS


@pytest.mark.parametrize("name", WORKLOADS)
def test_every_side_of_a_workload_computes_the_same_in_three_steps(name):
    steps = measure.build_sides(name)
    for _ in range(3):
        measure.compare({side: measure.arrays(step()) for side, step in steps.items()})


@pytest.mark.parametrize("other, words", [
    ([np.float32(1.5), np.ones(3, np.float32)], "result 0: autograd_nb differs from torch by 0.5"),
    ([np.float64(1), np.ones(3, np.float32)], r"result 0: autograd_nb has float64\(\), torch float32\(\)"),
    ([np.float32(1), np.ones((3, 1), np.float32)], r"result 1: autograd_nb has float32\(3, 1\)"),
    ([np.float32(np.nan), np.ones(3, np.float32)], "result 0: autograd_nb differs"),
    ([np.float32(1)], "autograd_nb returned 1 results, torch 2")])
def test_results_that_differ_are_a_mismatch(other, words):
    expected = [np.float32(1), np.ones(3, np.float32)]
    measure.compare({OURS: [value * np.float32(1 + 1e-6) for value in expected], TORCH: expected})
    with pytest.raises(Mismatch, match=words):
        measure.compare({OURS: other, TORCH: expected})


def test_a_mismatch_fails_the_command(monkeypatch, torch):
    monkeypatch.setitem(WORKLOADS, "sgd", (lambda library: lambda: ([float(library is torch)],), "SGD step"))
    with pytest.raises(Mismatch):
        command.main(["--only", "sgd", "--rounds", "1"])


def row(title, ours, torch):
    return Row(title, {OURS: ours, TORCH: torch})


def test_a_ratio_is_the_median_of_the_rounds_and_its_verdict_that_of_its_bar():
    rows = [row("meets", [1.0, 9.0, 1.0], [5.0, 9.0, 10.0]), row("too", [3.0], [10.0]), row("over", [9.0], [10.0])]
    assert [r.ratio() for r in rows] == [0.2, 0.3, 0.9]
    assert rows[0].ratio(min) == 0.2
    assert [report.verdict(r.ratio(), report.MOST) for r in rows] == ["", "", "over 0.85"]
    assert report.geometric_mean(rows) == pytest.approx(0.054 ** (1 / 3))


def test_the_command_prints_times_ratios_and_their_mean(capsys, torch):
    command.main(["--only", "no_grad_mlp", "mlp_small", "--rounds", "1"])
    *lines, mean, _, imported = capsys.readouterr().out.splitlines()
    assert [line[:4] for line in lines[2:]] == ["no_g", "MLP "]
    assert float(re.search("mean of 2 +([0-9.]+)", mean)[1]) > 0
    assert float(re.search(": ([0-9.]+) ms", imported)[1]) > 0
