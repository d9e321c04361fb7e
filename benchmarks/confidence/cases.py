"""Pairs of point sets by kind of data, with what is right for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np

from benchmarks.confidence import scenes
from benchmarks.datasets import (
    Array,
    dragon_pairs,
    dragon_scans,
    hannover_reference,
    hannover_scan,
    laser_log,
    lidar_pair,
    on_grid,
    relative,
    subsample,
)
from svgm.datasets import body, disturb, laser_scan, occlude, partial_view, round_walk, storey
from svgm.rigid import apply, invert, pose, pose_error

#: Laser logs, and the range (m) from which on a beam has hit nothing.
LOGS = {"intel": 80.0, "freiburg-101": 80.0, "belgioioso": 80.0, "acapulco": 50.0, "aces": 50.0, "orebro": 32.7}


@dataclass(frozen=True)
class Sets:
    """Two sets and the true pose of the source; None if the sets have nothing in common."""

    source: Array
    target: Array
    truth: Array | None


@dataclass(frozen=True)
class Case:
    """One pair.

    Attributes
    ----------
    family
        The kind of data; a fit leaves whole kinds out.
    name
        Of the pair.
    kind
        "overlap"; "unrelated": no pose is right; "slides": many poses fit equally well.
    load
        Makes the sets.
    limits
        An answer is right up to this rotation (rad) and this translation of the source's middle, in metres.  Where the
        second is None: up to 5 % of the source's diameter.
    """

    family: str
    name: str
    kind: str
    load: Callable[[], Sets]
    limits: tuple[float, float | None] = (0.2, None)

    def right(self, transformation: Array, sets: Sets) -> bool:
        """Whether an answer is right."""
        if sets.truth is None:
            return False
        middle = sets.source.mean(axis=0)
        rotation, _ = pose_error(transformation, sets.truth)
        apart = float(np.linalg.norm(apply(transformation, middle[None]) - apply(sets.truth, middle[None])))
        limit = self.limits[1]
        if limit is None:
            limit = 0.05 * float(np.linalg.norm(np.ptp(sets.source, axis=0)))
        return rotation < self.limits[0] and apart < limit


def all_cases(share: float = 1.0) -> Iterator[Case]:
    """Every kind of data; `share` of the pairs of each."""
    makers = (_dragons, _whole_dragons, _streets, _lasers, _lidar_pair, _bodies, _blobs, _rooms, _outdoors, _storeys)
    makers += (_repeated, _sliding, _noise, _outlines, _strangers)
    for maker in makers:
        cases = list(maker())
        count = max(1, round(share * len(cases)))
        yield from (cases[k] for k in np.unique(np.linspace(0, len(cases) - 1, count).round().astype(int)))


def _rng(*numbers: int) -> np.random.Generator:
    return np.random.default_rng(numbers)


def _moved(source: Array, target: Array, rng: np.random.Generator, degrees: float, shift: float) -> Sets:
    """The source turned by up to so many degrees, and shifted by up to this share of its size."""
    d = source.shape[1]
    size = float(np.linalg.norm(np.ptp(source, axis=0)))
    turn, middle = scenes.small_turn(d, rng, degrees), source.mean(axis=0)
    motion = pose(turn, middle - turn @ middle + shift * size * rng.uniform(-1.0, 1.0, d))
    return Sets(apply(motion, source), target, invert(motion))


@lru_cache(maxsize=1)
def _dragon() -> tuple[list[Array], list[Array]]:
    return dragon_scans()


def _dragon_sets(i: int, j: int, count: int, seed: int) -> Sets:
    scans, poses = _dragon()
    sets = [subsample(scans[k], count, 1000 * seed + k) if count else scans[k] for k in (i, j)]
    return Sets(sets[0], sets[1], relative(poses, i, j))


def _dragon_anywhere(i: int, j: int, count: int, seed: int) -> Sets:
    """The source turned by up to half a turn."""
    sets = _dragon_sets(i, j, count, seed)
    moved = _moved(sets.source, sets.target, _rng(30, i, j, seed), 180.0, 0.3)
    assert sets.truth is not None
    assert moved.truth is not None
    return Sets(moved.source, moved.target, sets.truth @ moved.truth)


def _dragons() -> Iterator[Case]:
    for step in (1, 2, 3, 4, 5):
        for seed, (i, j) in enumerate(dragon_pairs(step)):
            load = partial(_dragon_sets, i, j, (2000, 700, 4000)[seed % 3], seed % 4)
            yield Case("dragon", f"{24 * step} degrees, {i} {j}", "overlap", load, (0.28, None))
    for step in (1, 2, 3):
        for seed, (i, j) in enumerate(dragon_pairs(step)):
            load = partial(_dragon_anywhere, i, j, (2000, 700, 4000)[seed % 3], 4 + seed % 2)
            yield Case("dragon", f"moved, {24 * step} degrees, {i} {j}", "overlap", load, (0.28, None))


def _whole_dragons() -> Iterator[Case]:
    for step in (1, 2, 3, 4, 5):
        for i, j in dragon_pairs(step)[::5]:
            load = partial(_dragon_sets, i, j, 0, 0)
            yield Case("dragon", f"whole, {24 * step} degrees, {i} {j}", "overlap", load, (0.28, None))


def _street(number: int) -> Array:
    return on_grid(hannover_scan(number), 0.1)


def _street_sets(target: int, gap: int) -> Sets:
    truth = hannover_reference(target, target + gap) if gap <= 30 else None
    return Sets(_street(target + gap), _street(target), truth)


def _streets() -> Iterator[Case]:
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


def _lasers() -> Iterator[Case]:
    """Scans 1 to 40 steps apart, and scans taken more than 30 m apart."""
    for name in LOGS:
        scans = _log(name)
        rng = _rng(7, sum(map(ord, name)))
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
    source, target, truth = lidar_pair()
    source = subsample(source, count, seed)
    sets = _moved(occlude(source, cut, seed=seed) if cut else source, target, _rng(8, seed), degrees, 0.0)
    assert sets.truth is not None
    return Sets(sets.source, subsample(target, count, seed + 100), truth @ sets.truth)


def _lidar_pair() -> Iterator[Case]:
    for seed in range(15):
        load = partial(_lidar_sets, (0.0, 0.3, 0.5)[seed % 3], (60_000, 8_000)[seed % 2], (5.0, 60.0)[seed % 2], seed)
        yield Case("lidar_pair", f"{seed}", "overlap", load, (0.2, 0.5))


def _view(points: Array, angle: float) -> Array:
    return partial_view(points, viewpoint=8.0 * np.array([np.cos(angle), np.sin(angle), 0.3]))


def _two_views(seed: int, degrees: float, count: int) -> Sets:
    angle = float(_rng(9, seed).uniform(0.0, 2.0 * np.pi))
    target = _view(body(3 * count, seed=2 * seed)[0], angle)
    source = _view(body(3 * count, seed=2 * seed + 1)[0], angle + np.radians(degrees))
    return _moved(source, target, _rng(10, seed), (20.0, 90.0, 180.0)[seed % 3], 0.1)


def _bodies() -> Iterator[Case]:
    for seed in range(96):
        degrees = (20.0, 30.0, 40.0, 60.0, 80.0, 100.0, 120.0)[seed % 7]
        load = partial(_two_views, seed, degrees, (800, 2500)[seed % 2])
        yield Case("body", f"{degrees:.0f} degrees, {seed}", "overlap", load, (0.28, None))


def _blob_views(first: int, second: int, degrees: float, count: int) -> Sets:
    angle = float(_rng(11, first).uniform(0.0, 2.0 * np.pi))
    shapes = [scenes.blob(3 * count, _rng(12, shape)) for shape in (first, second)]
    if first == second:  # other points on the same surface
        shapes[1] = scenes.blob(6 * count, _rng(12, second))[3 * count :]
    target, source = _view(shapes[0], angle), _view(shapes[1], angle + np.radians(degrees))
    sets = _moved(source, target, _rng(13, first), 60.0, 0.1)
    return sets if first == second else Sets(sets.source, sets.target, None)


def _blobs() -> Iterator[Case]:
    """Smooth bodies, whose halves look alike."""
    for seed in range(30):
        degrees, count = (20.0, 45.0, 70.0)[seed % 3], (500, 1500)[seed % 2]
        yield Case("blob", f"{seed}", "unrelated", partial(_blob_views, seed, seed + 500, degrees, count))


def _room_sets(first: int, second: int, cut: float) -> Sets:
    sets = [
        scenes.sampled(scenes.room(_rng(14, k)), 60.0, _rng(15, first, side)) for side, k in enumerate((first, second))
    ]
    middle = float(np.median(sets[0][:, 0]))
    reach = 0.5 * float(np.ptp(sets[0][:, 0])) * (1.0 - cut)
    target = scenes.within(sets[0], -np.inf, middle + reach)
    source = scenes.within(sets[1], middle - reach, np.inf)
    moved = _moved(source, target, _rng(16, first), 40.0, 0.1)
    return moved if first == second else Sets(moved.source, moved.target, None)


def _rooms() -> Iterator[Case]:
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
            points = scenes.terrain(makers[kind], 80.0, _rng(17, seed), waves=scenes.ground_waves(_rng(18, seed)))
        else:
            points = scenes.trees(25, _rng(19, seed))
        halves.append(points)
    span = np.ptp(halves[0][:, 0])
    edge = 0.5 * overlap * span * (0.5 if kind == "terrain" else 1.0)
    target = scenes.within(halves[0], -np.inf, edge)[::2]
    source = scenes.within(halves[1], -edge, np.inf)[1::2]
    moved = _moved(source, target, _rng(20, first), 20.0, 0.1)
    return moved if first == second else Sets(moved.source, moved.target, None)


def _outdoors() -> Iterator[Case]:
    for kind in ("terrain", "trees"):
        for seed in range(18):
            load = partial(_ground_sets, seed, seed, kind, (0.8, 0.4, 0.15)[seed % 3])
            yield Case(kind, f"{seed}", "overlap", load, (0.2, None))
        for seed in range(10):
            yield Case(kind, f"two, {seed}", "unrelated", partial(_ground_sets, seed, seed + 700, kind, 0.8))


def _storey_sets(seed: int, gap: int, far: bool) -> Sets:
    walls, walk = storey(), round_walk(200)
    first = int(_rng(21, seed).integers(0, 150))
    second = first + (75 if far else gap)
    moving, fixed = (laser_scan(walls, walk[k % 200], seed=k, beams=181, field=np.pi) for k in (second, first))
    return Sets(moving, fixed, None if far else invert(walk[first]) @ walk[second % 200])


def _storeys() -> Iterator[Case]:
    for seed in range(40):
        load = partial(_storey_sets, seed, (1, 3, 6, 12)[seed % 4], False)
        yield Case("storey", f"{seed}", "overlap", load, (0.2, 0.5))
    for seed in range(15):
        yield Case("storey", f"far, {seed}", "unrelated", partial(_storey_sets, seed, 0, True))


def _repeated_sets(kind: str, seed: int) -> Sets:
    """Two windows on a row of equal things, one or two of them apart."""
    rng = _rng(22, seed, sum(map(ord, kind)))
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
    sets = _moved(source, target, rng, 3.0, 0.0)
    assert sets.truth is not None
    back = np.eye(len(sets.truth))
    back[0, -1] = -shift
    return Sets(apply(back, sets.source), target, sets.truth @ invert(back))


def _repeated() -> Iterator[Case]:
    for kind in ("rooms", "columns", "houses", "stairs"):
        for seed in range(20):
            yield Case("repeated", f"{kind} {seed}", "slides", partial(_repeated_sets, kind, seed))


def _sliding_sets(kind: str, seed: int) -> Sets:
    """Two windows on something that looks the same along its length, or all around."""
    rng = _rng(23, seed, sum(map(ord, kind)))
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
        return _moved(both[0], both[1], rng, 60.0, 0.1)
    pieces = {"corridor": scenes.corridor(40.0), "plane": [scenes.rectangle((0, 0, 0), (40, 0, 0), (0, 20, 0))]}
    both = []
    for _ in range(2):
        if kind == "line":
            both.append(scenes.on_walls(np.array([((0.0, 0.0), (40.0, 0.0))]), 20.0, rng))
        else:
            both.append(scenes.sampled(pieces[kind], 10.0, rng))
    shift = float(rng.uniform(3.0, 12.0))
    target, source = scenes.within(both[0], 0.0, 25.0), scenes.within(both[1], shift, 25.0 + shift)
    return _moved(source, target, rng, 5.0, 0.02)


def _sliding() -> Iterator[Case]:
    for kind in ("line", "plane", "corridor", "circle", "ball", "cylinder"):
        for seed in range(20):
            yield Case("sliding", f"{kind} {seed}", "slides", partial(_sliding_sets, kind, seed))


def _noise_sets(seed: int) -> Sets:
    rng = _rng(24, seed)
    d = 2 + seed % 2
    counts = rng.integers(30, 121, 2) if seed % 3 else np.array([30, 30])
    return Sets(scenes.noise(int(counts[0]), d, rng), scenes.noise(int(counts[1]), d, rng), None)


def _noise() -> Iterator[Case]:
    for seed in range(200):
        yield Case("noise", f"{seed}", "unrelated", partial(_noise_sets, seed))


def _outline_sets(first: int, second: int, count: int, cut: float) -> Sets:
    source, target = (scenes.outline(count, _rng(25, seed)) for seed in (first, second))
    if first == second:
        both = scenes.outline(2 * count, _rng(25, first))
        source, target = both[::2], both[1::2]
    sets = _moved(occlude(source, cut, seed=first) if cut else source, target, _rng(26, first), 60.0, 0.1)
    return sets if first == second else Sets(sets.source, sets.target, None)


def _outlines() -> Iterator[Case]:
    for seed in range(50):
        load = partial(_outline_sets, seed, seed, (60, 200, 800)[seed % 3], (0.0, 0.2, 0.4)[seed % 3])
        yield Case("outline", f"{seed}", "overlap", load)
    for seed in range(60):
        load = partial(_outline_sets, seed, seed + 100, (60, 200, 800)[seed % 3], 0.0)
        yield Case("outline", f"two, {seed}", "unrelated", load)


def _stranger(name: str, seed: int) -> Array:
    if name == "dragon":
        return subsample(_dragon()[0][seed % 15], 2000, seed)
    if name == "street":
        return subsample(_street(1 + 17 * seed % 290), 3000, seed)
    if name == "room":
        return subsample(scenes.sampled(scenes.room(_rng(27, seed)), 30.0, _rng(28, seed)), 3000, seed)
    if name == "trees":
        return subsample(scenes.trees(20, _rng(29, seed)), 3000, seed)
    return _view(body(5000, seed=seed)[0], 0.7 * seed)


def _stranger_sets(first: str, second: str, seed: int) -> Sets:
    """Sets of different kinds, made equally large: no pose is right."""
    sets = [_stranger(name, seed + k) for k, name in enumerate((first, second))]
    sets = [disturb(points / np.linalg.norm(np.ptp(points, axis=0)), seed=seed) for points in sets]
    return Sets(sets[0], sets[1], None)


def _strangers() -> Iterator[Case]:
    names = ("dragon", "street", "room", "trees", "body")
    for seed in range(4):
        for a, first in enumerate(names):
            for second in names[a + 1 :]:
                yield Case(
                    "strangers", f"{first} {second} {seed}", "unrelated", partial(_stranger_sets, first, second, seed)
                )
