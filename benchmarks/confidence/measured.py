"""Pairs of measured scans: dragon, hannover1, laser logs, lidar_pair."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache, partial

import numpy as np

from benchmarks.confidence.case import Case, Sets, move, rng_of
from benchmarks.datasets import (
    Array,
    dragon_pairs,
    dragon_scans,
    hannover_reference,
    hannover_scan,
    laser_log,
    on_grid,
    relative,
    subsample,
)
from benchmarks.datasets import lidar_pair as lidar_scans
from svgm.datasets import occlude
from svgm.rigid import invert

#: Laser logs, and the range (m) from which on a beam has hit nothing.
LOGS = {"intel": 80.0, "freiburg-101": 80.0, "belgioioso": 80.0, "acapulco": 50.0, "aces": 50.0, "orebro": 32.7}


@lru_cache(maxsize=1)
def dragon() -> tuple[list[Array], list[Array]]:
    return dragon_scans()


def _dragon_sets(i: int, j: int, count: int, seed: int) -> Sets:
    scans, poses = dragon()
    sets = [subsample(scans[k], count, 1000 * seed + k) if count else scans[k] for k in (i, j)]
    return Sets(sets[0], sets[1], relative(poses, i, j))


def _dragon_anywhere(i: int, j: int, count: int, seed: int) -> Sets:
    """The source turned by up to half a turn."""
    sets = _dragon_sets(i, j, count, seed)
    moved = move(sets.source, sets.target, rng_of(30, i, j, seed), 180.0, 0.3)
    assert sets.truth is not None
    assert moved.truth is not None
    return Sets(moved.source, moved.target, sets.truth @ moved.truth)


def dragons() -> Iterator[Case]:
    for step in (1, 2, 3, 4, 5):
        for seed, (i, j) in enumerate(dragon_pairs(step)):
            load = partial(_dragon_sets, i, j, (2000, 700, 4000)[seed % 3], seed % 4)
            yield Case("dragon", f"{24 * step} degrees, {i} {j}", "overlap", load, (0.28, None))
    for step in (1, 2, 3):
        for seed, (i, j) in enumerate(dragon_pairs(step)):
            load = partial(_dragon_anywhere, i, j, (2000, 700, 4000)[seed % 3], 4 + seed % 2)
            yield Case("dragon", f"moved, {24 * step} degrees, {i} {j}", "overlap", load, (0.28, None))


def whole_dragons() -> Iterator[Case]:
    for step in (1, 2, 3, 4, 5):
        for i, j in dragon_pairs(step)[::5]:
            load = partial(_dragon_sets, i, j, 0, 0)
            yield Case("dragon", f"whole, {24 * step} degrees, {i} {j}", "overlap", load, (0.28, None))


def street(number: int) -> Array:
    return on_grid(hannover_scan(number), 0.1)


def _street_sets(target: int, gap: int) -> Sets:
    truth = hannover_reference(target, target + gap) if gap <= 30 else None
    return Sets(street(target + gap), street(target), truth)


def streets() -> Iterator[Case]:
    for gap in (1, 3, 5, 7, 10):
        for target in range(3 + gap, 288, 19):
            yield Case("hannover1", f"{gap} apart, {target}", "overlap", partial(_street_sets, target, gap), (0.2, 0.5))
    for target in range(5, 80, 6):
        yield Case("hannover1", f"far, {target}", "unrelated", partial(_street_sets, target, 120 + target % 40))


@lru_cache(maxsize=6)
def _log(name: str) -> list[tuple[Array, Array]]:
    return [scan for scan in laser_log(name, LOGS[name]) if len(scan[0]) > 30]


def _laser_sets(name: str, source: int, target: int, related: bool) -> Sets:
    scans = _log(name)
    (moving, at), (fixed, base) = scans[source % len(scans)], scans[target % len(scans)]
    return Sets(moving, fixed, invert(base) @ at if related else None)


def lasers() -> Iterator[Case]:
    """Scans 1 to 40 steps apart, and scans taken more than 30 m apart."""
    for name in LOGS:
        scans = _log(name)
        rng = rng_of(7, sum(map(ord, name)))
        places = np.array([at[:2, 2] for _, at in scans])
        for k in range(60):
            target, gap = int(rng.integers(0, len(scans) - 41)), (1, 3, 8, 16, 40)[k % 5]
            load = partial(_laser_sets, name, target + gap, target, True)
            yield Case(name, f"{gap} apart, {target}", "overlap", load, (0.2, 0.5))
        for _ in range(30):
            source, target = rng.integers(0, len(scans), 2)
            while np.linalg.norm(places[source] - places[target]) < 30.0:
                source, target = rng.integers(0, len(scans), 2)
            load = partial(_laser_sets, name, int(source), int(target), False)
            yield Case(name, f"far, {source} {target}", "unrelated", load)


def _lidar_sets(cut: float, count: int, degrees: float, seed: int) -> Sets:
    source, target, truth = lidar_scans()
    source = subsample(source, count, seed)
    sets = move(occlude(source, cut, seed=seed) if cut else source, target, rng_of(8, seed), degrees, 0.0)
    assert sets.truth is not None
    return Sets(sets.source, subsample(target, count, seed + 100), truth @ sets.truth)


def lidar_pair() -> Iterator[Case]:
    for seed in range(15):
        load = partial(_lidar_sets, (0.0, 0.3, 0.5)[seed % 3], (60_000, 8_000)[seed % 2], (5.0, 60.0)[seed % 2], seed)
        yield Case("lidar_pair", f"{seed}", "overlap", load, (0.2, 0.5))
