"""Rivals of an answer that are turned as it is, but lie elsewhere: streets and walls look alike all along."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from svgm.geometry.points import Array
from svgm.mixture.mixture import Mixture
from svgm.registration.search.correlation import affordable, correlate
from svgm.registration.search.duplicates import apart, distinct
from svgm.registration.search.surface_score import Judge

#: Scales at which translations are looked through, at most this fine.
FINEST = 20.0

#: Translations looked at, and those of them that settle.
PEAKS = 32
SETTLED = 6


def slides(
    mixtures: Callable[[float], tuple[Mixture, Mixture]],
    gammas: Sequence[float],
    judge: Judge,
    answer: Array,
    threads: int,
) -> Array:
    """Poses (B, d+1, d+1) with the answer's rotation, about, whose surfaces lie best on each other elsewhere.

    `mixtures` gives source and target at a gamma; of the `gammas`, the finest is taken whose grid is small enough.
    """
    d = len(answer) - 1
    for gamma in sorted((gamma for gamma in gammas if gamma <= FINEST), reverse=True):
        source, target = mixtures(gamma)
        if affordable(source, target):
            break
    else:
        return np.empty((0, d + 1, d + 1))
    poses, _ = correlate(source, target, answer[None, :d, :d], most=PEAKS, threads=threads)
    poses, scores = judge.approach(poses, threads)
    poses, _ = distinct(poses, scores, judge.same, SETTLED + 1)
    return poses[apart(poses, answer) > judge.same][:SETTLED]
