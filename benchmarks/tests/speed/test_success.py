"""The table of time and success: the best setting of each method, and svgm's time on its right pairs."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.speed.contestants import Contestant
from benchmarks.speed.race import Result
from benchmarks.speed.success import dots_of


def result(method: str, setting: str, seconds: list[float], right: list[bool]) -> Result:
    contestant = Contestant(method, setting, lambda source, target: np.eye(4))
    return Result(contestant, np.zeros(len(right), dtype=int), np.array(seconds), np.array(right))


def test_the_most_successful_setting_counts_and_ratios_are_of_its_right_pairs() -> None:
    ours = result("svgm", "default call", [2.0, 4.0, 90.0], [True, True, True])
    hasty = result("peer", "hasty", [1.0, 1.0, 1.0], [True, False, False])
    careful = result("peer", "careful", [1.0, 4.0, 8.0], [True, True, False])
    lost = result("lost", "any", [1.0, 1.0, 1.0], [False, False, False])
    dots = {dot.method: dot for dot in dots_of([ours, hasty, careful, lost])}
    assert dots["svgm"].ratio == 1.0
    assert dots["peer"].setting == "careful"
    assert (dots["peer"].right, dots["peer"].pairs) == (2, 3)
    assert dots["peer"].seconds == pytest.approx(4.0)
    assert dots["peer"].ratio == pytest.approx(1.5)
    assert np.isnan(dots["lost"].ratio)
