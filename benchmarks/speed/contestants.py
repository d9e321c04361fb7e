"""Who registers: svgm as it comes, and the peers with a few settings each, of which the best counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from benchmarks.datasets import Array
from benchmarks.methods import with_open3d, with_small_gicp
from benchmarks.speed import peers
from svgm import register

Align = Callable[..., Array]


@dataclass(frozen=True)
class Contestant:
    """A method with its setting: ``align(source, target)`` is T."""

    method: str
    setting: str
    align: Align


@dataclass(frozen=True)
class Entry:
    """A peer's method and the settings to try."""

    method: str
    module: str
    align: Align
    settings: tuple[dict[str, Any], ...]


#: Open3D's default criteria (relative change, iterations), and as far as ICP goes.
_DEFAULT = {"tolerance": 1e-6, "iterations": 30}
_TO_THE_END = {"tolerance": 1e-9, "iterations": 1000}

#: 2,000 points of a scan; lengths in diagonals.  A voxel of 0.002 diagonals leaves nearly all points.  ICP is here
#: twice: to the end more pairs converge, by default it is twice as fast.  Open3D's GICP keeps its default: with 200
#: iterations and a tolerance of 1e-9 it takes four times as long and converges no more often.
SUBSAMPLED = (
    Entry(
        "Open3D ICP",
        "open3d",
        with_open3d.icp,
        tuple({"reach": reach, **_TO_THE_END} for reach in (0.1, 0.2, 0.5)),
    ),
    Entry(
        "Open3D ICP, default criteria",
        "open3d",
        with_open3d.icp,
        tuple({"reach": reach, **_DEFAULT} for reach in (0.1, 0.2, 0.5)),
    ),
    Entry(
        "Open3D GICP",
        "open3d",
        with_open3d.gicp,
        tuple({"reach": reach, **_DEFAULT} for reach in (0.1, 0.2, 0.5)),
    ),
    Entry(
        "Open3D NDT",
        "open3d",
        with_open3d.ndt,
        tuple({"cell": cell, **criteria} for cell in (0.2, 0.3) for criteria in (_DEFAULT, _TO_THE_END)),
    ),
    Entry(
        "small_gicp GICP",
        "small_gicp",
        with_small_gicp.align,
        (
            {"reach": 0.1, "voxel": 0.002},
            {"reach": 0.2, "voxel": 0.002},
            {"reach": 0.1, "voxel": 0.002, "still": 1e-4, "iterations": 200},
            {"reach": 0.2, "voxel": 0.002, "still": 1e-4, "iterations": 200},
            {"reach": 0.5, "voxel": 0.002, "still": 1e-4, "iterations": 200},
        ),
    ),
    Entry(
        "small_gicp VGICP",
        "small_gicp",
        with_small_gicp.align,
        tuple({"reach": 0.2, "voxel": 0.002, "cell": cell, "iterations": 200} for cell in (0.05, 0.1, 0.2)),
    ),
)

#: Whole scans of 15,000 to 44,000 points; lengths in diagonals.
FULL = (
    Entry(
        "small_gicp GICP, all points",
        "small_gicp",
        with_small_gicp.align,
        ({"reach": 0.1, "voxel": 0.002}, {"reach": 0.2, "voxel": 0.002}),
    ),
    Entry("small_gicp GICP, voxel 0.005", "small_gicp", with_small_gicp.align, ({"reach": 0.2, "voxel": 0.005},)),
    Entry("small_gicp GICP, voxel 0.01", "small_gicp", with_small_gicp.align, ({"reach": 0.2, "voxel": 0.01},)),
)

#: Outdoor scans; lengths in metres.
OUTDOOR = (
    Entry(
        "small_gicp GICP, all points",
        "small_gicp",
        with_small_gicp.align,
        tuple({"reach": reach, "voxel": 0.05} for reach in (1.0, 2.0, 5.0)),
    ),
    Entry("small_gicp GICP, voxel 0.1 m", "small_gicp", with_small_gicp.align, ({"reach": 5.0, "voxel": 0.1},)),
    Entry("small_gicp GICP, voxel 0.25 m", "small_gicp", with_small_gicp.align, ({"reach": 5.0, "voxel": 0.25},)),
    Entry("small_gicp GICP, voxel 0.5 m", "small_gicp", with_small_gicp.align, ({"reach": 2.0, "voxel": 0.5},)),
)


def svgm(threads: int) -> Contestant:
    """svgm from the start given, as its peers; nothing chosen."""
    return Contestant("svgm", "default", partial(_register, threads=threads))


def default(threads: int) -> Contestant:
    """svgm's default call, which searches globally if the local answer is not trusted."""
    return Contestant("svgm", "default call", partial(_register, search="auto", threads=threads))


def _register(source: Array, target: Array, *, search: str = "local", threads: int) -> Array:
    return register(source, target, search=search, threads=threads).transformation


def entered(entries: tuple[Entry, ...], unit: float, threads: int) -> list[Contestant]:
    """The peers that are installed, one contestant a setting."""
    return [
        Contestant(
            entry.method,
            " ".join(f"{name} {value:g}" for name, value in setting.items()),
            partial(entry.align, unit=unit, threads=threads, **setting),
        )
        for entry in entries
        if peers.installed(entry.module)
        for setting in entry.settings
    ]
