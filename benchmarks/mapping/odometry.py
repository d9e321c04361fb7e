"""KISS-ICP: each scan to a map of voxels, from where a constant velocity would have taken the sensor."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np

from benchmarks.datasets import Array
from svgm.io import read_points


@dataclass(frozen=True)
class Setting:
    """Parameters in KISS-ICP's own names (m); None is its default, for the voxel a hundredth of the range.

    ``still`` predicts no motion instead of the last one, which suits a vehicle that stops for every scan.
    """

    name: str
    max_range: float = 100.0
    voxel_size: float | None = None
    initial_threshold: float = 2.0
    min_motion_th: float = 0.1
    fixed_threshold: float | None = None
    still: bool = False

    def __str__(self) -> str:
        voxel = self.max_range / 100.0 if self.voxel_size is None else self.voxel_size
        fixed = "" if self.fixed_threshold is None else f", fixed threshold {self.fixed_threshold:g} m"
        return f"range {self.max_range:g} m, voxel {voxel:g} m{fixed}{', no motion predicted' * self.still}"


@dataclass(frozen=True)
class Odometry:
    """Poses of the scans in the first one's frame, seconds in all and of these those spent on reading."""

    poses: Array
    seconds: float
    reading: float


def installed() -> str | None:
    """The version of KISS-ICP, None if it is not there."""
    try:
        return version("kiss-icp")
    except PackageNotFoundError:
        return None


def run(paths: Iterable[Path], setting: Setting) -> Odometry:
    """Odometry over the files in order, on all cores; every scan was taken standing still, so nothing is deskewed."""
    from kiss_icp.config import load_config
    from kiss_icp.kiss_icp import KissICP

    config = load_config(None)
    config.data.deskew = False
    config.data.max_range = setting.max_range
    config.mapping.voxel_size = setting.max_range / 100.0 if setting.voxel_size is None else setting.voxel_size
    config.adaptive_threshold.initial_threshold = setting.initial_threshold
    config.adaptive_threshold.min_motion_th = setting.min_motion_th
    config.adaptive_threshold.fixed_threshold = setting.fixed_threshold
    poses, reading, begin = [], 0.0, time.perf_counter()
    odometry = KissICP(config)
    for path in paths:
        opened = time.perf_counter()
        points = read_points(path)
        reading += time.perf_counter() - opened
        if setting.still:
            odometry.last_delta = np.eye(4)
        odometry.register_frame(points, np.empty(0))
        poses.append(np.array(odometry.last_pose))
    return Odometry(np.array(poses), time.perf_counter() - begin, reading)
