"""A curve, a point to drag, its tangent and a secant: the derivative by limit, by formula and by autograd.

Every slope comes from a run of the engine: secants in float32 and float64 by `figures.slope_over`, the derivative by
`backward` under a recording, whose sentences say how it was found.
"""

import math
from functools import lru_cache

import numpy as np

import autograd_nb as torch

from ..drawing.figures import slope_over
from ..drawing.shapes import COLOURS, clean
from ..learner.programs import Refused, compiled, function_text, taken_apart
from ..microscope.values import short
from ..words import of
from .chart import Chart, ring, room
from .kit import call_text
from .lesson import STATUS, Lesson, beside, chart, field, grid, listing, note, part, slider, stack, table

SAY = of("widgets")["tangent"]

BLUE, GREEN, ORANGE, QUIET = (COLOURS[each] for each in ("leaf", "grad", "gradient", "constant"))
POINTS = 201  # of the curve
STEPS = tuple(10.0 ** (-quarter / 4) for quarter in range(-2, 49))  # 3 down to 1e-12
SHORT = 1e-3, 1e-4, 1e-5  # steps that show a corner or a jump
NONE = 1e-12  # an error that is nothing but the last digit of float64
SIZE = 400, 330  # of each picture
DTYPES = {"float32": torch.float32, "float64": torch.float64}


class Tangent(Lesson):
    """The widget that `tangent` makes."""

    name, own_words = "tangent", SAY
    function, formula = field(), field()  # the first is "" where a function was handed in
    x, h = slider(-2, 2, 0.01), slider(1e-12, 3, log=True, signed=True)

    def __init__(self, f, **settings):
        self.given = None if isinstance(f, str) else f
        self.budget = self.given is not None
        self.around = max(2.0, abs(settings["x"]) * 0.8)  # how far the curve goes to either side
        self.window = 1.0, -1.0  # none yet
        super().__init__(function="" if self.given else f, **settings)

    @property
    def page(self):
        typed = ["function"] * (not self.given)
        return (
            grid(*typed, "formula", "x", "h", part("sign", "h", label=SAY["side"])),
            beside(stack(chart("curve", drag=["x"]), STATUS), stack(chart("errors"), note("error_note"))),
            beside(table("slopes", columns=SAY["columns"]), listing("links")),
        )  # fmt: skip

    def run(self):
        if not self.h:
            raise Refused(SAY["no_step"])
        if not self.given:
            taken_apart(self.function, ["x"])  # refuses what computes nothing
        f = self.given or compiled(self.function, ("x",))
        value, slope, links = self.by_autograd(f)
        if not self.window[0] <= self.x <= self.window[1]:  # it moves only when x leaves it
            self.window = self.x - self.around, self.x + self.around
        title = clean(self.function or getattr(self.given, "__name__", "f"))
        secants = {name: slope_over(f, self.x, self.h, dtype) for name, dtype in DTYPES.items()}
        secant = secants["float32"]
        facts = {"x": number_text(self.x), "h": number_text(self.h), "slope": number_text(slope),
                 "secant": told_secant(secant, "float32", SAY["number"])}  # fmt: skip
        broken = broken_at(f, self.x)
        told_break = ""
        if broken:
            told_break = SAY(broken[0], **facts, left=number_text(broken[1]), right=number_text(broken[2]))
        text = " ".join(filter(None, (SAY("text", name=title, **facts), told_break)))
        return {
            "status": told_break or SAY("status", **facts), "text": text, "links": links, "ranges": {"x": self.window},
            "error_note": SAY["no_limit" if broken else "error_note"],
            "slopes": list(self.rows(secants, slope)),
            # The first is stored; the errors' last digits, and so their picture, differ from machine to machine.
            "curve": self.draw_curve(f, title, value, slope, secant, broken, text),
            "errors": self.draw_errors(errors_of(f, self.x, self.h > 0, slope), secants, slope),
        }  # fmt: skip

    # -- the numbers -------------------------------------------------------------------------------------------------

    def by_autograd(self, function):
        """The value, the slope, and what each link of the chain did to it."""
        with torch.enable_grad(), torch.record() as trace:
            x = torch.tensor(self.x, dtype=torch.float64, requires_grad=True)
            f = function(x)
            value = f.item()
            if not math.isfinite(value):
                raise Refused(SAY("not_finite", x=short(self.x), value=short(value)))
            f.backward()
        slope = 0.0 if x.grad is None else x.grad.item()
        if not math.isfinite(slope):
            raise Refused(SAY("no_slope", x=short(self.x), value=short(value), slope=short(slope)))
        return value, slope, [step.sentence for step in trace.steps() if step.kind == "Ran"]

    def rows(self, secants, slope):
        for dtype, secant in secants.items():
            distance = "" if math.isnan(secant) else f"{abs(secant - slope):.2e}"
            yield [SAY("secant", dtype=dtype), told_secant(secant, dtype, "{:.10g}"), distance]
        found, distance = SAY["no_formula"], ""
        if self.formula.strip():
            try:
                number = float(compiled(self.formula, ("x",))(torch.tensor(self.x, dtype=torch.float64)))
            except (Refused, ArithmeticError, RuntimeError, TypeError) as error:
                raise Refused(SAY("bad_formula", cause=error)) from None
            found, distance = f"{number:.10g}", f"{abs(number - slope):.2e}"
        yield [SAY("by_formula", formula=self.formula.strip()), found, distance]
        yield [SAY["autograd"], f"{slope:.10g}", ""]

    # -- the pictures ------------------------------------------------------------------------------------------------

    def draw_curve(self, f, title, value, slope, secant, broken, text):
        points = curve_of(f, *self.window)
        # A curve that runs away in a corner does not flatten the rest: all but a tenth of it set the scale.
        known = [y for _, y in points if math.isfinite(y)] or [value]
        low, high = np.quantile(known, (0.05, 0.95))
        finite = [y for y in known if 2 * low - high <= y <= 2 * high - low]
        axes = Chart((*self.window, "x"), (*room([*finite, value]), ""), SIZE, 2)
        there = [(self.x + self.h, value + secant * self.h)] if math.isfinite(secant) else []

        def straight(steepness):
            return [(end, value + steepness * (end - self.x)) for end in self.window]

        label = SAY("no_tangent" if broken else "tangent_label", slope=number_text(slope))
        return axes.picture(
            SAY("chart", name=clean(title, 30), x=number_text(self.x)),
            axes.series("curve", BLUE, points, width=2.5, gaps=True),
            axes.series("tangent", GREEN, () if broken else straight(slope), [(self.x, value)], label, radius=6),
            axes.series("secant", ORANGE, straight(secant), there,
                        SAY("secant_label", h=number_text(self.h), slope=told_secant(secant, "float32")), dash=(6, 4),
                        radius=4, mark=ring), text=text)  # fmt: skip

    def draw_errors(self, errors, secants, slope):
        axes = Chart((-12, 1, SAY["step_axis"]), (-16, 1, SAY["error_axis"]), SIZE, 2, powers=True)
        series = []
        for dtype, ink, dash, radius in (("float32", ORANGE, (), 7), ("float64", BLUE, (5, 3), 4)):  # both are seen
            here = powers([(abs(self.h), abs(secants[dtype] - slope))])
            label = told_errors(errors[dtype], dtype)
            series.append(axes.series(dtype, ink, powers(errors[dtype]), here, label, 1.8, dash, radius, ring))
        now = math.log10(abs(self.h))
        step = axes.series("step", QUIET, [(now, -16), (now, 1)], width=1, dash=(2, 3))
        return axes.picture(SAY("error_chart", x=number_text(self.x)), *series, step)

    def as_code(self):
        what = function_text(self.given) if self.given else repr(self.function)
        return call_text(tangent, what, x=self.x, h=self.h, formula=self.formula)


