"""The pose graph, solved by gtsam with a robust kernel: the poses that agree best with all edges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

from svgm.checks.errors import InputError, not_installed
from svgm.geometry.points import Array
from svgm.mapping.edge import Edge
from svgm.mapping.tuning import MAP_TUNING
from svgm.rigid import information_of, invert, log, rotation_log

#: Standard deviation of the first scan, which is held in place, in radians and radii of a scan.
ANCHOR_DEVIATION = 1e-6


@dataclass(frozen=True)
class GraphSolution:
    """Poses by scan, and the squared Mahalanobis length of each edge's error."""

    poses: dict[int, Array]
    disagreements: Array


def solve(edges: Sequence[Edge], initial: Mapping[int, Array], floor: Array) -> GraphSolution:
    """Minimise the sum of robust squared errors of all edges over the poses, from the initial ones.

    An edge's error is xi of ``T_edge Exp(xi) = pose_target⁻¹ pose_source``.  Its covariance is the registration's plus
    `floor` (variances along the tangent vector).  Cauchy's kernel reduces the weight of edges that contradict the
    others.  The kernel is annealed from wide to narrow, so that many edges that agree outvote a few that agree on
    something else.  The first scan keeps its pose.
    """
    gtsam = gtsam_module()
    group = _SE2(gtsam, floor) if len(floor) == 3 else _SE3(gtsam, floor)
    values = _values(gtsam, group, initial)
    for scale in MAP_TUNING.kernel_scales:
        graph = _graph(gtsam, group, edges, initial, floor, scale)
        values = gtsam.LevenbergMarquardtOptimizer(graph, values, gtsam.LevenbergMarquardtParams()).optimize()
    poses = {node: group.from_gtsam(values, node) for node in initial}
    return GraphSolution(poses, disagreements(edges, poses, floor))


def marginals(edges: Sequence[Edge], poses: Mapping[int, Array], floor: Array) -> dict[int, Array]:
    """Covariance of each solved pose, of xi in ``pose_true = pose Exp(xi)``, if the first scan's pose is exact.

    The table is empty if the edges do not determine the poses to machine precision.
    """
    gtsam = gtsam_module()
    group = _SE2(gtsam, floor) if len(floor) == 3 else _SE3(gtsam, floor)
    graph = _graph(gtsam, group, edges, poses, floor, MAP_TUNING.kernel_scales[-1])
    try:
        found = gtsam.Marginals(graph, _values(gtsam, group, poses))
        return {node: group.covariance_from_gtsam(np.array(found.marginalCovariance(node))) for node in poses}
    except RuntimeError:  # rounding leaves no digits, for example if coordinates are in the millions
        return {}


def _values(gtsam: ModuleType, group: _SE2 | _SE3, poses: Mapping[int, Array]) -> Any:
    found = gtsam.Values()
    for node, pose in poses.items():
        found.insert(node, group.to_gtsam(pose))
    return found


def _graph(
    gtsam: ModuleType,
    group: _SE2 | _SE3,
    edges: Sequence[Edge],
    poses: Mapping[int, Array],
    floor: Array,
    scale: float,
) -> Any:
    """All edges under a kernel of that scale, and a prior that holds the first scan in place."""
    kernel = gtsam.noiseModel.mEstimator.Cauchy.Create(scale)
    anchor = min(poses)
    graph = gtsam.NonlinearFactorGraph()
    graph.add(
        group.prior(
            anchor, group.to_gtsam(poses[anchor]), gtsam.noiseModel.Isotropic.Sigma(len(floor), ANCHOR_DEVIATION)
        )
    )
    for edge in edges:
        covariance = group.covariance_to_gtsam(edge.covariance + np.diag(floor))
        noise = gtsam.noiseModel.Robust.Create(kernel, gtsam.noiseModel.Gaussian.Covariance(covariance))
        graph.add(group.between(edge.target, edge.source, group.to_gtsam(edge.transformation), noise))
    return graph


def disagreements(edges: Sequence[Edge], poses: Mapping[int, Array], floor: Array) -> Array:
    """Squared Mahalanobis length of each edge's error: (n,)."""
    if not edges:
        return np.empty(0)
    measured = np.stack([edge.transformation for edge in edges])
    found = invert(np.stack([poses[edge.target] for edge in edges])) @ np.stack([poses[e.source] for e in edges])
    errors = log(invert(measured) @ found)
    covariances = np.stack([edge.covariance for edge in edges]) + np.diag(floor)
    try:
        solved = np.linalg.solve(covariances, errors[..., None])[..., 0]
    except np.linalg.LinAlgError:  # a covariance is singular
        solved = np.stack([information_of(c) @ error for c, error in zip(covariances, errors, strict=True)])
    lengths: Array = np.einsum("ni,ni->n", errors, solved)
    return lengths


class _PoseGroup:
    """Converts poses to gtsam's, with lengths in radii of a scan, and back: gtsam's steps depend on the unit."""

    order: tuple[int, ...]

    def __init__(self, floor: Array) -> None:
        # The deviations in the floor are a length for translations, and that length by the radius for rotations.
        self.unit = float(np.sqrt(floor[-1] / floor[0]))
        rotations = len(floor) // 2  # 1 of 3, or 3 of 6
        self._units = np.r_[np.ones(rotations), np.full(len(floor) - rotations, self.unit)]

    def covariance_to_gtsam(self, covariance: Array) -> Array:
        scaled: Array = covariance / self._units / self._units[:, None]
        return scaled[np.ix_(self.order, self.order)]

    def covariance_from_gtsam(self, covariance: Array) -> Array:
        back = np.argsort(self.order)
        scaled: Array = covariance[np.ix_(back, back)] * self._units * self._units[:, None]
        return scaled

    def _scaled(self, pose: Array, unit: float) -> Array:
        scaled = np.array(pose)
        scaled[:-1, -1] *= unit
        return scaled


class _SE2(_PoseGroup):
    """Poses and factors of SE(2); gtsam's tangent vector is (x, y, angle)."""

    order = (1, 2, 0)

    def __init__(self, gtsam: ModuleType, floor: Array) -> None:
        super().__init__(floor)
        self._pose, self.prior, self.between = gtsam.Pose2, gtsam.PriorFactorPose2, gtsam.BetweenFactorPose2

    def to_gtsam(self, pose: Array) -> Any:
        x, y = pose[:2, 2] / self.unit
        return self._pose(x, y, float(rotation_log(pose[:2, :2])[0]))

    def from_gtsam(self, values: Any, node: int) -> Array:
        return self._scaled(values.atPose2(node).matrix(), self.unit)


class _SE3(_PoseGroup):
    """Poses and factors of SE(3); gtsam's tangent vector is ours."""

    order = (0, 1, 2, 3, 4, 5)

    def __init__(self, gtsam: ModuleType, floor: Array) -> None:
        super().__init__(floor)
        self._pose, self.prior, self.between = gtsam.Pose3, gtsam.PriorFactorPose3, gtsam.BetweenFactorPose3

    def to_gtsam(self, pose: Array) -> Any:
        return self._pose(self._scaled(pose, 1.0 / self.unit))

    def from_gtsam(self, values: Any, node: int) -> Array:
        return self._scaled(values.atPose3(node).matrix(), self.unit)


def gtsam_module() -> ModuleType:
    """The module gtsam; an InputError says what to install if it is missing."""
    try:
        import gtsam
    except ImportError:
        raise InputError(not_installed("pose graphs need gtsam", "map")) from None
    module: ModuleType = gtsam
    return module
