"""A curve, a point to drag, its tangent and a secant: the derivative by limit, by formula and by autograd.

Every slope comes from a run of the engine: secants in float32 and float64 by `figures.slope_over`, the derivative by
`backward` of a recorded program, whose sentences say how it was found.
"""

import math
from functools import lru_cache

from traitlets import Bool, Dict, List, Unicode

import autograd_nb as torch

from ..drawing.figures import slope_over
from ..drawing.shapes import COLOURS, PAPER, QUIET, Group, Rectangle, Text, clean
from ..learner.executing import execute
from ..learner.programs import Line, Refused, compiled, of_function, taken_apart, written
from ..microscope.values import short
from ..words import of
from .kit import Finite, Lesson, front_end
from .plots import Axes, room

SAY = of("widgets")["tangent"]

BLUE, GREEN, ORANGE = COLOURS["leaf"].edge, COLOURS["grad"].edge, COLOURS["gradient"].edge
GREEN_INK, ORANGE_INK = COLOURS["grad"].text, COLOURS["gradient"].text  # text in these colours
POINTS = 201  # of the curve
STEPS = tuple(10.0 ** (-quarter / 4) for quarter in range(-2, 49))  # 3 down to 1e-12
NONE = 1e-12  # an error that is nothing but the last digit of float64
WIDTH, HEIGHT = 420, 350  # of each picture
DTYPES = {"float32": torch.float32, "float64": torch.float64}


