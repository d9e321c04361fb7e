"""Registering the same pairs by several contestants in turn."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track

from benchmarks.criteria import inlier, same_rotation
from benchmarks.datasets import (
    Array,
    dragon_pairs,
    dragon_scans,
    hannover_reference,
    hannover_scan,
    relative,
    subsample,
)
from benchmarks.speed.clock import take_turns
from benchmarks.speed.contestants import Contestant
from svgm.rigid import pose_error

STEPS = (1, 2, 3, 4)


@dataclass(frozen=True)
class Pair:
    """Two scans, the true pose of the source in the target's frame, and the group the pair is counted in."""

    group: int
    source: Array
    target: Array
    truth: Array


@dataclass(frozen=True)
class Result:
    """One contestant on all pairs: seconds (n,), and which of them it brought home."""

    contestant: Contestant
    groups: NDArray[np.int64]
    seconds: Array
    converged: NDArray[np.bool_]

    @property
    def mean(self) -> float:
        """Mean seconds a pair."""
        return float(self.seconds.mean())

    def counts(self) -> str:
        """Pairs converged, group by group."""
        return "/".join(str(self.converged[self.groups == group].sum()) for group in np.unique(self.groups))


def dragons(points: int, every: int) -> list[Pair]:
    """DRAGON-STAND pairs 24, 48, 72 and 96 degrees apart, as in Table 2 of the paper; points 0 for all."""
    scans, poses = dragon_scans()
    sets = [subsample(scan, points, k) if points else scan for k, scan in enumerate(scans)]
    return [
        Pair(24 * step, sets[i], sets[j], relative(poses, i, j))
        for step in STEPS
        for i, j in dragon_pairs(step)[::every]
    ]


def streets(every: int) -> list[Pair]:
    """Adjacent scans of hannover1."""
    return [
        Pair(0, hannover_scan(first + 1), hannover_scan(first), hannover_reference(first, first + 1))
        for first in range(1, 300, every)
    ]


def near_in_angle(T: Array, truth: Array) -> bool:
    """By the rotation, the paper's criterion on the dragon."""
    return same_rotation(pose_error(T, truth)[0])


def near_on_the_ground(T: Array, truth: Array) -> bool:
    """By rotation and translation, the paper's criterion outdoors."""
    return inlier(*pose_error(T, truth))


def race(
    load: Callable[[], list[Pair]],
    contestants: Sequence[Contestant],
    near: Callable[[Array, Array], bool],
    repeats: int,
    timer: Callable[[], float] = time.perf_counter,
) -> list[Result]:
    """Each contestant on each pair: the median time over repeats, alternating within the pair, and the answer."""
    pairs = load()
    groups = np.array([pair.group for pair in pairs])
    times = np.empty((len(contestants), len(pairs)))
    home = np.empty(times.shape, dtype=bool)
    # Loads the libraries, which is no part of a registration.
    for contestant in contestants:
        contestant.align(pairs[0].source[::10], pairs[0].target[::10])
    for column, pair in enumerate(track(pairs, console=Console(stderr=True), transient=True)):
        calls = {str(row): partial(c.align, pair.source, pair.target) for row, c in enumerate(contestants)}
        answers, medians = take_turns(calls, column, repeats, timer)
        for row in range(len(contestants)):
            times[row, column] = medians[str(row)]
            home[row, column] = near(answers[str(row)], pair.truth)
    return [Result(c, groups, times[row], home[row]) for row, c in enumerate(contestants)]


def best(results: Sequence[Result]) -> dict[str, Result]:
    """Of each method, the setting with the most pairs converged; of equals, the faster."""
    found: dict[str, Result] = {}
    for result in results:
        method = result.contestant.method
        key = (-result.converged.sum(), result.mean)
        if method not in found or key < (-found[method].converged.sum(), found[method].mean):
            found[method] = result
    return found
