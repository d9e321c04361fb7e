"""The real data behind ``SVGM_DATA``: scans and the poses they are judged by."""

from __future__ import annotations

import csv
import gzip
import os
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from svgm.io import read_points
from svgm.rigid import invert, pose, quaternion_rotation, rotation_exp

Array = NDArray[np.float64]

#: Ranges (m) from which on a beam of a laser log has hit nothing.  For such a beam the sensors write their maximum:
#: 81.83 at Intel, 81.83 and 81.91 at Freiburg, 81.91 at Belgioioso, 50.00 and about 51.15 at Acapulco.  The longest
#: ranges below are 25.4, 74.0, 79.3 and 49.95, few and spread out as those of real hits are.
LASER_FARTHEST = {"intel": 80.0, "freiburg-101": 80.0, "belgioioso": 80.0, "acapulco": 50.0}


def folder() -> Path:
    """The data folder, or a clear end."""
    if "SVGM_DATA" not in os.environ:
        raise SystemExit("set SVGM_DATA to the folder with the data (dragon_stand, hannover1, shapes_2d, ...)")
    return Path(os.environ["SVGM_DATA"])


def dragon_scans() -> tuple[list[Array], list[Array]]:
    """The 15 DRAGON-STAND scans, 24 degrees apart, and their poses in the world."""
    root = folder() / "dragon_stand"
    poses = {}
    for line in (root / "dragonStandRight.conf").read_text().splitlines():
        words = line.split()
        if words and words[0] == "bmesh":
            numbers = np.array(words[2:], dtype=np.float64)
            turn = quaternion_rotation(numbers[3:] / np.linalg.norm(numbers[3:]))
            poses[words[1]] = pose(turn.T, numbers[:3])
    names = [f"dragonStandRight_{24 * k}.ply" for k in range(15)]
    return [read_points(root / name) for name in names], [poses[name] for name in names]


def dragon_pairs(step: int) -> list[tuple[int, int]]:
    """The 30 (source, target) pairs `step` scans (24 degrees each) apart, both ways round."""
    return [(i, (i + sign * step) % 15) for i in range(15) for sign in (1, -1)]


def relative(poses: list[Array], source: int, target: int) -> Array:
    """The true pose of the source in the target's frame."""
    return invert(poses[target]) @ poses[source]


def subsample(points: Array, count: int, seed: int) -> Array:
    """Some of the points, at random."""
    return points[np.random.default_rng(seed).choice(len(points), min(count, len(points)), replace=False)]


def on_grid(points: Array, cell: float) -> Array:
    """The mean of the points in each occupied cell of a grid."""
    _, cells, counts = np.unique(np.floor(points / cell), axis=0, return_inverse=True, return_counts=True)
    sums = [np.bincount(cells.ravel(), weights=column) for column in points.T]
    return np.stack(sums, axis=1) / counts[:, None]


def shape_2d(name: str) -> Array:
    """One of the 2D sets: road, contour, fish, glyph, and the last three deformed, as contour_deformed."""
    return read_points(folder() / "shapes_2d" / f"{name}.txt")


def hannover_paths() -> list[Path]:
    """The files of the 300 outdoor scans, in order."""
    return [folder() / "hannover1" / f"scan{number:03d}.ply" for number in range(1, 301)]


def hannover_scan(number: int) -> Array:
    """One of the 300 outdoor scans, counted from 1."""
    return read_points(hannover_paths()[number - 1])


def hannover_reference(target: int, source: int) -> Array:
    """The reference pose of a later scan in an earlier one's frame: the chain of relative poses between them."""
    chain = np.eye(4)
    for step in _hannover_chain()[target - 1 : source - 1]:
        chain = chain @ step
    return chain


def lidar_pair() -> tuple[Array, Array, Array]:
    """Two outdoor LiDAR scans of 70,000 points, source and target, and the true pose of the source."""
    root = folder() / "lidar_pair"
    return read_points(root / "source.ply"), read_points(root / "target.ply"), np.loadtxt(root / "T_target_source.txt")


def laser_log(name: str, farthest: float | None = None) -> list[tuple[Array, Array]]:
    """The scans of a 2D laser log as points in the laser's frame, and the laser's poses.

    Beams of `farthest` metres (by default those of :data:`LASER_FARTHEST`) and more have hit nothing and are left out.
    """
    scans = []
    limit = LASER_FARTHEST[name] if farthest is None else farthest
    with gzip.open(folder() / "lidar_2d" / f"{name}-corrected.log.gz", "rt") as file:
        for words in (line.split() for line in file if line.startswith("FLASER")):
            count = int(words[1])
            ranges = np.array(words[2 : 2 + count], dtype=float)
            x, y, heading = map(float, words[2 + count : 5 + count])
            # From the right to the left: 180 degrees in steps of one (180, 181 beams) or a half (360, 361).
            angles = np.deg2rad(np.arange(count) * (1.0 if count < 200 else 0.5) - 90.0)
            points = ranges[:, None] * np.c_[np.cos(angles), np.sin(angles)]
            scans.append((points[ranges < limit], pose(rotation_exp(np.array([heading]), 2), np.array([x, y]))))
    return scans


@cache
def _hannover_chain() -> list[Array]:
    with (folder() / "hannover1" / "relative_reference.csv").open() as file:
        rows = list(csv.DictReader(file))
    chain = []
    for row in rows:
        rotation = np.array([[float(row[f"r{i}{j}"]) for j in range(3)] for i in range(3)])
        chain.append(pose(rotation, np.array([float(row[key]) for key in ("tx", "ty", "tz")])))
    return chain
