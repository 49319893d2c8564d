"""A picture in a file: every form is complete, and shows the same as the picture."""

import io
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from sample_graphs import PROGRAMS, power
from test_drawing import flat

import autograd_nb as torch
from autograd_nb.drawing import saving
from autograd_nb.drawing.legend import all_signs
from autograd_nb.drawing.render import render
from autograd_nb.drawing.shapes import COLOURS, Circle, Rectangle, Text, channels

plt = pytest.importorskip("matplotlib.image", reason="matplotlib is not installed")


@pytest.fixture
def drawing():
    return torch.draw(torch.record(power))


def test_the_ending_says_the_form(drawing, tmp_path):
    for ending in ("svg", "html", "png", "dot", "SVG"):
        drawing.save(tmp_path / f"graph.{ending}")
    saved = (tmp_path / "graph.svg").read_text("utf-8")
    assert saved == f"{drawing.svg}<!-- saved by autograd_nb -->\n" == (tmp_path / "graph.SVG").read_text("utf-8")
    drawing.save(str(tmp_path / "graph.svg"))  # again, as when its cell runs again
    with pytest.raises(FileNotFoundError):
        drawing.save(tmp_path / "nowhere" / "graph.svg")


class Policy(HTMLParser):
    def __init__(self, page):
        super().__init__()
        self.tags, self.attributes, self.policy = [], set(), ""
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attributes}
        if dict(attributes).get("http-equiv") == "Content-Security-Policy":
            self.policy = dict(attributes)["content"]


def test_a_page_allows_nothing_but_itself(drawing):
    page = Policy(drawing.as_page())
    assert page.policy.startswith("default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'sha256-")
    assert "unsafe" not in page.policy and "script" not in page.tags and "style" not in page.attributes
    assert page.tags.count("svg") == 1 and "details" in page.tags and "h1" in page.tags
    scripted = Policy(saving.page("</title><script>canary()</script>", "", "", "1", '"</script><b>"'))
    assert "script-src 'sha256-" in scripted.policy and scripted.tags.count("script") == 2 and "b" not in scripted.tags


@pytest.mark.parametrize("name", PROGRAMS)
def test_dot_has_every_box_and_every_arrow(name):
    pydot = re.compile(r'("(?:[^"\\]|\\.)*")(?: -> ("(?:[^"\\]|\\.)*"))? \[label=("(?:[^"\\]|\\.)*") .*\]')
    drawing = torch.draw(torch.record(PROGRAMS[name]))
    first, *lines, last = saving.dot(drawing.picture).splitlines()
    assert (first, last, lines[0][:8]) == ("digraph {", "}", "rankdir=")
    found = [pydot.fullmatch(line).groups() for line in lines[2:]]
    nodes, edges = drawing.picture.nodes, drawing.picture.edges
    assert [name for name, to, _ in found if not to] == [f'"{node.key}"' for node in nodes]
    assert [(name, to) for name, to, _ in found if to] == [(f'"{edge.source}"', f'"{edge.target}"') for edge in edges]
    for (*_, label), part in zip(found, [*nodes, *edges], strict=True):
        texts = [part.title, *part.lines, *part.grad] if hasattr(part, "title") else [part.label, part.hook]
        assert all(text.replace('"', '\\"') in label for text in texts if isinstance(text, str))


@pytest.mark.parametrize("picture", [torch.draw(torch.record(power)).picture, all_signs()], ids=["power", "all signs"])
def test_a_png_has_the_colours_of_the_picture_where_the_picture_has_them(picture):
    shapes, (width, height) = render(picture)
    pixels = plt.imread(io.BytesIO(saving.png(picture)))[..., :3]
    assert pixels.shape[:2] == (2 * height, 2 * width)
    seen = 0
    for shape in flat(shapes):
        if isinstance(shape, Rectangle) and shape.fill and shape.width > 30 and not shape.dash:
            area = pixels[int(2 * shape.y + 6) : int(2 * shape.y + 2 * shape.height - 6),
                          int(2 * shape.x + 6) : int(2 * shape.x + 2 * shape.width - 6)]  # fmt: skip
        elif isinstance(shape, Circle) and shape.fill and shape.radius > 10:
            area = pixels[int(2 * shape.y) + 12 : int(2 * shape.y) + 24, int(2 * shape.x) - 10 : int(2 * shape.x) + 10]
        else:
            continue
        share = np.isclose(area, np.array(channels(shape.fill)) / 255, atol=0.01).all(-1).mean()
        covered = shape.fill in (COLOURS["grad"].fill, COLOURS["freed"].fill)  # it lies behind other things
        assert share > (0.1 if covered else 0.35), shape
        seen += 1
    assert seen >= 5
    for text in (shape for shape in flat(shapes) if isinstance(shape, Text) and shape.anchor == "middle"):
        x, y = int(2 * text.x), int(2 * text.y)
        around = pixels[y - int(1.4 * text.size) : y, x - int(text.width) + 2 : x + int(text.width) - 2]
        assert around.std(axis=(0, 1)).max() > 0.05, text  # it is written there


def test_what_is_dashed_in_the_picture_is_dashed_in_a_png():
    shapes, _ = render(picture := all_signs())
    pixels, shares = plt.imread(io.BytesIO(saving.png(picture)))[..., :3], {True: [], False: []}
    for shape in flat(shapes):
        if isinstance(shape, Rectangle) and shape.stroke and shape.width > 30 and shape.stroke_width >= 1:
            left, right = int(2 * shape.x + 16), int(2 * (shape.x + shape.width) - 16)
            edge = pixels[int(2 * shape.y) - 2 : int(2 * shape.y) + 3, left:right]
            inked = np.isclose(edge, np.array(channels(shape.stroke)) / 255, atol=0.2).all(-1).any(0)
            shares[bool(shape.dash)].append(inked.mean())
    assert shares[True] and all(0.2 < share < 0.9 for share in shares[True]), shares
    assert max(shares[False]) > 0.95


def test_a_png_of_a_huge_picture_stays_within_its_bounds(monkeypatch):
    monkeypatch.setattr(saving, "MOST_PIXELS", 300)
    picture = torch.draw(torch.record(power)).picture
    assert max(plt.imread(io.BytesIO(saving.png(picture))).shape) <= 301


def test_a_png_takes_any_name():
    x = torch.ones(1, requires_grad=True)
    assert saving.png(torch.draw(x * 2, params={"$\\frac{$": x}).picture)
