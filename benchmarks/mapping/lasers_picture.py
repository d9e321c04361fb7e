"""The picture of a laser log: the estimate over the reference, with the walls and the loops."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.datasets import Array
from benchmarks.mapping.mapped import Edge
from benchmarks.mapping.pose_sets import present
from svgm.view.pictures.figure import new_figure, save

#: Points of the picture are at most this far from the sensor (m), so that the building fills it, and at most so many.
REACH, POINTS = 15.0, 60_000


def draw(
    name: str, poses: Array, reference: Array, scans: Sequence[Array], edges: Sequence[Edge], ate: float, path: Path
) -> None:
    """Poses, already laid onto the reference, and reference as (n, 4, 4); missing ones leave a gap."""
    figure = new_figure(8.0, 7.0)
    axis = figure.subplots()
    walls = _walls(poses, scans)
    axis.plot(walls[:, 0], walls[:, 1], ",", color="#9a9a9a", alpha=0.6)
    axis.plot(reference[:, 0, 3], reference[:, 1, 3], color="#2166ac", linewidth=2.4, alpha=0.6, label="reference")
    axis.plot(poses[:, 0, 3], poses[:, 1, 3], color="#b2182b", linewidth=0.9, label="estimate")
    loops = [(edge.source, edge.target) for edge in edges if edge.kind == "loop" and edge.trusted]
    for number, (a, b) in enumerate(loops):
        ends = poses[[a, b], :2, 3]
        label = "loops" if number == 0 else None
        axis.plot(ends[:, 0], ends[:, 1], color="#1b7837", linewidth=0.6, alpha=0.7, label=label)
    axis.set_aspect("equal")
    axis.set_title(f"{name}: ATE {ate:.3f} m, {len(loops)} loops", fontsize=10)
    axis.set_xlabel("x (m)")
    axis.set_ylabel("y (m)")
    axis.legend(frameon=False, fontsize=8)
    figure.tight_layout()
    path.parent.mkdir(parents=True, exist_ok=True)
    save(figure, path)


def _walls(poses: Array, scans: Sequence[Array]) -> Array:
    """Points of the scans where the estimate has them."""
    moved = [
        scan[np.linalg.norm(scan, axis=1) < REACH] @ pose[:2, :2].T + pose[:2, 3]
        for scan, pose, there in zip(scans, poses, present(poses), strict=True)
        if there
    ]
    points = np.concatenate(moved)
    return points[:: len(points) // POINTS + 1]
