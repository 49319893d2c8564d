"""matplotlib figures show what their data say, are labelled, have words, and leave nothing open."""

import math
import os
import subprocess
import sys

import house
import pytest

import autograd_nb as torch
from autograd_nb.course import figures


def f(x):
    return torch.log(x**3)


CHARTS = {
    "tangent": lambda: figures.tangent(f, 5.0, steps=(3.0, 1.0), name="ln(x³)"),
    "difference_error": lambda: figures.difference_error(f, 5.0, name="ln(x³)"),
    "accumulation": lambda: figures.accumulation([("backward", 0.6), ("again", torch.tensor(1.2)), ("None", None)]),
}
charts = pytest.mark.parametrize("name", CHARTS)


@charts
def test_a_figure_is_labelled_and_has_words(name):
    chart = CHARTS[name]()
    (axes,) = chart.figure.axes
    assert axes.get_xlabel() and axes.get_ylabel() and axes.get_title()
    bundle = chart._repr_mimebundle_()
    assert bundle.keys() == {"text/html", "text/plain"} and bundle["text/plain"] == chart.text
    assert f'<img alt="{chart.text}" src="data:image/png;base64,' in bundle["text/html"]


SPEAK = """
from autograd_nb.course import figures
if {pretend}:
    figures._fonts = lambda: ["DejaVu Sans"]
print(figures.loss([4.0, 1.0]).figure.axes[0].get_title(), figures.loss([4.0, 1.0]).text, bool(figures._fonts()))
"""


@pytest.mark.parametrize("pretend", [False, True])
def test_in_another_language_a_picture_has_its_letters_or_is_english(pretend):
    env = os.environ | {"AUTOGRAD_NB_LANGUAGE": "ko", "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-c", SPEAK.format(pretend=pretend)]
    told = subprocess.run(command, env=env, stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout
    told, _, has_fonts = told.strip().rpartition(" ")
    title = "학습하는 동안의 손실" if has_fonts == "True" else "Loss while training"
    assert told == f"{title} 학습하는 동안의 손실: loss: 4에서 1까지, 2걸음."
    assert has_fonts == "True" or not pretend


EARLIER = """
import sys
from autograd_nb import drawing
assert "autograd_nb.course" not in sys.modules and not hasattr(drawing, "charts")
from autograd_nb.drawing import figures
from autograd_nb.course import figures as same
print(figures is same, figures.loss([4.0, 1.0]).data)
"""


def test_a_notebook_that_was_saved_earlier_finds_them_beside_the_drawings():
    assert house.run("-c", EARLIER) == "True {'loss': [4.0, 1.0]}\n"


def test_no_figure_stays_open():
    for make in CHARTS.values():
        make()
    pyplot = sys.modules.get("matplotlib.pyplot")
    assert pyplot is None or pyplot.get_fignums() == []


def test_the_tangent_has_the_slope_that_autograd_finds():
    chart = CHARTS["tangent"]()
    assert chart.data["slope"] == pytest.approx(0.6) and chart.data["value"] == pytest.approx(math.log(125))
    assert chart.data["secants"] == pytest.approx({3.0: math.log(8.0 / 5.0), 1.0: 3 * math.log(6.0 / 5.0)})
    curve, *straight = chart.figure.axes[0].lines
    for line, slope in zip(straight, (0.6, *chart.data["secants"].values()), strict=False):
        (left, right), (low, high) = line.get_xdata(), line.get_ydata()
        assert (high - low) / (right - left) == pytest.approx(slope)
    assert curve.get_xdata()[[0, -1]] == pytest.approx([0.5, 9.5])


def test_the_error_of_a_difference_has_a_valley_in_float32():
    data = figures.difference_error(f, 5.0, steps=(0.1, 1e-3, 1e-6, 1e-8)).data
    assert data["float32"][0.1] > data["float32"][1e-3] < data["float32"][1e-6]
    assert data["float64"][0.1] > data["float64"][1e-3] > data["float64"][1e-6]
    assert math.isnan(data["float32"][1e-8])  # 5 + 1e-8 is 5 in float32: no step, no slope


def test_bars_are_as_high_as_the_gradient_and_show_what_was_added():
    chart = CHARTS["accumulation"]()
    assert chart.data == [("backward", 0.6), ("again", pytest.approx(1.2)), ("None", None)]
    tops = [bar.get_y() + bar.get_height() for bar in chart.figure.axes[0].patches]
    assert tops == pytest.approx([0, 0.6, 0.6, 1.2, 0, 0])
    assert [text.get_text() for text in chart.figure.axes[0].texts] == ["0.6", "1.2", "None"]
