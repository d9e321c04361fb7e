"""small_gicp finds a known pose."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.methods import gicp_after_ours, with_small_gicp
from svgm.rigid import apply, exp, log

pytest.importorskip("small_gicp", reason="small_gicp is not installed")

SETTING = {"reach": 0.2, "voxel": 0.002, "still": 1e-4, "iterations": 200}


def test_gicp(solid: Any) -> None:
    T = with_small_gicp.align(solid.source, solid.target, unit=solid.unit, threads=1, **SETTING)
    solid.check(T, 0.05, 0.02)


def test_vgicp_from_nearby(solid: Any) -> None:
    start = exp(0.8 * log(solid.truth))
    moved = apply(start, solid.source)
    T = with_small_gicp.align(moved, solid.target, unit=solid.unit, threads=1, cell=0.1, **SETTING)
    solid.check(T @ start, 0.05, 0.02)


def test_gicp_from_a_start_and_from_our_answer(solid: Any) -> None:
    start = exp(0.9 * log(solid.truth))
    T = with_small_gicp.align(solid.source, solid.target, unit=solid.unit, threads=1, start=start, **SETTING)
    solid.check(T, 0.02, 0.01)
    T = gicp_after_ours.align(solid.source, solid.target, unit=solid.unit, threads=1, search="local", **SETTING)
    solid.check(T, 0.02, 0.01)
