"""Figures of functions and numbers, drawn by matplotlib: curves, errors, bars.

Each function returns a `Figure`: the plot, its numbers as plain data, and a text that describes it. The figures do
without pyplot, so nobody has to close them.
"""

import base64
import io
import math
from functools import cache
from importlib import import_module
from itertools import cycle, pairwise

import numpy as np

import autograd_nb as torch

from ..microscope import presence
from ..microscope.labels import clean, escape, legible
from ..torch_api.absent import not_installed
from ..words import of

SAY = of("figures")
# Okabe-Ito colours, safe for colour-blind readers; dashes and markers distinguish lines if colour does not.
BLUE, ORANGE, GREEN, PURPLE, GREY = "#0072B2", "#D55E00", "#009E73", "#AA4499", "#6B7280"
DASHES = ("--", "-.", ":")
LOG = {"value": "log", "nonpositive": "mask"}  # an axis on which a number that is not positive has no place


class Figure:
    """A matplotlib figure to show; `data` has its numbers, `text` describes it."""

    def __init__(self, figure, data, text):
        if _fonts():
            for each in figure.findobj(lambda artist: hasattr(artist, "set_fontfamily")):
                each.set_fontfamily([*each.get_fontfamily(), *_fonts()])
        self.figure = figure
        self.data = data
        self.text = legible(text)

    def _repr_mimebundle_(self, include=None, exclude=None):
        picture = io.BytesIO()
        self.figure.savefig(picture, format="png", metadata={"Software": None})
        source = f"data:image/png;base64,{base64.b64encode(picture.getvalue()).decode()}"
        return {"text/html": f'<img alt="{escape(self.text)}" src="{source}">', "text/plain": self.text}

    def __repr__(self):
        return self.text


@cache
def _fonts():
    """The installed fonts with the letters of the current language, those of `figures.toml`."""
    there = {each.name for each in _matplotlib("font_manager").fontManager.ttflist}
    return [each for each in SAY["fonts"].split(", ") if each in there]


def _label(key, /, **facts):
    """A text in a picture: English where no font has the letters of the current language."""
    return (SAY if _fonts() else of("figures", "en"))(key, **facts)


def _matplotlib(part):
    """A module of matplotlib; ModuleNotFoundError if it is not installed."""
    try:
        return import_module(f"matplotlib.{part}")
    except ModuleNotFoundError:
        raise not_installed("a figure", "matplotlib") from None


def _figure(size):
    return _matplotlib("figure").Figure(figsize=size, dpi=96, layout="constrained", facecolor="white")


def _axes(title, across, up, size=(6.0, 3.6)):
    figure = _figure(size)
    axes = figure.add_subplot()
    axes.set(title=_plain(title), xlabel=_plain(across), ylabel=_plain(up), axisbelow=True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color="#E5E7EB", linewidth=0.8)
    return figure, axes


def _plain(text):
    """A text for a figure, where $ would begin a formula."""
    return clean(text, 60).replace("$", r"\$")


def tangent(f, x, steps=(), around=None, name="f", zero=False):
    """A curve, its tangent at x (its slope comes from autograd) and the secants from x to x + h for each h in `steps`.

    *around*: how far the curve goes to the left and right of x, a number or a pair. *zero*: also draw the line y = 0
    and the point where the tangent crosses it, which a step of Newton's method reaches.

    >>> chart = tangent(lambda x: x**2, 3.0, steps=(1.0, 0.5))
    >>> chart.data
    {'value': 9.0, 'slope': 6.0, 'secants': {1.0: 7.0, 0.5: 6.5}}
    """
    value, slope = _at(f, x)
    ends = {h: _at(f, x + h)[0] for h in steps}
    data = {"value": value, "slope": slope, "secants": {h: (end - value) / h for h, end in ends.items()}}
    around = around or max((1.5 * abs(h) for h in steps), default=1.0)
    before, after = around if isinstance(around, tuple) else (around, around)
    sides = np.array([x - before, x + after])
    curve = torch.linspace(*sides, 201, dtype=torch.float64)
    figure, axes = _axes(_label("tangent_title", name=name, x=x), "x", f"{name}(x)" if name.isidentifier() else name)
    axes.plot(curve.numpy(), f(curve).numpy(), color=BLUE, linewidth=2.5, label=_plain(name))
    slopes = {0: slope} | data["secants"]
    for (h, steepness), dashes in zip(slopes.items(), ("-", *DASHES * len(steps)), strict=False):
        key, colour = ("secant", ORANGE) if h else ("tangent", GREEN)
        named = _label(key, h=h, slope=steepness)
        axes.plot(sides, value + steepness * (sides - x), dashes, color=colour, linewidth=1.6, label=named)
    axes.plot([x + h for h in ends], [*ends.values()], "o", color=ORANGE)
    axes.plot([x], [value], "o", color=GREEN)
    said = [SAY("near", name=name, x=x, slope=slope)]
    said += [SAY("secants", h=h, slope=secant) for h, secant in data["secants"].items()]
    if zero:
        data["zero"] = x - value / slope
        axes.axhline(0.0, color=GREY, linewidth=1.2)
        axes.plot([data["zero"]], [0.0], "o", color=PURPLE, label=_label("zero", x=data["zero"]))
        said.append(SAY("zeros", x=data["zero"]))
    axes.legend(frameon=False)
    return Figure(figure, data, " ".join(said))


