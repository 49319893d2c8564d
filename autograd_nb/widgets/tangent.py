"""A curve, a point to drag, its tangent and a secant: the derivative by limit, by formula and by autograd.

Every slope comes from a run of the engine: secants in float32 and float64, the derivative by backward under a
recording, whose sentences say how it was found.
"""

import math

import numpy as np

import autograd_nb as torch

from ..learner.programs import compiled, taken_apart
from ..microscope.labels import clean
from .chart import Chart, room
from .lesson import STATUS, Lesson, beside, chart, expression, grid, listing, note, slider, stack, table

POINTS = 201  # of the curve
STEPS = 10.0 ** (np.arange(2, -49, -1) / 4)  # 3 down to 1e-12
SHORT = 1e-3, 1e-4, 1e-5  # steps that show a corner or a jump
NONE = 1e-12  # a smaller error lies only in the last digit of float64
SIZE = 400, 330  # of each picture
STYLES = {"float32": "gradient 1.8 7 ring", "float64": "leaf 1.8 4 ring dashed"}  # of their errors


class Tangent(Lesson):
    """The widget that `tangent` makes."""

    name, budget = "tangent", False
    function, formula = expression(), expression()
    x, h = slider(-2, 2, 0.01), slider(1e-12, 3, log=True, signed=True)
    window = 1.0, -1.0  # none yet
    page = (
        grid("function", "formula", "x", "h"),
        beside(stack(chart("curve", drag=["x"]), STATUS), stack(chart("errors"), note("error_note"))),
        beside(table("slopes", columns="columns"), listing("links")),
    )

    def run(self):
        if not self.h:
            self.refuse("no_step")
        taken_apart(self.function, ["x"])  # refuses an expression that computes nothing
        f = compiled(self.function, ("x",))
        value, slope, links = self.by_autograd(f)
        if not self.window[0] <= self.x <= self.window[1]:  # it moves only when x leaves it
            around = max(2.0, abs(self.x) * 0.8)
            self.window = self.x - around, self.x + around
        steps = [self.h, *math.copysign(1, self.h) * STEPS]
        secants = {dtype: secants_of(f, self.x, steps, dtype) for dtype in STYLES}
        secant, (broken, left, right) = secants["float32"][0], broken_at(f, self.x)
        told = self.say("float32_none" if math.isnan(secant) else "float32", secant=secant)
        facts = {"name": clean(self.function, 30), "x": self.x, "h": self.h, "slope": slope, "secant": told,
                 "left": left, "right": right}  # fmt: skip
        return {
            "status": self.say(broken or "status", **facts), "ranges": {"x": self.window}, "links": links,
            "error_note": self.own_words["no_limit" if broken else "error_note"],
            "slopes": list(self.rows(secants, slope)),
            # The first is stored; the errors' last digits, and so their picture, differ from machine to machine.
            "curve": self.draw_curve(f, value, secant, broken, facts),
            "errors": self.draw_errors({dtype: abs(each - slope) for dtype, each in secants.items()}),
        }  # fmt: skip

    # -- the numbers -------------------------------------------------------------------------------------------------

    def by_autograd(self, function):
        """The value, the slope, and the rule of each link of the chain."""
        with torch.enable_grad(), torch.record() as trace:
            x = torch.tensor(self.x, dtype=torch.float64, requires_grad=True)
            f = function(x)
            (slope,) = torch.autograd.grad(f, x, materialize_grads=True)
        value, slope = f.item(), slope.item()
        if not math.isfinite(value + slope):
            self.refuse("no_slope", x=self.x, value=value, slope=slope)
        return value, slope, [step.sentence for step in trace.steps() if step.kind == "Ran"]

    def rows(self, secants, slope):
        """How each slope was found, the slope itself, and its distance from autograd's."""
        try:
            formula = compiled(self.formula.strip() or "nan", ("x",))
            by_formula = float(formula(torch.tensor(self.x, dtype=torch.float64)))
        except Exception as error:
            self.refuse("bad_formula", cause=str(error))
        slopes = {dtype: each[0] for dtype, each in secants.items()} | {"formula": by_formula, "autograd": slope}
        for key, found in slopes.items():
            told = f"{found:.10g}", f"{abs(found - slope):.2e}"
            told = (self.own_words[f"{key}_none"], "") if math.isnan(found) else told
            yield [self.say(f"{key}_row", formula=self.formula), *told]

    def least(self, errors):
        """A sentence about errors: the smallest with its step, or that all are alike, or that there are none.

        The smallest counts with its neighbours: one error alone may be small by luck.
        """
        errors, steps = errors[errors > 0], STEPS[errors > 0]
        if not (errors >= NONE).any():
            return self.own_words["exact"]
        lasting = np.max([errors, np.append(errors[1:], math.inf), np.insert(errors[:-1], 0, math.inf)], axis=0)
        error, h = (f"{each[lasting.argmin()]:.1g}" for each in (lasting, steps))
        return self.say("everywhere" if max(errors) < 1.5 * min(errors) else "best", error=error, h=h)

    # -- the pictures ------------------------------------------------------------------------------------------------

    def draw_curve(self, f, value, secant, broken, facts):
        x = np.linspace(*self.window, POINTS)
        y = f(torch.from_numpy(x)).numpy()
        # A curve that runs away in a corner does not flatten the rest: all but a tenth of it set the scale.
        known = np.append(y[np.isfinite(y)], value)
        low, high = np.quantile(known, (0.05, 0.95))
        ends = room([*known[(2 * low - high <= known) & (known <= 2 * high - low)], value])

        def straight(slope):
            return [(end, value + slope * (end - self.x)) for end in self.window]

        touching = "no_tangent" if broken else "tangent", "grad 2 6", [] if broken else straight(facts["slope"])
        return self.plot(
            "curve", Chart((*self.window, "x"), (*ends, ""), SIZE, 2),
            ("curve", "leaf 2.5 0 gaps", np.stack([x, y], axis=1)), (*touching, [(self.x, value)]),
            ("secant", "gradient 2 4 ring dashed", straight(secant), [(self.x + self.h, value + secant * self.h)]),
            **facts)  # fmt: skip

    def draw_errors(self, errors):
        """The error at the chosen step, and those at all steps."""
        now, names, series, told = math.log10(abs(self.h)), self.own_words["powers"], [], {}
        for dtype, style in STYLES.items():
            with np.errstate(divide="ignore"):  # no error at all has no place
                points = np.log10([[abs(self.h), *STEPS], errors[dtype]]).T
            series.append((dtype, style, points[1:], points[:1]))
            told[dtype] = self.least(errors[dtype][1:])
        axes = Chart((-12, 1, names[0], "1e"), (-16, 1, names[1], "1e"), SIZE, 2)
        return self.plot("errors", axes, *series, ("step", "constant 1 0 dotted", [(now, -16), (now, 1)]),
                         x=self.x, **told)  # fmt: skip


