"""The outdoor drive: 300 scans into one map, beside the odometry of KISS-ICP on the same files in the same run."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.criteria import inlier
from benchmarks.datasets import Array, hannover_paths, hannover_reference
from benchmarks.mapping import edges, odometry
from benchmarks.mapping.child import Watched, map_in_child
from benchmarks.mapping.settings import SETTINGS
from benchmarks.mapping.trajectories import absolute, root_mean_square, steps
from benchmarks.speed.clock import cores
from benchmarks.speed.findings import Findings, spoken

#: The bars: share of steps, time over KISS-ICP's, memory (MB).
STEPS, SLOWER, MEMORY = 0.998, 5.0, 2048.0

#: Edges between scans farther apart (m) are counted apart.
FAR = 10.0

#: Where the reference itself is known to be off: scans between these numbers, from 1.
DOUBTFUL = ((206, 212), (271, 281))


def run(findings: Findings, scans: int, settings: tuple[str, ...]) -> dict[str, Any]:
    """Map the first scans, run the peer with each of its settings, and hold both to the reference."""
    paths, reference = hannover_paths()[:scans], chain(scans)
    print(f"\nhannover1: {len(paths)} scans, read from their files as they are needed")
    watched = map_in_child(paths, order="sequence")
    mapped = watched.mapped
    rows = {"svgm.map": _row(mapped.poses, reference, mapped.seconds)}
    judged = edges.judge(mapped.edges, reference, inlier)
    counts = edges.groups(judged, FAR)
    edges.print_groups("hannover1: edges, right within 0.5 m and 0.2 rad of the chained reference", counts)
    right, lost = edges.share_of_steps(judged, len(paths))
    for step in lost:
        _explain(step, judged)
    peers = _peers(paths, reference, settings)
    rows.update(peers)
    _table(rows)
    print("absolute errors are against a chain of relative poses, which drifts: they say which trajectory is like it")
    print(f"phases of the map: {', '.join(f'{name} {spoken(value)}' for name, value in mapped.phases.items())}")
    findings.check("hannover1: share of the steps trusted and right", right / (len(paths) - 1), STEPS, at_least=True)
    # The measure of time is the peer as it comes.  The others are shown: the finest is slower, the fastest is faster by
    # far, and none places even two thirds of the steps.
    for name, row in peers.items():
        ratio = findings.compare("hannover1, whole map", name, mapped.seconds, row["seconds"], threads=cores())
        if name == "KISS-ICP, default":
            findings.check(f"hannover1: time of the whole map over {name}'s", ratio, SLOWER)
    findings.check("hannover1: peak memory (MB)", watched.memory, MEMORY)
    return {**_figures(watched, judged, counts), "steps right": right, "steps lost": lost, "trajectories": rows}


def chain(scans: int) -> Array:
    """The reference poses of the first scans in the frame of the first."""
    poses = [np.eye(4)]
    for number in range(1, scans):
        poses.append(poses[-1] @ hannover_reference(number, number + 1))
    return np.array(poses)


def _row(poses: Array, reference: Array, seconds: float) -> dict[str, Any]:
    rotation, translation = steps(poses, reference)
    right = sum(map(inlier, rotation, translation))
    return {
        "steps right": right,
        "steps": len(rotation),
        "step, median (rad)": float(np.median(rotation)),
        "step, median (m)": float(np.median(translation)),
        "step, rms (m)": root_mean_square(translation),
        "ATE (m)": root_mean_square(absolute(poses, reference)),
        "seconds": seconds,
    }


def _peers(paths: list[Path], reference: Array, names: tuple[str, ...]) -> dict[str, dict[str, Any]]:
    found = {}
    if odometry.installed() is None:
        print("KISS-ICP: not installed: pip install svgm[bench]")
        return {}
    for setting in SETTINGS:
        if setting.name in names or not names:
            drive = odometry.run(paths, setting)
            row = _row(drive.poses, reference, drive.seconds)
            print(
                f"KISS-ICP {odometry.installed()}, {setting.name}: {setting}; reading {spoken(drive.reading)}",
                flush=True,
            )
            found[f"KISS-ICP, {setting.name}"] = {**row, "reading": drive.reading, "setting": asdict(setting)}
    return found


def _explain(step: int, judged: list[edges.Judged]) -> None:
    """Why a step does not count; scans by their numbers, from 1."""
    first = step + 1
    doubtful = any(low <= first < high for low, high in DOUBTFUL)
    found = [each for each in judged if each.adjacent and min(each.edge.source, each.edge.target) == step]
    words = [
        f"{each.edge.kind}, confidence {each.edge.confidence:.3f}, "
        f"off by {each.rotation:.3f} rad and {each.translation:.2f} m"
        for each in found
    ]
    note = " (the reference is in doubt here)" * doubtful
    print(f"  lost: {first} - {first + 1}: {'; '.join(words) or 'no edge'}{note}")


def _figures(watched: Watched, judged: list[edges.Judged], counts: dict[str, edges.Count]) -> dict[str, Any]:
    return {
        **watched.summary(),
        "edges by kind": {kind: asdict(each) for kind, each in counts.items()},
        "trusted and wrong": edges.wrong_ones(judged),
    }


def _table(rows: dict[str, dict[str, Any]]) -> None:
    table = Table(title="hannover1: trajectories against the reference, as evo sees them", title_justify="left")
    for name in ("", "steps right", "step, median", "step, rms", "ATE", "time", "a scan"):
        table.add_column(name, justify="left" if not name else "right")
    for name, row in rows.items():
        median = f"{row['step, median (rad)']:.4f} rad, {row['step, median (m)']:.3f} m"
        errors = (f"{row['step, rms (m)']:.3f} m", f"{row['ATE (m)']:.2f} m")
        times = (spoken(row["seconds"]), spoken(row["seconds"] / (row["steps"] + 1)))
        table.add_row(name, f"{row['steps right']} of {row['steps']}", median, *errors, *times)
    Console(width=140).print(table)
