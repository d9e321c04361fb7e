"""The occupancy grid of a 2D map: where beams ended, where they passed, and what no beam reached."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from svgm.checks.arguments import instance, items, positive
from svgm.checks.errors import InputError
from svgm.checks.frozen import Frozen, freeze
from svgm.checks.types import PointsLike
from svgm.geometry.points import Array
from svgm.geometry.strays import without_strays
from svgm.io import atomic_write
from svgm.io.errors import file_error
from svgm.io.paths import PathLike, as_path
from svgm.mapping.beams import count_beams
from svgm.mapping.result import MapResult
from svgm.mapping.scan import points_or_mixture
from svgm.mapping.tuning import MAP_TUNING
from svgm.mixture.mixture import Mixture
from svgm.rigid import apply

#: What a cell holds, as in ROS's message nav_msgs/OccupancyGrid.
OCCUPIED, FREE, UNKNOWN = 100, 0, -1

#: Suffixes of the file that describes a grid; the picture beside it ends in .pgm.
GRID_SUFFIXES = (".yaml", ".yml")

#: Log-odds that a scan adds to a cell in which a beam ends, or through which beams pass: the probabilities 0.7 and 0.4
#: of OctoMap.  A cell is occupied if beams end there in more than 32 % of the scans that reach it.
_END, _PASSED = float(np.log(0.7 / 0.3)), float(np.log(0.4 / 0.6))

#: Grey values of the picture, and the thresholds between them: p = (255 - grey) / 255 is 1, 0.004 and 0.1961.
_GREY = {OCCUPIED: 0, FREE: 254, UNKNOWN: 205}
_OCCUPIED_THRESHOLD, _FREE_THRESHOLD = 0.65, 0.196

#: Cells of a grid, at most: 8192 x 8192, which take 600 MB while they are counted.
_MOST_CELLS = 1 << 26


@dataclass(frozen=True, eq=False)
class OccupancyGrid(Frozen):
    """Which cells of the plane are occupied, free or unknown: what :func:`occupancy_grid` returns.

    Attributes
    ----------
    cells : ndarray of shape (rows, columns), int8
        100 occupied, 0 free, -1 unknown, as in ROS's ``nav_msgs/OccupancyGrid``.  The cell in row i and column j
        contains the places ``origin + resolution * (j..j+1, i..i+1)``: columns go along x, rows along y.
    resolution : float
        Side of a cell, in the points' unit.
    origin : ndarray of shape (2,)
        The corner of the grid with the smallest x and y, in the frame of the map.

    Examples
    --------
    >>> import tempfile
    >>> grid = OccupancyGrid(np.array([[100, 0], [0, -1]]), 0.5, np.zeros(2))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     grid.save(f"{folder}/office.yaml")
    ...     print((Path(folder) / "office.yaml").read_text(), sorted(path.name for path in Path(folder).iterdir()))
    image: "office.pgm"
    resolution: 0.5
    origin: [0.0, 0.0, 0.0]
    negate: 0
    occupied_thresh: 0.65
    free_thresh: 0.196
     ['office.pgm', 'office.yaml']
    """

    cells: NDArray[np.int8]
    resolution: float
    origin: Array

    def __post_init__(self) -> None:
        freeze(self, "origin")
        cells = np.array(self.cells, dtype=np.int8)
        cells.setflags(write=False)
        object.__setattr__(self, "cells", cells)

    def __repr__(self) -> str:
        rows, columns = self.cells.shape
        shares = ", ".join(
            f"{100 * np.mean(self.cells == value):.0f} % {word}"
            for value, word in ((OCCUPIED, "occupied"), (FREE, "free"), (UNKNOWN, "unknown"))
        )
        return f"OccupancyGrid({columns} x {rows} cells of {self.resolution:.3g}: {shares})"

    def save(self, path: PathLike) -> None:
        """Write the grid as ROS's map_server reads it: a .yaml file, and a picture beside it that ends in .pgm.

        The picture is a binary PGM (P5), with 0 for occupied, 254 for free and 205 for unknown cells.  Its first row is
        the one with the largest y.

        Parameters
        ----------
        path : str or os.PathLike
            The file that describes the grid, which must end in .yaml or .yml.  Both files are written whole or not at
            all.

        Raises
        ------
        FileError
            If the name does not end so or is not Unicode, or if a file cannot be written.
        """
        path = as_path(path)
        picture = picture_of(path)
        rows, columns = self.cells.shape
        greys = np.full(self.cells.shape, _GREY[UNKNOWN], dtype=np.uint8)
        for value in (OCCUPIED, FREE):
            greys[self.cells == value] = _GREY[value]
        text = (
            f"image: {json.dumps(picture.name, ensure_ascii=False)}\n"
            f"resolution: {_yaml_number(self.resolution)}\n"
            f"origin: [{', '.join(_yaml_number(value) for value in (*self.origin, 0.0))}]\n"
            "negate: 0\n"
            f"occupied_thresh: {_OCCUPIED_THRESHOLD}\n"
            f"free_thresh: {_FREE_THRESHOLD}\n"
        )
        # The picture gets its name first: a .yaml file never names a picture that is not there.
        with atomic_write(path) as description, atomic_write(picture) as image:
            image.write_bytes(f"P5\n{columns} {rows}\n255\n".encode("ascii") + greys[::-1].tobytes())
            description.write_text(text, encoding="utf-8", newline="\n")


def occupancy_grid(
    result: MapResult, scans: Sequence[PointsLike | Mixture], resolution: float | None = None
) -> OccupancyGrid:
    """The occupancy grid of a 2D map, by the beams of its scans.

    Each point of a scan is the end of a beam from the sensor, which stands at the origin of the scan's coordinates.
    In each scan, a cell in which a beam ends is hit; another cell through which a beam goes is passed.  With h scans
    that hit a cell and m that pass it, the log-odds that the cell is occupied are

    ``h log(0.7 / 0.3) + m log(0.4 / 0.6)``,

    and the cell is occupied if they are positive, free if they are negative, and unknown if h = m = 0.  So someone who
    walked by leaves no trace where other scans see through.

    Parameters
    ----------
    result : MapResult
        A map in 2D.  Scans without a pose in it are left out, those of its other pieces too.
    scans : sequence of array_like of shape (n, 2), Mixture or path
        All scans of the map, as they were passed to :func:`svgm.map`.  Of a mixture the means count.  Strays (a few
        points far away from all others) are left out.
    resolution : float, optional
        Side of a cell, positive, in the points' unit.  Default: half of the map's sigma, which is about half the
        spacing of the points, divided by the `detail` of the map.

    Returns
    -------
    OccupancyGrid
        In the frame of the map, just large enough for all beams.  The corners of its cells are multiples of the
        resolution.

    Raises
    ------
    InputError
        If an argument breaks its rule, if the map is in 3D, or if the grid would have more than 67 million cells.
    FileError
        If a path cannot be read.

    Examples
    --------
    >>> import svgm
    >>> from svgm.datasets import laser_scan, round_walk, storey
    >>> walls, places = storey(), round_walk(90)[:4]
    >>> scans = [laser_scan(walls, place, seed=k) for k, place in enumerate(places)]
    >>> grid = occupancy_grid(svgm.map(scans), scans, resolution=0.1)
    >>> here = np.floor((0.0 - grid.origin) / grid.resolution).astype(int)  # of the first sensor
    >>> int(grid.cells[here[1], here[0]])
    0
    """
    result = instance("result", result, MapResult)
    given = items("scans", scans, len(result.poses))
    if result.poses.shape[1:] != (3, 3):
        raise InputError("result must be a map in 2D, because an occupancy grid is of the plane: this one is in 3D")
    side = MAP_TUNING.grid_cell * result.sigma if resolution is None else positive("resolution", resolution)
    used = result.scans
    ends = [apply(result.poses[k], _ends(k, given[k])) for k in used]
    sensors = result.poses[used, :2, 2]
    # Coordinates in cells; the grid begins at a whole number of them.
    every = np.vstack([sensors, *ends])
    with np.errstate(over="ignore"):
        low, high = np.floor(every.min(axis=0) / side), np.floor(every.max(axis=0) / side)
    if not (np.abs([low, high]).max() <= 2.0**40 and np.prod(high - low + 1.0) <= _MOST_CELLS):
        raise InputError(f"resolution must be larger for a map of this size: at most {_MOST_CELLS} cells, got {side:g}")
    columns, rows = (high - low + 1.0).astype(np.int64)
    hits, passes = np.zeros((rows, columns), dtype=np.int32), np.zeros((rows, columns), dtype=np.int32)
    last = np.nextafter([columns, rows], 0.0)  # rounding must not lead out of the grid
    for sensor, points in zip(sensors, ends, strict=True):
        count_beams(np.minimum(sensor / side - low, last), np.minimum(points / side - low, last), hits, passes)
    evidence = np.multiply(hits, _END, dtype=np.float32) + np.multiply(passes, _PASSED, dtype=np.float32)
    cells = np.full((rows, columns), UNKNOWN, dtype=np.int8)
    cells[evidence > 0.0] = OCCUPIED
    cells[evidence < 0.0] = FREE
    return OccupancyGrid(cells, side, low * side)


def picture_of(path: Path) -> Path:
    """The picture that belongs to the .yaml file of a grid; a FileError if the file's name is not right."""
    if path.suffix.lower() not in GRID_SUFFIXES:
        raise file_error(path, f"an occupancy grid must be written to a file ending in {' '.join(GRID_SUFFIXES)}")
    try:
        path.name.encode("utf-8")
    except UnicodeEncodeError:
        raise file_error(path, "the name of an occupancy grid must be Unicode, because it stands in a file") from None
    return path.with_suffix(".pgm")


def _ends(number: int, source: PointsLike | Mixture) -> Array:
    """The points of a scan, without strays."""
    read = points_or_mixture(number, source)
    points = read.means if isinstance(read, Mixture) else read
    if points.shape[1] != 2:
        raise InputError(f"scans[{number}] must have 2 coordinates, as its pose, got {points.shape[1]}")
    return without_strays(points)


def _yaml_number(value: float) -> str:
    """A number with all its digits, and with a point, which YAML 1.1 wants before an exponent.

    >>> _yaml_number(0.05), _yaml_number(1e-05)
    ('0.05', '1.0e-05')
    """
    mantissa, _, exponent = repr(float(value)).partition("e")
    return mantissa if not exponent else f"{mantissa}{'' if '.' in mantissa else '.0'}e{exponent}"
