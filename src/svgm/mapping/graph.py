"""The poses that agree best with all measurements: a pose graph, solved by gtsam with a robust kernel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

from svgm.checks.errors import InputError, not_installed
from svgm.geometry.points import Array
from svgm.mapping.edge import Edge
from svgm.rigid import information_of, invert, log, rotation_log

#: Scales of Cauchy's kernel, in standard deviations, one after the other: beyond the scale an edge pulls less and less.
#: From wide to narrow, so that many edges that agree outvote a few that agree on something else.
KERNELS = (100.0, 30.0, 10.0, 3.0, 1.0)

#: Standard deviation of the first scan, which is held in place, in radians and radii of a scan.
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
    kind = _Planar(gtsam, floor) if len(floor) == 3 else _Spatial(gtsam, floor)
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
    kind = _Planar(gtsam, floor) if len(floor) == 3 else _Spatial(gtsam, floor)
    graph = _graph(gtsam, kind, edges, poses, floor, KERNELS[-1])
    try:
        found = gtsam.Marginals(graph, _values(gtsam, kind, poses))
    except RuntimeError:  # not a number left of it, as of scans whose coordinates are in the millions
        return {}
    return {node: kind.covariance_out_of(np.array(found.marginalCovariance(node))) for node in poses}


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
        covariance = kind.covariance_into(edge.covariance + np.diag(floor))
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
    try:
        solved = np.linalg.solve(covariances, errors[..., None])[..., 0]
    except np.linalg.LinAlgError:  # singular to rounding
        solved = np.stack([information_of(c) @ error for c, error in zip(covariances, errors, strict=True)])
    lengths: Array = np.einsum("ni,ni->n", errors, solved)
    return lengths


class _Kind:
    """Poses as gtsam takes them, lengths in radii of a scan: the steps of its solver depend on the unit."""

    order: tuple[int, ...]

    def __init__(self, floor: Array) -> None:
        # The floor is a length, for translations, and that length by the radius, for rotations.
        self.unit = float(np.sqrt(floor[-1] / floor[0]))
        rotations = len(floor) // 2  # 1 of 3, or 3 of 6
        self._units = np.r_[np.ones(rotations), np.full(len(floor) - rotations, self.unit)]

    def covariance_into(self, covariance: Array) -> Array:
        scaled: Array = covariance / self._units / self._units[:, None]
        return scaled[np.ix_(self.order, self.order)]

    def covariance_out_of(self, covariance: Array) -> Array:
        back = np.argsort(self.order)
        scaled: Array = covariance[np.ix_(back, back)] * self._units * self._units[:, None]
        return scaled

    def _scaled(self, pose: Array, unit: float) -> Array:
        scaled = np.array(pose)
        scaled[:-1, -1] *= unit
        return scaled


class _Planar(_Kind):
    """Poses and factors of SE(2); gtsam's tangent vector is (x, y, angle)."""

    order = (1, 2, 0)

    def __init__(self, gtsam: ModuleType, floor: Array) -> None:
        super().__init__(floor)
        self._pose, self.prior, self.between = gtsam.Pose2, gtsam.PriorFactorPose2, gtsam.BetweenFactorPose2

    def into(self, pose: Array) -> Any:
        x, y = pose[:2, 2] / self.unit
        return self._pose(x, y, float(rotation_log(pose[:2, :2])[0]))

    def out_of(self, values: Any, node: int) -> Array:
        return self._scaled(values.atPose2(node).matrix(), self.unit)


class _Spatial(_Kind):
    """Poses and factors of SE(3); gtsam's tangent vector is ours."""

    order = (0, 1, 2, 3, 4, 5)

    def __init__(self, gtsam: ModuleType, floor: Array) -> None:
        super().__init__(floor)
        self._pose, self.prior, self.between = gtsam.Pose3, gtsam.PriorFactorPose3, gtsam.BetweenFactorPose3

    def into(self, pose: Array) -> Any:
        return self._pose(self._scaled(pose, 1.0 / self.unit))

    def out_of(self, values: Any, node: int) -> Array:
        return self._scaled(values.atPose3(node).matrix(), self.unit)


def gtsam_module() -> ModuleType:
    """gtsam, or one line that says what to install."""
    try:
        import gtsam
    except ImportError:
        raise InputError(not_installed("pose graphs need gtsam", "map")) from None
    module: ModuleType = gtsam
    return module
