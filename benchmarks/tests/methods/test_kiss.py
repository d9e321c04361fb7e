"""KISS-Matcher finds a known pose."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.methods import kiss

pytest.importorskip("kiss_matcher", reason="kiss-matcher is not installed")


@pytest.mark.parametrize("scale", [1.0, 1e-3])
def test_pose_in_any_unit(solid: Any, scale: float) -> None:
    T = kiss.align(scale * solid.source, scale * solid.target, unit=scale * solid.unit, threads=1, voxel=0.02)
    T[:3, 3] /= scale
    solid.check(T, 0.2, 0.06)
