"""The chart of the lessons: nothing overlaps, lines end at the frame, contours are in the right places."""

import math
from itertools import combinations

import numpy as np
import pytest

from autograd_nb import widgets
from autograd_nb.drawing.shapes import Circle, Group, Path, Rectangle, Text
from autograd_nb.widgets.chart import Chart, contour, ticks


def trained(updates, **options):
    made = widgets.training(**options)
    made.do_step(updates)
    return made


def forgetful():
    made = trained(5, lr=0.1)
    made.forget = True
    made.do_step(8)
    made.forget = False
    made.do_step(3)
    made.do_start()
    made.do_step(4)
    made.forget = True
    made.do_step(2)
    return made


STATES = {
    "tangent": lambda: widgets.tangent("log(x**3)", x=5.0),
    "tangent, far away": lambda: widgets.tangent("exp(x) * 1e5", x=-30.0, h=-2.0),
    "tangent, pole": lambda: widgets.tangent("1/x", x=0.5, h=0.1),
    "tangent, lost step": lambda: widgets.tangent("sin(x)", x=-1.0, h=1e-9),
    "tangent, no error": lambda: widgets.tangent("2*x", x=1.0),
    "landscape": lambda: widgets.landscape(lr=0.15, momentum=0.5, steps=30),
    "landscape, outside": lambda: widgets.landscape(lr=0.2, steps=8),
    "landscape, huge": lambda: widgets.landscape("1e6 * (a**2 + b**2) + 1e9", lr=1e-8, steps=3),
    "training, at first": widgets.training,
    "training": lambda: trained(30, data="rings"),
    "training, wild": lambda: trained(40, lr=100.0, momentum=0.99),
    "training, long": lambda: trained(320, optimizer="Adam", lr=0.01),
    "training, forgotten": forgetful,
    "line": lambda: widgets.line([0.0, 1.0, 2.0], [1.0, 3.0, 2.0]),
    "nudge": lambda: widgets.nudge(5.0),
    "depth": lambda: widgets.depth(5, activation="tanh"),
}


def flat(shapes):
    for shape in shapes:
        yield from flat(shape.shapes) if isinstance(shape, Group) else [shape]


def box_of(text):
    left = text.x - text.width * {"start": 0, "middle": 0.5, "end": 1}[text.anchor]
    return left, text.y - 0.75 * text.size, left + text.width, text.y + 0.2 * text.size


def apart(one, other):
    return one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]


@pytest.mark.parametrize("name", STATES)
def test_no_text_of_a_chart_covers_another_or_a_series_or_leaves_the_picture(name):
    for shapes, (width, height), *_ in STATES[name]().pictures.values():
        texts = [shape for shape in flat(shapes) if isinstance(shape, Text) and shape.text]
        assert len(texts) >= 5
        for one, other in combinations(texts, 2):
            assert apart(box_of(one), box_of(other)), (one.text, other.text)
        frame = next(shape for shape in shapes[-1].shapes if isinstance(shape, Rectangle) and shape.fill is None)
        plot = frame.x, frame.y, frame.x + frame.width, frame.y + frame.height
        for text in texts:
            left, top, right, bottom = box_of(text)
            assert left >= 0 and right <= width + 0.5 and top >= 0 and bottom <= height, text.text
            assert apart(box_of(text), plot), text.text


@pytest.mark.parametrize("name", STATES)
def test_what_a_chart_shows_ends_at_its_frame(name):
    for shapes, *_ in STATES[name]().pictures.values():
        frame = next(shape for shape in shapes[-1].shapes if isinstance(shape, Rectangle) and shape.fill is None)
        for shape in flat(shapes[1:-1]):
            if isinstance(shape, Path):
                places = [command[1:] for command in shape.commands]
            else:
                places = [(shape.x, shape.y)] if isinstance(shape, Circle) else shape.points[1::2]  # a diamond's middle
            for x, y in places:
                assert frame.x - 0.01 <= x <= frame.x + frame.width + 0.01
                assert frame.y - 0.01 <= y <= frame.y + frame.height + 0.01


