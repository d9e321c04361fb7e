"""Translations of the highest correlation, for given rotations.

Streets and walls look alike along their length, so the answer's rotation has other translations that compete.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from svgm.checks.types import Array
from svgm.mixture.mixture import Mixture
from svgm.registration.search.correlation import correlate, finest_on_a_grid, grid_is_small
from svgm.registration.search.duplicates import pose_distances, without_duplicates
from svgm.registration.search.surface_score import SurfaceScorer
from svgm.registration.tuning import TUNING


def other_translations(
    mixtures: Callable[[float], tuple[Mixture, Mixture]],
    gammas: Sequence[float],
    scorer: SurfaceScorer,
    answer: Array,
    threads: int,
) -> Array:
    """Poses (B, d+1, d+1) elsewhere, with about the answer's rotation, whose coarse surfels lie best on each other.

    `mixtures` gives source and target at a gamma.  Of the `gammas`, the finest one is taken whose grid is small enough.
    """
    d = len(answer) - 1
    for gamma in sorted((gamma for gamma in gammas if gamma <= TUNING.translated_gamma), reverse=True):
        source, target = mixtures(gamma)
        if grid_is_small(source, target):
            break
    else:
        return np.empty((0, d + 1, d + 1))
    rotation = answer[None, :d, :d]
    poses, _ = correlate(source, target, rotation, most=TUNING.translated_peaks, threads=threads)
    poses, scores = scorer.align_coarse(poses, threads)
    poses, _ = without_duplicates(poses, scores, scorer.same_pose, TUNING.translated_poses + 1)
    return poses[pose_distances(poses, answer) > scorer.same_pose][: TUNING.translated_poses]


def best_translations(
    mixtures: Callable[[float], tuple[Mixture, Mixture]], poses: Array, most: int, threads: int
) -> Array:
    """Poses (B, d+1, d+1): for the rotation of each given pose, the `most` translations of the highest correlation."""
    d = poses.shape[1] - 1
    return correlate(*finest_on_a_grid(mixtures), poses[:, :d, :d], most=most, threads=threads)[0]
