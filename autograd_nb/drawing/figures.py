"""Figures of functions and numbers, drawn by matplotlib: curves, errors, bars.

Each function returns a `Figure`: the plot, its numbers as plain data, and a text that describes it. The figures do
without pyplot, so nobody has to close them.
"""

import base64
import io
import math

import autograd_nb as torch

from ..microscope import presence
from ..microscope.labels import clean, escape, legible
from ..torch_api.absent import not_installed

# Okabe-Ito colours, safe for colour-blind readers; dashes and markers distinguish lines if colour does not.
BLUE, ORANGE, GREEN, PURPLE, GREY = "#0072B2", "#D55E00", "#009E73", "#AA4499", "#6B7280"
DASHES = ("--", "-.", ":")


class Figure:
    """A matplotlib figure to show; `data` has its numbers, `text` describes it."""

    def __init__(self, figure, data, text):
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


def _figure(size, **options):
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError:
        raise not_installed("a figure", "matplotlib") from None

    return Figure(figsize=size, dpi=96, layout="constrained", **options)


def _axes(title, across, up, size=(6.0, 3.6)):
    figure = _figure(size, facecolor="white")
    axes = figure.add_subplot()
    axes.set(title=plain(title), xlabel=plain(across), ylabel=plain(up))
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color="#E5E7EB", linewidth=0.8)
    axes.set_axisbelow(True)
    return figure, axes


def plain(text):
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
    at = torch.tensor(float(x), dtype=torch.float64, requires_grad=True)
    y = f(at)
    (slope,) = torch.autograd.grad(y, at)
    data = {"value": y.item(), "slope": slope.item(), "secants": {h: (_value(f, x + h) - y.item()) / h for h in steps}}

    around = around or max((1.5 * abs(h) for h in steps), default=1.0)
    before, after = around if isinstance(around, tuple) else (around, around)
    left, right = x - before, x + after
    curve = torch.linspace(left, right, 201, dtype=torch.float64)
    figure, axes = _axes(f"{name} and its tangent at x = {x:g}", "x", f"{name}(x)" if name.isidentifier() else name)
    axes.plot(curve.numpy(), f(curve).numpy(), color=BLUE, linewidth=2.5, label=plain(name))
    lines = [(f"tangent, slope {data['slope']:.4f}", data["slope"], GREEN, "-")]
    lines += [(f"h = {h:g}, slope {secant:.4f}", secant, ORANGE, DASHES[index % 3])
              for index, (h, secant) in enumerate(data["secants"].items())]  # fmt: skip
    for label, steepness, colour, dashes in lines:
        ends = [data["value"] + steepness * (end - x) for end in (left, right)]
        axes.plot([left, right], ends, dashes, color=colour, linewidth=1.6, label=label)
    axes.plot([x + h for h in steps], [_value(f, x + h) for h in steps], "o", color=ORANGE)
    axes.plot([x], [data["value"]], "o", color=GREEN)
    if zero:
        data["zero"] = x - data["value"] / data["slope"]
        axes.axhline(0.0, color=GREY, linewidth=1.2)
        axes.plot([data["zero"]], [0.0], "o", color=PURPLE, label=f"the tangent is zero at x = {data['zero']:.4f}")
    axes.legend(frameon=False)
    secants = "".join(f" The secant to x + {h:g} has slope {secant:.4f}." for h, secant in data["secants"].items())
    text = f"{name} near x = {x:g}, with its tangent there, of slope {data['slope']:.4f}.{secants}"
    if zero:
        text += f" The tangent is zero at x = {data['zero']:.4f}."
    return Figure(figure, data, text)


def _value(f, x):
    return f(torch.tensor(float(x), dtype=torch.float64)).item()


