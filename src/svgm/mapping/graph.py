"""The poses that agree best with all measurements: a pose graph, solved by gtsam with a robust kernel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

from svgm.errors import InputError, not_installed
from svgm.mapping.edge import Edge
from svgm.points import Array
from svgm.rigid import invert, log, rotation_log

#: Scales of Cauchy's kernel, in standard deviations, one after the other: beyond the scale an edge pulls less and less.
#: From wide to narrow, so that many edges that agree outvote a few that agree on something else.
KERNELS = (100.0, 30.0, 10.0, 3.0, 1.0)

#: Of the first scan, which is held in place.
HELD = 1e-6


@dataclass(frozen=True)
class Solution:
    """Poses by scan, and the squared Mahalanobis length of what each edge disagrees by."""

    poses: dict[int, Array]
    disagreements: Array


def solve(edges: Sequence[Edge], initial: Mapping[int, Array], floor: Array) -> Solution:
    """Minimise the sum of robust squared errors of all edges over the poses, from the initial ones.

    An edge's error is xi of ``T_edge Exp(xi) = pose_target⁻¹ pose_source``, its covariance the registration's plus
    `floor` (variances along the tangent vector).  Edges that contradict the others lose their pull by Cauchy's kernel,
    which is annealed.  The first scan stays where it is.
    """
    gtsam = gtsam_module()
    kind = _Planar(gtsam) if len(floor) == 3 else _Spatial(gtsam)
    values = _values(gtsam, kind, initial)
    for scale in KERNELS:
        graph = _graph(gtsam, kind, edges, initial, floor, scale)
        values = gtsam.LevenbergMarquardtOptimizer(graph, values, gtsam.LevenbergMarquardtParams()).optimize()
    poses = {node: kind.out_of(values, node) for node in initial}
    return Solution(poses, disagreements(edges, poses, floor))


def marginals(edges: Sequence[Edge], poses: Mapping[int, Array], floor: Array) -> dict[int, Array]:
    """Covariance of each solved pose, of xi in ``pose_true = pose Exp(xi)``, the first scan being where it is.

    None at all if the edges do not determine the poses to the precision of a computer.
    """
    gtsam = gtsam_module()
    kind = _Planar(gtsam) if len(floor) == 3 else _Spatial(gtsam)
    graph = _graph(gtsam, kind, edges, poses, floor, KERNELS[-1])
    try:
        found = gtsam.Marginals(graph, _values(gtsam, kind, poses))
    except RuntimeError:  # not a number left of it, as of scans whose coordinates are in the millions
        return {}
    back = np.argsort(kind.order)
    return {node: np.array(found.marginalCovariance(node))[np.ix_(back, back)] for node in poses}


def _values(gtsam: ModuleType, kind: _Planar | _Spatial, poses: Mapping[int, Array]) -> Any:
    found = gtsam.Values()
    for node, pose in poses.items():
        found.insert(node, kind.into(pose))
    return found


def _graph(
    gtsam: ModuleType,
    kind: _Planar | _Spatial,
    edges: Sequence[Edge],
    poses: Mapping[int, Array],
    floor: Array,
    scale: float,
) -> Any:
    """All edges under a kernel of that scale, and the first scan held in its place."""
    kernel = gtsam.noiseModel.mEstimator.Cauchy.Create(scale)
    held = min(poses)
    graph = gtsam.NonlinearFactorGraph()
    graph.add(kind.prior(held, kind.into(poses[held]), gtsam.noiseModel.Isotropic.Sigma(len(floor), HELD)))
    for edge in edges:
        covariance = (edge.covariance + np.diag(floor))[np.ix_(kind.order, kind.order)]
        noise = gtsam.noiseModel.Robust.Create(kernel, gtsam.noiseModel.Gaussian.Covariance(covariance))
        graph.add(kind.between(edge.target, edge.source, kind.into(edge.transformation), noise))
    return graph


def disagreements(edges: Sequence[Edge], poses: Mapping[int, Array], floor: Array) -> Array:
    """Squared Mahalanobis length of each edge's error: (n,)."""
    if not edges:
        return np.empty(0)
    measured = np.stack([edge.transformation for edge in edges])
    found = invert(np.stack([poses[edge.target] for edge in edges])) @ np.stack([poses[e.source] for e in edges])
    errors = log(invert(measured) @ found)
    covariances = np.stack([edge.covariance for edge in edges]) + np.diag(floor)
    lengths: Array = np.einsum("ni,ni->n", errors, np.linalg.solve(covariances, errors[..., None])[..., 0])
    return lengths


class _Planar:
    """Poses and factors of SE(2); gtsam's tangent vector is (x, y, angle)."""

    order = (1, 2, 0)

    def __init__(self, gtsam: ModuleType) -> None:
        self._pose, self.prior, self.between = gtsam.Pose2, gtsam.PriorFactorPose2, gtsam.BetweenFactorPose2

    def into(self, pose: Array) -> Any:
        return self._pose(pose[0, 2], pose[1, 2], float(rotation_log(pose[:2, :2])[0]))

    def out_of(self, values: Any, node: int) -> Array:
        return np.array(values.atPose2(node).matrix())


class _Spatial:
    """Poses and factors of SE(3); gtsam's tangent vector is ours."""

    order = (0, 1, 2, 3, 4, 5)

    def __init__(self, gtsam: ModuleType) -> None:
        self._pose, self.prior, self.between = gtsam.Pose3, gtsam.PriorFactorPose3, gtsam.BetweenFactorPose3

    def into(self, pose: Array) -> Any:
        return self._pose(pose)

    def out_of(self, values: Any, node: int) -> Array:
        return np.array(values.atPose3(node).matrix())


def gtsam_module() -> ModuleType:
    """gtsam, or one line that says what to install."""
    try:
        import gtsam
    except ImportError:
        raise InputError(not_installed("pose graphs need gtsam", "map")) from None
    module: ModuleType = gtsam
    return module
