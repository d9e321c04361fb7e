"""Pairs of generated sets, and of sets of different kinds."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from benchmarks.confidence import scenes
from benchmarks.confidence.case import Case, Sets, move, rng_of
from benchmarks.confidence.measured import dragon, street
from benchmarks.datasets import Array, subsample
from svgm.datasets import body, disturb, laser_scan, occlude, partial_view, round_walk, storey
from svgm.rigid import apply, invert


def _view(points: Array, angle: float) -> Array:
    return partial_view(points, viewpoint=8.0 * np.array([np.cos(angle), np.sin(angle), 0.3]))


def _two_views(seed: int, degrees: float, count: int) -> Sets:
    angle = float(rng_of(9, seed).uniform(0.0, 2.0 * np.pi))
    target = _view(body(3 * count, seed=2 * seed)[0], angle)
    source = _view(body(3 * count, seed=2 * seed + 1)[0], angle + np.radians(degrees))
    return move(source, target, rng_of(10, seed), (20.0, 90.0, 180.0)[seed % 3], 0.1)


def bodies() -> Iterator[Case]:
    for seed in range(96):
        degrees = (20.0, 30.0, 40.0, 60.0, 80.0, 100.0, 120.0)[seed % 7]
        load = partial(_two_views, seed, degrees, (800, 2500)[seed % 2])
        yield Case("body", f"{degrees:.0f} degrees, {seed}", "overlap", load, (0.28, None))


def _blob_views(first: int, second: int, degrees: float, count: int) -> Sets:
    angle = float(rng_of(11, first).uniform(0.0, 2.0 * np.pi))
    shapes = [scenes.blob(3 * count, rng_of(12, shape)) for shape in (first, second)]
    if first == second:  # other points on the same surface
        shapes[1] = scenes.blob(6 * count, rng_of(12, second))[3 * count :]
    target, source = _view(shapes[0], angle), _view(shapes[1], angle + np.radians(degrees))
    sets = move(source, target, rng_of(13, first), 60.0, 0.1)
    return sets if first == second else Sets(sets.source, sets.target, None)


def blobs() -> Iterator[Case]:
    """Smooth bodies, whose halves look alike."""
    for seed in range(30):
        degrees, count = (20.0, 45.0, 70.0)[seed % 3], (500, 1500)[seed % 2]
        yield Case("blob", f"{seed}", "unrelated", partial(_blob_views, seed, seed + 500, degrees, count))


def _room_sets(first: int, second: int, cut: float) -> Sets:
    sets = [
        scenes.sampled(scenes.room(rng_of(14, k)), 60.0, rng_of(15, first, side))
        for side, k in enumerate((first, second))
    ]
    middle = float(np.median(sets[0][:, 0]))
    reach = 0.5 * float(np.ptp(sets[0][:, 0])) * (1.0 - cut)
    target = scenes.within(sets[0], -np.inf, middle + reach)
    source = scenes.within(sets[1], middle - reach, np.inf)
    moved = move(source, target, rng_of(16, first), 40.0, 0.1)
    return moved if first == second else Sets(moved.source, moved.target, None)


def rooms() -> Iterator[Case]:
    for seed in range(30):
        yield Case("room", f"{seed}", "overlap", partial(_room_sets, seed, seed, (0.1, 0.5, 0.8)[seed % 3]))
    for seed in range(15):
        yield Case("room", f"two, {seed}", "unrelated", partial(_room_sets, seed, seed + 300, 0.1))


def _ground_sets(first: int, second: int, kind: str, overlap: float) -> Sets:
    """Two squares of 40 m, of which a share overlaps."""
    makers = {"terrain": 6000, "trees": 9000}
    halves = []
    for seed in (first, second):
        if kind == "terrain":
            points = scenes.terrain(makers[kind], 80.0, rng_of(17, seed), waves=scenes.ground_waves(rng_of(18, seed)))
        else:
            points = scenes.trees(25, rng_of(19, seed))
        halves.append(points)
    span = np.ptp(halves[0][:, 0])
    edge = 0.5 * overlap * span * (0.5 if kind == "terrain" else 1.0)
    target = scenes.within(halves[0], -np.inf, edge)[::2]
    source = scenes.within(halves[1], -edge, np.inf)[1::2]
    moved = move(source, target, rng_of(20, first), 20.0, 0.1)
    return moved if first == second else Sets(moved.source, moved.target, None)


def outdoors() -> Iterator[Case]:
    for kind in ("terrain", "trees"):
        for seed in range(18):
            load = partial(_ground_sets, seed, seed, kind, (0.8, 0.4, 0.15)[seed % 3])
            yield Case(kind, f"{seed}", "overlap", load, (0.2, None))
        for seed in range(10):
            yield Case(kind, f"two, {seed}", "unrelated", partial(_ground_sets, seed, seed + 700, kind, 0.8))


def _storey_sets(seed: int, gap: int, far: bool) -> Sets:
    walls, walk = storey(), round_walk(200)
    first = int(rng_of(21, seed).integers(0, 150))
    second = first + (75 if far else gap)
    moving, fixed = (laser_scan(walls, walk[k % 200], seed=k, beams=181, field=np.pi) for k in (second, first))
    return Sets(moving, fixed, None if far else invert(walk[first]) @ walk[second % 200])


def storeys() -> Iterator[Case]:
    for seed in range(40):
        load = partial(_storey_sets, seed, (1, 3, 6, 12)[seed % 4], False)
        yield Case("storey", f"{seed}", "overlap", load, (0.2, 0.5))
    for seed in range(15):
        yield Case("storey", f"far, {seed}", "unrelated", partial(_storey_sets, seed, 0, True))


def _repeated_sets(kind: str, seed: int) -> Sets:
    """Two windows on a row of equal things, one or two of them apart."""
    rng = rng_of(22, seed, sum(map(ord, kind)))
    period, count = {"rooms": (4.0, 5), "columns": (3.0, 6), "houses": (12.0, 4), "stairs": (0.3, 14)}[kind]
    pieces = {"columns": scenes.columns, "houses": scenes.houses, "stairs": scenes.stairs}
    samples = []
    for _ in range(2):
        if kind == "rooms":
            samples.append(scenes.on_walls(scenes.rooms_2d(count, [0.5] * count), 25.0, rng))
        else:
            density = {"columns": 60.0, "houses": 8.0, "stairs": 500.0}[kind]
            samples.append(scenes.sampled(pieces[kind](count), density, rng))
    width = (count - 2) * period
    start = float(samples[0][:, 0].min())
    shift = period * float(rng.integers(1, 3))
    target = scenes.within(samples[0], start, start + width)
    source = scenes.within(samples[1], start + shift, start + shift + width)
    # The source arrives one window too far: the nearest fit is not the true one.
    sets = move(source, target, rng, 3.0, 0.0)
    assert sets.truth is not None
    back = np.eye(len(sets.truth))
    back[0, -1] = -shift
    return Sets(apply(back, sets.source), target, sets.truth @ invert(back))


def repeated() -> Iterator[Case]:
    for kind in ("rooms", "columns", "houses", "stairs"):
        for seed in range(20):
            yield Case("repeated", f"{kind} {seed}", "slides", partial(_repeated_sets, kind, seed))


def _sliding_sets(kind: str, seed: int) -> Sets:
    """Two windows on something that looks the same along its length, or all around."""
    rng = rng_of(23, seed, sum(map(ord, kind)))
    if kind in ("circle", "ball", "cylinder"):
        both = []
        for _ in range(2):
            count = 400 if kind == "circle" else 2000
            angle, other = rng.uniform(0, 2 * np.pi, count), rng.uniform(-1, 1, count)
            if kind == "ball":
                ring = np.sqrt(1 - other**2)
                points = np.c_[ring * np.cos(angle), ring * np.sin(angle), other]
            else:
                points = np.c_[np.cos(angle), np.sin(angle), 3.0 * other][:, : 3 if kind == "cylinder" else 2]
            both.append(points + scenes.NOISE * rng.normal(size=points.shape))
        return move(both[0], both[1], rng, 60.0, 0.1)
    pieces = {"corridor": scenes.corridor(40.0), "plane": [scenes.rectangle((0, 0, 0), (40, 0, 0), (0, 20, 0))]}
    both = []
    for _ in range(2):
        if kind == "line":
            both.append(scenes.on_walls(np.array([((0.0, 0.0), (40.0, 0.0))]), 20.0, rng))
        else:
            both.append(scenes.sampled(pieces[kind], 10.0, rng))
    shift = float(rng.uniform(3.0, 12.0))
    target, source = scenes.within(both[0], 0.0, 25.0), scenes.within(both[1], shift, 25.0 + shift)
    return move(source, target, rng, 5.0, 0.02)


def sliding() -> Iterator[Case]:
    for kind in ("line", "plane", "corridor", "circle", "ball", "cylinder"):
        for seed in range(20):
            yield Case("sliding", f"{kind} {seed}", "slides", partial(_sliding_sets, kind, seed))


def _noise_sets(seed: int) -> Sets:
    rng = rng_of(24, seed)
    d = 2 + seed % 2
    counts = rng.integers(30, 121, 2) if seed % 3 else np.array([30, 30])
    return Sets(scenes.noise(int(counts[0]), d, rng), scenes.noise(int(counts[1]), d, rng), None)


def noise() -> Iterator[Case]:
    for seed in range(200):
        yield Case("noise", f"{seed}", "unrelated", partial(_noise_sets, seed))


def _outline_sets(first: int, second: int, count: int, cut: float) -> Sets:
    source, target = (scenes.outline(count, rng_of(25, seed)) for seed in (first, second))
    if first == second:
        both = scenes.outline(2 * count, rng_of(25, first))
        source, target = both[::2], both[1::2]
    sets = move(occlude(source, cut, seed=first) if cut else source, target, rng_of(26, first), 60.0, 0.1)
    return sets if first == second else Sets(sets.source, sets.target, None)


def outlines() -> Iterator[Case]:
    for seed in range(50):
        load = partial(_outline_sets, seed, seed, (60, 200, 800)[seed % 3], (0.0, 0.2, 0.4)[seed % 3])
        yield Case("outline", f"{seed}", "overlap", load)
    for seed in range(60):
        load = partial(_outline_sets, seed, seed + 100, (60, 200, 800)[seed % 3], 0.0)
        yield Case("outline", f"two, {seed}", "unrelated", load)


def _stranger(name: str, seed: int) -> Array:
    if name == "dragon":
        return subsample(dragon()[0][seed % 15], 2000, seed)
    if name == "street":
        return subsample(street(1 + 17 * seed % 290), 3000, seed)
    if name == "room":
        return subsample(scenes.sampled(scenes.room(rng_of(27, seed)), 30.0, rng_of(28, seed)), 3000, seed)
    if name == "trees":
        return subsample(scenes.trees(20, rng_of(29, seed)), 3000, seed)
    return _view(body(5000, seed=seed)[0], 0.7 * seed)


def _stranger_sets(first: str, second: str, seed: int) -> Sets:
    """Sets of different kinds, made equally large: no pose is right."""
    sets = [_stranger(name, seed + k) for k, name in enumerate((first, second))]
    sets = [disturb(points / np.linalg.norm(np.ptp(points, axis=0)), seed=seed) for points in sets]
    return Sets(sets[0], sets[1], None)


def strangers() -> Iterator[Case]:
    names = ("dragon", "street", "room", "trees", "body")
    for seed in range(4):
        for a, first in enumerate(names):
            for second in names[a + 1 :]:
                yield Case(
                    "strangers", f"{first} {second} {seed}", "unrelated", partial(_stranger_sets, first, second, seed)
                )