def _at(f, x):
    """The value of f at x, and its slope."""
    at = torch.tensor(float(x), dtype=torch.float64, requires_grad=True)
    y = f(at)
    return y.item(), torch.autograd.grad(y, at)[0].item()


def difference_error(f, x, steps=tuple(10.0 ** (-quarter / 4) for quarter in range(4, 37)), name="f", both=False):
    """How far the slope over a step h is from the derivative, for each h, in float32 and float64, on logarithmic axes.

    The step goes from x to x + h; with ``both=True``, from x - h to x + h.

    >>> chart = difference_error(lambda x: x**2, 3.0, steps=(0.5, 0.25))
    >>> chart.data["float64"]
    {0.5: 0.5, 0.25: 0.25}
    """
    _, slope = _at(f, x)
    error, step = {"name": name, "x": x}, "both" if both else "step"
    figure, axes = _axes(_label("error", **error), _label(step), _label("distance"))
    data, said = {}, [SAY("against", error=SAY("error", **error), step=SAY[step], most=max(steps), least=min(steps))]
    for dtype, colour, marker in ("float32", ORANGE, "o"), ("float64", BLUE, "s"):
        errors = data[dtype] = {h: abs(_slope_over(f, x, h, getattr(torch, dtype), both) - slope) for h in steps}
        axes.plot(*zip(*errors.items(), strict=True), marker=marker, markersize=4, color=colour, label=dtype)
        known = [error for _, error in sorted(errors.items(), reverse=True) if not math.isnan(error)]
        said.append(SAY("rises" if min(known) < known[-1] else "falls", dtype=dtype))
    axes.set_xscale("log")
    axes.set_yscale(**LOG)
    exact = sorted({h for errors in data.values() for h, error in errors.items() if error == 0})
    if exact and len(exact) < len(steps):
        axes.plot(exact, [axes.get_ylim()[0]] * len(exact), "v", color=GREEN, label=_label("luck"))
    axes.legend(frameon=False)
    return Figure(figure, data, " ".join(said))


def _slope_over(f, x, h, dtype, both=False):
    """The slope of f from x, or from x - h, to x + h, computed in a dtype; nan if the step is lost (x + h is x)."""
    here, there = (torch.tensor(float(x) + step, dtype=dtype) for step in (-h if both else 0.0, h))
    run = (there - here).item()
    return (f(there) - f(here)).item() / run if run else math.nan


def accumulation(states, name="x.grad"):
    """Bars of a gradient after each step; *states*: pairs of an action and the gradient after it, or None.

    >>> accumulation([("backward()", 0.6), ("zero_()", 0.0), ("x.grad = None", None)]).data
    [('backward()', 0.6), ('zero_()', 0.0), ('x.grad = None', None)]
    """
    data = [(step, None if value is None else float(value)) for step, value in states]
    said = ["None" if value is None else f"{value:.4g}" for _, value in data]
    figure, axes = _axes(_label("actions_title", name=name), _label("actions"), name)
    for place, (before, height) in enumerate(pairwise([0.0, *(value or 0.0 for _, value in data)])):
        kept = max(0.0, min(before, height))
        axes.bar(place, kept, color=GREY, width=0.6)
        axes.bar(place, height - kept, bottom=kept, color=GREEN, width=0.6, hatch="//", edgecolor="white")
        axes.annotate(said[place], (place, height), (0, 4), textcoords="offset points", ha="center", fontsize=11)
    axes.set_xticks(range(len(data)), [_plain(step) for step, _ in data])
    axes.axhline(0, color="#374151", linewidth=1)
    axes.margins(y=0.15)
    states = [SAY("later" if place else "first", action=data[place][0], grad=grad) for place, grad in enumerate(said)]
    return Figure(figure, data, SAY("states", name=name, states="; ".join(states)))


