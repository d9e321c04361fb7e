"""The peers as plain functions (source, target) -> T, imported where used.

Lengths among their settings (`reach`, `voxel`, `cell`, `still`) are multiples of `unit`: the diagonal of the scans, or
a metre.  Times include all that a user of the peer has to do with two arrays of points.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from benchmarks.datasets import Array
from benchmarks.speed.clock import in_fresh_process

#: Modules and the packages that bring them.
PACKAGES = {"open3d": "open3d-cpu", "small_gicp": "small_gicp", "sklearn": "scikit-learn"}


@cache
def installed(module: str) -> bool:
    """Whether a peer can be imported (Open3D may lack a library of the system); says so in one line if not."""
    found = in_fresh_process(_importable, module, threads=1)
    if not found:
        print(f"{PACKAGES[module]}: not installed: pip install svgm[bench]", flush=True)
    return found


def versions() -> str:
    """The peers' versions, for the head of the report."""
    words = []
    for package in PACKAGES.values():
        try:
            words.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            words.append(f"{package} absent")
    return ", ".join(words)


def _importable(module: str) -> bool:
    try:
        importlib.import_module(module)
    except (ImportError, OSError):
        return False
    return True


def open3d_icp(
    source: Array, target: Array, *, unit: float, threads: int, reach: float, tolerance: float, iterations: int
) -> Array:
    """Point-to-point ICP.  Threads: as many as the process has cores."""
    registration, clouds = _open3d(source, target)
    criteria = registration.ICPConvergenceCriteria(tolerance, tolerance, iterations)
    result = registration.registration_icp(*clouds, reach * unit, np.eye(4), criteria=criteria)
    return np.asarray(result.transformation)


def open3d_gicp(
    source: Array, target: Array, *, unit: float, threads: int, reach: float, tolerance: float, iterations: int
) -> Array:
    """Generalised ICP, which estimates the covariances itself."""
    registration, clouds = _open3d(source, target)
    criteria = registration.ICPConvergenceCriteria(tolerance, tolerance, iterations)
    result = registration.registration_generalized_icp(*clouds, reach * unit, np.eye(4), criteria=criteria)
    return np.asarray(result.transformation)


def open3d_ndt(
    source: Array, target: Array, *, unit: float, threads: int, cell: float, tolerance: float, iterations: int
) -> Array:
    """The normal distributions transform (Open3D 0.20 and newer)."""
    registration, clouds = _open3d(source, target)
    option = registration.NormalDistributionsTransformOption(
        voxel_size=cell * unit,
        transformation_epsilon=tolerance,
        relative_objective=tolerance,
        max_iteration=iterations,
    )
    return np.asarray(registration.registration_ndt(*clouds, option, np.eye(4)).transformation)


def small_gicp(
    source: Array,
    target: Array,
    *,
    unit: float,
    threads: int,
    reach: float,
    voxel: float,
    cell: float = 0.0,
    still: float = 0.0,
    iterations: int = 20,
) -> Array:
    """GICP on points thinned by voxel, covariances and k-d tree included; VGICP with the target in cells if given.

    `still` is the step at which it stops; by default its own, a millimetre whatever the size of the scan.
    """
    import small_gicp as peer

    kind: dict[str, Any] = {"registration_type": "GICP"}
    if cell:
        kind = {"registration_type": "VGICP", "voxel_resolution": cell * unit}
    if still:
        kind["translation_epsilon"] = still * unit
    with _silent():
        result = peer.align(
            target,
            source,
            downsampling_resolution=voxel * unit,
            max_correspondence_distance=reach * unit,
            max_iterations=iterations,
            num_threads=threads,
            **kind,
        )
    return np.asarray(result.T_target_source)


def _open3d(*sets: Array) -> tuple[Any, list[Any]]:
    import open3d

    open3d.utility.set_verbosity_level(open3d.utility.VerbosityLevel.Error)
    clouds = [open3d.geometry.PointCloud(open3d.utility.Vector3dVector(points)) for points in sets]
    return open3d.pipelines.registration, clouds


@contextmanager
def _silent() -> Iterator[None]:
    """Nothing on the standard error: small_gicp warns there, from C++, of each point without neighbours."""
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)
