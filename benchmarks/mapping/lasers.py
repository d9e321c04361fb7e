"""Four 2D laser logs, scans only: how near the trajectory comes to the log's corrected one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.datasets import LASER_FARTHEST, laser_log
from benchmarks.mapping import edges
from benchmarks.mapping.lasers_picture import draw
from benchmarks.mapping.mapped import make_map
from benchmarks.mapping.trajectories import absolute, aligned, in_space, root_mean_square
from benchmarks.speed.findings import Findings, spoken

#: Most that the ATE may be (m); the other logs are reported.
BARS = {"intel": 0.15, "freiburg-101": 0.15}

#: Edges between scans farther apart (m) are counted apart.
FAR = 3.0


def near(rotation: float, translation: float) -> bool:
    """Less than 0.1 rad and 0.25 m off: what the corrected logs themselves are good for."""
    return rotation < 0.1 and translation < 0.25


def run(findings: Findings, names: Sequence[str], output: Path, scans: int | None) -> dict[str, Any]:
    """Map the logs named (or only their first scans), with the same defaults for all, and draw them."""
    found = {name: _one(findings, name, output, scans) for name in names or LASER_FARTHEST}
    _table(found)
    return found


def _one(findings: Findings, name: str, output: Path, most: int | None) -> dict[str, Any]:
    log = laser_log(name)[:most]
    scans, reference = [points for points, _ in log], np.array([pose for _, pose in log])
    points = float(np.mean([len(scan) for scan in scans]))
    print(
        f"\nlasers, {name}: {len(scans)} scans of {points:.0f} points on average, "
        f"beams of {LASER_FARTHEST[name]:g} m and more left out",
        flush=True,
    )
    mapped = make_map(scans, order="sequence")
    errors = absolute(mapped.poses, reference)
    ate = root_mean_square(errors)
    judged = edges.judge(mapped.edges, reference, near)
    counts = edges.groups(judged, FAR)
    edges.print_groups(f"{name}: edges, right within 0.25 m and 0.1 rad of the log's poses", counts)
    # Only what the map goes by: a loop that it does not trust closes nothing.
    loops = sum(edge.kind == "loop" and edge.trusted for edge in mapped.edges)
    picture = output / f"{name}.png"
    draw(name, aligned(mapped.poses, reference), in_space(reference), scans, mapped.edges, ate, picture)
    print(f"drawn: {picture}")
    print(f"{name}: ATE {ate:.3f} m, {loops} loops, {spoken(mapped.seconds / len(scans))} a scan")
    if mapped.left_out:
        print(f"{name}: {len(mapped.left_out)} scans left out, which the ATE does not count")
    # A log cut short is another problem: the bar is for the whole.
    if name in BARS and most is None:
        findings.check(f"lasers, {name}: ATE (m)", ate, BARS[name])
    return {
        **mapped.summary(),
        "points a scan": points,
        "farthest (m)": LASER_FARTHEST[name],
        "ATE (m)": ate,
        "largest (m)": float(errors.max()),
        "loops": loops,
        "seconds a scan": mapped.seconds / len(scans),
        "edges by kind": {kind: asdict(each) for kind, each in counts.items()},
        "trusted and wrong": edges.wrong_ones(judged),
    }


def _table(found: dict[str, dict[str, Any]]) -> None:
    table = Table(title="lasers: trajectories as evo_ape tum -a sees them", title_justify="left")
    for column in ("log", "scans", "left out", "ATE", "largest", "bar", "loops", "trusted", "right", "a scan"):
        table.add_column(column, justify="left" if column == "log" else "right")
    for name, row in found.items():
        right = sum(each["right"] for each in row["edges by kind"].values())
        limit = f"{BARS[name]:g} m" if name in BARS else ""
        errors = (f"{row['ATE (m)']:.3f} m", f"{row['largest (m)']:.3f} m", limit)
        tail = (str(row["loops"]), str(row["trusted edges"]), str(right), spoken(row["seconds a scan"]))
        table.add_row(name, str(row["scans"]), str(len(row["left out"])), *errors, *tail)
    Console(width=140).print(table)
