"""A curve, a point to drag, its tangent and a secant: the derivative by limit, by formula and by autograd.

Every slope comes from a run of the engine: secants in float32 and float64 by `figures.slope_over`, the derivative by
`backward` of a recorded program, whose sentences say how it was found.
"""

import math
from functools import lru_cache

import numpy as np
from traitlets import Bool, List, Unicode

import autograd_nb as torch

from ..drawing.figures import slope_over
from ..drawing.shapes import COLOURS, clean
from ..learner.executing import execute
from ..learner.programs import Line, Refused, compiled, of_function, taken_apart, written
from ..microscope.values import short
from ..words import of
from .chart import Chart, ring, room
from .kit import Finite, Live, called, picture, seen, setting

SAY = of("widgets")["tangent"]

BLUE, GREEN, ORANGE, QUIET = (COLOURS[each] for each in ("leaf", "grad", "gradient", "constant"))
POINTS = 201  # of the curve
STEPS = tuple(10.0 ** (-quarter / 4) for quarter in range(-2, 49))  # 3 down to 1e-12
NONE = 1e-12  # an error that is nothing but the last digit of float64
SIZE = 400, 350  # of each picture
DTYPES = {"float32": torch.float32, "float64": torch.float64}


class Tangent(Live):
    """The widget that `tangent` makes; ``rows`` are the slopes and ``links`` the sentences that it shows."""

    files = "tangent"
    own_words = SAY
    function = setting(Unicode())  # "" where a function was handed in
    formula = setting(Unicode())
    x = setting(Finite())
    h = setting(Finite())
    typed = seen(Bool())  # whether the function is an expression, which can be changed
    window, axis = seen(List()), seen(List())  # what x the curve is drawn for, and where in pixels of the picture
    curve, curve_change = picture()
    errors, errors_change = picture()
    rows, links = seen(List()), seen(List())

    def __init__(self, f, x, h, formula):
        typed = isinstance(f, str)
        self.given, self.budget = (None, False) if typed else (f, True)
        self.around = max(2.0, abs(x) * 0.8)  # how far the curve goes to either side
        self.curve_of, self.errors_of = lru_cache(1)(curve_of), lru_cache(1)(errors_of)
        super().__init__(typed=typed, function=f if typed else "", formula=formula, x=float(x), h=float(h))
        self.begin()

    def find(self):
        if not self.h:
            raise Refused(SAY["no_step"])
        if self.budget:
            f, (statements, names) = self.given, of_function(self.given, ["x"])
        else:
            f, statements, names = compiled(self.function, ("x",)), taken_apart(self.function, ["x"]), {}
        value, slope, links = self.by_autograd(statements, names)
        if not self.window or not self.window[0] <= self.x <= self.window[1]:  # it moves only when x leaves it
            self.window = [self.x - self.around, self.x + self.around]
        secants = {name: slope_over(f, self.x, self.h, dtype) for name, dtype in DTYPES.items()}
        curve = self.curve_of(f, *self.window)
        return value, slope, links, secants, self.by_formula(slope), curve, self.errors_of(f, self.x, self.h > 0, slope)

    def tell(self, value, slope, links, secants, by_formula, curve, errors):
        self.name = clean(self.function or getattr(self.given, "__name__", "f"))
        self.rows, self.links = list(self.rows_of(secants, by_formula, slope)), links
        self.last = {"x": told(self.x), "h": told(self.h), "slope": told(slope),
                     "secant": self.told_secant(secants["float32"], "float32", SAY["number"])}  # fmt: skip
        self.status = SAY("status", **self.last)
        # The first is stored; the errors' last digits, and so their picture, differ from machine to machine.
        self.draw(curve=self.draw_curve(curve, value, slope, secants["float32"]),
                  errors=self.draw_errors(errors, secants, slope))  # fmt: skip

    # -- the numbers -------------------------------------------------------------------------------------------------

    def by_autograd(self, statements, names):
        result = statements[-1].name
        lines = [f"x = torch.tensor({self.x!r}, dtype=torch.float64, requires_grad=True)",
                 *(f"{each.name} = {each.code}" for each in statements), f"{result}.backward()"]  # fmt: skip
        lines = [Line(each, "forward") for each in lines]
        outcome = execute(lines, ["x", result], {**names, "torch": torch}, budget=self.budget)
        x, y = outcome.tensors.get("x"), outcome.tensors.get(result)
        if y is not None and not math.isfinite(y.item()):
            raise Refused(SAY("not_finite", x=short(self.x), value=short(y.item())))
        if outcome.error:
            raise Refused(outcome.error[1])
        slope = 0.0 if x.grad is None else x.grad.item()
        if not math.isfinite(slope):
            raise Refused(SAY("no_slope", x=short(self.x), value=short(y.item()), slope=short(slope)))
        return y.item(), slope, [step.sentence for step in outcome.trace.steps() if step.kind == "Ran"]

    def by_formula(self, slope):
        """The formula's value and how far off it is, as texts."""
        if not self.formula.strip():
            return SAY["no_formula"], ""
        try:
            found = float(compiled(self.formula, ("x",))(torch.tensor(self.x, dtype=torch.float64)))
        except (Refused, ArithmeticError, RuntimeError, TypeError) as error:
            raise Refused(SAY("bad_formula", cause=error)) from None
        return f"{found:.10g}", f"{abs(found - slope):.2e}"

    def rows_of(self, secants, by_formula, slope):
        for dtype, secant in secants.items():
            distance = "" if math.isnan(secant) else f"{abs(secant - slope):.2e}"
            yield [SAY("secant", dtype=dtype), self.told_secant(secant, dtype, "{:.10g}"), distance]
        yield [SAY("by_formula", formula=self.formula.strip()), *by_formula]
        yield [SAY["autograd"], f"{slope:.10g}", ""]

    def told_secant(self, secant, dtype, form="{short}"):
        if math.isnan(secant):
            return SAY("lost", dtype=dtype)
        return form.format(secant, short=told(secant), dtype=dtype)

    # -- the pictures ------------------------------------------------------------------------------------------------

    def draw_curve(self, points, value, slope, secant):
        # A curve that runs away in a corner does not flatten the rest: all but a tenth of it set the scale.
        known = [y for _, y in points if math.isfinite(y)] or [value]
        low, high = np.quantile(known, (0.05, 0.95))
        finite = [y for y in known if 2 * low - high <= y <= 2 * high - low]
        chart = Chart((*self.window, "x"), (*room([*finite, value]), ""), SIZE, 2)
        self.axis = chart.sides
        there = [(self.x + self.h, value + secant * self.h)] if math.isfinite(secant) else []

        def straight(steepness):
            return [(end, value + steepness * (end - self.x)) for end in self.window]

        by_step = SAY("secant_label", h=self.last["h"], slope=self.told_secant(secant, "float32"))
        return chart.picture(
            SAY("chart", name=clean(self.name, 30), x=self.last["x"]),
            chart.series("curve", BLUE, points, width=2.5, gaps=True),
            chart.series("tangent", GREEN, straight(slope), [(self.x, value)],
                         SAY("tangent_label", slope=self.last["slope"]), radius=6),
            chart.series("secant", ORANGE, straight(secant), there, by_step, dash=(6, 4), radius=4, mark=ring),
            text=self.as_text())  # fmt: skip

    def draw_errors(self, errors, secants, slope):
        chart = Chart((-12, 1, SAY["step_axis"]), (-16, 1, SAY["error_axis"]), SIZE, 2, powers=True)
        series = []
        for dtype, ink, dash, radius in (("float32", ORANGE, (), 7), ("float64", BLUE, (5, 3), 4)):  # both are seen
            here = powers([(abs(self.h), abs(secants[dtype] - slope))])
            label = told_errors(errors[dtype], dtype)
            series.append(chart.series(dtype, ink, powers(errors[dtype]), here, label, 1.8, dash, radius, ring))
        now = math.log10(abs(self.h))
        step = chart.series("step", QUIET, [(now, -16), (now, 1)], width=1, dash=(2, 3))
        return chart.picture(SAY("error_chart", x=told(self.x)), *series, step)

    # -- stored forms ------------------------------------------------------------------------------------------------

    def as_code(self):
        what = repr(self.function) if self.given is None else written(self.given)
        return called(tangent, what, x=self.x, h=self.h, formula=self.formula)

    def as_text(self):
        return SAY("text", name=self.name, **self.last)


