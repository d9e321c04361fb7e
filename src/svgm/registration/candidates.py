"""Poses that compete: where the minimiser starts, and which of its answers go on to the next level.

The objective has several minima, and which one a start falls into depends on the scale.  So the initial pose starts
anew at every level beside the answers of the level before, joined by turned copies of it at the scales where those lead
to different minima; all are judged by the objective at the fine levels.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from svgm.geometry.points import Array
from svgm.registration.minimise import Function, Minimum
from svgm.rigid import invert, log, pose, rotation_exp

#: Answers that go on to the next level, at most.
KEPT = 8

#: Two answers closer than this, in sigma, are one.
SAME = 0.3

#: Gammas near which turned copies start: coarser they all fall into one minimum, finer they find too shallow ones.
TURNED_AT = {2: (3.0, 10.0), 3: (10.0,)}

_GOLDEN = (1.0 + 5.0**0.5) / 2.0

#: Turns in steps of 60° all around in 2D, by 60° about the 12 vertices of an icosahedron in 3D.
TURNS = {
    2: np.radians(60.0) * np.array([[1.0], [-1.0], [2.0], [-2.0], [3.0]]),
    3: np.radians(60.0)
    / np.hypot(1.0, _GOLDEN)
    * np.array([np.roll([0.0, a, b * _GOLDEN], k) for k in range(3) for a in (1.0, -1.0) for b in (1.0, -1.0)]),
}


_ROTATIONS = {d: rotation_exp(turns, d) for d, turns in TURNS.items()}

#: Answers with less than this share of the best one's correlation are given up at the levels that judge: in 240 dragon
#: pairs no right winner ever had less than 0.9 of it at a coarser level.
PROMISING = 0.9

#: At levels finer than this the start joins only if, one level before, its correlation is at least `NEAR` of the best
#: answer's: elsewhere it would creep through many small steps into some shallow minimum.
NEAR_ONLY_FROM = 50.0
NEAR = 0.8

#: Correlations whose geometric means differ by less than this share are equal.
TIE = 0.02

#: Levels from this gamma on, and the finest, choose the winner together: coarser ones are biased by occlusion, the
#: finest alone is swayed by the sampling of the points.
JUDGED_FROM = 5.0


def starts(start: Array, gamma: float, gammas: Sequence[float], before: Function | None, best: float) -> Array:
    """Poses that join at the level of `gamma`: the start, near `TURNED_AT` with its turned copies, at fine levels only
    if it is as good as the answers of the level before, whose objective is `before` and whose least value is `best`.
    """
    if gamma > NEAR_ONLY_FROM and before is not None and before(start[None])[0][0] > NEAR * best:
        return np.empty((0, *start.shape))
    turned_at = [min(gammas, key=lambda level: abs(np.log(level / at))) for at in TURNED_AT[len(start) - 1]]
    if len(gammas) > 1 and gamma in turned_at:
        return np.concatenate([start[None], turned_copies(start)])
    return start[None]


def winner(poses: Array, objectives: Sequence[Function], gammas: Sequence[float], start: Array) -> int:
    """Index of the pose with the largest correlation, in the geometric mean over the levels from `JUDGED_FROM` on.

    Of poses as good as the best the one nearest to the start wins: a square turned by 10° comes back by 10°, not by
    100°, and a good start is not left for a chance resemblance elsewhere.
    """
    if len(poses) == 1:
        return 0
    judges = [objective for objective, gamma in zip(objectives, gammas, strict=True) if gamma >= JUDGED_FROM]
    correlations = np.array([-judge(poses)[0] for judge in judges or objectives[-1:]])
    scores = np.log(np.maximum(correlations, np.finfo(float).tiny)).mean(axis=0)
    way = np.linalg.norm(log(invert(start) @ poses), axis=1)
    return int(np.argmin(np.where(scores >= scores.max() - TIE, way, np.inf)))


def turned_copies(start: Array) -> Array:
    """The start turned about the source's centre by each of `TURNS`: (B, d+1, d+1)."""
    d = len(start) - 1
    rotations = _ROTATIONS[d] @ start[:d, :d]
    return pose(rotations, np.broadcast_to(start[:d, d], (len(rotations), d)))


def best(minimum: Minimum, gamma: float) -> np.ndarray:
    """Indices of at most `KEPT` answers, best first, at the levels that judge only promising ones."""
    values = np.where(minimum.given_up, np.inf, minimum.values)
    order = np.argsort(values, kind="stable")[:KEPT]
    least = PROMISING * values[order[0]] if gamma >= JUDGED_FROM else np.finfo(float).max
    return order[values[order] <= least]