def test_a_line_is_where_its_points_are_and_has_gaps_where_they_are_not():
    chart = Chart((0, 10, "x"), (-1, 1, ""), (300, 200))

    def drawn(*points, gaps=False):
        commands, here, end = [], None, None
        for command, *place in chart.line(points, gaps):
            if command == "L" and place != here:
                commands += ["M"] * (here != end) + ["L"]
                end = place
            here = place
        return commands

    assert drawn((0, 0), (5, 1), (10, 0)) == ["M", "L", "L"]
    assert drawn((0, 0), (5, math.nan), (6, 0), (7, 0)) == ["M", "L"]
    assert drawn((0, 0), (math.inf, 0), (6, 0), (7, 0)) == ["M", "L"]
    assert drawn((0, 1), (10, 1)) == ["M", "L"], "along the border is inside"
    assert drawn((0, 2), (10, 2)) == drawn((20, 0), (30, 0)) == drawn() == []
    assert drawn((4, -3), (6, 3)) == ["M", "L"] and drawn((4, -3), (6, 3), gaps=True) == []
    assert drawn((0, 0), (5, 3), (6, -3), (10, 0), gaps=True) == ["M", "L", "M", "L"]
    (left, right), (bottom, top) = chart.sides
    assert [command[1:] for command in chart.line([(5, -10), (5, 10)], False)] == [
        pytest.approx(((left + right) / 2, bottom)), pytest.approx(((left + right) / 2, top))]  # fmt: skip


def test_the_legend_has_a_row_for_each_label_and_shows_what_it_means():
    for rows in (4, 6):
        chart = Chart((0, 1, ""), (0, 1, ""), (420, 300), rows)
        line = [(0, 0), (1, 1)]
        series = [(str(place), "leaf 2 3 ring", line, line[1:]) for place in range(4)]
        series += [("nameless", "leaf 2 3", line), ("empty", "leaf 2 3", [])]
        labels = {str(place): f"label {place}" for place in range(4)} | {"empty": "no points"}
        shapes, *_ = chart.picture("title", series, labels)
        texts = [shape for shape in shapes[-1].shapes if isinstance(shape, Text)]
        assert [text.text for text in texts] == [f"label {place}" for place in range(4)]
        assert len({text.y for text in texts}) == 4 and max(text.y for text in texts) < chart.sides[1][1]
        assert all(isinstance(shape, (Text, Path, Circle, Rectangle)) for shape in shapes[-1].shapes)
        assert sum(isinstance(shape, Circle) for shape in shapes[-1].shapes) == 4


@pytest.mark.parametrize("ends", [(0, 1), (-3, 3), (0, 0.0007), (123456, 123999), (5, -5), (-1e-9, 1e-9), (0, 4e7)])
def test_the_numbers_of_an_axis_are_round_and_stand_at_their_places(ends):
    found = list(ticks((*ends, ""), (0, 1)))
    assert 3 <= len(found) <= 7
    for share, text in found:
        assert -1e-6 <= share <= 1 + 1e-6
        value = ends[0] + share * (ends[1] - ends[0])
        assert float(text.replace("−", "-")) == pytest.approx(value, rel=1e-3, abs=1e-6 * abs(ends[1] - ends[0]))


def test_contours_lie_where_the_function_has_their_level():
    across, up = (-2, 3, ""), (-1, 1, "")
    x, y = np.linspace(-2, 3, 80), np.linspace(-1, 1, 60)[:, None]

    def f(a, b):
        return a**2 + 3 * a * b - b

    points = contour(f(x, y), across, up, [0.5, 2.0])
    known = points[np.isfinite(points[:, 0])]
    assert len(known) > 100
    off = np.minimum(abs(f(*known.T) - 0.5), abs(f(*known.T) - 2))
    assert off.max() < 0.01
    values = f(x, y)
    values[:, 40:] = math.nan
    points = contour(values, across, up, [0.5])
    assert np.nanmax(points[:, 0]) <= x[39] and len(contour(values * 0, across, up, [1.0])) == 0


def test_the_arrows_of_a_map_stand_at_right_angles_to_its_lines():
    made = widgets.landscape("a + 2 * b", a=0.0, b=0.0)
    shapes, *_ = made.pictures["map"]
    groups = {shape.key: shape.shapes for shape in shapes}
    (_, *start), (_, *end), *_ = groups["contours"][0].commands
    (_, *tail), (_, *tip), *_ = groups["arrows"][0].commands
    across = (end[0] - start[0]) * (tip[0] - tail[0]) + (end[1] - start[1]) * (tip[1] - tail[1])
    assert abs(across) < 0.1 * (math.dist(start, end) + math.dist(tail, tip)), "pixels are told to a tenth"
    assert "↑ b" in [shape.text for shape in groups["grid"] if isinstance(shape, Text)]
