"""FreeSpace: what stands where a sensor looked through."""

from __future__ import annotations

import numpy as np
import pytest

from svgm.registration.search.free_space import FreeSpace
from svgm.registration.search.viewpoint import Viewpoint
from svgm.registration.tuning import TUNING
from svgm.rigid import apply, exp

CELL = 0.1


def free_space(viewpoint: np.ndarray, places: np.ndarray, cell: float = CELL, side_known: bool = True) -> FreeSpace:
    return FreeSpace(Viewpoint(viewpoint, side_known), places, cell)


def blocked(free: FreeSpace, places: np.ndarray) -> float:
    """The share that is blocked where the places are."""
    return float(free.blocked(places, np.eye(places.shape[1] + 1)[None])[0, 0])


def wall(d: int) -> np.ndarray:
    """At x = 5, from -2 to 2 in the other directions."""
    side = np.arange(-2.0, 2.0 + 1e-9, CELL)
    others = np.array(np.meshgrid(*[side] * (d - 1))).reshape(d - 1, -1).T
    return np.c_[np.full(len(others), 5.0), others]


@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize(
    ("place", "expected"),
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
def test_before_behind_and_beside(d: int, place: list[float], expected: bool) -> None:
    free = free_space(np.zeros(d), wall(d))
    assert blocked(free, np.array([place[:d]])) == float(expected)


@pytest.mark.parametrize("d", [2, 3])
def test_it_is_a_share(d: int) -> None:
    free = free_space(np.zeros(d), wall(d))
    before = wall(d) * [0.5, *[0.3] * (d - 1)]
    behind = wall(d) * [1.5, *[0.3] * (d - 1)]
    # Where a cell of directions has only its corner on the sphere, the sensor may have seen nothing in it.
    assert blocked(free, before) > 0.99
    assert blocked(free, behind) == 0.0
    assert blocked(free, np.concatenate([before, behind])) == 0.5 * blocked(free, before)


@pytest.mark.parametrize("d", [2, 3])
def test_a_surface_does_not_block_itself(d: int, rng: np.random.Generator) -> None:
    seen = wall(d)
    seen = seen + 0.2 * CELL * rng.normal(size=seen.shape)
    assert blocked(free_space(np.zeros(d), seen), seen) == 0.0


@pytest.mark.parametrize("d", [2, 3])
def test_the_nearest_of_two_walls_counts(d: int) -> None:
    """Nothing is known of what is between them: the far one is seen through gaps, or was there at another time."""
    near, far = wall(d), wall(d) * [2.0, *[1.0] * (d - 1)]
    free = free_space(np.zeros(d), np.concatenate([near, far]))
    between = np.zeros((1, d)) + np.array([7.5, 0.2, 0.1][:d])
    assert blocked(free, between) == 0.0
    assert blocked(free, 0.4 * between) == 1.0


def test_it_moves_with_the_set_nearly() -> None:
    """Cells of directions lie along the axes, so only places at the edge of what is known may change sides."""
    T = exp([0.3, -0.8, 0.5, 10.0, -20.0, 5.0])
    viewpoint, seen = np.zeros(3), wall(3)
    places = np.concatenate([0.6 * seen, 1.4 * seen])
    here = blocked(free_space(viewpoint, seen), places)
    there = blocked(free_space(apply(T, viewpoint[None])[0], apply(T, seen)), apply(T, places))
    assert here == pytest.approx(there, abs=0.05)


def test_a_place_at_the_sensor_is_allowed() -> None:
    free = free_space(np.zeros(2), np.concatenate([wall(2), np.zeros((1, 2))]))
    assert 0.0 <= blocked(free, np.zeros((1, 2))) <= 1.0


def test_a_sensor_however_far_away_has_directions() -> None:
    wall = 1e-9 * np.c_[np.full(41, 5.0), np.linspace(-2, 2, 41)]
    free = free_space(np.array([5.0, 0.0]), wall, 1e-10)
    assert 0.0 <= blocked(free, wall) <= 1.0


@pytest.mark.parametrize("d", [2, 3])
def test_a_sensor_on_an_unknown_side_may_have_looked_from_behind(d: int) -> None:
    places = np.concatenate([wall(d) * [0.5, *[0.3] * (d - 1)], wall(d) * [1.5, *[0.3] * (d - 1)]])
    shares = free_space(np.zeros(d), wall(d), side_known=False).blocked(places, np.eye(d + 1)[None])
    assert shares[0] == pytest.approx([0.5, 0.5], abs=0.04)  # cells at the edge see little
    known = free_space(np.zeros(d), wall(d)).blocked(places, np.eye(d + 1)[None])
    assert known[0, 0] == shares[0, 0]
    assert known[0, 1] == np.inf


def test_places_move_by_each_of_the_poses(rng: np.random.Generator) -> None:
    free = free_space(np.zeros(3), wall(3))
    places, poses = 0.7 * wall(3), exp(0.3 * rng.normal(size=(20, 6)))
    together = free.blocked(places, poses)
    alone = [blocked(free, apply(pose, places)) for pose in poses]
    assert together[:, 0] == pytest.approx(alone, abs=1e-3)
    assert np.array_equal(together, free.blocked(places, poses, threads=3))


def test_a_margin_allows_for_poses_that_are_off() -> None:
    free = free_space(np.zeros(2), wall(2))
    before = wall(2) - [1.0, 0.0]
    assert blocked(free, before) > 0.7
    assert free.blocked(before, np.eye(3)[None], margin=1.5)[0, 0] == 0.0


def test_doubt_is_less_where_a_set_hides_itself() -> None:
    near, far = wall(2), wall(2) * [2.0, 1.0]
    clear, hiding = free_space(np.zeros(2), near), free_space(np.zeros(2), np.concatenate([near, far]))
    assert clear.hidden == 0.0
    assert 0.3 < hiding.hidden < 0.7
    before = 0.5 * near
    assert blocked(clear, before) == blocked(hiding, before) == 1.0
    doubts = [free.doubt(before, np.eye(3)[None])[0, 0] for free in (clear, hiding)]
    assert doubts[0] == 1.0 / TUNING.blocked_share
    assert doubts[1] == pytest.approx(1.0 / (TUNING.blocked_share + hiding.hidden))
