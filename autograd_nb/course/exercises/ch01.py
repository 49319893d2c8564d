"""Chapter 01, the derivative: a partial derivative, the central difference, the chain rule, a step for float32."""

import autograd_nb as torch

from .question import Question

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


def cube(x):
    return x**3


def falling(x):
    return 7 - 2 * x + 1 / x


q2 = Question(
    slope,
    samples=lambda random: [(f, random.uniform(1, 3), h) for f in (cube, falling) for h in (0.5, 0.25)],
    wrong={"one_sided": one_sided, "half": half_the_run, "rise": rise_only},
)

q3 = Question(42.0, wrong={"inner_forgotten": 14.0, "outer_forgotten": 3.0, "value": 49.0, "added": 17.0})


# q4: a step that suits float32


def _rule(h):
    """How far the slope of ln(x³) at 5 over a step h, in float32, is from 0.6: less than 0.001 is asked for."""
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
