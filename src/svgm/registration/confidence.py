"""The assessment of an answer: competing poses, a correction by the surfaces, and the confidence in [0, 1]."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from svgm.checks.types import Array
from svgm.registration.search.duplicates import pose_distances, without_duplicates
from svgm.registration.search.surface_score import SurfaceScore, SurfaceScorer
from svgm.registration.tuning import TUNING

TRUSTED = TUNING.trusted
"""The least confidence of a trusted answer.  On the benchmarks about 2 % of the answers that reached it were wrong
(docs/confidence.md); measured with isotropic covariances, not yet with full ones."""


@dataclass(frozen=True)
class Assessment:
    """An answer and what speaks for it.

    Attributes
    ----------
    pose
        The answer, in normalised coordinates.
    score
        Its surface score; None for sets without a surface.
    competitor
        Score of the best competing pose, as a share of the answer's.
    alternatives
        All competing poses with their shares, best first.
    """

    pose: Array
    score: SurfaceScore | None
    competitor: float
    alternatives: tuple[tuple[Array, float], ...]

    @property
    def overlap(self) -> float:
        """Share of the source that lies on the target; 0 for sets without a surface."""
        return 0.0 if self.score is None else self.score.overlap

    def confidence(self, correlation: float) -> float:
        """A logistic function of three figures: how exactly what lies on the target coincides with it, how well the
        mixtures correlate at the finest scale, and how good the best competing pose is."""
        if self.score is None:
            return 0.0
        exact = np.log(max(self.score.coinciding, 1e-6) / max(self.score.explained, 1e-3))
        alike = np.log(max(correlation, 1e-3))
        evidence = TUNING.bias + TUNING.exact_weight * exact + TUNING.alike_weight * alike
        evidence += TUNING.competitor_weight * min(self.competitor, 1.0)
        return float(1.0 / (1.0 + np.exp(-evidence)))


def assess(
    scorer: SurfaceScorer | None,
    answer: Array,
    candidates: Array,
    *,
    sigma: float,
    correct: bool,
    searched_all_poses: bool,
    threads: int,
) -> Assessment:
    """Assess an answer against its competitors; correct it, if that is allowed.

    Parameters
    ----------
    answer
        The minimum of the objective next to the first candidate.
    candidates
        (B, d+1, d+1), best first.
    sigma
        Of the objective, in normalised coordinates.
    correct
        Whether the surfaces may correct the answer, or replace it by a competing pose.
    searched_all_poses
        Whether the candidates are the best of all poses, not only of those near an initial one.
    """
    if scorer is None:
        return Assessment(answer, None, 0.0, tuple((pose, 0.0) for pose in candidates[1:]))
    aligned = scorer.align_fine(np.concatenate([answer[None], candidates]), threads)
    chosen, found = scorer(answer), [scorer(pose) for pose in aligned]
    scores = np.array([other.score for other in found])
    best, near = int(scores.argmax()), int(scores[:2].argmax())
    if correct and scores[best] > TUNING.replacement * max(chosen.score, scores[0]):
        answer, chosen = aligned[best], found[best]
    elif correct and scorer.cell < sigma and scores[near] > TUNING.fine_correction * chosen.score:
        answer, chosen = aligned[near], found[near]
    elif scores[0] > chosen.score:
        chosen = found[0]  # the answer is right, though not to the last digit
    others, scores = without_duplicates(aligned[1:], scores[1:], scorer.same_pose, len(candidates))
    elsewhere = pose_distances(others, answer) > scorer.same_pose
    shares = scores[elsewhere] / max(chosen.score, 1e-12)
    return Assessment(
        answer,
        chosen,
        float(shares.max(initial=0.0 if searched_all_poses else TUNING.unknown_competitor)),
        tuple((pose, float(share)) for pose, share in zip(others[elsewhere], shares, strict=True)),
    )
