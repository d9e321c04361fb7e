"""Pictures as text: well formed, escaped, with everything where it belongs."""

from __future__ import annotations

import math
from xml.etree import ElementTree

import pytest

from svgm.view import svg


def parsed(text: str) -> ElementTree.Element:
    """The picture as a tree; malformed text raises."""
    return ElementTree.fromstring(text)


def test_a_picture_is_well_formed_and_escapes_what_it_is_given() -> None:
    hostile = '"><script>alert(1)</script>&'
    text = svg.picture(10, 20, svg.words(1, 2, hostile, colour=hostile, anchor=hostile), label=hostile)
    assert "<script" not in text
    root = parsed(text)
    assert root.attrib["viewBox"] == "0 0 10 20"
    assert root.attrib["aria-label"] == hostile
    assert root[0].text == hostile
    assert svg.dots([(0, 0)], [1], colour=hostile).count("<") == 3
    assert "<script" not in svg.line([(0, 0)], colour=hostile)


def test_what_is_nowhere_is_not_drawn() -> None:
    nan, inf = math.nan, math.inf
    assert svg.dots([(nan, 0), (0, inf), (1, 1)], [1, 1, nan]).count("<circle") == 0
    assert 'd=""' in svg.line([(nan, nan)])
    assert all(math.isnan(value) for value in svg.within([(nan, 0.0)], 10, 10)[0])
    for values in ([nan, nan], [inf, -inf]):
        assert "nothing to show" in svg.chart([0, 1], {"a": values})
    assert "nothing to show" in svg.chart([], {})


def test_within_keeps_proportions_and_turns_y_over() -> None:
    (x0, y0), (x1, y1) = svg.within([(0.0, 0.0), (4.0, 1.0)], 100, 100, margin=10)
    assert (x0, x1) == (10, 90)
    assert y0 - y1 == pytest.approx(20)
    assert svg.within([(3.0, 5.0)] * 2, 100, 60) == [(50, 30)] * 2


@pytest.mark.parametrize(("low", "high"), [(-0.97, -0.3), (0, 1e-9), (1e6, 3.3e6), (-5, 12), (2, 2)])
def test_ticks_are_few_round_and_inside(low: float, high: float) -> None:
    found = svg.ticks(low, high)
    assert 1 <= len(found) <= 8
    assert all(low <= value <= high for value in found)
    assert all(len(f"{value:.12g}".replace("-", "").replace(".", "").strip("0")) <= 9 for value in found)


def test_a_chart_has_axes_marks_and_names() -> None:
    x = [1.0, 10.0, 100.0, 1000.0]
    text = svg.chart(x, {"a": [1, 2, 3, 4], "b & c": [4, math.nan, 2, 1]}, x_label="gamma", y_label="y", log_x=True)
    root = parsed(text)
    words = [element.text for element in root.iter("text")]
    assert {"a", "b & c", "gamma", "y", "1", "10", "100", "1000"} <= set(words)
    assert len(list(root.iter("circle"))) == 7
    for circle in root.iter("circle"):
        assert 0 <= float(circle.attrib["cx"]) <= 340
        assert 0 <= float(circle.attrib["cy"]) <= 170
    assert text == svg.chart(
        x, {"a": [1, 2, 3, 4], "b & c": [4, math.nan, 2, 1]}, x_label="gamma", y_label="y", log_x=True
    )


def test_a_chart_of_one_value_and_of_logarithms_without_one() -> None:
    assert len(list(parsed(svg.chart([2], {"a": [-0.5]})).iter("circle"))) == 1
    assert len(list(parsed(svg.chart([0, 1, 2], {"a": [0.0, 1.0, 10.0]}, log_y=True)).iter("circle"))) == 2
    assert len(list(parsed(svg.chart([0, 0], {"a": [0.0, 0.0]})).iter("circle"))) == 2
