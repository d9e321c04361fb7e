"""When two poses are one."""

from __future__ import annotations

import numpy as np

from svgm.geometry.points import Array


def apart(poses: Array, pose: Array) -> Array:
    """Distances of the poses (B, d+1, d+1) from another: how far a typical point moves, in a frame of unit radius."""
    difference = features(poses) - features(pose[None])
    distance: Array = np.sqrt(np.einsum("ij,ij->i", difference, difference))
    return distance


def features(poses: Array) -> Array:
    """Vectors whose distances are those of the poses."""
    d = poses.shape[-1] - 1
    # |R_a - R_b|² = 8 sin²(angle / 2), nearly twice the squared angle.
    return np.concatenate([poses[:, :d, :d].reshape(len(poses), d * d) / np.sqrt(2.0), poses[:, :d, d]], axis=1)


def distinct(poses: Array, scores: Array, same: float, most: int) -> tuple[Array, Array]:
    """At most so many of the poses, best first, without those that a better one is nearer to than `same`; and their
    scores."""
    order = np.argsort(-scores, kind="stable")
    poses, scores = poses[order], scores[order]
    vectors = features(poses)
    left, kept = np.ones(len(poses), dtype=bool), []
    for i in range(len(poses)):
        if left[i]:
            kept.append(i)
            if len(kept) == most:
                break
            difference = vectors[i + 1 :] - vectors[i]
            left[i + 1 :] &= np.einsum("ij,ij->i", difference, difference) >= same**2
    return poses[kept], scores[kept]
