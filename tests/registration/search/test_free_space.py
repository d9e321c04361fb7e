"""FreeSpace: what stands where a sensor looked through."""

from __future__ import annotations

import numpy as np
import pytest

from svgm.registration.search.free_space import FreeSpace
from svgm.registration.tuning import TUNING
from svgm.rigid import apply, exp

CELL = 0.1


def wall(d: int) -> np.ndarray:
    """At x = 5, from -2 to 2 in the other directions."""
    side = np.arange(-2.0, 2.0 + 1e-9, CELL)
    others = np.array(np.meshgrid(*[side] * (d - 1))).reshape(d - 1, -1).T
    return np.c_[np.full(len(others), 5.0), others]


@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize(
    ("place", "blocked"),
    [
        ([3.0, 0.2, 0.1], True),  # before it
        ([1.0, 0.1, 0.1], True),  # close to the sensor
        ([7.0, 0.2, 0.1], False),  # behind
        ([0.0, 3.0, 0.0], False),  # beside: nothing is known of that direction
        ([-3.0, 0.2, 0.1], False),  # behind the sensor
        ([5.0, 1.0, 1.0], False),  # on it
        ([5.0 - 0.5 * TUNING.in_front * CELL, 0.2, 0.1], False),  # hardly before it: may be the sampling
        ([5.0 - 2.0 * TUNING.in_front * CELL, 0.2, 0.1], True),
    ],
)
def test_before_behind_and_beside(d: int, place: list[float], blocked: bool) -> None:
    free = FreeSpace(np.zeros(d), wall(d), CELL)
    assert free.blocked(np.array([place[:d]])) == float(blocked)


@pytest.mark.parametrize("d", [2, 3])
def test_it_is_a_share(d: int) -> None:
    free = FreeSpace(np.zeros(d), wall(d), CELL)
    before = wall(d) * [0.5, *[0.3] * (d - 1)]
    behind = wall(d) * [1.5, *[0.3] * (d - 1)]
    # Where a cell of directions has only its corner on the sphere, the sensor may have seen nothing in it.
    assert free.blocked(before) > 0.99
    assert free.blocked(behind) == 0.0
    assert free.blocked(np.concatenate([before, behind])) == 0.5 * free.blocked(before)


@pytest.mark.parametrize("d", [2, 3])
def test_a_surface_does_not_block_itself(d: int, rng: np.random.Generator) -> None:
    seen = wall(d)
    seen = seen + 0.2 * CELL * rng.normal(size=seen.shape)
    assert FreeSpace(np.zeros(d), seen, CELL).blocked(seen) == 0.0


@pytest.mark.parametrize("d", [2, 3])
def test_the_nearest_of_two_walls_counts(d: int) -> None:
    """Nothing is known of what is between them: the far one is seen through gaps, or was there at another time."""
    near, far = wall(d), wall(d) * [2.0, *[1.0] * (d - 1)]
    free = FreeSpace(np.zeros(d), np.concatenate([near, far]), CELL)
    between = np.zeros((1, d)) + np.array([7.5, 0.2, 0.1][:d])
    assert free.blocked(between) == 0.0
    assert free.blocked(0.4 * between) == 1.0


def test_it_moves_with_the_set_nearly() -> None:
    """Cells of directions lie along the axes, so only places at the edge of what is known may change sides."""
    T = exp([0.3, -0.8, 0.5, 10.0, -20.0, 5.0])
    viewpoint, seen = np.zeros(3), wall(3)
    places = np.concatenate([0.6 * seen, 1.4 * seen])
    here = FreeSpace(viewpoint, seen, CELL).blocked(places)
    there = FreeSpace(apply(T, viewpoint[None])[0], apply(T, seen), CELL).blocked(apply(T, places))
    assert here == pytest.approx(there, abs=0.05)


def test_a_place_at_the_sensor_is_allowed() -> None:
    free = FreeSpace(np.zeros(2), np.concatenate([wall(2), np.zeros((1, 2))]), CELL)
    assert 0.0 <= free.blocked(np.zeros((1, 2))) <= 1.0


def test_a_sensor_however_far_away_has_directions() -> None:
    wall = 1e-9 * np.c_[np.full(41, 5.0), np.linspace(-2, 2, 41)]
    free = FreeSpace(np.array([5.0, 0.0]), wall, 1e-10)
    assert 0.0 <= free.blocked(wall) <= 1.0
