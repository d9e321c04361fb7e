"""A map does not depend on the unit of length."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import svgm
from svgm import MapResult
from svgm.datasets import body, laser_scan, partial_view, round_walk, storey
from svgm.mapping.rounds import Survey, _models
from tests.mapping.scenes import planar


@cache
def scene(d: int) -> list[np.ndarray]:
    """A walk once around a storey; views of a body."""
    if d == 2:
        walls = storey()
        return [laser_scan(walls, place, seed=k, beams=120) for k, place in enumerate(round_walk(60))]
    whole = body(3000, seed=1)[0]
    return [partial_view(whole, viewpoint=[7 * np.cos(a), 7 * np.sin(a), 2.5]) for a in (0.0, 0.4, 0.8)]


@cache
def mapped(d: int, unit: float) -> MapResult:
    order = "sequence" if d == 2 else "unordered"
    return svgm.map([unit * points for points in scene(d)], order=order)


@pytest.mark.parametrize("unit", [1e3, 1e-3], ids=["millimetres", "kilometres"])
@pytest.mark.parametrize("d", [2, 3])
def test_the_same_scene_in_another_unit_is_the_same_map(d: int, unit: float) -> None:
    one, other = mapped(d, 1.0), mapped(d, unit)
    assert [(e.source, e.target, e.kind) for e in other.edges] == [(e.source, e.target, e.kind) for e in one.edges]
    assert len(other.rejected) == len(one.rejected)
    assert (len(other.mixture), other.components) == (len(one.mixture), one.components)
    assert other.sigma == pytest.approx(unit * one.sigma, rel=1e-9)
    units = np.r_[np.ones(d * (d - 1) // 2), np.full(d, unit)]
    scaled = other.poses.copy()
    scaled[:, :d, d] /= unit
    # A registration ends within a millionth of sigma, and the graph adds up a whole way of them.
    assert np.abs(scaled - one.poses).max() < 1e-4 * one.sigma
    deviations = np.sqrt(np.diagonal(other.covariances, axis1=1, axis2=2)) / units
    expected = np.sqrt(np.diagonal(one.covariances, axis1=1, axis2=2))
    assert np.allclose(deviations, expected, rtol=1e-3, atol=1e-9)


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
def test_a_model_is_made_anew_where_its_points_have_moved(unit: float) -> None:
    """By a turn, too, whose entries have no unit."""
    points = unit * scene(2)[0]
    sigma = 0.1 * unit
    mixture = svgm.fit(points, scale=sigma, gamma=1.0)
    survey = Survey(sigma, "sequence", mixtures={0: mixture, 1: mixture}, pieces=[[0, 1]])
    made: list[int] = []

    def work(phase: str, function: object, tasks: list) -> list[svgm.Mixture]:
        made.append(len(tasks))
        return [mixture for _ in tasks]

    far = np.linalg.norm(points, axis=1).max()
    for angle in (0.0, 0.05 * sigma / far, 0.3 * sigma / far):
        survey.poses = {0: np.eye(3), 1: planar(0.0, 0.0, angle)}
        _models(survey, work)  # type: ignore[arg-type]
    assert made == [1, 0, 1]
