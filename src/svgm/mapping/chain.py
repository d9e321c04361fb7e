"""The trajectory by links and odometry alone, before any loop is closed, and how far its ends may have drifted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from svgm.geometry.points import Array
from svgm.mapping.edge import Edge
from svgm.rigid import adjoint, invert


@dataclass(frozen=True, eq=False)
class Chain:
    """Poses along a sequence of scans.

    Attributes
    ----------
    poses : dict of int to ndarray
        By scan.
    drift : dict of int to ndarray of shape (k, k)
        By scan, the sum of the steps' covariances up to there, in the frame of the world.
    part : dict of int to int
        By scan, the number of its part, which is its first scan.  Steps that no edge `holds` separate the parts.
    reach : float
        How far two consecutive scans may be apart.
    """

    poses: Mapping[int, Array]
    drift: Mapping[int, Array]
    part: Mapping[int, int]
    reach: float = 0.0

    def relative(self, source: int, target: int) -> Array:
        """The source's pose in the target's frame."""
        pose: Array = invert(self.poses[target]) @ self.poses[source]
        return pose

    def covariance(self, source: int, target: int) -> Array:
        """Covariance of the source's pose in the target's frame, about the source."""
        first, last = sorted((source, target))
        moved = adjoint(invert(self.poses[source]))
        found = moved @ (self.drift[last] - self.drift[first]) @ moved.T
        return np.asarray(0.5 * (found + found.T), dtype=np.float64)

    def follows(self, loop: Edge) -> bool:
        """Whether the loop's source is in the part after that of its target, and the loop puts the last scan of the one
        within reach of the first scan of the other."""
        source, target = self.part[loop.source], self.part[loop.target]
        last = max(scan for scan, part in self.part.items() if part == target)
        between = [scan for scan in self.part if last < scan < source]
        if between or last > source:
            return False
        step = self.relative(loop.target, last) @ loop.transformation @ self.relative(source, loop.source)
        return bool(np.linalg.norm(step[:-1, -1]) < self.reach)


def chain_of(poses: Mapping[int, Array], edges: Sequence[Edge], floor: Array, reach: float) -> Chain:
    """The chain of solved poses, where each step is as exact as the best edge across it."""
    scans = sorted(poses)
    place = {scan: number for number, scan in enumerate(scans)}
    best: list[Edge | None] = [None] * len(scans)  # across the step that ends at each place
    for edge in edges:
        low, high = sorted((place[edge.source], place[edge.target]))
        for at in range(low + 1, high + 1):
            known = best[at]
            if known is None or _rank(edge, floor) < _rank(known, floor):
                best[at] = edge
    drift, total = {scans[0]: np.zeros((len(floor), len(floor)))}, np.zeros((len(floor), len(floor)))
    for at, scan in enumerate(scans[1:], start=1):
        across = best[at]
        if across is not None:
            moved = adjoint(poses[across.source])
            total = total + moved @ (across.covariance + np.diag(floor)) @ moved.T
        drift[scan] = total
    return Chain(poses, drift, connected_parts(scans, [edge for edge in edges if holds(edge)]), reach)


def connected_parts(scans: Sequence[int], edges: Sequence[Edge]) -> dict[int, int]:
    """By scan, the number of the part of the graph in which it is; parts are numbered by their first scan."""
    parent = {scan: scan for scan in scans}

    def root(scan: int) -> int:
        while parent[scan] != scan:
            parent[scan] = parent[parent[scan]]
            scan = parent[scan]
        return scan

    for edge in edges:
        a, b = root(edge.source), root(edge.target)
        parent[max(a, b)] = min(a, b)
    return {scan: root(scan) for scan in scans}


def holds(edge: Edge) -> bool:
    """Whether an edge of the pose graph holds its two scans together along all directions."""
    return edge.kind != "weak" and not edge.loose


def _rank(edge: Edge, floor: Array) -> tuple[bool, float]:
    """Order of the edges across a step: weak and loose ones last, exact ones first."""
    return edge.kind == "weak" or edge.loose > 0, float(np.trace(edge.covariance / np.sqrt(np.outer(floor, floor))))
