"""Distances between poses, and the removal of duplicates."""

from __future__ import annotations

import numpy as np

from svgm.checks.types import Array


def pose_distances(poses: Array, pose: Array) -> Array:
    """Distances (B,) of the poses (B, d+1, d+1) from another one: how far a typical point of a unit set moves.

    >>> pose_distances(np.eye(3)[None], np.array([[1.0, 0.0, 0.5], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])).tolist()
    [0.5]
    """
    difference = _features(poses) - _features(pose[None])
    distance: Array = np.sqrt(np.einsum("ij,ij->i", difference, difference))
    return distance


def without_duplicates(poses: Array, scores: Array, same: float, most: int) -> tuple[Array, Array]:
    """At most `most` of the poses, best first, and their scores.

    A pose that is closer than `same` to a better one is a duplicate and is left out.
    """
    order = np.argsort(-scores, kind="stable")
    poses, scores = poses[order], scores[order]
    vectors = _features(poses)
    left, kept = np.ones(len(poses), dtype=bool), []
    for i in range(len(poses)):
        if left[i]:
            kept.append(i)
            if len(kept) == most:
                break
            difference = vectors[i + 1 :] - vectors[i]
            left[i + 1 :] &= np.einsum("ij,ij->i", difference, difference) >= same**2
    return poses[kept], scores[kept]


def _features(poses: Array) -> Array:
    """Vectors whose distances are those of the poses."""
    d = poses.shape[-1] - 1
    # |R_a - R_b|² = 8 sin²(angle / 2), nearly twice the squared angle.
    return np.concatenate([poses[:, :d, :d].reshape(len(poses), d * d) / np.sqrt(2.0), poses[:, :d, d]], axis=1)
