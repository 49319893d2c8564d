"""Pictures in every form: the SVG's rules, safety, legibility and bytes; DOT and text.

The SVGs in tests/golden show the sample pictures; after a wanted change, write them again with

    PYTHONPATH=.:tests/tools python tests/drawing/test_drawing.py
"""

import base64
import importlib
import math
import re
import xml.etree.ElementTree as ElementTree
from itertools import combinations
from pathlib import Path
from unittest import mock

import pytest
from house import anew
from hypothesis import given, settings
from hypothesis import strategies as st
from layout_geometry import enters, followed, overlap
from sample_pictures import PICTURES, Sketch, chain

from autograd_nb.drawing import Drawing, Picture, render
from autograd_nb.drawing.layout import Box
from autograd_nb.drawing.shapes import (
    COLOURS,
    NEGATIVE,
    NO_NUMBER,
    PAPER,
    POSITIVE,
    QUIET,
    TEXT,
    ZERO,
    Circle,
    Group,
    Polygon,
    Rectangle,
    Text,
    channels,
)
from autograd_nb.drawing.shapes import Path as Line
from autograd_nb.drawing.svg import to_svg, write
from tests.attacks.texts import picture

GOLDEN = Path(__file__).parents[1] / "golden"
SVG = "{http://www.w3.org/2000/svg}"
ATTRIBUTES = {
    "svg": {"width", "height", "viewBox", "role", "font-family", "font-size", "text-anchor", "fill"},
    "title": set(),
    "desc": set(),
    "g": {"data-key"},
    "rect": {"x", "y", "width", "height", "rx", "fill", "stroke", "stroke-width", "stroke-dasharray"},
    "circle": {"cx", "cy", "r", "fill", "stroke", "stroke-width"},
    "polygon": {"points", "fill", "stroke", "stroke-width"},
    "path": {"d", "stroke", "stroke-width", "stroke-dasharray"},
    "text": {"x", "y", "fill", "font-family", "font-size", "font-weight", "text-anchor"},
}  # every element and attribute that a picture may hold: no style, no id, no reference, no script


def assert_plain_svg(text):
    root = ElementTree.fromstring(text)
    for element in root.iter():
        name = element.tag.removeprefix(SVG)
        assert name in ATTRIBUTES and set(element.attrib) <= ATTRIBUTES[name], (name, element.attrib)
    return root


def flat(shapes):
    for shape in shapes:
        yield from flat(shape.shapes) if isinstance(shape, Group) else [shape]


def box_of(shapes):
    """The smallest rectangle around shapes, texts by their estimated width; bends by their control points."""
    xs, ys = [], []
    for shape in flat(shapes):
        match shape:
            case Rectangle(x, y, width, height):
                xs += [x, x + width]
                ys += [y, y + height]
            case Circle(x, y, radius):
                xs += [x - radius, x + radius]
                ys += [y - radius, y + radius]
            case Polygon(points):
                xs += [x for x, _ in points]
                ys += [y for _, y in points]
            case Line(commands):
                for _, *numbers in commands:
                    xs += numbers[::2]
                    ys += numbers[1::2]
            case Text(x, y, _, size, _, anchor):
                start = x - {"start": 0, "middle": shape.width / 2, "end": shape.width}[anchor]
                xs += [start, start + shape.width]
                ys += [y - size * 0.75, y + size * 0.25]
    return Box(min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys))


def body_of(shapes):
    """A box without the gradient that stands at its side."""
    marks = [COLOURS[name].fill for name in ("gradient", "current", "hook")]
    return box_of([shape for shape in flat(shapes) if isinstance(shape, Rectangle) and shape.fill not in marks])


def taken_apart(group, edges):
    """An edge's shapes as its arrow and its mark; a box's shapes without the ring around an active one."""
    if group.key in edges:
        count = 1 if edges[group.key].kind == "view" else 2
        return [group._replace(shapes=each) for each in (group.shapes[:count], group.shapes[count:]) if each]
    ring, *inside = group.shapes
    at_work = isinstance(ring, Rectangle) and not ring.fill and ring.stroke == COLOURS["gradient"].edge
    return [group._replace(shapes=tuple(inside))] if at_work else [group]