def difference_error(f, x, steps=tuple(10.0 ** (-quarter / 4) for quarter in range(4, 37)), name="f", both=False):
    """How far the slope over a step h is from the derivative, for each h, in float32 and float64, on logarithmic axes.

    The step goes from x to x + h; with ``both=True``, from x - h to x + h.

    >>> chart = difference_error(lambda x: x**2, 3.0, steps=(0.5, 0.25))
    >>> chart.data["float64"]
    {0.5: 0.5, 0.25: 0.25}
    """
    at = torch.tensor(float(x), dtype=torch.float64, requires_grad=True)
    (slope,) = torch.autograd.grad(f(at), at)
    step = "step h, to both sides" if both else "step h"
    figure, axes = _axes(f"Error of the slope of {name} at x = {x:g}", step, "error |slope - derivative|")
    data = {}
    for dtype, colour, marker in ((torch.float32, ORANGE, "o"), (torch.float64, BLUE, "s")):
        label = str(dtype).removeprefix("torch.")
        data[label] = {h: abs(slope_over(f, x, h, dtype, both) - slope.item()) for h in steps}
        shown = [error or math.nan for error in data[label].values()]  # an error of 0 has no place on this axis
        axes.plot(list(data[label]), shown, marker=marker, markersize=4, color=colour, label=label)
    axes.set(xscale="log", yscale="log")
    exact = sorted({h for errors in data.values() for h, error in errors.items() if error == 0})
    if exact and len(exact) < len(steps):
        axes.plot(exact, [axes.get_ylim()[0]] * len(exact), "v", color=GREEN, label="by luck, no error at all")
    axes.legend(frameon=False)
    text = f"Error of the slope of {name} at x = {x:g} against the {step}, from {max(steps):g} to {min(steps):g}."
    for label, errors in data.items():
        known = [error for _, error in sorted(errors.items(), reverse=True) if not math.isnan(error)]
        rises = min(known) < known[-1]
        text += f" {label}: it falls as h shrinks{', then rises again' if rises else ''}."
    return Figure(figure, data, text)


def slope_over(f, x, h, dtype, both=False):
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
    figure, axes = _axes(f"{name}, step by step", "what was done, in order", name)
    previous = 0.0
    for place, (_, value) in enumerate(data):
        height = value or 0.0
        kept = min(previous, height) if height > 0 else 0.0
        axes.bar(place, kept, color=GREY, width=0.6)
        axes.bar(place, height - kept, bottom=kept, color=GREEN, width=0.6, hatch="//", edgecolor="white")
        axes.annotate("None" if value is None else f"{value:.4g}", (place, height), (0, 4), textcoords="offset points",
                      ha="center", fontsize=11)  # fmt: skip
        previous = height
    axes.set_xticks(range(len(data)), [plain(step) for step, _ in data])
    axes.axhline(0, color="#374151", linewidth=1)
    axes.margins(y=0.15)
    shown = "; ".join(f"after {step}: {'None' if value is None else f'{value:.4g}'}" for step, value in data)
    return Figure(figure, data, f"{name} step by step. {shown[:1].upper()}{shown[1:]}.")


def loss(values):
    """The loss after each step of training, as a curve; several curves from a dict of them.

    A curve ends with a cross where the loss stops being finite.

    >>> loss([4.0, 2.0, 1.0]).data
    {'loss': [4.0, 2.0, 1.0]}
    >>> loss([4.0, math.nan]).text
    'The loss while training: loss starts at 4 and is nan after step 1.'
    """
    curves = values if isinstance(values, dict) else {"loss": values}
    data = {label: [float(value) for value in curve] for label, curve in curves.items()}
    figure, axes = _axes("Loss while training", "step", "loss")
    told = []
    for index, (label, curve) in enumerate(data.items()):
        colour, dashes = (BLUE, ORANGE, GREEN, PURPLE, GREY)[index % 5], ("-", *DASHES)[index % 4]
        end = next((step for step, value in enumerate(curve) if not math.isfinite(value)), len(curve))
        axes.plot(curve[:end], dashes, color=colour, linewidth=2, label=plain(label))
        if 0 < end < len(curve):
            axes.plot(end - 1, curve[end - 1], "x", color=colour, markersize=10, markeredgewidth=3)
            told.append(f"{label} starts at {curve[0]:.4g} and is {curve[end]} after step {end}")
        elif curve:
            told.append(f"{label} from {curve[0]:.4g} to {curve[-1]:.4g} in {len(curve)} steps")
    if len(data) > 1:
        axes.legend(frameon=False)
    return Figure(figure, data, f"The loss while training: {'; '.join(told) or 'no step'}.")


