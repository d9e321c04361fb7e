"""Candidate poses: where the minimiser starts, which of its answers go on to the next level, and which one wins.

The objective has several minima, and the scale decides into which one a start falls.  So the minimiser starts
again from the initial pose at every level, beside the answers of the level before.  It starts from turned copies of the
initial pose at the scales where these lead to other minima.  In a local search the objective at the fine levels decides
which candidate wins.  In the other searches the surface score decides (:mod:`svgm.registration.confidence`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from svgm.checks.types import Array
from svgm.registration.minimise import Function, Minimum
from svgm.registration.tuning import TUNING
from svgm.rigid import invert, log, pose, rotation_exp

_GOLDEN = (1.0 + 5.0**0.5) / 2.0

#: The turns, in units of the angle: multiples of it in 2D, about the 12 vertices of an icosahedron in 3D.
_TURNS = {
    2: np.array([[1.0], [-1.0], [2.0], [-2.0], [3.0]]),
    3: np.array([np.roll([0.0, a, b * _GOLDEN], k) for k in range(3) for a in (1.0, -1.0) for b in (1.0, -1.0)]),
}
_LENGTH = {2: 1.0, 3: float(np.hypot(1.0, _GOLDEN))}


def starts(
    initial: Array,
    gamma: float,
    gammas: Sequence[float],
    before: Function | None,
    best: float,
    degrees: Sequence[float],
) -> Array:
    """Poses that start at the level of `gamma`: the initial pose, and at `TUNING.turned_at` its turned copies too.

    At fine levels the initial pose starts only if it is about as good as the answers of the level before, whose
    objective is `before` and whose least value is `best`.  From a worse pose the minimiser would take many small
    steps to a poor minimum.
    """
    worst = TUNING.restart_correlation * best
    if before is not None and gamma > TUNING.restart_until and before(initial[None])[0][0] > worst:
        return np.empty((0, *initial.shape))
    wanted = TUNING.turned_at[len(initial) - 1]
    turned_at = [min(gammas, key=lambda level: abs(np.log(level / at))) for at in wanted]
    if len(gammas) > 1 and gamma in turned_at:
        return np.concatenate([initial[None], *(turned_copies(initial, turn) for turn in degrees)])
    return initial[None]


def winner(
    poses: Array, objectives: Sequence[Function], gammas: Sequence[float], initial: Array, tie: float = TUNING.tie
) -> int:
    """Index of the pose with the largest geometric mean of its correlations at the levels that compare candidates.

    These are the levels from `TUNING.compared_from` on: coarser ones are biased by occlusion, and the finest alone
    depends on the sampling of the points.  If several poses are about as good as the best
    one (`tie`), the pose nearest to the initial one wins:
    a square turned by 10° comes back by 10°, not by 100°, and a good initial pose is kept.
    """
    if len(poses) == 1:
        return 0
    compare = [f for f, gamma in zip(objectives, gammas, strict=True) if gamma >= TUNING.compared_from]
    correlations = np.array([-objective(poses)[0] for objective in compare or objectives[-1:]])
    scores = np.log(np.maximum(correlations, np.finfo(float).tiny)).mean(axis=0)
    distance = np.linalg.norm(log(invert(initial) @ poses), axis=1)
    return int(np.argmin(np.where(scores >= scores.max() - tie, distance, np.inf)))


def turned_copies(initial: Array, degrees: float) -> Array:
    """The initial pose, turned about the source's centre by so many degrees: (B, d+1, d+1)."""
    d = len(initial) - 1
    turns = np.radians(degrees) / _LENGTH[d] * _TURNS[d]
    rotations = rotation_exp(turns, d) @ initial[:d, :d]
    return pose(rotations, np.broadcast_to(initial[:d, d], (len(rotations), d)))


def kept_answers(minimum: Minimum, gamma: float, *, full: bool = False, turned: bool = False) -> np.ndarray:
    """Indices of the answers that go on to the next level, best first.

    With `full` covariances there are more of them, most where `turned` copies of the initial pose started.
    """
    values = np.where(minimum.given_up, np.inf, minimum.values)
    most, share = TUNING.kept_candidates, TUNING.kept_correlation
    if full:
        most, share = TUNING.full_candidates if turned else TUNING.full_survivors, TUNING.full_correlation
    order = np.argsort(values, kind="stable")[:most]
    worst = share * values[order[0]] if gamma >= TUNING.compared_from else np.finfo(float).max
    return order[values[order] <= worst]
