"""Doubts about two sets, on the result, in its dictionary and in its file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import svgm
from svgm.datasets import butterfly


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda points: points, ()),
        (lambda points: 1000.0 * points, ("target is about 1000 times as large",)),
        (lambda points: points[::60], ("points of the target are about",)),
        (lambda points: np.vstack([points, np.zeros((50, 2))]), ("are at one place, (0, 0)",)),
        (lambda points: np.vstack([points, [[1e6, 0.0]]]), ("1 of 801 points of the target lies far",)),
    ],
)
def test_what_is_unusual_is_said(change, words: tuple[str, ...]) -> None:
    points = butterfly(800)
    doubts = svgm.register(points, change(points), search="local").doubts
    assert len(doubts) == len(words)
    for doubt, word in zip(doubts, words, strict=True):
        assert word in doubt


@pytest.mark.parametrize("suffix", [".json", ".npz"])
def test_they_are_kept_in_files(suffix: str, tmp_path: Path) -> None:
    result = svgm.register(butterfly(300), 100.0 * butterfly(300), search="local")
    result.save(tmp_path / f"result{suffix}")
    assert result.as_dict()["doubts"] == list(result.doubts) != []
    assert svgm.RegistrationResult.load(tmp_path / f"result{suffix}").doubts == result.doubts


def test_the_place_of_repeated_points_is_exact() -> None:
    points = np.vstack([butterfly(300) + 5e6, np.full((40, 2), 5e6 + 0.125)])
    assert svgm.prepare(points).most_frequent[0].tolist() == [5e6 + 0.125] * 2
