"""Errors of trajectories as evo computes them: absolute (``evo_ape -a``) and relative (``evo_rpe``)."""

from __future__ import annotations

import numpy as np

from benchmarks.datasets import Array
from benchmarks.mapping.pose_sets import present


def absolute(poses: Array, reference: Array) -> Array:
    """Distances between positions after evo's rigid alignment (Umeyama's, without scale), for the poses that are there.

    The root of their mean square is the ATE.
    """
    from evo.core.metrics import APE, PoseRelation

    there = present(poses)
    expected, found = _path(reference[there]), _path(poses[there])
    found.align(expected)
    metric = APE(PoseRelation.translation_part)
    metric.process_data((expected, found))
    return np.asarray(metric.error)


def aligned(poses: Array, reference: Array) -> Array:
    """The poses (n, 4, 4) as :func:`absolute` lays them onto the reference, in 3D; NaN stays NaN."""
    there = present(poses)
    path = _path(poses[there])
    path.align(_path(reference[there]))
    moved = np.full((len(poses), 4, 4), np.nan)
    moved[there] = path.poses_se3
    return moved


def steps(poses: Array, reference: Array) -> tuple[Array, Array]:
    """evo's relative errors from each pose to the next: rotation (rad) and translation, (n-1,).

    Infinite where one of the two poses is missing.
    """
    from evo.core.metrics import RPE, PoseRelation, Unit

    there = present(poses)
    errors = np.full((2, len(poses) - 1), np.inf)
    for begin, end in _runs(there):
        paths = (_path(reference[begin:end]), _path(poses[begin:end]))
        for row, relation in enumerate((PoseRelation.rotation_angle_rad, PoseRelation.translation_part)):
            metric = RPE(relation, delta=1, delta_unit=Unit.frames, all_pairs=True)
            metric.process_data(paths)
            errors[row, begin : end - 1] = metric.error
    return errors[0], errors[1]


def root_mean_square(errors: Array) -> float:
    """Of those that are finite."""
    finite = errors[np.isfinite(errors)]
    return float(np.sqrt(np.mean(finite**2))) if len(finite) else float("inf")


def in_space(poses: Array) -> Array:
    """Poses in the plane as poses in space at height 0."""
    if poses.shape[-1] == 4:
        return poses
    lifted = np.zeros((len(poses), 4, 4))
    lifted[:, :2, :2], lifted[:, :2, 3] = poses[:, :2, :2], poses[:, :2, 2]
    lifted[:, 2, 2] = lifted[:, 3, 3] = 1.0
    return lifted


def _path(poses: Array):  # type: ignore[no-untyped-def]  # evo's PosePath3D, imported here only
    from evo.core.trajectory import PosePath3D

    return PosePath3D(poses_se3=list(in_space(poses)))


def _runs(there: Array) -> list[tuple[int, int]]:
    """Beginnings and ends of runs of at least two poses."""
    edges = np.flatnonzero(np.diff(np.r_[False, there, False].astype(int)))
    return [(int(a), int(b)) for a, b in edges.reshape(-1, 2) if b - a > 1]
