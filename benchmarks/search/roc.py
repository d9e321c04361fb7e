"""How well a score tells right from wrong: the ROC curve, the area under it, and what a threshold lets through."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import rankdata

from benchmarks.datasets import Array


def area(scores: ArrayLike, right: ArrayLike) -> float:
    """The chance that a right answer scores higher than a wrong one, ties counting half: the area under the curve.

    By the ranks, as Mann and Whitney do; nan where all answers are right or all are wrong.

    >>> area([0.9, 0.8, 0.3], [True, True, False]), area([0.5, 0.5], [True, False])
    (1.0, 0.5)
    """
    good = np.asarray(right, dtype=bool)
    count = int(good.sum())
    others = len(good) - count
    if not count or not others:
        return float("nan")
    return float((rankdata(np.asarray(scores))[good].sum() - count * (count + 1) / 2) / (count * others))


def curve(scores: ArrayLike, right: ArrayLike) -> tuple[Array, Array]:
    """The shares of the wrong and of the right answers accepted, as the threshold falls; equal scores are one step.

    >>> wrong, good = curve([0.9, 0.8, 0.3], [True, True, False])
    >>> wrong.tolist(), good.tolist()
    ([0.0, 0.0, 0.0, 1.0], [0.0, 0.5, 1.0, 1.0])
    """
    good, values = np.asarray(right, dtype=bool), np.asarray(scores, dtype=float)
    order = np.argsort(-values, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(values[order])), len(values) - 1)
    shares = [np.cumsum(chosen[order])[ends] / max(1, chosen.sum()) for chosen in (~good, good)]
    return np.append(0.0, shares[0]), np.append(0.0, shares[1])


@dataclass(frozen=True)
class Accepted:
    """What a threshold lets through: how many, how many of these are wrong, and the right ones it keeps out."""

    count: int
    wrong: int
    rejected: int

    @property
    def share_wrong(self) -> float:
        """Of the accepted ones; 0 if there are none."""
        return self.wrong / self.count if self.count else 0.0


def accept(scores: ArrayLike, right: ArrayLike, threshold: float) -> Accepted:
    """Those with at least the threshold.

    >>> accept([0.9, 0.8, 0.3, 0.2], [True, False, True, False], 0.5)
    Accepted(count=2, wrong=1, rejected=1)
    """
    good, through = np.asarray(right, dtype=bool), np.asarray(scores) >= threshold
    return Accepted(int(through.sum()), int((through & ~good).sum()), int((~through & good).sum()))
