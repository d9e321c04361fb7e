"""The assessment of an answer: competing poses, a correction by the surfaces, and the confidence in [0, 1]."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from svgm.checks.types import Array
from svgm.registration.search.duplicates import pose_distances, without_duplicates
from svgm.registration.search.surface_score import SurfaceScore, SurfaceScorer
from svgm.registration.tuning import TUNING

TRUSTED = TUNING.trusted
"""The least confidence of a trusted answer.  docs/confidence.md says how many answers that reach it are wrong."""

#: A share of the places that coincide is lowered by this many of its standard errors: few places agree by chance.
ERRORS = 2.0

#: Surfaces that hold the pose by more than this along every direction hold it firmly: see `SurfaceScore.held`.
FIRM = 0.05

#: A score e² times, or an exactness or a correlation e times those of every competing pose is clear; more adds nothing.
CLEAR_SCORE, CLEAR = 2.0, 1.0

#: A competing pose counts less if it explains less than the answer, or is held less firmly (chosen on the data of
#: ``python -m benchmarks.confidence``).
LESS_EXPLAINED, LESS_HELD = 0.5, 0.3


@dataclass(frozen=True)
class Evidence:
    """What speaks for an answer, as logarithms; the larger a figure, the more.

    Attributes
    ----------
    exact
        The share that coincides of what lies on the target, two standard errors below the estimate.
    better
        The surface score over that of the best competing pose, at most `CLEAR_SCORE`.
    more_exact
        `exact` above that of the best competing pose, at most `CLEAR`.
    more_alike
        The mixtures' correlation over that at the best competing pose, at most `CLEAR`.
    held
        How firmly what coincides holds the pose along the weakest direction, over `FIRM`; at most 0.
    """

    exact: float
    better: float
    more_exact: float
    more_alike: float
    held: float

    def confidence(self, dimension: int) -> float:
        """The logistic function of a weighted sum, with weights by dimension: in 2D more agrees by chance."""
        evidence = (
            TUNING.bias[dimension]
            + TUNING.exact_weight[dimension] * self.exact
            + TUNING.better_weight[dimension] * self.better
            + TUNING.more_exact_weight[dimension] * self.more_exact
            + TUNING.more_alike_weight[dimension] * self.more_alike
            + TUNING.held_weight[dimension] * self.held
        )
        return float(1.0 / (1.0 + np.exp(-evidence)))


def evidence_of(
    score: SurfaceScore, correlation: float, rivals: Sequence[SurfaceScore], rival_correlation: float
) -> Evidence:
    """The evidence for a pose with this surface score and correlation, among its rivals."""
    exact, held = _exactness(score), _firmness(score)
    best = max((rival.score for rival in rivals), default=0.0) / max(score.score, 1e-12)
    nearest = max((_rank(rival, score) for rival in rivals), default=-np.inf)
    alike = np.log(max(correlation, 1e-3) / max(rival_correlation, 1e-3))
    return Evidence(
        exact=exact,
        better=float(min(-np.log(max(best, 1e-3)), CLEAR_SCORE)),
        more_exact=float(min(_rank(score, score) - nearest, CLEAR)),
        more_alike=float(min(alike, CLEAR)),
        held=held,
    )


def _rank(score: SurfaceScore, answer: SurfaceScore) -> float:
    """How exact a pose is, less if it explains less than the answer, or is held less firmly."""
    explained = min(np.log(max(score.explained, 1e-3) / max(answer.explained, 1e-3)), 0.0)
    return float(_exactness(score) + LESS_EXPLAINED * explained + LESS_HELD * _firmness(score))


def _firmness(score: SurfaceScore) -> float:
    """Logarithm of how firmly what coincides holds the pose along the weakest direction, over `FIRM`; at most 0."""
    return float(min(np.log(max(score.held, 1e-4) / FIRM), 0.0))


def _exactness(score: SurfaceScore) -> float:
    """Logarithm of the share that coincides of what lies on the target, two standard errors below the estimate."""
    share = min(max(score.coinciding, 1e-6) / max(score.explained, 1e-3), 1.0)
    return float(np.log(max(_at_least(share, max(score.places, 1e-3)), 1e-3)))


def _at_least(share: float, count: float) -> float:
    """The lower end of Wilson's interval of a share that was found at so many places.

    >>> round(_at_least(0.8, 1000.0), 2), round(_at_least(0.8, 5.0), 2)
    (0.77, 0.37)
    """
    square = ERRORS**2 / count
    spread = ERRORS * np.sqrt(share * (1.0 - share) / count + square / (4.0 * count))
    return float((share + 0.5 * square - spread) / (1.0 + square))


@dataclass(frozen=True)
class Assessment:
    """An answer and what speaks for it.

    Attributes
    ----------
    pose
        The answer, in normalised coordinates.
    score
        Its surface score; None for sets without a surface.
    evidence
        What speaks for it; None for sets without a surface.
    alternatives
        All competing poses with their shares, best first.
    """

    pose: Array
    score: SurfaceScore | None
    evidence: Evidence | None
    alternatives: tuple[tuple[Array, float], ...]

    @property
    def overlap(self) -> float:
        """Share of the source that lies on the target; 0 for sets without a surface."""
        return 0.0 if self.score is None else self.score.overlap

    @property
    def confidence(self) -> float:
        """0 for sets without a surface."""
        return 0.0 if self.evidence is None else self.evidence.confidence(len(self.pose) - 1)


def assess(
    scorer: SurfaceScorer | None,
    answer: Array,
    candidates: Array,
    correlations: Callable[[Array], Array],
    *,
    sigma: float,
    correct: bool,
    threads: int,
) -> Assessment:
    """Assess an answer against its competitors; correct it, if that is allowed.

    Parameters
    ----------
    answer
        The minimum of the objective next to the first candidate.
    candidates
        (B, d+1, d+1), best first.
    correlations
        Of the mixtures at poses (B, d+1, d+1).
    sigma
        Of the objective, in normalised coordinates.
    correct
        Whether the surfaces may correct the answer, or replace it by a competing pose.
    """
    if scorer is None:
        return Assessment(answer, None, None, tuple((pose, 0.0) for pose in candidates[1:]))
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
    others, shares = others[elsewhere], scores[elsewhere] / max(chosen.score, 1e-12)
    alike = correlations(np.concatenate([answer[None], others]))
    rivals = [scorer(pose) for pose in others]
    return Assessment(
        answer,
        chosen,
        evidence_of(chosen, float(alike[0]), rivals, float(alike[1:].max(initial=0.0))),
        tuple((pose, float(share)) for pose, share in zip(others, shares, strict=True)),
    )
