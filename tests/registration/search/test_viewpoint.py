"""estimate_viewpoint: the direction from which a set was seen, and how far that can be believed."""

from __future__ import annotations

import numpy as np
import pytest

from svgm import _core
from svgm.registration.search.free_space import FreeSpace
from svgm.registration.search.viewpoint import estimate_viewpoint
from svgm.rigid import apply, exp

CELL = 0.05


def relief(rng: np.random.Generator) -> np.ndarray:
    """Hills seen from above, about one place a cell."""
    side = np.arange(-1.0, 1.0, CELL)
    x, y = (axis.ravel() + 0.2 * CELL * rng.normal(size=side.size**2) for axis in np.meshgrid(side, side))
    return np.c_[x, y, 0.5 * np.cos(4.0 * x + 1.0) * np.cos(5.0 * y)]


def ball(rng: np.random.Generator) -> np.ndarray:
    """Seen from all around."""
    places = rng.normal(size=(3000, 3))
    return places / np.linalg.norm(places, axis=1)[:, None]


def direction(places: np.ndarray) -> np.ndarray:
    viewpoint = estimate_viewpoint(places, CELL, 1)
    assert not viewpoint.side_known
    away = viewpoint.place - places.mean(axis=0)
    return away / np.linalg.norm(away)


def test_a_relief_was_seen_from_above_or_below(rng: np.random.Generator) -> None:
    places = relief(rng)
    assert abs(direction(places)[2]) > np.cos(0.4)
    assert FreeSpace(estimate_viewpoint(places, CELL, 1), places, CELL).hidden < 0.01


def test_it_turns_with_the_set(rng: np.random.Generator) -> None:
    places, turn = relief(rng), exp([0.5, -1.0, 0.7, 3.0, 1.0, -2.0])
    assert abs(direction(apply(turn, places)) @ turn[:3, :3][:, 2]) > np.cos(0.4)


def test_an_outline_in_2d(rng: np.random.Generator) -> None:
    x = np.arange(-1.0, 1.0, CELL)
    assert abs(direction(np.c_[x, 0.5 * np.cos(4.0 * x)])[1]) > np.cos(0.4)


def test_a_ball_hides_its_other_half(rng: np.random.Generator) -> None:
    """So the estimate says nothing of what is free."""
    places = ball(rng)
    assert FreeSpace(estimate_viewpoint(places, CELL, 1), places, CELL).hidden > 0.3


def test_the_same_with_any_number_of_threads(rng: np.random.Generator) -> None:
    places = relief(rng)
    assert np.array_equal(estimate_viewpoint(places, CELL, 1).place, estimate_viewpoint(places, CELL, 3).place)


@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize("count", [1, 2])
def test_hardly_any_places(d: int, count: int) -> None:
    assert np.isfinite(estimate_viewpoint(np.ones((count, d)), CELL, 1).place).all()


@pytest.mark.parametrize("d", [2, 3])
def test_hidden_shares_by_hand(d: int, rng: np.random.Generator) -> None:
    """What is behind the nearest place of a pixel, one and a half cells wide, by more than the margin is hidden."""
    places = rng.uniform(-1.0, 1.0, size=(300, d))
    depth, across = -places[:, -1], places[:, :-1]
    low = across.min(axis=0)
    pixel = np.floor((across - low) / (1.5 * 0.2)).astype(int)
    nearest: dict[tuple[int, ...], float] = {}
    for key, value in zip(map(tuple, pixel), depth, strict=True):
        nearest[key] = min(nearest.get(key, np.inf), value)
    expected = np.mean([value > nearest[key] + 0.1 for key, value in zip(map(tuple, pixel), depth, strict=True)])
    along = np.zeros((1, d))
    along[0, -1] = 1.0
    assert _core.hidden_shares(along, places, 0.2, 0.1, 1)[0] == pytest.approx(expected, abs=0.03)