def layers(sizes, of="the gradient"):
    """A size for each layer, the first layer first, on a scale of powers of ten; several curves from a dict of them.

    *of*: the name of the measured quantity. A size that is 0 or not finite has no place on this scale and is left out.

    >>> layers({"sigmoid": [1e-9, 1e-3, 1.0]}).text
    'The size of the gradient at each layer: sigmoid 1e-09 at the first, 1 at the last.'
    """
    curves = sizes if isinstance(sizes, dict) else {"": sizes}
    data = {label: [float(value) for value in curve] for label, curve in curves.items()}
    figure, axes = _axes(f"The size of {of}", "layer", "")
    axes.set_yscale("log")
    axes.xaxis.get_major_locator().set_params(integer=True)
    for index, (label, curve) in enumerate(data.items()):
        colour, dashes = (BLUE, ORANGE, GREEN, PURPLE, GREY)[index % 5], ("-", *DASHES)[index % 4]
        shown = [value if 0 < value < math.inf else math.nan for value in curve]
        axes.plot(range(1, len(curve) + 1), shown, dashes, color=colour, linewidth=2, label=plain(label))
    if any(data):
        axes.legend(frameon=False)
    told = "; ".join(f"{label} {curve[0]:.1g} at the first, {curve[-1]:.1g} at the last".strip()
                     for label, curve in data.items() if curve)  # fmt: skip
    return Figure(figure, data, f"The size of {of} at each layer: {told or 'no layer'}.")


def fit(x, y, lines, after):
    """A line that learns to run through points, after some of its steps, and beside it the curve of the loss.

    *x*, *y*: n numbers each; *lines*: the slope and the height at 0 before each step and after the last; *after*: the
    steps whose lines to draw. The loss is the mean of the squared distances.

    >>> fit([0., 1.], [1., 3.], [(0., 0.), (2., 1.)], after=(0, 1)).data
    {'lines': {0: (0.0, 0.0), 1: (2.0, 1.0)}, 'losses': [5.0, 0.0]}
    """
    x, y = _ours(x), _ours(y)
    losses = [float(f"{((w * x + b - y) ** 2).mean().item():.6g}") for w, b in lines]
    data = {"lines": {step: lines[step] for step in after}, "losses": losses}
    figure, axes = _axes("The line", "x", "y", (8.4, 3.4))
    beside = figure.add_subplot(1, 2, 2, title="The loss", xlabel="step", xticks=[0, len(losses) - 1])
    axes.set_subplotspec(beside.get_subplotspec().get_gridspec()[0])
    axes.plot(x.tolist(), y.tolist(), "o", color=GREY)
    for index, (step, (w, b)) in enumerate(data["lines"].items()):
        colour, dashes = (ORANGE, PURPLE, BLUE)[index % 3], (*DASHES[:2], "-")[index % 3]
        axes.plot(x.tolist(), (w * x + b).tolist(), dashes, color=colour, linewidth=2, label=f"after {step} steps")
        beside.plot([step], [losses[step]], "o", color=colour)
    beside.plot(losses, color=GREY, zorder=0)
    beside.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    told = "; ".join(f"after {step} steps {w:.3g} x + {b:.3g}, loss {losses[step]:.3g}"
                     for step, (w, b) in data["lines"].items())  # fmt: skip
    return Figure(figure, data, f"A line that learns to run through {len(x)} points: {told}.")


def _ours(data):
    """Data as a tensor of the engine, whatever library it is of."""
    return torch.as_tensor(data.tolist() if presence.is_tensor(data) else data)


def points(points, labels):
    """Points of the plane in two classes: *points*, (n, 2), and *labels*, n zeros and ones.

    >>> points([[0., 1.], [2., 3.]], [0, 1]).data
    {0: [[0.0, 1.0]], 1: [[2.0, 3.0]]}
    """
    figure, axes = _axes("Points of two classes", "first feature", "second feature", (5.0, 4.2))
    data = _mark(axes, _ours(points).tolist(), [int(float(label)) for label in labels])
    return Figure(figure, data, f"{len(data[0])} points of class 0 and {len(data[1])} points of class 1 in the plane.")


def _mark(axes, places, kinds):
    """Mark the points of both classes; returns {class: its points}."""
    chosen = {kind: [place for place, label in zip(places, kinds, strict=True) if label == kind] for kind in (0, 1)}
    for kind, colour, marker in ((0, BLUE, "o"), (1, ORANGE, "^")):
        axes.plot([place[0] for place in chosen[kind]], [place[1] for place in chosen[kind]], marker, color=colour,
                  markeredgecolor="white", label=f"class {kind}")  # fmt: skip
    axes.legend(frameon=True)
    return chosen


