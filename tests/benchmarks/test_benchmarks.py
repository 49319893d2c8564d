"""The benchmark stays in order: every line runs untimed on our engine, beside torch where it is installed."""
import re
from importlib.util import find_spec

import numpy as np
import pytest

from tests.benchmarks import __main__ as command
from tests.benchmarks import measure, report
from tests.benchmarks.calls import CALLS, numpy_names, outcome, runner
from tests.benchmarks.measure import AGAIN, NUMPY, OURS, TORCH, Mismatch, Row
from tests.benchmarks.programs import PROGRAMS


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_learns_the_same_on_every_side(name):
    measure.compare({side: measure.arrays(step()) for side, step in measure.build_sides(PROGRAMS[name][0]).items()})


@pytest.mark.parametrize("code, numpy_code", CALLS)
def test_a_call_gives_and_changes_the_same_on_every_side(code, numpy_code):
    found = {side: outcome(code, measure.load(side)) for side in (OURS, TORCH) if find_spec(side)}
    measure.compare({side: measure.arrays([each for each in values if each is not None])
                     for side, values in found.items()})
    if numpy_code is not None:
        runner(numpy_code or code, numpy_names())(1)


def test_a_call_whose_effect_differs_is_a_mismatch(monkeypatch, torch):
    monkeypatch.setattr(torch.Tensor, "add_", lambda self, other: self)
    with pytest.raises(Mismatch):
        measure.time_call("y.add_(1.0)", None, 1)


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
    monkeypatch.setitem(PROGRAMS, "unlike", (lambda library: lambda: ([float(library is torch)],), "unlike"))
    with pytest.raises(Mismatch):
        command.main(["programs", "--only", "unlike", "--rounds", "1"])


def row(title, ours, torch, **others):
    return Row(title, {OURS: ours, TORCH: torch, **others})


def test_a_ratio_is_the_median_of_the_rounds():
    rows = [row("a", [1.0, 9.0, 1.0], [5.0, 9.0, 10.0]), row("b", [3.0], [10.0]), row("c", [9.0], [10.0])]
    assert [r.ratio() for r in rows] == [0.2, 0.3, 0.9]
    assert rows[0].ratio(min) == 0.2
    assert report.geometric_mean(rows) == pytest.approx(0.054 ** (1 / 3))


def test_noise_is_the_same_code_beside_itself_and_numpys_own_time_is_taken_off():
    timed = row("x + y", [3.0, 4.0], [1.0, 1.0], **{AGAIN: [2.0, 2.0], NUMPY: [0.5, 0.75]})
    assert (timed.noise, timed.over_numpy) == (1.5, 2.5)
    assert row("s", [3.0], [1.0]).over_numpy is None


def test_the_command_prints_times_ratios_and_their_mean(capsys, torch):
    command.main(["programs", "--only", "hessian", "moons", "--rounds", "1"])
    _, *lines, mean, noise, _, imported = capsys.readouterr().out.splitlines()
    assert [line[:4] for line in lines[2:]] == ["two ", "hess"]
    assert float(re.search("mean of 2 +([0-9.]+)", mean)[1]) > 0
    assert float(re.search("itself: ([0-9.]+)", noise)[1]) >= 1
    assert float(re.search(": ([0-9.]+) ms", imported)[1]) > 0


def test_the_command_prints_calls_beside_numpys_own(capsys, torch):
    command.main(["calls", "--only", "torch.cat", "torch.randn", "--rounds", "1"])
    name, _, _, cat, randn, *means, noise, _, _ = capsys.readouterr().out.splitlines()
    assert (name, cat[:9], randn[:11]) == ("calls", "torch.cat", "torch.randn")
    assert [line.split(",")[0] for line in means] == ["geometric mean of all", "geometric mean of random numbers",
                                                     "geometric mean of all others"]


def test_the_command_prints_what_a_recording_costs(capsys, torch):
    command.main(["recordings", "--only", "mlp", "--rounds", "1"])
    _, header, _, ours, theirs, _, _ = capsys.readouterr().out.splitlines()
    assert header.split() == ["step", "plain", "recorded", "times"]
    assert all(line.startswith("MLP") and int(line.split()[-1]) > 1 for line in (ours, theirs))


def test_an_unknown_table_is_refused_by_name(capsys):
    with pytest.raises(SystemExit):
        command.main(["call"])
    assert "no table is named call; there are calls, programs, recordings" in capsys.readouterr().err


def test_the_picture_shows_each_program_beside_pytorch(tmp_path):
    programs, calls = [row("a net", [1.0], [2.0]), row("another", [3.0], [2.0])], [row("x + y", [1.0], [4.0])]
    report.picture(tmp_path / "speed.svg", programs, calls)
    drawn = (tmp_path / "speed.svg").read_text(encoding="utf-8")
    for text in ("a net", "0.50", "another", "1.50", "1 everyday calls, geometric mean", "0.25", "PyTorch"):
        assert f">{text}</text>" in drawn
