"""One command: ``python -m benchmarks.mapping all``, or ``python -m benchmarks.mapping dragon lasers`` for parts."""

from __future__ import annotations

import os
import platform
from pathlib import Path
from typing import Any

import click
import numpy as np

import svgm
from benchmarks.datasets import Array
from benchmarks.mapping import dragon, growth, hannover, lasers, workers
from benchmarks.mapping.settings import SETTINGS
from benchmarks.report import commit, header
from benchmarks.speed.clock import cores
from benchmarks.speed.findings import Findings

PARTS = ("dragon", "lasers", "hannover", "dask", "growth", "mesh")


@click.command()
@click.argument("parts", nargs=-1, required=True, type=click.Choice([*PARTS, "all"]), metavar="PART...")
@click.option("--seed", default=0, show_default=True, help="Order and motions of the dragon's scans.")
@click.option("--log", "logs", multiple=True, type=click.Choice(lasers.LOGS), help="Only this laser log.")
@click.option("--laser-scans", type=int, help="Only the first so many scans of a log, for a quick look.")
@click.option(
    "--odometry",
    type=click.Choice(lasers.ODOMETRY),
    default="none",
    show_default=True,
    help="Odometry of the laser logs: none, that of their ODOM lines, or these with a tenth of the steps slipping.",
)
@click.option("--hannover-scans", default=300, show_default=True, help="The first so many; the bars are for all.")
@click.option(
    "--kiss",
    multiple=True,
    type=click.Choice([setting.name for setting in SETTINGS]),
    help="Only this setting of KISS-ICP.",
)
@click.option("--dask-scans", default=100, show_default=True, help="Outdoor scans of `dask`.")
@click.option("--output", default="build/mapping", show_default=True, type=click.Path(path_type=Path))
@click.option("--json", "file", type=click.Path(path_type=Path, dir_okay=False), help="Write all figures to this file.")
def main(
    parts: tuple[str, ...],
    seed: int,
    logs: tuple[str, ...],
    laser_scans: int | None,
    odometry: str,
    hannover_scans: int,
    kiss: tuple[str, ...],
    dask_scans: int,
    output: Path,
    file: Path | None,
) -> None:
    """Make maps of many scans, and print their errors, times and memory beside their bars.

    Parts: `dragon` (15 scans in any order and pose), `lasers` (2D logs; pictures in the output folder), `hannover`
    (300 outdoor scans, beside KISS-ICP), `dask` (one worker, two, and one of them killed), `growth` (100 to 300
    scans), `mesh` (the surface of the dragon), or `all`.
    """
    header("mapping: many scans, one map")
    # Two workers gain little while others use the cores, so say whether they did.
    load = f", load {os.getloadavg()[0]:.1f} before the start" if hasattr(os, "getloadavg") else ""
    print(f"{cores()} cores{load}")
    machine = {"machine": platform.machine(), "cores": cores(), "python": platform.python_version()}
    findings = Findings(details={"svgm": svgm.__version__, "commit": commit(), "numpy": np.__version__, **machine})
    for part in PARTS if "all" in parts else dict.fromkeys(parts):
        if part == "dragon":
            found = dragon.run(findings, seed)
        elif part == "lasers":
            found = lasers.run(findings, logs, output, laser_scans, odometry)
        elif part == "hannover":
            found = hannover.run(findings, hannover_scans, kiss)
        elif part == "dask":
            found = workers.run(findings, dask_scans)
        elif part == "growth":
            found = growth.run(findings)
        else:
            found = mesh(findings, findings.details.get("dragon", {}).get("poses"))
        findings.details[part] = found
    findings.finish(file, finite)


def mesh(findings: Findings, poses: list[Array] | None) -> dict[str, Any]:
    """The surface of the dragon, from the poses of the map if all are there, else from the true ones."""
    from benchmarks.mapping.mesh import BAR, mesh_bar  # brings the meshing, which nobody else here needs

    figures = mesh_bar(poses if poses is not None and np.isfinite(poses).all() else None)
    plain = {name: value for name, value in figures.items() if isinstance(value, str | int | float)}
    print("\nmesh:")
    for name, value in plain.items():
        print(f"  {name:<16} {f'{value:.4g}' if isinstance(value, float) else value}")
    findings.check("mesh: median distance of held-out points (mm)", plain["median_mm"], BAR)
    return plain


def finite(value: Any) -> Any:
    """The same with null for numbers that JSON has not: errors of scans left out are infinite."""
    if isinstance(value, dict):
        return {str(key): finite(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [finite(each) for each in value]
    if isinstance(value, np.ndarray):
        return finite(value.tolist())
    if isinstance(value, np.integer | np.bool_):
        return value.item()
    if isinstance(value, float | np.floating):
        return float(value) if np.isfinite(value) else None
    return value


if __name__ == "__main__":
    main()