def digits(images, titles=(), gradients=None):
    """Images of digits side by side, ten in a row, with a title each; *gradients* are drawn over them in colour.

    *images*: (n, pixels), squares of ink from 0 to 1; *gradients*: (n, pixels), blue where negative, orange where
    positive, each image with a scale of its own.

    >>> digits(torch.eye(2).reshape(1, 4), ["a stroke"]).data
    {'titles': ['a stroke'], 'images': [[[1.0, 0.0], [0.0, 1.0]]], 'gradients': []}
    """
    images, gradients = (_ours([] if each is None else each).detach() for each in (images, gradients))
    count, side = len(images), math.isqrt(images.shape[1])
    across = min(count, 10)
    figure = _figure((max(1.1 * across, 3.3), 1.4 * math.ceil(count / 10)))
    from matplotlib.colors import LinearSegmentedColormap

    titles = list(map(str, titles))
    layers = [each.reshape(-1, side, side).tolist() for each in (images, gradients)]
    for place, image in enumerate(layers[0]):
        axes = figure.add_subplot(math.ceil(count / 10), across, place + 1, xticks=[], yticks=[])
        axes.set_title(titles[place] if titles else "", fontsize=10)
        axes.imshow(image, cmap="Greys", vmin=0, vmax=1)
        if layers[1]:
            most = max(abs(number) for row in layers[1][place] for number in row) or 1.0
            fading = LinearSegmentedColormap.from_list("gradient", [BLUE, (1, 1, 1, 0), ORANGE])
            axes.imshow(layers[1][place], cmap=fading, vmin=-most, vmax=most, alpha=0.75)
    told = f": {'; '.join(titles)}" if titles else ""
    what = "handwritten digit" + "s" * (count != 1) + ", with the gradient at each pixel" * bool(layers[1])
    text = f"{count} {what}{told}."
    return Figure(figure, {"titles": titles, "images": layers[0], "gradients": layers[1]}, text)


def decision_boundary(model, points, labels, resolution=60):
    """The line that a classifier of the plane draws between two classes, behind the points that it learnt from.

    *model*: from *points*, (n, 2), to n scores, positive for class 1; *labels*: n zeros and ones.

    >>> points = torch.tensor([[-1., 0.], [1., 0.]])
    >>> decision_boundary(lambda points: points[:, 0], points, torch.tensor([0., 1.]), 3).data
    {'accuracy': 1.0, 'scores': [[-1.5, 0.0, 1.5], [-1.5, 0.0, 1.5], [-1.5, 0.0, 1.5]]}
    """
    places, kinds = _ours(points).tolist(), [int(float(label)) for label in labels]
    sides = []
    for axis in (0, 1):
        low, high = min(place[axis] for place in places), max(place[axis] for place in places)
        margin = 0.25 * (high - low) or 1.0
        step = (high - low + 2 * margin) / (resolution - 1)
        sides.append([low - margin + step * index for index in range(resolution)])
    library = presence.loaded() if presence.is_tensor(points) else torch  # the model's
    with library.no_grad():
        grid = library.tensor([[across, up] for up in sides[1] for across in sides[0]])
        scores = model(grid).reshape(resolution, resolution).tolist()
        guesses = (model(library.tensor(places)).flatten() > 0).tolist()
    accuracy = sum(int(guess) == kind for guess, kind in zip(guesses, kinds, strict=True)) / len(kinds)
    figure, axes = _axes(f"Decision boundary, {accuracy:.0%} right", "first feature", "second feature", (5.0, 4.2))
    axes.contourf(*sides, scores, levels=[-math.inf, 0, math.inf], colors=["#E3F0FA", "#FDEBDD"])
    if min(map(min, scores)) < 0 < max(map(max, scores)):
        axes.contour(*sides, scores, levels=[0], colors="#374151", linewidths=1.5)
    _mark(axes, places, kinds)
    text = f"{len(kinds)} points of two classes and the line between them: {accuracy:.0%} are on their side of it."
    return Figure(figure, {"accuracy": accuracy, "scores": scores}, text)
