"""Six 2D laser logs, by scans alone or with odometry: how near the trajectory comes to the log's corrected one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.datasets import Array, folder
from benchmarks.mapping import edges
from benchmarks.mapping.lasers_picture import draw
from benchmarks.mapping.mapped import make_map
from benchmarks.mapping.pose_sets import present
from benchmarks.mapping.trajectories import absolute, aligned, in_space, root_mean_square
from benchmarks.speed.findings import Findings, spoken
from svgm.io.carmen import CarmenLog, read_carmen
from svgm.rigid import exp, invert

#: The logs, in the folder lidar_2d of the data.
LOGS = ("intel", "freiburg-101", "belgioioso", "acapulco", "aces", "orebro")

#: What is known of the motion: nothing, the log's ODOM lines, or these with slipping steps.
ODOMETRY = ("none", "raw", "slip")

#: Most that the ATE of the largest piece may be (m); with slipping wheels it is held against that without.
BARS = {"intel": 0.15, "freiburg-101": 0.15}
ODOMETRY_BAR = 0.3

#: Share of the steps that slip, and the standard deviations of their errors: radians, and metres along and across.
SLIPPING, SLIPS = 0.1, (0.5, 1.0, 0.3)

#: Edges between scans farther apart (m) are counted apart.
FAR = 3.0


def near(rotation: float, translation: float) -> bool:
    """Less than 0.1 rad and 0.25 m off: what the corrected logs themselves are good for."""
    return rotation < 0.1 and translation < 0.25


def right(rotation: float, translation: float) -> bool:
    """Less than 0.2 rad and 0.5 m off: an edge beyond is wrong."""
    return rotation < 0.2 and translation < 0.5


def slipping(poses: Array, seed: int = 0) -> Array:
    """Odometry in which every tenth step, on average, has the error of wheels that slip or skid."""
    rng = np.random.default_rng(seed)
    slips = rng.random(len(poses) - 1) < SLIPPING
    errors = rng.normal(size=(len(poses) - 1, 3)) * SLIPS
    steps = invert(poses[:-1]) @ poses[1:]
    found = [np.eye(3)]
    for step, slips_here, error in zip(steps, slips, errors, strict=True):
        found.append(found[-1] @ (step @ exp(error) if slips_here else step))
    return np.array(found)


def run(
    findings: Findings, names: Sequence[str], output: Path, scans: int | None, odometry: str = "none"
) -> dict[str, Any]:
    """Map the logs named (or only their first scans), with the same defaults for all, and draw them."""
    found = {}
    for name in names or LOGS:
        log = read_carmen(folder() / "lidar_2d" / f"{name}-corrected.log.gz")
        if odometry != "none" and log.odometry is None:
            print(f"\nlasers, {name}: its ODOM lines repeat the corrected poses, so the log holds no odometry")
            continue
        found[name] = _one(findings, name, log, output, scans, odometry)
    _table(found)
    return found


def _one(
    findings: Findings, name: str, log: CarmenLog, output: Path, most: int | None, odometry: str
) -> dict[str, Any]:
    scans, reference = list(log.scans[:most]), np.array(log.poses[:most])
    wheels = None if odometry == "none" or log.odometry is None else np.array(log.odometry[:most])
    wheels = slipping(wheels) if odometry == "slip" and wheels is not None else wheels
    points = float(np.mean([len(scan) for scan in scans]))
    print(
        f"\nlasers, {name}: {len(scans)} scans of {points:.0f} points on average, "
        f"beams of {log.farthest:g} m and more left out, odometry: {odometry}",
        flush=True,
    )
    mapped = make_map(scans, order="sequence", odometry=wheels)
    errors = absolute(mapped.poses, reference)
    ate = root_mean_square(errors)
    wrong = edges.wrong_ones(edges.judge(mapped.edges, reference, right))
    pieces = [_piece(piece, reference) for piece in mapped.pieces]
    judged = edges.judge(mapped.edges, reference, near)
    counts = edges.groups(judged, FAR)
    edges.print_groups(f"{name}: edges, right within 0.25 m and 0.1 rad of the log's poses", counts)
    # Only what the map goes by: a loop that it does not trust closes nothing.
    loops = sum(edge.kind == "loop" and edge.trusted for edge in mapped.edges)
    picture = output / f"{name}.png"
    draw(name, aligned(mapped.poses, reference), in_space(reference), scans, mapped.edges, ate, picture)
    print(f"drawn: {picture}")
    trusted = sum(edge.trusted for edge in mapped.edges)
    print(f"{name}: ATE {ate:.3f} m, {loops} loops, {spoken(mapped.seconds / len(scans))} a scan")
    print(f"{name}: {len(wrong)} of {trusted} trusted edges wrong (0.5 m, 0.2 rad): {100 * len(wrong) / trusted:.2f} %")
    print(f"{name}: {len(pieces)} pieces (scans, ATE in m): {', '.join(f'{n}: {e:.3f}' for n, e in pieces)}")
    if mapped.left_out:
        print(f"{name}: {len(mapped.left_out)} scans left out of the largest piece, which the ATE does not count")
    # A log cut short is another problem: the bar is for the whole.
    if most is None and odometry != "slip" and (odometry == "raw" or name in BARS):
        findings.check(f"lasers, {name}: ATE (m)", ate, ODOMETRY_BAR if odometry == "raw" else BARS[name])
    return {
        **mapped.summary(),
        "points a scan": points,
        "farthest (m)": log.farthest,
        "odometry": odometry,
        "pieces": pieces,
        "wrong": wrong,
        "ATE (m)": ate,
        "largest (m)": float(errors.max()),
        "loops": loops,
        "seconds a scan": mapped.seconds / len(scans),
        "edges by kind": {kind: asdict(each) for kind, each in counts.items()},
        "trusted and wrong": edges.wrong_ones(judged),
    }


def _piece(poses: Array, reference: Array) -> tuple[int, float]:
    """Scans of a piece, and its ATE; 0 for a piece at one place, which no alignment can turn."""
    there = present(poses)
    if np.ptp(reference[there, :2, 2], axis=0).min() < 1e-3 or there.sum() < 4:
        return int(there.sum()), 0.0
    return int(there.sum()), root_mean_square(absolute(poses, reference))


def _table(found: dict[str, dict[str, Any]]) -> None:
    table = Table(title="lasers: trajectories as evo_ape tum -a sees them", title_justify="left")
    for column in (
        "log",
        "scans",
        "pieces",
        "left out",
        "ATE",
        "largest",
        "bar",
        "loops",
        "trusted",
        "right",
        "a scan",
    ):
        table.add_column(column, justify="left" if column == "log" else "right")
    for name, row in found.items():
        right = sum(each["right"] for each in row["edges by kind"].values())
        limit = f"{BARS[name]:g} m" if name in BARS else ""
        errors = (f"{row['ATE (m)']:.3f} m", f"{row['largest (m)']:.3f} m", limit)
        tail = (str(row["loops"]), str(row["trusted edges"]), str(right), spoken(row["seconds a scan"]))
        table.add_row(name, str(row["scans"]), str(len(row["pieces"])), str(len(row["left out"])), *errors, *tail)
    Console(width=140).print(table)
