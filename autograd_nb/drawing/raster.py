"""The same list of shapes handed to matplotlib, for PNG.  matplotlib is imported when a picture is first asked for."""

from .shapes import PAPER, Circle, Group, Path, Polygon, Rectangle, Text

SANS, MONO = "DejaVu Sans", "DejaVu Sans Mono"  # matplotlib brings these along: the same picture everywhere


def to_figure(shapes, width, height):
    """A matplotlib Figure of shapes, one unit a pixel at 100 dots an inch; no window, no pyplot state."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width / 100, height / 100), dpi=100, facecolor=PAPER)
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, width), ylim=(height, 0))
    axes.set_axis_off()
    for order, shape in enumerate(_flat(shapes)):
        _add(axes, shape, order)
    return figure


def save_png(shapes, width, height, path, scale=2):
    """Write shapes as a PNG file, `scale` dots a pixel; returns the path."""
    import warnings

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")  # shown as an empty box, as in any program
        figure = to_figure(shapes, width, height)
        figure.savefig(path, format="png", dpi=100 * scale, metadata={"Software": None})
    return path


def _flat(shapes):
    for shape in shapes:
        if isinstance(shape, Group):
            yield from _flat(shape.shapes)
        else:
            yield shape


def _add(axes, shape, order):
    from matplotlib import patches
    from matplotlib.path import Path as Outline

    point = 0.72  # a pixel of 100 an inch, in points
    if isinstance(shape, Text):
        anchor = {"start": "left", "middle": "center", "end": "right"}[shape.anchor]
        axes.text(
            shape.x, shape.y, shape.text, fontsize=_fitting(shape) * point, color=shape.fill, ha=anchor, va="baseline",
            weight="bold" if shape.bold else "normal", family=MONO if shape.mono else SANS, parse_math=False,
            zorder=order,
        )  # fmt: skip
        return
    look = {
        "facecolor": getattr(shape, "fill", None) or "none",
        "edgecolor": shape.stroke or "none",
        "linewidth": shape.stroke_width * point,
        "zorder": order,
    }
    dash = getattr(shape, "dash", ())
    if dash:
        look["linestyle"] = (0, [length / shape.stroke_width for length in dash])
    match shape:
        case Rectangle(x, y, width, height, radius=radius):
            radius = min(radius, width / 2, height / 2)
            style = f"round,pad=0,rounding_size={radius}" if radius else "square,pad=0"
            patch = patches.FancyBboxPatch((x, y), width, height, boxstyle=style, **look)
        case Circle(x, y, radius):
            patch = patches.Circle((x, y), radius, **look)
        case Polygon(points):
            patch = patches.Polygon(points, closed=True, **look)
        case Path(commands):
            corners, codes = [], []
            for letter, *numbers in commands:
                places = list(zip(numbers[::2], numbers[1::2], strict=True))
                code = {"M": Outline.MOVETO, "L": Outline.LINETO, "C": Outline.CURVE4}[letter]
                corners += places
                codes += [code] * len(places)
            patch = patches.PathPatch(Outline(corners, codes), **look)
    axes.add_patch(patch)


def _fitting(text):
    """The size at which a text is no wider in the font at hand than it was taken to be."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextToPath

    font = FontProperties(family=MONO if text.mono else SANS, weight="bold" if text.bold else "normal", size=text.size)
    wide = TextToPath().get_text_width_height_descent(text.text, font, False)[0] if text.text else 0
    return text.size * min(1, text.width / wide) if wide else text.size
