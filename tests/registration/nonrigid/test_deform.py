"""The search: large turns, refinement with more points."""

from __future__ import annotations

import numpy as np

from svgm.registration.nonrigid.deform import deform
from svgm.registration.nonrigid.nodes import Nodes
from svgm.rigid import exp


def nodes(points: np.ndarray) -> Nodes:
    centre = points.mean(axis=0)
    unit = float(np.sqrt(((points - centre) ** 2).sum(axis=1).mean()))
    return Nodes((points - centre) / unit, np.ones(len(points)), centre, unit)


def test_larger_sets_are_refined(rng: np.random.Generator) -> None:
    angle = np.sort(rng.uniform(0, 5, 900))
    spiral = np.column_stack([angle * np.cos(angle), angle * np.sin(angle)])
    bent = spiral + 0.3 * np.sin(0.7 * spiral[:, ::-1])
    turn = exp([2.0, 5.0, 1.0])[:2]
    goal = bent @ turn[:, :2].T + turn[:, 2]
    source, target = nodes(spiral[::2]), nodes(goal[1::2])
    start = np.eye(2) * source.unit / target.unit, (source.centre - target.centre) / target.unit
    found = deform(source, target, [start], everywhere=True, pairs=None, report=lambda *_: None)
    moved = found.deformation().apply(spiral[::2])
    assert np.linalg.norm(moved - goal[::2], axis=1).mean() < 0.03
    assert np.isfinite(found.deviations(source.points)).all()
