"""All DRAGON-STAND scans in any order and from any pose: is the dragon whole again?"""

from __future__ import annotations

from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.datasets import dragon_scans
from benchmarks.mapping.mapped import make_map
from benchmarks.mapping.pose_sets import alignment, remaining
from benchmarks.search.pairs import anywhere
from benchmarks.speed.findings import Findings, spoken
from svgm.rigid import apply

#: Most that a scan may be off, in degrees and millimetres, and most of the components that may remain.
DEGREES, MILLIMETRES, SHARE = 2.0, 2.0, 0.4

#: How far a scan is moved at most (m): about the dragon's own size.
REACH = 0.2


def run(findings: Findings, seed: int) -> dict[str, Any]:
    """Shuffle and move the scans, map them as an unordered collection, and compare with Stanford's poses."""
    scans, poses = dragon_scans()
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(scans))
    motions = np.array([anywhere(rng, REACH) for _ in order])
    moved = [apply(motion, scans[k]) for motion, k in zip(motions, order, strict=True)]
    points = sum(map(len, moved))
    print(f"\ndragon: {len(moved)} whole scans ({points} points), shuffled, each moved anywhere (seed {seed})")
    mapped = make_map(moved, order="unordered")
    truth = np.array([poses[k] for k in order])
    centres = np.array([scans[k].mean(axis=0) for k in order])
    # The poses of the scans as they were, so that a rotation's lever is the same whatever the motion.
    original = mapped.poses @ motions
    rotation, translation, centre = remaining(original, truth, centres)
    degrees, origin, middle = np.rad2deg(rotation), 1e3 * translation, 1e3 * centre
    rows = [
        {"scan": int(24 * order[k]), "rotation (deg)": degrees[k], "pose (mm)": origin[k], "centre (mm)": middle[k]}
        for k in np.argsort(order)
    ]
    _table(rows)
    print("errors after one rigid alignment of all poses: rotations averaged, then the mean of the translations")
    share = mapped.merged / mapped.components
    print(f"{mapped.merged} components after merging, {mapped.components} before; {spoken(mapped.seconds)}")
    for scan, reason in mapped.left_out.items():
        print(f"  left out: scan at {24 * order[scan]}°: {reason}")
    findings.check("dragon: largest rotation error (deg)", degrees.max(), DEGREES)
    findings.check("dragon: largest error of a pose's translation (mm)", origin.max(), MILLIMETRES)
    findings.check("dragon: largest error of a scan's centre (mm)", middle.max(), MILLIMETRES)
    findings.check("dragon: components after merging over the sum of the scans'", share, SHARE)
    # In the order and the frames of the scans as they were, for whoever builds on the map.
    placed = (alignment(original, truth) @ original)[np.argsort(order)]
    figures = {"seed": seed, "points": points, "rows": rows, "share of components": share, "poses": list(placed)}
    return {**mapped.summary(), **figures}


def _table(rows: list[dict[str, Any]]) -> None:
    table = Table(title="dragon: errors of each scan", title_justify="left")
    for name in rows[0]:
        table.add_column(name, justify="right")
    for row in rows:
        table.add_row(f"{row['scan']}°", *(f"{value:.3f}" for value in list(row.values())[1:]))
    Console(width=140).print(table)
