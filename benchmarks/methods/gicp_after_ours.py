"""small_gicp's GICP from our answer: what flat distributions add to it."""

from __future__ import annotations

from typing import Any

from benchmarks.datasets import Array
from benchmarks.methods import ours, with_small_gicp


def align(
    source: Array,
    target: Array,
    *,
    unit: float,
    threads: int,
    reach: float,
    voxel: float,
    still: float,
    iterations: int,
    **options: Any,
) -> Array:
    """GICP from the answer of ``svgm.register(source, target, **options)``; see :mod:`.with_small_gicp`."""
    start = ours.call(source, target, unit=unit, threads=threads, **options)
    setting: dict[str, Any] = {"reach": reach, "voxel": voxel, "still": still, "iterations": iterations}
    return with_small_gicp.align(source, target, unit=unit, threads=threads, start=start, **setting)
