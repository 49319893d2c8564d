"""Chapter 01, the derivative: partial derivatives, the central difference, the chain rule, a step for float32."""

import autograd_nb as torch

from .filling import Filling
from .prediction import Prediction
from .question import Formula, Question, as_meant


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


p1 = Prediction(
    lambda: _slope(5.0, 0.001, torch.float32),
    tolerance=0.01,
    wrong={"rise": 0.0006, "first_link": 75.0, "upside_down": 1.6667},
)
p2 = Prediction(_far_away, choices=("more", "same", "less"))
p3 = Prediction(_ten_times_smaller, choices=("same", "ten", "hundred"))
p4 = Prediction(lambda: 3 / 10.0, tolerance=1e-3, wrong={"same": 0.6, "doubled": 1.2})
p5 = Prediction(_in_float32, choices=("better", "worse", "same"))
p6 = Prediction(_moves_more, choices=("x", "same", "q"))
p7 = Prediction(lambda: 3 * 5.0**2 / 125, wrong={"added": 75.008, "last": 0.008, "divided": 9375.0})

p8 = Filling("""
x = torch.tensor(2.0, requires_grad=True)
y = x**3
z = torch.log(y)
z.backward()
""")

q1 = Question(12.0, wrong={"other": 4.0, "both": 16.0, "not_held": 24.0})


# q2: the central difference


def slope(f, x, h):
    return (f(x + h) - f(x - h)) / (2 * h)


def one_sided(f, x, h):
    return (f(x + h) - f(x)) / h


def half_the_run(f, x, h):
    return (f(x + h) - f(x - h)) / h


def rise_only(f, x, h):
    return f(x + h) - f(x - h)


CUBE, FALLING = Formula("x**3"), Formula("7 - 2 * x + 1 / x")

q2 = Question(
    slope,
    samples=lambda random: [(f, random.uniform(1, 3), h) for f in (CUBE, FALLING) for h in (0.5, 0.25)],
    wrong={"one_sided": one_sided, "half": half_the_run, "rise": rise_only},
)

q3 = Question(42.0, wrong={"inner_forgotten": 14.0, "outer_forgotten": 3.0, "value": 49.0, "added": 17.0})


# q4: a step that suits float32


def _rule(h):
    """How far the slope of ln(x³) at 5 over a step h, in float32, is from 0.6: less than 0.001 is asked for."""
    h = as_meant(h, 1.0)
    if isinstance(h, bool) or not isinstance(h, (int, float)) or h <= 0:
        return "no_step"
    x, nudged = torch.tensor(5.0), torch.tensor(5.0 + h)
    run = (nudged - x).item()
    if run == 0:
        return "vanishes"
    found = (torch.log(nudged**3) - torch.log(x**3)).item() / run
    if abs(found - 0.6) < 0.001:
        return None
    return "too_large" if h > 0.001 else "too_small", {"slope": f"{found:.5f}"}


q4 = Question(0.01, rule=_rule, wrong={"too_large": 0.1, "too_small": 1e-6, "vanishes": 1e-8, "no_step": -1})


# q5: one variable held


def along_x(f, x, q, h):
    return (f(x + h, q) - f(x, q)) / h


def moves_both(f, x, q, h):
    return (f(x + h, q + h) - f(x, q)) / h


def moves_q(f, x, q, h):
    return (f(x, q + h) - f(x, q)) / h


def starts_elsewhere(f, x, q, h):
    return (f(x + h, q + h) - f(x, q + h)) / h


TIMES_CUBE, TIMES_POWER = Formula("x * q**3", "x, q"), Formula("x * 2**q + q", "x, q")

q5 = Question(
    along_x,
    ships=moves_both,
    samples=lambda random: [(f, random.uniform(1, 3), random.uniform(2, 3), 0.5) for f in (TIMES_CUBE, TIMES_POWER)],
    wrong={"other": moves_q, "elsewhere": starts_elsewhere},
)
