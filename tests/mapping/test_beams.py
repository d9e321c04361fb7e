"""Cells that beams go through, against points sampled densely on the beams."""

from __future__ import annotations

import numpy as np
import pytest

from svgm.mapping.beams import count_beams


def counted(sensor: np.ndarray, ends: np.ndarray, size: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    hits, passes = np.zeros(size, dtype=np.int32), np.zeros(size, dtype=np.int32)
    count_beams(sensor, ends, hits, passes)
    return hits, passes


@pytest.mark.parametrize("batch", [1, 7, 1 << 21])
@pytest.mark.parametrize("seed", range(5))
def test_the_cells_are_those_of_points_on_the_beams(seed: int, batch: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("svgm.mapping.beams._BATCH_CELLS", batch)
    rng = np.random.default_rng(seed)
    sensor, ends = rng.uniform(0, (30, 20)), rng.uniform(0, (30, 20), size=(25, 2))
    hits, passes = counted(sensor, ends, (20, 30))
    along = np.linspace(0, 1, 20_001)[:, None, None]
    on_beams = np.floor(sensor + along * (ends - sensor)).astype(int).reshape(-1, 2)
    sampled, last = np.zeros((20, 30), dtype=bool), np.zeros((20, 30), dtype=bool)
    sampled[on_beams[:, 1], on_beams[:, 0]] = True
    last[np.floor(ends[:, 1]).astype(int), np.floor(ends[:, 0]).astype(int)] = True
    assert np.array_equal(hits, last)
    assert not (sampled & (hits + passes == 0)).any()
    # A beam may cut a corner of a cell between two samples.
    assert (passes.astype(bool) & ~sampled).sum() <= 2
    assert passes.max() == hits.max() == 1
    assert not (hits & passes).any()


def test_straight_lines_and_beams_without_length() -> None:
    hits, passes = counted(np.array([2.5, 1.5]), np.array([[2.5, 4.5], [0.5, 1.5], [2.5, 1.5]]), (5, 4))
    assert np.argwhere(hits).tolist() == [[1, 0], [1, 2], [4, 2]]
    assert np.argwhere(passes).tolist() == [[1, 1], [2, 2], [3, 2]]


def test_beams_along_grid_lines_and_through_corners() -> None:
    """Every cell that is counted touches the beam, and no step is left out."""
    hits, passes = counted(np.zeros(2), np.array([[4.0, 4.0]]), (5, 5))
    assert np.diag(hits + passes).tolist() == [1] * 5
    hits, passes = counted(np.array([4.0, 2.0]), np.array([[0.0, 2.0]]), (5, 5))
    assert (hits + passes)[2].tolist() == [1] * 5
    assert (hits + passes).sum() == 5