def secants_of(f, x, steps, dtype):
    """Slopes from x to x + h, for each step h, computed in a dtype; nan if the step is lost (x + h is x)."""
    x = torch.tensor([x, *x + np.array(steps)], dtype=getattr(torch, dtype))
    run, rise = (np.float64(each - each[0])[1:] for each in (x.numpy(), f(x).numpy()))
    return np.divide(rise, run, where=run != 0, out=np.full_like(run, math.nan))


def broken_at(f, x):
    """Why f has no derivative at x, "corner", "jump" or "", and the slopes from the left and the right.

    At a corner the slopes stay apart however short the step is; at a jump the rise stays.
    """
    steps = np.outer((-1, 1), SHORT)
    slopes = secants_of(f, x, steps.flatten(), "float64").reshape(steps.shape)
    rises, ends = abs(slopes * steps), slopes[:, -1]
    apart = np.ptp(ends)
    jump = (rises.min(1) > 0.9 * rises.max(1)).any()
    corner = np.ptp(slopes, axis=1).max() < 0.05 * apart
    return "jump" if jump else "corner" if corner else "", *np.where(abs(ends) > 1e-6 * apart, ends, 0)


def tangent(function, x=1.0, *, h=1.0, formula=""):
    """A curve with a point to drag: its tangent there, the secant over a step h, and the distance between the slopes.

    function: an expression of x such as "log(x**3)", which the learner may change; x, h: numbers; formula: the
    derivative as an expression of x, to compare with.

    >>> from autograd_nb import widgets
    >>> widgets.tangent("log(x**3)", x=5., h=0.1, formula="3/x")
    log(x**3): At x = 5 autograd gives the slope 0.6; over h = 0.1 the secant has 0.5941 in float32.
    """
    return Tangent(**locals())
