"""How far an answer can be believed: a number in [0, 1], from how the surfaces lie on each other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from svgm.geometry.points import Array
from svgm.registration.search.duplicates import apart, distinct
from svgm.registration.search.surface_score import Judge, Verdict

TRUSTED = 0.9
"""Accept answers from this confidence on: of those about two in a hundred were wrong (docs/confidence.md)."""

#: Of the logistic function: fitted to dragon and hannover1 pairs, and rounded (docs/confidence.md).
BIAS, EXACT, ALIKE, RIVAL = 8.9, 3.0, 2.8, -4.3

#: Where nobody has looked for other poses, one with this share of the answer's score is taken to exist.
UNKNOWN_RIVAL = 0.4

#: Surfaces finer than the mixtures move an answer if they then coincide this much better: the minimum of the objective
#: is biased where the sets overlap little, and exact where they are the same.
BETTER = 1.2

#: Another pose takes the answer's place if the surfaces say so this clearly.
CLEARLY_BETTER = 1.5


@dataclass(frozen=True)
class Opinion:
    """Of an answer: the pose, what the judge says of it, the best other pose's score relative to the answer's, and all
    other poses with theirs, best first.  Without surfaces there is no verdict."""

    pose: Array
    verdict: Verdict | None
    rival: float
    alternatives: tuple[tuple[Array, float], ...]

    @property
    def overlap(self) -> float:
        """Share of the source on the target; 0 if there are no surfaces to tell."""
        return 0.0 if self.verdict is None else self.verdict.overlap

    def confidence(self, correlation: float) -> float:
        """A logistic function of three signs: how exactly what lies on the target coincides with it, how well the
        mixtures correlate at the finest scale, and how good the best other pose is."""
        if self.verdict is None:
            return 0.0
        exact = np.log(max(self.verdict.coinciding, 1e-6) / max(self.verdict.explained, 1e-3))
        alike = np.log(max(correlation, 1e-3))
        evidence = BIAS + EXACT * exact + ALIKE * alike + RIVAL * min(self.rival, 1.0)
        return float(1.0 / (1.0 + np.exp(-evidence)))


def assess(
    judge: Judge | None, answer: Array, poses: Array, *, sigma: float, may_move: bool, everywhere: bool, threads: int
) -> Opinion:
    """What to think of an answer: the minimum of the objective next to the first of the poses in the running.

    `sigma` is that of the objective; `may_move` if the surfaces may have a say in what the answer is; `everywhere` if
    the poses are the best of all, not only of those near a start.
    """
    if judge is None:
        return Opinion(answer, None, 0.0, tuple((pose, 0.0) for pose in poses[1:]))
    settled = judge.settle(np.concatenate([answer[None], poses]), threads)
    verdict, verdicts = judge(answer), [judge(pose) for pose in settled]
    scores = np.array([other.score for other in verdicts])
    best, near = int(scores.argmax()), int(scores[:2].argmax())
    if may_move and scores[best] > CLEARLY_BETTER * max(verdict.score, scores[0]):
        answer, verdict = settled[best], verdicts[best]
    elif may_move and judge.cell < sigma and scores[near] > BETTER * verdict.score:
        answer, verdict = settled[near], verdicts[near]
    elif scores[0] > verdict.score:
        verdict = verdicts[0]  # right, if not to the last digit
    others, scores = distinct(settled[1:], scores[1:], judge.same, len(poses))
    elsewhere = apart(others, answer) > judge.same
    shares = scores[elsewhere] / max(verdict.score, 1e-12)
    return Opinion(
        answer,
        verdict,
        float(shares.max(initial=0.0 if everywhere else UNKNOWN_RIVAL)),
        tuple((pose, float(share)) for pose, share in zip(others[elsewhere], shares, strict=True)),
    )
