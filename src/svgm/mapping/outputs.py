"""The files of a map, in forms that others read."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from svgm.errors import FileError
from svgm.io import atomic_write, write_points
from svgm.io.g2o import write_g2o
from svgm.io.trajectory import write_kitti, write_tum
from svgm.mapping.cloud import aligned_cloud
from svgm.mapping.result import MapResult
from svgm.mapping.scan import points_or_mixture
from svgm.mixture import Mixture
from svgm.points import Array

#: Cells of the aligned cloud, in sigmas of the map.
CLOUD_CELL = 0.5

#: What stands in the folder of a map.
FILES = {
    "trajectory_tum.txt": "poses, TUM: number tx ty tz qx qy qz qw",
    "trajectory_kitti.txt": "poses, KITTI: twelve numbers a line",
    "graph.g2o": "the pose graph",
    "map.npz": "the merged mixture",
    "cloud.ply": "all scans in one frame, thinned",
    "record.json": "settings, times, edges with their confidence, rejected edges and why",
}


def write_map(result: MapResult, sources: Sequence[Any], folder: Path) -> list[Path]:
    """Write all files of a map into a folder; each appears whole or not at all.  The scans are read once more, one at a
    time, for the aligned cloud."""
    check_folder(folder)
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / name for name in FILES]
    tum, kitti, graph, mixture, cloud, record = paths
    write_tum(tum, result.poses)
    write_kitti(kitti, result.poses)
    write_g2o(graph, result.poses, result.edges)
    result.mixture.save(mixture)
    write_points(cloud, aligned_cloud(_points(sources, result), result.poses, CLOUD_CELL * result.sigma))
    names = [str(source) if isinstance(source, Path) else f"scan {k}" for k, source in enumerate(sources)]
    with atomic_write(record) as temporary:
        record_of_run = {"svgm": version("svgm"), "sources": names, **result.as_dict()}
        text = json.dumps(record_of_run, indent=1, allow_nan=False)
        temporary.write_text(text + "\n", encoding="utf-8")
    return paths


def check_folder(folder: Path) -> None:
    """Raise a FileError if a folder cannot be made or written to: better now than after the work."""
    if folder.exists() and not folder.is_dir():
        raise FileError(f"{folder}: is a file, not a folder")
    nearest = next(parent for parent in [folder, *folder.resolve().parents] if parent.exists())
    if not nearest.is_dir():
        raise FileError(f"{folder}: cannot be made, {nearest} is a file")
    if not os.access(nearest, os.W_OK | os.X_OK):
        raise FileError(f"{folder}: cannot be written to, {nearest} is not writable")


def _points(sources: Sequence[Any], result: MapResult) -> Iterator[tuple[int, Array]]:
    for number, source in enumerate(sources):
        if np.isfinite(result.poses[number]).all():
            scan = points_or_mixture(number, source)
            yield number, scan.means if isinstance(scan, Mixture) else scan
