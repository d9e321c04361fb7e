"""Boxes of poses: they cover SE(d), and halving loses nothing."""

from __future__ import annotations

import numpy as np
import pytest

from svgm.registration.search.boxes import Boxes, join, roots
from svgm.registration.search.rotations import even_rotations
from svgm.rigid import rotation_log


def halved(dimension: int, times: int, rng: np.random.Generator) -> Boxes:
    boxes = roots(dimension, 1.0)
    for _ in range(times):
        boxes = boxes.split(rng.integers(boxes.centres.shape[1], size=len(boxes)))
    return boxes


@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize("times", [0, 3])
def test_every_rotation_is_within_the_angle_of_some_box(d: int, times: int, rng: np.random.Generator) -> None:
    boxes = halved(d, times, rng)
    centres = boxes.poses()[:, :d, :d]
    for rotation in even_rotations(40, d):
        apart = np.linalg.norm(rotation_log(np.swapaxes(centres, 1, 2) @ rotation), axis=1)
        assert (apart <= boxes.angles() + 1e-12).any()


@pytest.mark.parametrize("d", [2, 3])
def test_halves_fill_their_box(d: int, rng: np.random.Generator) -> None:
    boxes = halved(d, 4, rng)
    volume = np.prod(boxes.halves, axis=1)
    whole = roots(d, 1.0)
    assert len(boxes) == 16 * len(whole)
    assert volume.sum() == pytest.approx(np.prod(whole.halves, axis=1).sum())


def test_parts_are_joined_in_order(rng: np.random.Generator) -> None:
    boxes = halved(3, 3, rng)
    again = join([boxes[:5], boxes[5:]])
    assert np.array_equal(again.centres, boxes.centres)
    assert np.array_equal(again.charts, boxes.charts)
