"""Point-to-point ICP (Besl and McKay, PAMI 1992) in any dimension, with SciPy's k-d tree."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.spatial import cKDTree

from benchmarks.datasets import Array
from svgm.registration.candidates import turned_copies
from svgm.registration.tuning import TUNING
from svgm.rigid import apply, pose


def align(
    source: Array, target: Array, *, unit: float, threads: int, reach: float, iterations: int, tolerance: float
) -> Array:
    """T from the identity.

    Points further than `reach` from the target have no partner; `reach` may be infinite.  Ends when a step moves the
    source by less than `tolerance` in the root mean square.
    """
    tree = cKDTree(target)
    return _last(descent(source, tree, np.eye(len(source.T) + 1), reach * unit, iterations, tolerance * unit, threads))


def align_from_many_starts(
    source: Array,
    target: Array,
    *,
    unit: float,
    threads: int,
    reach: float,
    iterations: int,
    tolerance: float,
    trim: float,
) -> Array:
    """The best answer from the identity and from the turns about the source's centroid that svgm starts from.

    Best is the least mean square distance to the target without the share `trim` of the points that are furthest.
    """
    tree = cKDTree(target)
    answers = [
        _last(descent(source, tree, start, reach * unit, iterations, tolerance * unit, threads))
        for start in many_starts(source)
    ]
    scores = [trimmed_error(tree.query(apply(T, source), workers=threads)[0], trim) for T in answers]
    return answers[int(np.argmin(scores))]


def many_starts(source: Array) -> Array:
    """The identity, and the turns about the source's centroid that svgm starts from."""
    d = source.shape[1]
    away, back = (pose(np.eye(d), sign * source.mean(axis=0)) for sign in (-1.0, 1.0))
    return np.concatenate([np.eye(d + 1)[None], turned_copies(back, TUNING.turn_degrees) @ away])


def trimmed_error(distances: Array, trim: float) -> float:
    """Mean square distance without the share `trim` that is furthest."""
    counted = max(1, round((1.0 - trim) * len(distances)))
    return float(np.square(np.sort(distances)[:counted]).mean())


def descent(
    source: Array, tree: cKDTree, start: Array, reach: float, iterations: int, tolerance: float, threads: int = 1
) -> Iterator[tuple[Array, float]]:
    """Each pose from the start on, with its error: the mean square distance, where none counts as more than `reach`.

    That error never rises: pairing anew lowers it, and so does the best motion of the pairs.  Lengths are the points'.
    """
    T = start
    for _ in range(iterations):
        moved = apply(T, source)
        distances, partners = tree.query(moved, distance_upper_bound=reach, workers=threads)
        paired = np.isfinite(distances)
        yield T, float(np.square(np.minimum(distances, reach)).mean())
        # Fewer pairs than dimensions leave the rotation open.
        if paired.sum() < source.shape[1]:
            return
        T = best_motion(source[paired], tree.data[partners[paired]])
        if np.sqrt(np.square(apply(T, source) - moved).sum(axis=1).mean()) <= tolerance:
            break
    distances, _ = tree.query(apply(T, source), distance_upper_bound=reach, workers=threads)
    yield T, float(np.square(np.minimum(distances, reach)).mean())


def best_motion(points: Array, partners: Array) -> Array:
    """The pose that brings points nearest to their partners in the least-squares sense, by SVD."""
    centre, goal = points.mean(axis=0), partners.mean(axis=0)
    u, _, vt = np.linalg.svd((partners - goal).T @ (points - centre))
    signs = np.ones(points.shape[1])
    signs[-1] = np.sign(np.linalg.det(u @ vt))
    rotation = (u * signs) @ vt
    return pose(rotation, goal - rotation @ centre)


def _last(poses: Iterator[tuple[Array, float]]) -> Array:
    *_, (T, _) = poses
    return T
