"""Chapter 01: what its cards ask for, found by running it."""

import autograd_nb as torch
from tests.course.proofs.proof import Proof


def _slope(x, h, dtype=torch.float64):
    """The slope of ln(x³) from x to x + h."""
    here, there = torch.tensor(x, dtype=dtype), torch.tensor(x + h, dtype=dtype)
    return (torch.log(there**3) - torch.log(here**3)).item() / (there - here).item()


def _error(h, dtype=torch.float64):
    return abs(_slope(5.0, h, dtype) - 0.6)


def _far_away():
    return "less" if _slope(5.0, 20.0) < 0.59 else "more"


def _ten_times_smaller():
    times = _error(0.01) / _error(0.001)
    return min(("same", 1), ("ten", 10), ("hundred", 100), key=lambda choice: abs(times - choice[1]))[0]


def _in_float32():
    return "worse" if _error(1e-6, torch.float32) > 2 * _error(0.01, torch.float32) else "better"


def _moves_more():
    along_x, along_q = 5.01**3 - 125, 5.0**3.01 - 125
    return "q" if along_q > 1.5 * along_x else "x"


p2 = Proof(_far_away)
p3 = Proof(_ten_times_smaller)
p5 = Proof(_in_float32)
p6 = Proof(_moves_more)