def assert_clear(picture):
    """Rendered: boxes and marks lie apart and inside, no arrow goes through a box that is not its own."""
    shapes, (width, height) = render(picture)
    edges = {f"{edge.source}>{edge.target}:{edge.kind}": edge for edge in picture.edges}
    ends = {key: {edge.source, edge.target} for key, edge in edges.items()}
    groups = [part for shape in shapes if isinstance(shape, Group) for part in taken_apart(shape, edges)]
    arrows = [group for group in groups if group.key in ends and isinstance(group.shapes[0], Line)]
    solid = [(group.key, box_of(group.shapes)) for group in groups if not any(group is arrow for arrow in arrows)]
    adding = {group.key: next(shape for shape in group.shapes if isinstance(shape, Circle))
              for group in groups for node in picture.nodes if group.key == node.key and "accumulate" in node.signs}
    boxes = {group.key: body_of(group.shapes) for group in groups if group.key not in ends}
    targets = {key: edge.target for key, edge in edges.items()}
    for (first, one), (second, other) in combinations(solid, 2):
        assert not overlap(one, other), f"{first} and {second}"
    for arrow in arrows:
        line = followed(arrow.shapes[0].commands)
        for key, box in solid:
            if key not in ends[arrow.key] and key not in ends:
                assert not enters(line, box), f"{arrow.key} goes through {key}"
        for head in (shape for shape in arrow.shapes if isinstance(shape, Polygon)):
            (tip, *corners), target = head.points, boxes[targets[arrow.key]]
            if arrow.key.endswith((":gradient", ":backward")) and targets[arrow.key] in adding:
                circle = adding[targets[arrow.key]]
                reach = math.dist(tip, (circle.x, circle.y)) - circle.radius
                assert abs(reach) < 1, f"{arrow.key} misses the circle"
                continue
            assert enters([tip, tip], target, -2), f"{arrow.key} ends beside its target"
            assert not enters(corners, target), f"{arrow.key} ends inside its target"
    for box in [box for _, box in solid] + [box_of(arrow.shapes) for arrow in arrows]:
        assert box.x >= 0 and box.y >= 0 and box.x + box.width <= width and box.y + box.height <= height
    for group in groups:
        if group.key not in ends:
            body = box_of([shape for shape in group.shapes if not isinstance(shape, Text)])
            for text in (shape for shape in group.shapes if isinstance(shape, Text)):
                where = box_of([text])
                assert where.x >= body.x and where.x + where.width <= body.x + body.width, text.text


RENDER = importlib.import_module("autograd_nb.drawing.render")


def assert_clear_both_ways(picture):
    """From left to right, as on an endless page, and from top to bottom, as on a page without width."""
    for page in (math.inf, 0):
        with mock.patch.object(RENDER, "PAGE", page):
            assert_clear(picture)


@pytest.mark.parametrize("name", PICTURES)
def test_nothing_overlaps(name):
    assert_clear_both_ways(PICTURES[name]())


kinds = st.sampled_from(["leaf", "constant", "tensor", "root", "function", "group"])


@st.composite
def pictures(draw):
    picture = Sketch()
    count = draw(st.integers(1, 9))
    for key in range(count):
        title, lines = "n" * draw(st.integers(0, 40)), ["5."] * draw(st.integers(0, 2))
        picture.node(str(key), draw(kinds), title=title, lines=lines)
    for _ in range(draw(st.integers(0, 12))):
        ends = sorted(draw(st.tuples(st.integers(0, count - 1), st.integers(0, count - 1))))
        if ends[0] != ends[1]:
            kind = draw(st.sampled_from(["forward", "gradient", "backward", "cut", "both"]))
            label = draw(st.sampled_from(["", "0.6"]))
            if kind in ("forward", "cut", "both"):  # if both share a lane the edge back has the label
                picture.edge(str(ends[0]), str(ends[1]), kind.replace("both", "forward"), label * (kind != "both"))
            if kind in ("gradient", "backward", "both"):
                picture.edge(str(ends[1]), str(ends[0]), kind.replace("both", "gradient"), label)
    return picture


