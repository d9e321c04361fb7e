"""The assessment of an answer: competing poses, a correction by the surfaces, and the confidence in [0, 1]."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from svgm.checks.types import Array
from svgm.registration.choice import clearly_better
from svgm.registration.search.duplicates import pose_distances, without_duplicates
from svgm.registration.search.surface_score import SurfaceScore, SurfaceScorer
from svgm.registration.tuning import ROUND_2D, TUNING, Form

TRUSTED = TUNING.trusted
"""The least confidence of a trusted answer.  docs/confidence.md says how many answers that reach it are wrong."""

#: A share of the places that coincide is lowered by this many of its standard errors, by form of the confidence: few
#: places agree by chance.  (The constants of `ROUND_2D` were fitted without.)
ERRORS: dict[Form, float] = {2: 2.0, 3: 2.0, ROUND_2D: 0.0}

#: Surfaces that hold the pose by more than this along every direction hold it firmly: see `SurfaceScore.held`.
FIRM = 0.05

#: A score e² times, or an exactness e times that of every competing pose is clear; more adds nothing.
CLEAR_SCORE, CLEAR_EXACTNESS = 2.0, 1.0

#: A competing pose counts less if it explains less than the answer, or is held less firmly (chosen on the data of
#: ``python -m benchmarks.confidence``).
LESS_EXPLAINED, LESS_HELD = 0.5, 0.3


@dataclass(frozen=True)
class Evidence:
    """What speaks for an answer.  All figures but `competitor` are logarithms: the larger, the better.

    Attributes
    ----------
    exact
        The share that coincides of what lies on the target, `ERRORS` standard errors below the estimate.
    alike
        The correlation of the mixtures at the finest scale.
    competitor
        Score of the best competing pose, as a share of the answer's: at most 1, and at least `unknown_competitor` if
        not all poses were searched.
    better
        The surface score over that of the best competing pose, at most `CLEAR_SCORE`.
    more_exact
        `exact` above that of the best competing pose, at most `CLEAR_EXACTNESS`.
    held
        How firmly what coincides holds the pose along the weakest direction, over `FIRM`; at most 0.
    """

    exact: float
    alike: float
    competitor: float
    better: float
    more_exact: float
    held: float

    def confidence(self, form: Form) -> float:
        """The logistic function of a weighted sum, with the weights of a form."""
        evidence = TUNING.bias[form] + sum(
            getattr(TUNING, f"{figure.name}_weight")[form] * getattr(self, figure.name) for figure in fields(self)
        )
        return float(1.0 / (1.0 + np.exp(-evidence)))


@dataclass(frozen=True)
class Assessment:
    """How good an answer is, and what competes with it.

    Attributes
    ----------
    pose
        The answer, in normalised coordinates.
    score
        Its surface score; None for sets without a surface.
    rivals
        The surface scores of the competing poses.
    alternatives
        All competing poses with their scores as shares of the answer's, best first.
    searched_all_poses
        Whether the competing poses are the best of all poses, not only of those near an initial one.
    form
        Of the confidence.
    """

    pose: Array
    score: SurfaceScore | None
    rivals: tuple[SurfaceScore, ...]
    alternatives: tuple[tuple[Array, float], ...]
    searched_all_poses: bool
    form: Form

    @property
    def overlap(self) -> float:
        """Share of the source that lies on the target; 0 for sets without a surface."""
        return 0.0 if self.score is None else self.score.overlap

    def evidence(self, correlation: float) -> Evidence | None:
        """The evidence for the answer with this correlation of the mixtures; None for sets without a surface."""
        answer, form = self.score, self.form
        if answer is None:
            return None
        best = max((rival.score for rival in self.rivals), default=0.0) / max(answer.score, 1e-12)
        nearest = max((_rank(rival, answer, form) for rival in self.rivals), default=-np.inf)
        return Evidence(
            exact=_exactness(answer, form),
            alike=float(np.log(max(correlation, 1e-3))),
            competitor=min(max(best, 0.0 if self.searched_all_poses else TUNING.unknown_competitor), 1.0),
            better=float(min(-np.log(max(best, 1e-3)), CLEAR_SCORE)),
            more_exact=float(min(_rank(answer, answer, form) - nearest, CLEAR_EXACTNESS)),
            held=_firmness(answer),
        )

    def confidence(self, correlation: float) -> float:
        """0 for sets without a surface."""
        evidence = self.evidence(correlation)
        return 0.0 if evidence is None else evidence.confidence(self.form)


def _rank(score: SurfaceScore, answer: SurfaceScore, form: Form) -> float:
    """How exact a pose is, less if it explains less than the answer, or is held less firmly."""
    explained = min(np.log(max(score.explained, 1e-3) / max(answer.explained, 1e-3)), 0.0)
    return float(_exactness(score, form) + LESS_EXPLAINED * explained + LESS_HELD * _firmness(score))


def _firmness(score: SurfaceScore) -> float:
    """Logarithm of how firmly what coincides holds the pose along the weakest direction, over `FIRM`; at most 0."""
    return float(min(np.log(max(score.held, 1e-4) / FIRM), 0.0))


def _exactness(score: SurfaceScore, form: Form) -> float:
    """Logarithm of the share that coincides of what lies on the target, `ERRORS` standard errors below the estimate."""
    share = max(score.coinciding, 1e-6) / max(score.explained, 1e-3)
    if ERRORS[form]:
        share = max(_at_least(min(share, 1.0), max(score.places, 1e-3), ERRORS[form]), 1e-3)
    return float(np.log(share))


def _at_least(share: float, count: float, errors: float) -> float:
    """The lower end of Wilson's interval of a share that was found at so many places.

    >>> round(_at_least(0.8, 1000.0, 2.0), 2), round(_at_least(0.8, 5.0, 2.0), 2)
    (0.77, 0.37)
    """
    square = errors**2 / count
    spread = errors * np.sqrt(share * (1.0 - share) / count + square / (4.0 * count))
    return float((share + 0.5 * square - spread) / (1.0 + square))


def assess(
    scorer: SurfaceScorer | None,
    answer: Array,
    candidates: Array,
    *,
    sigma: float,
    correct: bool,
    clearly: bool,
    searched_all_poses: bool,
    form: Form,
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
    clearly
        Whether a competing pose must be significantly better for that, see :func:`clearly_better`; otherwise its score
        must be higher by a factor.
    searched_all_poses
        Whether the candidates are the best of all poses, not only of those near an initial one.
    form
        Of the confidence.
    """
    if scorer is None:
        return Assessment(answer, None, (), tuple((pose, 0.0) for pose in candidates[1:]), searched_all_poses, form)
    aligned = scorer.align_fine(np.concatenate([answer[None], candidates]), threads)
    chosen, found = scorer(answer), [scorer(pose) for pose in aligned]
    scores = np.array([other.score for other in found])
    best, near = int(scores.argmax()), int(scores[:2].argmax())
    own = chosen if chosen.score > scores[0] else found[0]
    better = clearly_better([own, found[best]], 0) == 1 if clearly else scores[best] > TUNING.replacement * own.score
    if correct and better:
        answer, chosen = aligned[best], found[best]
    elif correct and scorer.cell < sigma and scores[near] > TUNING.fine_correction * chosen.score:
        answer, chosen = aligned[near], found[near]
    elif scores[0] > chosen.score:
        chosen = found[0]  # the answer is right, though not to the last digit
    others, scores = without_duplicates(aligned[1:], scores[1:], scorer.same_pose, len(candidates))
    elsewhere = pose_distances(others, answer) > scorer.same_pose
    others, shares = others[elsewhere], scores[elsewhere] / max(chosen.score, 1e-12)
    known = {pose.tobytes(): score for pose, score in zip(aligned, found, strict=True)}
    return Assessment(
        answer,
        chosen,
        tuple(known[pose.tobytes()] for pose in others),
        tuple((pose, float(share)) for pose, share in zip(others, shares, strict=True)),
        searched_all_poses,
        form,
    )