class Tangent(Lesson):
    """The widget that `tangent` makes; ``rows`` are the slopes and ``links`` the sentences that it shows."""

    module, _css = front_end("tangent")
    own_words = SAY
    function = Unicode().tag(sync=True, state=True)  # "" where a function was handed in
    formula = Unicode().tag(sync=True, state=True)
    x = Finite().tag(sync=True, state=True)
    h = Finite().tag(sync=True, state=True)
    typed = Bool().tag(sync=True)  # whether the function is an expression, which can be changed
    name = Unicode().tag(sync=True)
    window = List().tag(sync=True)  # what x the curve is drawn for
    axis = List().tag(sync=True)  # where these ends are, in pixels of the picture
    curve, curve_change = Dict().tag(sync=True), Dict().tag(sync=True)
    errors, errors_change = Dict().tag(sync=True), Dict().tag(sync=True)
    rows, links = List().tag(sync=True), List().tag(sync=True)
    status = Unicode().tag(sync=True)

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
        return value, slope, links, secants, self.by_formula(), curve, self.errors_of(f, self.x, self.h > 0, slope)

    def tell(self, value, slope, links, secants, by_formula, curve, errors):
        self.name = clean(self.function or getattr(self.given, "__name__", "f"))
        self.rows = list(self.rows_of(secants, by_formula, slope))
        self.links = links
        self.last = {"x": told(self.x), "h": told(self.h), "slope": told(slope),
                     "secant": self.told_secant(secants["float32"], "float32", SAY["number"])}  # fmt: skip
        self.status = SAY["status"].format(**self.last)
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
            raise Refused(SAY["not_finite"].format(x=short(self.x), value=short(y.item())))
        if outcome.error:
            raise Refused(outcome.error[1])
        slope = 0.0 if x.grad is None else x.grad.item()
        if not math.isfinite(slope):
            raise Refused(SAY["no_slope"].format(x=short(self.x), value=short(y.item()), slope=short(slope)))
        return y.item(), slope, [step.sentence for step in outcome.trace.steps() if step.kind == "Ran"]

    def by_formula(self):
        if not self.formula.strip():
            return None
        try:
            return float(compiled(self.formula, ("x",))(torch.tensor(self.x, dtype=torch.float64)))
        except (Refused, ArithmeticError, RuntimeError, TypeError) as error:
            raise Refused(SAY["bad_formula"].format(cause=error)) from None

    def rows_of(self, secants, by_formula, slope):
        for dtype, secant in secants.items():
            distance = "" if math.isnan(secant) else f"{abs(secant - slope):.2e}"
            yield [SAY["secant"].format(dtype=dtype), self.told_secant(secant, dtype, "{:.10g}"), distance]
        found = SAY["no_formula"], ""
        if by_formula is not None:
            found = f"{by_formula:.10g}", f"{abs(by_formula - slope):.2e}"
        yield [SAY["by_formula"].format(formula=self.formula.strip()), *found]
        yield [SAY["autograd"], f"{slope:.10g}", ""]

    def told_secant(self, secant, dtype, form="{short}"):
        if math.isnan(secant):
            return SAY["lost"].format(dtype=dtype)
        return form.format(secant, short=told(secant), dtype=dtype)

    # -- the pictures ------------------------------------------------------------------------------------------------

    def draw_curve(self, points, value, slope, secant):
        # A curve that runs away in a corner does not flatten the rest: the tenth and ninetieth hundredth set the scale.
        known = sorted(y for _, y in points if math.isfinite(y)) or [value]
        low, high = known[len(known) // 20], known[-1 - len(known) // 20]
        finite = [y for y in known if low - (high - low) <= y <= high + (high - low)]
        axes = Axes(56, 34, WIDTH - 76, HEIGHT - 76, self.window, room([*finite, value]))
        self.axis = [axes.x, axes.x + axes.width]
        there = [(self.x + self.h, value + secant * self.h)] if math.isfinite(secant) else []

        def straight(steepness):
            return [(end, value + steepness * (end - self.x)) for end in self.window]

        lines = axes.line(straight(slope), GREEN, 2)
        cut = axes.line(straight(secant), ORANGE, 2, (6, 4)) if there else []
        secant_label = SAY["secant_label"].format(h=self.last["h"], slope=self.told_secant(secant, "float32"))
        notes = [(SAY["tangent_label"].format(slope=self.last["slope"]), GREEN_INK), (secant_label, ORANGE_INK)]
        shapes = [
            axes.frame(SAY["chart"].format(name=clean(self.name, 30), x=self.last["x"]), "x", ""),
            Group("curve", tuple(axes.line(points, BLUE, 2.5, gaps=True))),
            Group("secant", (*cut, *axes.dots(there, ORANGE, 4, "#FFFFFF"))),
            Group("tangent", (*lines, *axes.dots([(self.x, value)], GREEN, 6))),
            Group("notes", labelled(axes.x + 8, axes.y + 18, notes)),
        ]
        return shapes, (WIDTH, HEIGHT), self.name, self.as_text()

    def draw_errors(self, errors, secants, slope):
        axes = Axes(56, 34, WIDTH - 76, HEIGHT - 76, (1e-12, 10.0), (1e-16, 10.0), True)
        now = {dtype: [(abs(self.h), abs(secant - slope))] for dtype, secant in secants.items()}
        shapes = [axes.frame(SAY["error_chart"].format(x=told(self.x)), SAY["step_axis"], SAY["error_axis"])]
        said = []
        for place, (dtype, colour, ink) in enumerate((("float32", ORANGE, ORANGE_INK), ("float64", BLUE, BLUE))):
            known = [(h, error) for h, error in errors[dtype] if error]  # no error at all has no place on this axis
            shapes.append(Group(f"errors {dtype}", tuple(axes.line(known, colour, 1.8, (5, 3) if place else ()))))
            said.append((SAY[how_good(known)].format(dtype=dtype, **best_of(known)), ink))
            radius = 4 if place else 7  # both can be seen where they meet
            shapes.append(Group(f"now {dtype}", tuple(axes.dots(now[dtype], colour, radius, "#FFFFFF"))))
        line = axes.line([(abs(self.h), 1e-16), (abs(self.h), 10.0)], QUIET, 1, (2, 3))
        shapes += [Group("step", tuple(line)), Group("best", labelled(axes.x + 8, axes.y + axes.height - 28, said))]
        return shapes, (WIDTH, HEIGHT), SAY["errors"], SAY["errors"]

    # -- stored forms ------------------------------------------------------------------------------------------------

    def as_code(self):
        what = repr(self.function) if self.given is None else written(self.given)
        formula = f", formula={self.formula!r}" if self.formula else ""
        return f"autograd_nb.widgets.tangent({what}, x={self.x!r}, h={self.h!r}{formula})"

    def as_text(self):
        return SAY["text"].format(name=self.name, **self.last)


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


def best_of(known):
    """The smallest error and its step, of errors that are drawn: those beside it are not larger; one may be luck."""
    known = [each for each in known if not math.isnan(each[1])]
    threes = zip(known, known[1:], known[2:], strict=False)
    lasting = [(max(error for _, error in three), three[1][0]) for three in threes]
    error, h = min(lasting, default=(math.nan, math.nan))
    return {"error": f"{error:.0e}" if error < 0.01 else f"{error:.1g}", "h": f"{h:.0e}"}


def how_good(known):
    """Which sentence tells of errors: "best", "everywhere" where all are alike, or "exact" where none is left."""
    errors = [error for _, error in known if not math.isnan(error)]
    return "exact" if max(errors, default=0) < NONE else "everywhere" if max(errors) < 1.5 * min(errors) else "best"


def told(number):
    """A number in a sentence, where "5." would end it."""
    return short(number).removesuffix(".")


def labelled(x, y, notes):
    """Texts below each other, each ``(text, ink)``, on grounds of their own, so that lines may pass behind them."""
    texts = [Text(x, y + 17 * place, text, 12, ink, "start", True) for place, (text, ink) in enumerate(notes)]
    return tuple(each for text in texts for each in (Rectangle(x - 3, text.y - 13, text.width + 6, 17, PAPER), text))


def tangent(f, x=1.0, *, h=1.0, formula=""):
    """A curve with a point to drag: its tangent there, the secant over a step h, and how far the slopes are apart.

    f: an expression of x such as "log(x**3)", which may be changed in the widget, or a function from a 0-d tensor to
    one. x, h: numbers; formula: the derivative as an expression of x, to compare with.

    >>> from autograd_nb import widgets
    >>> widgets.tangent("log(x**3)", x=5., h=0.1, formula="3/x")
    log(x**3) at x = 5: autograd gives the slope 0.6. The secant over h = 0.1 has slope 0.5941 in float32.
    """
    return Tangent(f, x, h, formula)
