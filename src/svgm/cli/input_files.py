"""Input files of commands: points, mixtures, poses and JSON."""

from __future__ import annotations

import json
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np

from svgm.checks.arguments import path_line, shown
from svgm.checks.errors import FileError, InputError
from svgm.geometry.points import Array, as_points
from svgm.io import READABLE, PointCloud
from svgm.io.errors import file_error, printable
from svgm.io.paths import read_bytes
from svgm.io.points import load_cloud
from svgm.mixture.mixture import Mixture, is_mixture_file
from svgm.registration.linear.kinds import as_map

#: Bytes of a file with a pose, at most. A larger file holds something else.
MOST_POSE_BYTES = 100_000


def read_set(path: Path, drop_nan: bool = False) -> Array | Mixture:
    """The mixture if the file holds one, else the points."""
    return read_input(path, drop_nan).value


@dataclass(frozen=True)
class Input:
    """What a file holds: `value` is a mixture or points, which `cloud` has with the columns that were read."""

    value: Array | Mixture
    cloud: PointCloud | None

    @property
    def viewpoint(self) -> Array | None:
        """Where the sensor stood, if the file says so."""
        return None if self.cloud is None else self.cloud.viewpoint


def read_input(path: Path, drop_nan: bool = False, *, columns: bool = False) -> Input:
    """What a file holds. On request rows with NaN are dropped, which one line on stderr says, and columns are read."""
    if is_mixture_file(path):
        return Input(Mixture.load(path), None)
    cloud = load_cloud(path, drop_nan, columns=columns)
    if drop_nan and cloud.dropped:
        rows = cloud.dropped + len(cloud.points)
        click.echo(f"{printable(str(path))}: dropped {cloud.dropped} of {rows} points, which have NaN", err=True)
    # A name for errors about numbers that are too large.
    return Input(as_points(cloud.points, f"{path_line(path)}: points"), cloud)


def point_files(folder: Path) -> list[Path]:
    """The point files of a folder by name, numbers in numerical order."""
    from svgm.cli.commands.map import natural_order

    files = [f for f in folder.iterdir() if f.suffix.lower() in READABLE and not f.name.startswith(".") and f.is_file()]
    if not files:
        raise FileError(f"{folder}: holds no point files (suffixes {' '.join(READABLE)})")
    return sorted(files, key=natural_order)


def dimension_of(value: Array | Mixture) -> int:
    """The number of coordinates of a point."""
    return value.dimension if isinstance(value, Mixture) else int(value.shape[1])


def read_pose(path: Path, dimension: int, option: str, kind: str = "rigid") -> Array:
    """A pose as text, d+1 rows of d+1 numbers, as `svgm register` prints it; or a matrix of another kind. The path "-"
    is standard input."""
    name = Path("standard input") if str(path) == "-" else path
    data = sys.stdin.buffer.read(MOST_POSE_BYTES + 1) if str(path) == "-" else read_bytes(path)
    if len(data) > MOST_POSE_BYTES:
        raise file_error(name, "is too large to hold the matrix of a pose")
    try:
        text = data.decode("utf-8-sig")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a file without numbers, which `as_pose` refuses
            matrix = np.loadtxt(text.splitlines(), ndmin=2)
    except ValueError as error:
        reason = str(error).split(";")[0]
        raise file_error(name, f"must hold a matrix as rows of numbers ({reason})") from None
    try:
        return as_map(matrix, dimension, option, kind)
    except ValueError as error:
        raise FileError(f"{name}: {error}") from None


def read_json(path: Path) -> dict[str, Any]:
    """An object written as JSON. The path "-" is standard input."""
    name = Path("standard input") if str(path) == "-" else path
    data = sys.stdin.buffer.read() if str(path) == "-" else read_bytes(path)
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        raise file_error(name, "must hold JSON") from None
    if not isinstance(value, dict):
        raise file_error(name, "must hold a JSON object")
    return value


def parse_numbers(option: str, text: str, count: int) -> list[float]:
    """The numbers of an option, which are separated by commas.

    >>> parse_numbers("viewpoint", "0,0,1.5", 3)
    [0.0, 0.0, 1.5]
    """
    try:
        values = [float(word) for word in text.split(",")]
    except ValueError:
        values = []
    if len(values) != count:
        raise InputError(f"{option} must be {count} numbers separated by commas, got {shown(text)}")
    return values
