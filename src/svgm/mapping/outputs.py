"""The output files of a map, in formats that other programs read."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from svgm.checks.errors import FileError, SvgmError
from svgm.geometry.points import Array
from svgm.io import atomic_write, write_points
from svgm.io.errors import file_error, reason
from svgm.io.g2o import write_g2o
from svgm.io.trajectory import write_kitti, write_tum
from svgm.mapping.cloud import aligned_cloud
from svgm.mapping.result import MapResult
from svgm.mapping.scan import points_or_mixture
from svgm.mapping.tuning import MAP_TUNING
from svgm.mixture.mixture import Mixture

#: The files in the folder of a map.
FILES = {
    "trajectory_tum.txt": "poses, TUM: time or number tx ty tz qx qy qz qw",
    "trajectory_kitti.txt": "poses, KITTI: twelve numbers a line",
    "graph.g2o": "the pose graph",
    "map.npz": "the merged mixture",
    "cloud.ply": "all scans in one frame, thinned",
    "record.json": "settings, times, edges with their confidence, rejected edges and why",
}


class OutputError(FileError):
    """Some files of a map could not be written; the others were.

    Attributes
    ----------
    reasons : tuple of str
        One line for each file that could not be written.
    result : MapResult or None
        The map, so that it is not lost.

    Examples
    --------
    >>> str(OutputError(["map/cloud.ply: cannot be written (No space left on device)"], None))
    'map/cloud.ply: cannot be written (No space left on device)'
    """

    def __init__(self, reasons: Sequence[str], result: MapResult | None) -> None:
        super().__init__("; ".join(reasons))
        self.reasons, self.result = tuple(reasons), result

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.reasons, self.result)


def write_map(result: MapResult, sources: Sequence[Any], folder: Path) -> list[Path]:
    """Write all files of a map into a folder; each file is written whole or not at all.

    Other pieces of the map have folders of their own, ``piece-2`` and so on.  The scans are read once more, one at a
    time, for the aligned cloud.  If a file cannot be written, the others are written all the same, and then an
    OutputError is raised.
    """

    def cloud(path: Path) -> None:
        write_points(path, aligned_cloud(_points(sources, result), result.poses, MAP_TUNING.cloud_cell * result.sigma))

    def record(path: Path) -> None:
        names = [str(source) if isinstance(source, Path) else f"scan {k}" for k, source in enumerate(sources)]
        text = json.dumps({"svgm": version("svgm"), "sources": names, **result.as_dict()}, indent=1, allow_nan=False)
        with atomic_write(path) as temporary:
            temporary.write_text(text + "\n", encoding="utf-8")

    writers: list[Callable[[Path], object]] = [
        lambda path: write_tum(path, result.poses, _clock(result)),
        lambda path: write_kitti(path, result.poses),
        lambda path: write_g2o(path, result.poses, result.edges),
        result.mixture.save,
        cloud,
        record,
    ]
    paths = [folder / name for name in FILES]
    failed = failures(folder, make_folder) or [
        line for path, write in zip(paths, writers, strict=True) for line in failures(path, write)
    ]
    for number, piece in enumerate(result.others, start=2):
        try:
            paths += write_map(piece, sources, folder / f"piece-{number}")
        except OutputError as error:
            failed += error.reasons
    if failed:
        raise OutputError(failed, result)
    return paths


def _clock(result: MapResult) -> Array | None:
    """The times of the scans, or None if they do not tell all placed scans apart: then their numbers stand for them."""
    if result.times is None:
        return None
    placed = result.times[result.scans]
    distinct = np.isfinite(placed).all() and len(np.unique(placed)) == len(placed)
    return np.where(np.isfinite(result.times), result.times, 0.0) if distinct else None


def failures(path: Path, write: Callable[[Path], object]) -> list[str]:
    """Write a file; if that fails, return a line with its name and the reason."""
    try:
        write(path)
    except Exception as error:  # whatever is raised, the other files are written
        known = isinstance(error, SvgmError)
        line = " ".join((str(error) if known else f"cannot be written ({type(error).__name__}: {error})").split())
        return [line if line.startswith(f"{path}: ") else f"{path}: {line}"]
    return []


def make_folder(folder: Path) -> None:
    """Make a folder, or raise a FileError."""
    check_folder(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise file_error(folder, f"cannot be made ({reason(error)})") from None


def check_folder(folder: Path) -> None:
    """Raise a FileError if a folder cannot be made or written to; called before the computation."""
    try:
        in_the_way = folder.exists() and not folder.is_dir()
        nearest = next(parent for parent in [folder, *folder.resolve().parents] if parent.exists())
    except (OSError, RuntimeError, ValueError) as error:  # too long a name, a loop of links, a NUL inside the name
        raise file_error(folder, f"cannot be made ({reason(error)})") from None
    if in_the_way:
        raise file_error(folder, "is a file, not a folder")
    if not nearest.is_dir():
        raise file_error(folder, f"cannot be made, {nearest} is a file")
    if not os.access(nearest, os.W_OK | os.X_OK):
        raise file_error(folder, f"cannot be written to, {nearest} is not writable")


def _points(sources: Sequence[Any], result: MapResult) -> Iterator[tuple[int, Array]]:
    for number, source in enumerate(sources):
        if np.isfinite(result.poses[number]).all():
            scan = points_or_mixture(number, source)
            yield number, scan.means if isinstance(scan, Mixture) else scan