def loss(values):
    """The loss after each step of training, as a curve; several curves from a dict of them.

    A curve ends with a cross where the loss stops being finite.

    >>> loss([4.0, 2.0, 1.0]).data
    {'loss': [4.0, 2.0, 1.0]}
    >>> loss([4.0, math.nan]).text
    'The loss while training: loss starts at 4 and is nan after step 1.'
    """
    figure, axes, curves = _curves(values, "loss", _label("loss_title"), _label("number"), _label("loss"))
    told = []
    for name, curve, line in curves:
        end = next((step for step, value in enumerate(curve) if not math.isfinite(value)), len(curve))
        line.set_data(range(end), curve[:end])
        if 0 < end < len(curve):
            axes.plot(end - 1, curve[end - 1], "x", color=line.get_color(), markersize=10, markeredgewidth=3)
            told.append(SAY("ends", label=name, first=curve[0], last=curve[end], step=end))
        elif curve:
            told.append(SAY("falling", label=name, first=curve[0], last=curve[-1], steps=len(curve)))
    data = {name: curve for name, curve, _ in curves}
    return Figure(figure, data, SAY("losses", curves="; ".join(told) or SAY["no_step"]))


def _curves(values, name, *titles, first=0):
    """``(figure, axes, [(label, numbers, line)])``: a line for each curve of a dict, or for one of this name."""
    figure, axes = _axes(*titles)
    curves, drawn = values if isinstance(values, dict) else {name: values}, []
    for (named, curve), colour, dashes in zip(curves.items(), cycle((BLUE, ORANGE, GREEN, PURPLE, GREY)),
                                              cycle(("-", *DASHES)), strict=False):  # fmt: skip
        numbers = [*map(float, curve)]
        places = range(first, first + len(numbers))
        drawn.append((named, numbers, *axes.plot(places, numbers, dashes, color=colour, lw=2, label=_plain(named))))
    if curves.keys() != {name}:
        axes.legend(frameon=False)
    return figure, axes, drawn


def layers(sizes, of=None):
    """A size for each layer, the first layer first, on a scale of powers of ten; several curves from a dict of them.

    *of*: the name of the measured quantity, by default the gradient. A size that is 0 or not finite has no place on
    this scale and is left out.

    >>> layers({"sigmoid": [1e-9, 1e-3, 1.0]}).text
    'The size of the gradient at each layer: sigmoid 1e-09 at the first, 1 at the last.'
    """
    title = _label("sizes_title", of=of or _label("gradient"))
    figure, axes, curves = _curves(sizes, "", title, _label("layer"), "", first=1)
    axes.set_yscale(**LOG)
    axes.xaxis.get_major_locator().set_params(integer=True)
    told = [SAY("size", label=name, first=curve[0], last=curve[-1]).strip() for name, curve, _ in curves if curve]
    data = {name: curve for name, curve, _ in curves}
    return Figure(figure, data, SAY("sizes", of=of or SAY["gradient"], curves="; ".join(told) or SAY["no_layer"]))


def fit(x, y, lines, after):
    """A line that learns to run through points, after some of its steps, and beside it the curve of the loss.

    *x*, *y*: n numbers each; *lines*: the slope and the height at 0 before each step and after the last; *after*: the
    steps whose lines to draw. The loss is the mean of the squared distances.

    >>> fit([0., 1.], [1., 3.], [(0., 0.), (2., 1.)], after=(0, 1)).data
    {'lines': {0: (0.0, 0.0), 1: (2.0, 1.0)}, 'losses': [5.0, 0.0]}
    """
    x, y = _array(x), _array(y)
    losses = [float(f"{np.mean((w * x + b - y) ** 2):.6g}") for w, b in lines]
    data = {"lines": {step: lines[step] for step in after}, "losses": losses}
    figure, axes = _axes(_label("line_title"), "x", "y", (8.4, 3.4))
    beside = figure.add_subplot(1, 2, 2, title=_label("beside"), xlabel=_label("number"), xticks=[0, len(losses) - 1])
    axes.set_subplotspec(beside.get_subplotspec().get_gridspec()[0])
    axes.plot(x, y, "o", color=GREY)
    told = []
    inks = zip((ORANGE, PURPLE, BLUE), (*DASHES[:2], "-"), strict=True)
    for (step, (w, b)), (colour, dashes) in zip(data["lines"].items(), cycle(inks), strict=False):
        axes.plot(x, w * x + b, dashes, color=colour, linewidth=2, label=_label("after", step=step))
        beside.plot([step], [losses[step]], "o", color=colour)
        told.append(SAY("line", step=step, w=w, b=b, loss=losses[step]))
    beside.plot(losses, color=GREY, zorder=0)
    beside.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    return Figure(figure, data, SAY("lines", count=len(x), lines="; ".join(told)))


def _array(data):
    """Data of any library as an array."""
    return np.array(data.tolist() if hasattr(data, "tolist") else data, float)