@lru_cache(4)
def curve_of(f, start, end):
    """Points of the curve; nan where f fails: the curve has a gap there."""
    points = []
    for x in torch.linspace(start, end, POINTS, dtype=torch.float64):
        try:
            points.append((x.item(), f(x).item()))
        except Exception:
            points.append((x.item(), math.nan))
    return points


@lru_cache(4)
def errors_of(f, x, right, slope):
    """How far the slopes over all steps to one side are from the true one: ``{dtype: [(step, error)]}``."""
    side = 1 if right else -1
    return {name: [(h, abs(slope_over(f, x, side * h, dtype) - slope)) for h in STEPS]
            for name, dtype in DTYPES.items()}  # fmt: skip


def broken_at(f, x):
    """Where f has no derivative at x: ("corner", slopes from the left and the right) or ("jump", …), else None.

    At a corner the slopes stay apart however short the step is; at a jump the rise stays.
    """
    left, right = ([slope_over(f, x, side * h, torch.float64) for h in SHORT] for side in (-1, 1))
    spread = max(max(slopes) - min(slopes) for slopes in (left, right))
    rises = [[abs(slope * h) for slope, h in zip(slopes, SHORT, strict=True)] for slopes in (left, right)]
    if any(min(each) > 0.9 * max(each) > 0 for each in rises):
        return "jump", left[-1], right[-1]
    apart = abs(left[-1] - right[-1])
    slopes = [slope if abs(slope) > 1e-6 * apart else 0.0 for slope in (left[-1], right[-1])]
    return ("corner", *slopes) if spread < 0.05 * apart else None


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


def told_secant(secant, dtype, form="{short}"):
    if math.isnan(secant):
        return SAY("lost", dtype=dtype)
    return form.format(secant, short=number_text(secant), dtype=dtype)


def number_text(number):
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
    return Tangent(f, x=float(x), h=float(h), formula=formula)