@given(pictures())
@settings(max_examples=100, deadline=None)
def test_nothing_overlaps_in_random_pictures(picture):
    assert_clear_both_ways(picture)


@pytest.mark.parametrize("name", PICTURES)
def test_the_svg_equals_the_golden_file(name):
    assert Drawing(PICTURES[name]()).svg == (GOLDEN / f"{name}.svg").read_text(encoding="utf-8"), anew("pictures")


@pytest.mark.parametrize("name", PICTURES)
def test_the_svg_is_plain_opaque_and_described(name):
    drawing = Drawing(PICTURES[name]())
    root = assert_plain_svg(drawing.svg)
    title, description, ground = list(root)[:3]
    assert (title.tag, title.text) == (f"{SVG}title", drawing.picture.title)
    assert (description.tag, description.text) == (f"{SVG}desc", drawing.text)
    assert ground.attrib == {"width": root.get("width"), "height": root.get("height"), "fill": PAPER}
    assert root.get("role") == "img"


def contrast(first, second):
    """The contrast ratio of two colours, 1 to 21 (WCAG 2.2, "contrast ratio"); text needs 4.5."""

    def luminance(colour):
        parts = [c / 255 / 12.92 if c <= 10 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in channels(colour)]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    darker, lighter = sorted((luminance(first), luminance(second)))
    return round((lighter + 0.05) / (darker + 0.05), 2)


def test_text_can_be_read_on_its_ground():
    """Contrast of at least 4.5 for texts, 3 for lines and edges (WCAG 2.2, 1.4.3 and 1.4.11)."""
    for name, ink in COLOURS.items():
        assert contrast(ink.text, ink.fill) >= 4.5, name
        assert contrast(ink.edge, PAPER) >= 3, name
    assert contrast(QUIET, PAPER) >= 4.5
    for cell in (NEGATIVE, ZERO, POSITIVE, NO_NUMBER):
        assert contrast(TEXT, cell) >= 4.5
    for name in ("leaf", "constant", "tensor", "root", "function", "group", "freed"):
        assert contrast(QUIET, COLOURS[name].fill) >= 4.5


@given(st.text(st.characters(exclude_categories=())))
@settings(max_examples=60, deadline=None)
def test_no_name_whatever_is_markup(text):
    """tests/attacks/texts.py has the other hostile names."""
    drawing = picture("x" + text)
    shapes, size = render(drawing.picture)
    assert_plain_svg(to_svg(write(shapes, True), *size, text, text))
    assert_plain_svg(drawing.svg)
    drawing.text.encode()


def test_long_names_are_shortened_in_the_picture_and_whole_on_hover():
    name = "encoder.layers." * 6 + "weight"
    picture = Sketch()
    picture.node("w", "leaf", title=name)
    root = ElementTree.fromstring(Drawing(picture).svg)
    assert [text.text for text in root.iter(f"{SVG}text")] == ["encoder.layers.enc…der.layers.weight"]
    assert [title.text for title in root.iter(f"{SVG}title")][1] == name


def test_an_empty_picture_says_so():
    drawing = Drawing(Picture())
    assert drawing.text == "Nothing to draw: the graph has no node."
    assert "Nothing to draw" in drawing.svg
    assert_plain_svg(drawing.svg)


def test_a_drawing_is_shown_in_three_forms():
    drawing = Drawing(chain())
    bundle = drawing._repr_mimebundle_()
    image = re.match(r'<img alt="[^"]+" style="[^"]+" src="data:image/svg\+xml;base64,([^"]+)"', bundle["text/html"])
    assert base64.b64decode(image[1]).decode() == drawing.svg == bundle["image/svg+xml"]
    assert bundle.keys() == {"text/html", "image/svg+xml", "text/plain"}
    assert repr(drawing) == drawing.text


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for name, make in PICTURES.items():
        (GOLDEN / f"{name}.svg").write_text(Drawing(make()).svg, encoding="utf-8", newline="\n")
