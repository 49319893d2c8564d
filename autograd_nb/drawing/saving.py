"""A picture in forms for files: a page of its own, Graphviz's text, pixels."""

import base64
import hashlib
import io
from pathlib import Path as File

from ..microscope.files import MARK
from ..microscope.labels import escape
from ..torch_api.absent import not_installed
from .picture import AHEAD
from .render import render
from .shapes import COLOURS, PAPER, Circle, Group, Path, Polygon, Rectangle, Text, clean
from .text import texts_of

STYLE = File(__file__).with_name("page.css").read_text("utf-8")
SHARPNESS, MOST_PIXELS = 2, 20_000  # pixels of a PNG for each pixel of the picture, and for its longer side
CODES = {"M": [1], "L": [2], "C": [4, 4, 4]}  # of matplotlib's paths
LINES = {"backward": "dotted", "cut": "dashed", "view": "dotted", "gradient": "bold"}


def page(title, body, style="", script="", data=""):
    """A page that needs no other file; its policy lets nothing else load or run.

    *data* is JSON, for the *script* to read from the element ``data``.
    """
    style, title = STYLE + style, escape(clean(title))
    policy = f"default-src 'none'; base-uri 'none'; form-action 'none'; style-src '{digest(style)}'"
    policy += f"; script-src '{digest(script)}'" if script else ""
    data = data.replace("<", "\\u003c")
    scripts = f'<script type="application/json" id="data">{data}</script>\n<script>{script}</script>\n'
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>{title}</title><style>{style}</style></head>
<body><main><h1>{title}</h1>
{body}
</main>
{scripts if script else ""}</body></html>
"""


def digest(text):
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def dot(picture):
    """A picture as a graph in the language of Graphviz, which places its boxes itself."""
    rows = ["digraph {", "rankdir=LR", 'node [style="filled"]']
    for node in picture.nodes:
        ink, shape = COLOURS[node.kind], "box3d" if node.kind == "group" else "box"
        came = node.arrived and (node.arrived.hook or node.arrived.label)
        texts = filter(None, (node.title, *texts_of(node), came))
        rows.append(f"{quoted(node.key)} [label={quoted(*texts)} shape={shape} "
                    f'color="{ink.edge}" fillcolor="{ink.fill}"]')  # fmt: skip
    for edge in picture.edges:
        label, ends = quoted(*filter(None, (edge.label, edge.hook))), " dir=none" if edge.kind == "view" else ""
        rows.append(f"{quoted(edge.source)} -> {quoted(edge.target)} [label={label} "
                    f'color="{COLOURS[edge.kind].edge}" style={LINES.get(edge.kind, "solid")} '
                    f"constraint={str(edge.kind in AHEAD).lower()}{ends}]")  # fmt: skip
    return "\n".join([*rows, "}", ""])


def quoted(*lines):
    """Lines as a string in Graphviz's language."""
    return '"' + "\\n".join(clean(line).replace("\\", "\\\\").replace('"', '\\"') for line in lines) + '"'


def png(picture):
    """A picture as pixels, which matplotlib draws shape by shape."""
    try:
        from matplotlib import patches, path
        from matplotlib.figure import Figure
    except ModuleNotFoundError:
        raise not_installed('save("….png")', "matplotlib") from None

    shapes, (width, height) = render(picture)
    figure = Figure(figsize=(width / 72, height / 72), dpi=72, facecolor=PAPER)
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, width), ylim=(height, 0))
    axes.axis("off")

    def draw(shape):
        fill, stroke, width, dash = (getattr(shape, name, None) for name in ("fill", "stroke", "stroke_width", "dash"))
        match shape:
            case Group(_, inner):
                for each in inner:
                    draw(each)
                return
            case Text(x, y, text, size, fill, anchor, bold, mono):
                font = {"size": size, "family": "monospace" if mono else "sans-serif", "weight": 700 if bold else 400}
                axes.text(x, y, clean(text), font, color=fill, parse_math=False,
                          ha="left" if anchor == "start" else "center")  # fmt: skip
                return
            case Rectangle(x, y, across, down, radius=radius):
                form = f"round,pad=0,rounding_size={min(radius, across / 2, down / 2)}"
                patch = patches.FancyBboxPatch((x, y), across, down, form)
            case Circle(x, y, radius):
                patch = patches.Circle((x, y), radius)
            case Polygon(points):
                patch = patches.Polygon(points)
            case Path(commands):
                points = [point for _, *numbers in commands for point in zip(numbers[::2], numbers[1::2], strict=True)]
                codes = [code for letter, *_ in commands for code in CODES[letter]]
                patch = patches.PathPatch(path.Path(points, codes))
        patch.set(facecolor=fill or "none", edgecolor=stroke or "none", linewidth=width,
                  linestyle=(0, dash) if dash else "solid")  # fmt: skip
        axes.add_patch(patch)

    draw(Group("", shapes))
    pixels = io.BytesIO()
    dpi = 72 * min(SHARPNESS, MOST_PIXELS / max(width, height))
    figure.savefig(pixels, format="png", dpi=dpi, metadata={"Software": MARK})
    return pixels.getvalue()
