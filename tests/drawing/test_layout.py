"""The layout as geometry: in any graph nothing lies on anything else.

Random graphs have everything that bad input may have: cycles, several edges between the same two boxes, boxes without
edges, parts that are not connected.
"""

import json
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from layout_geometry import NODE, RECORD, bezier, crossing_pairs, enters, overlap

from autograd_nb.drawing.layout import Edge, layout


def line_of(route, down=False):
    """The polyline of a route: straight pieces with bends between them."""
    line = []
    for start, end, level in route:
        if line:
            (before, left), middle = line[-1], (line[-1][0] + start) / 2
            line += bezier([(before, left), (middle, left), (middle, level), (start, level)])
        line += [(start, level), (end, level)]
    return [(y, x) for x, y in line] if down else line


def assert_clear(sizes, edges, plan, down=False):
    """Boxes and labels lie apart and inside the picture, and no edge goes through one that is not its own."""
    labels = [(index, plan.labels[index]) for index, edge in enumerate(edges) if any(edge.label)]
    solid = [*plan.boxes.items(), *labels]
    for (_, first), (_, second) in combinations(solid, 2):
        assert not overlap(first, second)
    for key, box in plan.boxes.items():
        assert (box.width, box.height) == sizes[key]
    for _, box in solid:
        assert box.x >= 0 and box.y >= 0 and box.x + box.width <= plan.width and box.y + box.height <= plan.height
    for index, (edge, route) in enumerate(zip(edges, plan.routes, strict=True)):
        line = line_of(route, down)
        for key, box in plan.boxes.items():
            assert key in (edge.source, edge.target) or not enters(line, box), f"{edge} goes through {key}"
        for other, label in labels:
            assert other == index or not enters(line, label), f"{edge} goes through label {other}"
        assert not any(enters(line_of(route[1:-1], down), plan.boxes[key]) for key in edge[:2])
        for (start, end, level), key in ((route[0], edge.source), (route[-1], edge.target)):
            box, (low, high) = plan.boxes[key], sorted((start, end))
            assert low <= box[down] and box[down] + box[2 + down] <= high
            assert box[not down] <= level <= box[not down] + box[3 - down]


even = st.integers(10, 60).map(lambda half: 2 * half)


@st.composite
def graphs(draw):
    sizes = {key: (draw(even), draw(even)) for key in range(draw(st.integers(1, 14)))}
    ends = st.integers(0, len(sizes) - 1)
    label = st.just((0, 0)) | st.tuples(even, st.just(18))
    edge = st.builds(Edge, ends, ends, label, st.sampled_from([2, 12]))
    return sizes, draw(st.lists(edge.filter(lambda each: each.source != each.target), max_size=24))


@given(graphs(), st.sampled_from(["right", "down"]))
@settings(max_examples=150, deadline=None)
def test_nothing_overlaps_and_no_edge_goes_through_a_box(graph, direction):
    sizes, edges = graph
    assert_clear(sizes, edges, layout(sizes, edges, direction), direction == "down")


def test_parts_that_are_not_connected_stand_side_by_side():
    plan = layout(dict.fromkeys(range(100), (40, 20)), [])
    assert plan.width < 1200 and plan.height < 1200
    assert layout({}, []) == ({}, [], [], 0, 0)


@pytest.mark.parametrize("name", json.loads(RECORD.read_text("utf-8")))
def test_at_most_twice_the_crossings_of_dot(name):
    """Counted the same way on both sides: pairs of edges that cross in the picture (see layout_geometry)."""
    entry = json.loads(RECORD.read_text("utf-8"))[name]
    keys = sorted({key for pair in entry["edges"] for key in pair})
    plan = layout(dict.fromkeys(keys, NODE), [Edge(*pair) for pair in entry["edges"]])
    assert crossing_pairs([line_of(route) for route in plan.routes]) <= 2 * entry["dot"]
