"""Figure 8: the outdoor data from above."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from benchmarks.datasets import Array, hannover_reference, hannover_scan, on_grid
from benchmarks.paper.experiment import Report, Row
from benchmarks.paper.output import table
from benchmarks.paper.pictures import figure
from svgm.rigid import apply
from svgm.view.colours import SOURCE, TARGET
from svgm.view.pictures.figure import save

TITLE = "Figure 8: hannover1 from above, 300 scans placed by the reference poses, one after the other"
SCANS = 300


def report(seed: int, scans: int = SCANS) -> Report:
    """Size of the data; nothing random."""
    poses = [hannover_reference(1, number) for number in range(1, scans + 1)]
    clouds = [on_grid(hannover_scan(number), 0.1) for number in range(1, scans + 1)]
    path = np.array([pose[:3, 3] for pose in poses])
    row: Row = {
        "scans": scans,
        "mean points on a grid of 0.1 m": float(np.mean([len(cloud) for cloud in clouds])),
        "length of the drive (m)": float(np.linalg.norm(np.diff(path, axis=0), axis=1).sum()),
        "mean step (m)": float(np.linalg.norm(np.diff(path, axis=0), axis=1).mean()),
    }
    # One point a metre is enough for a page.
    above = [on_grid(apply(pose, cloud), 1.0)[:, :2] for pose, cloud in zip(poses, clouds, strict=True)]
    body = [[name, f"{value:,.1f}" if isinstance(value, float) else value] for name, value in row.items()]
    return Report([row], table(["hannover1", ""], body), lambda file: _draw(above, path, file))


def _draw(above: list[Array], path: Array, file: Path) -> None:
    picture, axes = figure(1, 1, width=8.0, height=7.0)
    axis = axes[0, 0]
    places = np.vstack(above)
    axis.plot(*places.T, ",", color=TARGET, alpha=0.25, rasterized=True)
    axis.plot(*path[:, :2].T, "-", color=SOURCE, linewidth=1.6, label="path of the scanner")
    axis.set_aspect("equal")
    # A few far returns would shrink the rest.
    for low, high, limit in zip(
        *np.percentile(places, (0.2, 99.8), axis=0), (axis.set_xlim, axis.set_ylim), strict=True
    ):
        limit(low - 5.0, high + 5.0)
    axis.set_xlabel("x (m)", fontsize=8)
    axis.set_ylabel("y (m)", fontsize=8)
    axis.legend(fontsize=8, frameon=False)
    save(picture, file)
