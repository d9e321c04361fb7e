"""The scans of the output folder of `svgm map`, with their poses."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from svgm.checks.errors import FileError
from svgm.cli.input_files import read_json
from svgm.geometry.points import Array
from svgm.io import PointCloud, read_cloud
from svgm.io.trajectory import read_kitti


def is_map_folder(path: Path) -> bool:
    """Whether a path is an output folder of `svgm map`."""
    return (path / "record.json").is_file()


def scans_of_map(folder: Path, drop_nan: bool) -> tuple[list[PointCloud], Array, list[str]]:
    """The scans that have a pose, their poses (world from scan), and the names of their files.

    A file is sought where it was when the map was made, as seen from here, and then beside the folder of the map.
    """
    record = read_json(folder / "record.json")
    names = record.get("sources")
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise FileError(f"{folder / 'record.json'}: must hold the names of the scans, 'sources'")
    _, poses = read_kitti(folder / "trajectory_kitti.txt")
    if len(poses) != len(names):
        raise FileError(f"{folder}: trajectory_kitti.txt has {len(poses)} poses, record.json names {len(names)} scans")
    used = [k for k in range(len(names)) if np.isfinite(poses[k]).all()]
    clouds = [read_cloud(_found(folder, names[k]), drop_nan) for k in used]
    if len({cloud.points.shape[1] for cloud in clouds}) > 1:
        raise FileError(f"{folder}: the scans of a map must have one dimension, these have several")
    if clouds and clouds[0].points.shape[1] == 2:
        poses = poses[:, [0, 1, 3]][:, :, [0, 1, 3]]
    return clouds, np.ascontiguousarray(poses[used]), [Path(names[k]).name for k in used]


def _found(folder: Path, name: str) -> Path:
    for path in (Path(name), folder / name, folder.parent / Path(name).name):
        if path.exists():
            return path
    raise FileError(f"{folder}: the map was made from {name}, which is not there; run this where the map was made")
