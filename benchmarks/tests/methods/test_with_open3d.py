"""Open3D's methods find a known pose."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from benchmarks.methods import with_open3d

try:
    import open3d  # noqa: F401
except (ImportError, OSError) as error:  # OSError: the system's libusb is missing
    pytest.skip(f"open3d-cpu cannot be imported: {error}", allow_module_level=True)

FEATURES = {"normal": 0.05, "feature": 0.12, "reach": 0.03, "towards": "mean"}


def test_local_methods(solid: Any) -> None:
    for align, setting in (
        (with_open3d.icp, {"reach": 0.2, "tolerance": 1e-9, "iterations": 1000}),
        (with_open3d.gicp, {"reach": 0.2, "tolerance": 1e-6, "iterations": 30}),
        (with_open3d.ndt, {"cell": 0.2, "tolerance": 1e-6, "iterations": 100}),
    ):
        T = align(solid.source, solid.target, unit=solid.unit, threads=1, **setting)
        solid.check(T, 0.05, 0.02)


@pytest.mark.parametrize("align", [with_open3d.fgr, with_open3d.ransac])
def test_global_methods_finished_by_icp(solid: Any, align: Any) -> None:
    setting = {**FEATURES, "finish": 0.05}
    T = align(solid.source, solid.target, unit=solid.unit, threads=1, **setting)
    solid.check(T, 0.05, 0.02)


def test_ransac_and_point_to_plane_in_diagonals_whatever_the_unit(solid: Any) -> None:
    twice = [
        with_open3d.ransac_to_plane(solid.source, solid.target, unit=unit, threads=1, voxel=0.03)
        for unit in (1.0, solid.unit)
    ]
    solid.check(twice[0], 0.05, 0.02)
    solid.check(twice[1], 0.05, 0.02)


def test_fgr_alone_thinned_is_near_and_repeats(solid: Any) -> None:
    setting = {**FEATURES, "voxel": 0.02}
    twice = [with_open3d.fgr(solid.source, solid.target, unit=solid.unit, threads=1, **setting) for _ in range(2)]
    solid.check(twice[0], 0.3, 0.1)
    np.testing.assert_array_equal(*twice)


def test_settings_are_multiples_of_the_unit(solid: Any) -> None:
    scale = 1e-3
    setting = {**FEATURES, "voxel": 0.02, "finish": 0.05}
    T = with_open3d.fgr(scale * solid.source, scale * solid.target, unit=scale * solid.unit, threads=1, **setting)
    T[:3, 3] /= scale
    solid.check(T, 0.05, 0.02)