def curve_of(f, start, end):
    """Points of the curve; nan where f fails: the curve has a gap there."""
    points = []
    for x in torch.linspace(start, end, POINTS, dtype=torch.float64):
        try:
            points.append((x.item(), f(x).item()))
        except Exception:
            points.append((x.item(), math.nan))
    return points


def errors_of(f, x, right, slope):
    """How far the slopes over all steps to one side are from the true one: ``{dtype: [(step, error)]}``."""
    side = 1 if right else -1
    return {name: [(h, abs(slope_over(f, x, side * h, dtype) - slope)) for h in STEPS]
            for name, dtype in DTYPES.items()}  # fmt: skip


def told_errors(errors, dtype):
    """What is said of errors: the smallest with its step, whether all are alike, or that none is left.

    Those beside the smallest are not larger: one alone may be luck.
    """
    known = [(h, error) for h, error in errors if error and not math.isnan(error)]
    least, most = (choose((error for _, error in known), default=0) for choose in (min, max))
    kind = "exact" if most < NONE else "everywhere" if most < 1.5 * least else "best"
    threes = zip(known, known[1:], known[2:], strict=False)
    lasting = [(max(error for _, error in three), three[1][0]) for three in threes]
    error, h = min(lasting, default=(math.nan, math.nan))
    return SAY(kind, dtype=dtype, error=f"{error:.0e}" if error < 0.01 else f"{error:.1g}", h=f"{h:.0e}")


def told(number):
    """A number in a sentence, where "5." would end it."""
    return short(number).removesuffix(".")


def powers(points):
    """Points by the powers of ten that their numbers are; no error at all has none."""
    return [(math.log10(h), math.log10(error)) for h, error in points if error]


def tangent(f, x=1.0, *, h=1.0, formula=""):
    """A curve with a point to drag: its tangent there, the secant over a step h, and how far the slopes are apart.

    f: an expression of x such as "log(x**3)", which may be changed in the widget, or a function from a 0-d tensor to
    one. x, h: numbers; formula: the derivative as an expression of x, to compare with.

    >>> from autograd_nb import widgets
    >>> widgets.tangent("log(x**3)", x=5., h=0.1, formula="3/x")
    log(x**3) at x = 5: autograd gives the slope 0.6. The secant over h = 0.1 has slope 0.5941 in float32.
    """
    return Tangent(f, x, h, formula)
