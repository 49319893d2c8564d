"""Chapter 01, the derivative: partial derivatives, the central difference, the chain rule, a step for float32."""

import autograd_nb as torch

from . import Prediction, Question
from .filling import Filling
from .functions import Formula
from .kinds import Number

p1 = Prediction(0.599905, tolerance=0.02, wrong={"rise": 0.0006, "first_link": 75.0, "upside_down": 1.6667})
p2 = Prediction("less")
p3 = Prediction("ten")
p4 = Prediction(0.3, tolerance=1e-3, wrong={"same": 0.6, "doubled": 1.2})
p5 = Prediction("worse")
p6 = Prediction("q")
p7 = Prediction(0.6, wrong={"added": 75.008, "last": 0.008, "divided": 9375.0})

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


CUBE, FALLING = Formula("x**3"), Formula("7 - 2 * x + 1 / x")

q2 = Question(
    slope,
    samples=lambda random: [(f, random.uniform(1, 3), h) for f in (CUBE, FALLING) for h in (0.5, 0.25)],
    wrong={
        "one_sided": ("x - h → x", "(2 * h) → h"),
        "left": ("x + h → x", "(2 * h) → h"),
        "half": "(2 * h) → h",
        "rise": "/ (2 * h) →",
        "times": "(2 * h) → 2 * h",
        "brackets": "(f(x + h) - f(x - h)) → f(x + h) - f(x - h)",
        "turned": "f(x + h) - f(x - h) → f(x - h) - f(x + h)",
    },
)

q3 = Question(42.0, wrong={"inner_forgotten": 14.0, "outer_forgotten": 3.0, "value": 49.0, "added": 17.0})


# q4: a step that suits float32


def _rule(h):
    """How far the slope of ln(x³) at 5 over a step h, in float32, is from 0.6: less than 0.001 is asked for."""
    h = Number(1.0).read(h)
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


TIMES_CUBE, TIMES_POWER = Formula("x * q**3", "x, q"), Formula("x * 2**q + q", "x, q")

q5 = Question(
    along_x,
    ships="x + h, q → x + h, q + h",
    samples=lambda random: [(f, random.uniform(1, 3), random.uniform(2, 3), 0.5) for f in (TIMES_CUBE, TIMES_POWER)],
    wrong={
        "other": "x + h, q → x, q + h",
        "elsewhere": "q) → q + h)",
    },
)
