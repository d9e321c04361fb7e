"""What the search costs where it is not needed: the default call over the local one, on pairs that this gets right."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.criteria import inlier, same_rotation
from benchmarks.datasets import dragon_pairs
from benchmarks.paper.problems import Dragon, Problem, Shape, Street
from benchmarks.search import shapes
from benchmarks.search.pairs import Near, call, watched
from benchmarks.speed.clock import take_turns
from benchmarks.speed.findings import Findings, spoken
from svgm.rigid import pose_error

#: Most that the default call may take, in times of the local one.
SLOWER = 1.3

#: Of the streets and of the turns of a 2D set, so many are timed.
STREETS_EVERY, TURNS_EVERY = 10, 25


def run(findings: Findings, every: int, repeats: int) -> None:
    """Medians over repeats, in turn; held to the bar by the median pair, and all together, where rare detours count."""
    print(f"\nauto: time over that of the local search, medians of {repeats}")
    for name, problems, near in _families(every):
        kept = []
        for number, problem in enumerate(watched(problems, name)):
            pair = problem.load()
            calls = {kind: call(pair, search=kind) for kind in ("local", "auto")}
            # The first round loads and judges; what the local search does not find is not asked for here.
            if near(*pose_error(calls["local"]().transformation, pair.truth)):
                seconds = take_turns(calls, number, repeats)[1]
                kept.append((seconds["local"], seconds["auto"]))
        times = np.array(kept)
        print(f"{name}: {len(kept)} of {len(problems)} pairs right by the local search", flush=True)
        if not kept:
            continue
        local, auto = times.mean(axis=0)
        ratios = times[:, 1] / times[:, 0]
        print(
            f"{name}: local {spoken(local)}, auto {spoken(auto)} on average; "
            f"{(ratios > SLOWER).sum()} pairs above {SLOWER}, the largest ratio {ratios.max():.3g}"
        )
        findings.check(f"auto, {name}: time over local, median", float(np.median(ratios)), SLOWER)
        findings.check(f"auto, {name}: time over local, all pairs together", auto / local, SLOWER)
        findings.details[f"auto, {name}"] = {"local": times[:, 0].tolist(), "auto": times[:, 1].tolist()}


def _families(every: int) -> Iterator[tuple[str, list[Problem], Near]]:
    pairs = [pair for step in (1, 2, 3, 4) for pair in dragon_pairs(step)[::every]]
    yield "2,000-point dragon scans", [Dragon(*pair) for pair in pairs], _in_angle
    yield "whole dragon scans", [Dragon(*pair, points=0) for pair in pairs], _in_angle
    yield "adjacent outdoor scans", [Street(first) for first in range(1, 300, STREETS_EVERY * every)], inlier
    angles = shapes.ANGLES[:: TURNS_EVERY * every]
    yield "2D sets", [Shape(name, float(angle)) for name in shapes.NAMES for angle in angles], shapes.near


def _in_angle(rotation: float, _: float) -> bool:
    return same_rotation(rotation)
