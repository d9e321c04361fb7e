"""Laser scans without a guess: an outdoor pair turned and shifted on the ground, and 2D scans of a building."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

import svgm
from benchmarks.criteria import inlier
from benchmarks.datasets import laser_log, lidar_pair
from benchmarks.paper.problems import Pair
from benchmarks.search.pairs import CALLS, Near, Turned, call, on_the_ground, outcome, turn, warm_up, watched
from benchmarks.search.roc import accept
from benchmarks.speed.clock import take_turns
from benchmarks.speed.findings import Findings, spoken
from svgm.rigid import invert, rotation_log

#: Motions of the outdoor pair, and how far they go (m).
MOTIONS, REACH = 100, 10.0

#: Pairs of 2D scans, and their distance in the log (m).
LASERS, APART = 50, (0.2, 1.0)


def run(findings: Findings, every: int) -> None:
    """The outdoor pair: every motion must be undone."""
    source, target, truth = lidar_pair()
    pair = Pair(source, target, truth, 1.0)
    motions = [on_the_ground(np.random.default_rng(seed), REACH, 3) for seed in range(MOTIONS)][::every]
    print(f"\nlidar: {len(source)} and {len(target)} points, {len(motions)} motions")
    rows = _rows([turn(pair, motion) for motion in motions], inlier, "lidar")
    findings.details["lidar"] = rows
    for kind in CALLS:
        _say("lidar", kind, rows)
    right = sum(row["right"] for row in rows if row["method"] == "global")
    findings.check(f"lidar, global: motions undone of {len(motions)}", right, len(motions), at_least=True)


def lasers(findings: Findings, every: int) -> None:
    """Pairs of 2D scans from the Intel lab, turned all around: how many are right, also of those to be trusted."""
    pairs = laser_pairs()[::every]
    print(f"\nlasers: {len(pairs)} pairs of scans {APART[0]:g} to {APART[1]:g} m apart")
    rows = _rows(pairs, near_indoors, "lasers")
    findings.details["lasers"] = rows
    for kind in CALLS:
        _say("lasers", kind, rows)


def near_indoors(rotation: float, translation: float) -> bool:
    """Less than 0.1 rad and 0.2 m off."""
    return rotation < 0.1 and translation < 0.2


def laser_pairs() -> list[Turned]:
    """Scans spread over the log, each with the next one within reach whose view is turned by less than 90 degrees.

    A view is half the circle, so that at least half of it is in both.
    """
    log = laser_log("intel")
    found = []
    for first, (target, here) in enumerate(log):
        for source, there in log[first + 1 : first + 6]:
            truth = invert(here) @ there
            if APART[0] <= np.linalg.norm(truth[:2, 2]) <= APART[1] and abs(rotation_log(truth[:2, :2])[0]) < np.pi / 2:
                found.append(Pair(source, target, truth, 1.0))
                break
    spread = np.linspace(0, len(found) - 1, min(LASERS, len(found))).astype(int)
    return [turn(found[k], on_the_ground(np.random.default_rng(int(k)), 0.0, 2)) for k in spread]


def _rows(pairs: Sequence[Turned], near: Near, what: str) -> list[dict[str, Any]]:
    rows = []
    warm_up(pairs[0])
    for number, pair in enumerate(watched(pairs, what)):
        answers, seconds = take_turns({kind: call(pair, **options) for kind, options in CALLS.items()}, number)
        for kind, answer in answers.items():
            found = asdict(outcome(answer, pair.errors, near))
            rows.append({"method": kind, "number": number, **found, "seconds": seconds[kind]})
    return rows


def _say(what: str, kind: str, rows: Sequence[dict[str, Any]]) -> None:
    mine = [row for row in rows if row["method"] == kind]
    right = [row["right"] for row in mine]
    trusted = accept([row["confidence"] for row in mine], right, svgm.TRUSTED)
    lost = [row for row in mine if not row["right"]]
    print(
        f"{what}, {kind}: {sum(right)} of {len(mine)} right; with confidence {svgm.TRUSTED:g} and more "
        f"{trusted.count - trusted.wrong} of {trusted.count}; the truth among the alternatives of "
        f"{sum(row['place'] > 0 for row in lost)} of the {len(lost)} wrong; "
        f"mean {spoken(np.mean([row['seconds'] for row in mine]))}",
        flush=True,
    )
