"""Which of several poses is the answer, if the components have full covariances in 3D.

Two measures speak.  The correlation of flat components sums over everything that is near, so it works with few points;
but where a scene is mostly ground, or looks alike at several places, it prefers poses with more overlap.  The surface
score says how exactly the surfaces coincide; but it counts places, and few places coincide by chance.  So the
correlation decides, unless the surfaces of another pose coincide better by more than chance explains.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from svgm.checks.types import Array
from svgm.mixture.mixture import Mixture
from svgm.registration.objective import Objective
from svgm.registration.search.duplicates import pose_distances
from svgm.registration.search.surface_score import SurfaceScore, SurfaceScorer
from svgm.registration.tuning import TUNING

#: A score is significantly higher if its logarithm exceeds the other one by this many standard errors: by chance that
#: happens in 5 of 100 cases.
SIGNIFICANT = 1.64


def most_convincing(poses: Array, objective: Objective, scorer: SurfaceScorer, initial: Array | None = None) -> int:
    """Index of the pose that is the answer.

    Parameters
    ----------
    poses
        (B, d+1, d+1), each a minimum of the objective.
    objective
        That of the finest level, with full covariances.
    scorer
        Scores the poses by their surfaces.
    initial
        If several poses are equally good (`TUNING.full_tie`), the one nearest to this pose is the answer.
    """
    if len(poses) == 1:
        return 0
    weighted = Objective(leveraged(objective.source), leveraged(objective.target), search=True)
    correlations = np.maximum(-weighted(poses)[0], np.finfo(float).tiny)
    scores = [scorer(pose) for pose in poses]
    weights = np.log(correlations) - [score.doubt for score in scores]
    if initial is not None:
        distances = pose_distances(poses, initial)
        weights = np.where(weights >= weights.max() - TUNING.full_tie, -distances, -np.inf)
    return clearly_better(scores, int(np.argmax(weights)))


def clearly_better(scores: Sequence[SurfaceScore], first: int) -> int:
    """Index of the highest score that is significantly higher than that of `first`; `first` if none is.

    A score goes with the square of the share that coincides.  A share found at n independent places has the standard
    error 1/√n of its logarithm.

    >>> few = [SurfaceScore(c, 0.2, 0.3, 0.2, 0.0, 10.0, 0.1) for c in (0.05, 0.1)]
    >>> many = [SurfaceScore(c, 0.2, 0.3, 0.2, 0.0, 1000.0, 0.1) for c in (0.05, 0.1)]
    >>> clearly_better(few, 0), clearly_better(many, 0)
    (0, 1)
    """
    values = np.log([max(score.score, np.finfo(float).tiny) for score in scores])
    variances = np.array([4.0 / _coinciding_places(score) for score in scores])
    significant = values - values[first] > SIGNIFICANT * np.sqrt(variances + variances[first])
    return int(np.argmax(np.where(significant, values, -np.inf))) if significant.any() else first


def _coinciding_places(score: SurfaceScore) -> float:
    """Number of independent places at which the surfaces coincide, at least a half."""
    return max(score.places * score.coinciding / max(score.explained, 1e-3), 0.5)


def leveraged(mixture: Mixture) -> Mixture:
    """The mixture with more weight where few other components face the same way.

    A component with normal n is weighted by nᵀ S⁻¹ n, where S is the scatter of all normals: how much it holds the
    pose beside the others.  So a few walls count as much as all of the ground.  Round components keep their weights.
    """
    if mixture.covariances is None:
        return mixture
    d = mixture.means.shape[1]
    widths, axes = np.linalg.eigh(mixture.covariances)
    normals, flatness = axes[:, :, 0], 1.0 - widths[:, 0] / widths[:, -1]
    scatter = np.einsum("i,ij,ik->jk", mixture.weights * flatness, normals, normals)
    scatter += (TUNING.flat_share * np.trace(scatter) / d + np.finfo(float).tiny) * np.eye(d)
    levers = flatness * np.einsum("ij,jk,ik->i", normals, np.linalg.inv(scatter / np.trace(scatter)), normals) / d
    weights = mixture.weights * (levers + 1.0 - flatness)
    return Mixture.unchecked(
        mixture.means, mixture.variance, weights / weights.sum(), mixture.bias, covariances=mixture.covariances
    )
