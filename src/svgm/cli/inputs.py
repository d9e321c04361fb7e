"""What commands read: point files, mixture files and the text of a matrix."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np

from svgm.checks.errors import FileError
from svgm.geometry.points import Array
from svgm.io import read_points
from svgm.io.source import file_error, read_bytes
from svgm.mixture.mixture import Mixture, is_mixture_file
from svgm.rigid import as_pose

#: A file with more than this is no matrix of a pose.
MOST_BYTES = 100_000


def read_set(path: Path) -> Array | Mixture:
    """Points, or the mixture if the file is one."""
    if is_mixture_file(path):
        return Mixture.load(path)
    return read_points(path)


def dimension_of(value: Array | Mixture) -> int:
    """Number of coordinates."""
    return value.dimension if isinstance(value, Mixture) else int(value.shape[1])


def read_matrix(path: Path, dimension: int, option: str) -> Array:
    """A rigid motion as text, (d+1) rows of (d+1) numbers, as `svgm register` prints it; "-" is standard input."""
    name = Path("standard input") if str(path) == "-" else path
    data = sys.stdin.buffer.read(MOST_BYTES + 1) if str(path) == "-" else read_bytes(path)
    if len(data) > MOST_BYTES:
        raise file_error(name, "is too large to be the matrix of a rigid motion")
    try:
        text = data.decode("utf-8-sig")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "contained no data": the check of the shape says it
            matrix = np.loadtxt(text.splitlines(), ndmin=2)
    except ValueError as error:
        reason = str(error).split(";")[0]
        raise file_error(name, f"must hold a matrix as rows of numbers ({reason})") from None
    try:
        return as_pose(matrix, dimension, option)
    except ValueError as error:
        raise FileError(f"{name}: {error}") from None
