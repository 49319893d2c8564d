"""A curve, a point to drag, its tangent and a secant: the derivative by limit, by formula and by autograd.

Every slope comes from a run of the engine: secants in float32 and float64, the derivative by backward under a
recording, whose sentences say how it was found.
"""

import math

import numpy as np

import autograd_nb as torch

from ..learner.programs import compiled, taken_apart
from ..microscope.labels import clean
from .chart import Plot, room
from .lesson import Lesson, beside, expression, grid, listing, slider, stack, table

POINTS = 201  # of the curve
STEPS = 10.0 ** (np.arange(2, -49, -1) / 4)  # 3 down to 1e-12
SHORT = 1e-3, 1e-4, 1e-5  # steps that show a corner or a jump
NONE = 1e-12  # a smaller error lies only in the last digit of float64
SIZE = 400, 270  # of each picture


class Tangent(Lesson):
    """The widget that `tangent` makes."""

    function, formula = expression(), expression()
    x, h = slider(-2, 2, 0.01), slider(1e-12, 3, log=True, signed=True)
    window = 1.0, -1.0  # none yet
    page = (
        grid("function", "formula", "x", "h"),
        # The first is stored; the errors' last digits, and so their picture, differ from machine to machine.
        beside(stack("curve", "status"), stack("errors", "error_note")),
        beside(table("slopes", columns="columns"), listing("links")),
    )

    def run(self, function, formula, x, h):
        if not h:
            self.refuse("no_step")
        taken_apart(function, ["x"])  # refuses an expression that computes nothing
        f, name = compiled(function, ("x",)), clean(function, 30)
        with torch.enable_grad(), torch.record() as trace:
            x = torch.tensor(x, dtype=torch.float64, requires_grad=True)
            y = f(x)
            (slope,) = torch.autograd.grad(y, x, materialize_grads=True)
        x, value, slope = x.item(), y.item(), slope.item()
        if not math.isfinite(value + slope):
            self.refuse("no_slope", value=value, slope=slope)
        if not self.window[0] <= x <= self.window[1]:  # it moves only when x leaves it
            around = max(2.0, abs(x) * 0.8)
            self.window = x - around, x + around
        steps = np.array([h, *math.copysign(1, h) * STEPS])
        secants = {dtype: secants_of(f, x, steps, dtype) for dtype in ("float32", "float64")}
        over, (broken, left, right) = secants["float32"][0], broken_at(f, x)
        secant = self.say("float32_none" if math.isnan(over) else "float32", secant=over)
        places = np.linspace(*self.window, POINTS)
        known = f(torch.from_numpy(places)).numpy()
        series, least = {}, {}
        for dtype, style in (("float32", "gradient 1.8 7 ring"), ("float64", "leaf 1.8 4 ring dashed")):
            points = np.stack([abs(steps), abs(secants[dtype] - slope)], axis=1)
            series[dtype], least[dtype] = (style, points[1:], points[:1]), self.least(*points[1:].T)
        errors = Plot(SIZE, ("step", -12, 1, "1e"), ("error", -16, 1, "1e"), 2, **series,
                      step=("constant 1 0 dotted", [(abs(h), 1e-16), (abs(h), 10)]))  # fmt: skip
        tangent, line = ([(end, value + slope * (end - x)) for end in self.window] for slope in (slope, over))
        curve = Plot(SIZE, ("x", *self.window), ("", *most_of(known, value)), 2, ["x"],
                     curve=("leaf 2.5 0 gaps", np.stack([places, known], axis=1)),
                     **{"no_tangent" if broken else "tangent": ("grad 2 6", [] if broken else tangent, [(x, value)])},
                     secant=("gradient 2 4 ring dashed", line, [(x + h, value + over * h)]))  # fmt: skip
        slopes, links = [*self.rows(secants, slope)], [step.sentence for step in trace.steps() if step.kind == "Ran"]
        status, ranges, error_note = [broken or "status"], {"x": self.window}, "no_limit" if broken else "error_note"
        return locals() | least

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

    def least(self, steps, errors):
        """A sentence about errors: the smallest with its step, or that all are alike, or that there are none.

        The smallest counts with its neighbours: one error alone may be small by luck.
        """
        errors, steps = errors[errors > 0], steps[errors > 0]
        if not (errors >= NONE).any():
            return self.own_words["exact"]
        lasting = np.lib.stride_tricks.sliding_window_view(np.pad(errors, 1, constant_values=math.inf), 3).max(1)
        error, h = (f"{each[lasting.argmin()]:.1g}" for each in (lasting, steps))
        return self.say("everywhere" if max(errors) < 1.5 * min(errors) else "best", error=error, h=h)


def most_of(values, value):
    """The ends of an axis for values; a tenth of them, which run away in a corner, do not flatten the rest."""
    known = np.append(values[np.isfinite(values)], value)
    low, high = np.quantile(known, (0.05, 0.95))
    return room([*known[(2 * low - high <= known) & (known <= 2 * high - low)], value])


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