def points(points, labels):
    """Points of the plane in two classes: *points*, (n, 2), and *labels*, n zeros and ones.

    >>> points([[0., 1.], [2., 3.]], [0, 1]).data
    {0: [[0.0, 1.0]], 1: [[2.0, 3.0]]}
    """
    figure, axes = _plane(_label("points_title"))
    data = _mark(axes, _array(points), _array(labels))
    return Figure(figure, data, SAY("points", counts=[*map(len, data.values())]))


def _plane(title):
    return _axes(title, _label("feature"), _label("other_feature"), (5.0, 4.2))


def _mark(axes, places, kinds):
    """Mark the points of both classes; returns {class: its points}."""
    chosen = {kind: places[kinds == kind] for kind in (0, 1)}
    for kind, colour, marker in ((0, BLUE, "o"), (1, ORANGE, "^")):
        axes.plot(*chosen[kind].T, marker, color=colour, markeredgecolor="white", label=_label("class", kind=kind))
    axes.legend(frameon=True)
    return {kind: own.tolist() for kind, own in chosen.items()}


def digits(images, titles=(), gradients=()):
    """Images of digits side by side, ten in a row, with a title each; *gradients* are drawn over them in colour.

    *images*: (n, pixels), squares of ink from 0 to 1; *gradients*: (n, pixels), blue where negative, orange where
    positive, each image with a scale of its own.

    >>> digits(torch.eye(2).reshape(1, 4), ["a stroke"]).data
    {'titles': ['a stroke'], 'images': [[[1.0, 0.0], [0.0, 1.0]]], 'gradients': []}
    """
    side, titles = math.isqrt(images.shape[1]), list(map(str, titles))
    images, inks = (np.reshape(each, (-1, side, side)) for each in (_array(images), _array(gradients)))
    count = len(images)
    across, down = min(count, 10), math.ceil(count / 10)
    figure = _figure((max(1.1 * across, 3.3), 1.4 * down))
    fading = _matplotlib("colors").LinearSegmentedColormap.from_list("gradient", [BLUE, (1, 1, 1, 0), ORANGE])
    for place, image in enumerate(images):
        axes = figure.add_subplot(down, across, place + 1, xticks=[], yticks=[])
        axes.set_title(titles[place] if titles else "", fontsize=10)
        axes.imshow(image, cmap="Greys", vmin=0, vmax=1)
        for ink in inks[place : place + 1]:
            most = abs(ink).max() or 1.0
            axes.imshow(ink, cmap=fading, vmin=-most, vmax=most, alpha=0.75)
    text = SAY("digit" if count == 1 else "digits", count=count)
    text = SAY("gradients", digits=text) if len(inks) else text
    data = {"titles": titles, "images": images.tolist(), "gradients": inks.tolist()}
    return Figure(figure, data, SAY("digits_of", digits=text, titles="; ".join(titles)) if titles else f"{text}.")


def decision_boundary(model, points, labels, resolution=60):
    """The line that a classifier of the plane draws between two classes, behind the points that it learnt from.

    *model*: from *points*, (n, 2), to n scores, positive for class 1; *labels*: n zeros and ones.

    >>> points = torch.tensor([[-1., 0.], [1., 0.]])
    >>> decision_boundary(lambda points: points[:, 0], points, torch.tensor([0., 1.]), 3).data
    {'accuracy': 1.0, 'scores': [[-1.5, 0.0, 1.5], [-1.5, 0.0, 1.5], [-1.5, 0.0, 1.5]]}
    """
    places, kinds = _array(points), _array(labels)
    low, high = places.min(axis=0), places.max(axis=0)
    margin = np.where(high > low, 0.25 * (high - low), 1.0)
    sides = np.linspace(low - margin, high + margin, resolution).T
    grid = np.stack(np.meshgrid(*sides), axis=-1).reshape(-1, 2)
    library = presence.loaded() if presence.is_tensor(points) else torch  # the model's
    with library.no_grad():
        scores, guesses = (_array(model(library.tensor(each.tolist()))) for each in (grid, places))
    scores, accuracy = scores.reshape(resolution, -1), np.mean((guesses.flatten() > 0) == kinds).item()
    figure, axes = _plane(_label("boundary_title", share=accuracy))
    axes.contourf(*sides, scores, levels=[-math.inf, 0, math.inf], colors=["#E3F0FA", "#FDEBDD"])
    if scores.min() < 0 < scores.max():
        axes.contour(*sides, scores, levels=[0], colors="#374151", linewidths=1.5)
    _mark(axes, places, kinds)
    text = SAY("boundary", count=len(kinds), share=accuracy)
    return Figure(figure, {"accuracy": accuracy, "scores": scores.tolist()}, text)
