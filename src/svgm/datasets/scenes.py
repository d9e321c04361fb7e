"""A storey of a building and a laser that is driven through it: scans of which the truth is known."""

from __future__ import annotations

import numpy as np

from svgm.checks.arguments import as_finite, number, positive, seeded
from svgm.checks.arguments import count as whole_number
from svgm.checks.errors import InputError
from svgm.geometry.points import LARGEST, MOST_NUMBERS, Array
from svgm.rigid import as_pose, invert, pose, rotation_exp

#: Poses of a walk and beams of a scan, at most; numbers of a scan, a few for each beam and wall, likewise.
MOST_POSES, MOST_BEAMS, MOST_PAIRS = 1_000_000, 1_000_000, MOST_NUMBERS // 16

#: Laps of a walk, at most.
MOST_LAPS = 1e6


def storey() -> Array:
    """Walls of a storey, (m, 2, 2) ends of segments in metres: a corridor around a core, rooms along it, furniture.

    >>> walls = storey()
    >>> walls.shape[1:], walls.max(axis=(0, 1)).tolist()
    ((2, 2), [26.0, 18.0])
    """
    boxes = [(0, 0, 26, 18), (5, 5, 21, 13)]  # outside, and the core within the corridor
    walls = [side for box in boxes for side in _sides(*box)]
    # Rooms between the corridor and the outside, their doors at uneven places so that no two look alike.
    for x, door in ((3.0, 0.8), (7.5, 1.6), (10.0, 0.6), (15.0, 1.9), (18.5, 1.1), (23.0, 1.7)):
        for y, inner in ((0.0, 2.2), (18.0, 15.8)):
            walls.append(((x, y), (x, inner)))
            walls.append(((x + door, inner), (x + door + 1.1, inner)))
    for y, door in ((4.0, 0.5), (7.0, 1.2), (11.5, 0.9)):
        walls.append(((0.0, y), (1.8, y)))
        walls.append(((24.4, y + door), (26.0, y + door)))
    for x, y, w, h in ((12.5, 4.3, 0.6, 0.6), (2.6, 14.4, 0.5, 0.9), (22.6, 2.6, 0.8, 0.5), (22.3, 15.0, 0.7, 0.7)):
        walls += _sides(x, y, x + w, y + h)
    return np.array(walls, dtype=np.float64)


def round_walk(count: int, laps: float = 1.1) -> Array:
    """Poses (count, 3, 3) of a walk around the core, a little more than once, so that the way meets itself.

    >>> walk = round_walk(90)
    >>> walk.shape
    (90, 3, 3)
    >>> gaps = np.linalg.norm(walk[60:, :2, 2] - walk[0, :2, 2], axis=1)
    >>> bool(gaps.min() < 1.0)
    True
    """
    count, laps = whole_number("count", count, most=MOST_POSES), number("laps", laps, most=MOST_LAPS)
    corners = np.array([[2.9, 3.2], [23.0, 3.9], [22.6, 14.4], [3.4, 14.0]])
    along = np.linspace(0.0, 4.0 * laps, count)
    side = along.astype(int) % 4
    share = (along % 1.0)[:, None]
    places = (1.0 - share) * corners[side] + share * corners[(side + 1) % 4]
    steps = corners[(side + 1) % 4] - corners[side]
    headings = np.arctan2(steps[:, 1], steps[:, 0]) + 0.25 * np.sin(7.0 * along)
    # Nobody turns on the spot by a quarter: headings follow.
    turned = np.unwrap(headings)
    smooth = np.convolve(np.pad(turned, 2, mode="edge"), np.full(5, 0.2), mode="valid")
    return pose(rotation_exp(smooth[:, None], 2), places)


def laser_scan(
    walls: Array,
    sensor: Array,
    *,
    beams: int = 361,
    field: float = 1.5 * np.pi,
    noise: float = 0.01,
    reach: float = 12.0,
    seed: int = 0,
) -> Array:
    """What a laser at a pose sees of the walls: points (n, 2) in its own frame, x forward, of beams that hit one.

    >>> room = np.array(_sides(0.0, 0.0, 4.0, 2.0))
    >>> centre = pose(np.eye(2), np.array([2.0, 1.0]))
    >>> laser_scan(room, centre, beams=3, field=np.pi, noise=0.0).round(6).tolist()
    [[0.0, -1.0], [2.0, 0.0], [0.0, 1.0]]
    """
    walls, sensor = as_finite(walls, "walls", 2, 2), as_pose(sensor, 2, "sensor")
    if walls.ndim != 3 or not len(walls) or np.abs(walls).max() > LARGEST:
        raise InputError(f"walls must have shape (m, 2, 2), m at least 1, within {LARGEST:g}, got shape {walls.shape}")
    beams = whole_number("beams", beams, most=min(MOST_BEAMS, MOST_PAIRS // len(walls)))
    field = positive("field", field, most=2.0 * np.pi)
    noise, reach = positive("noise", noise, most=LARGEST, zero=True), positive("reach", reach, infinite=True)
    generator = seeded(seed)
    angles = np.linspace(-field / 2, field / 2, beams)
    rays = np.c_[np.cos(angles), np.sin(angles)]
    back = invert(sensor)
    starts, ends = (walls[:, k] @ back[:2, :2].T + back[:2, 2] for k in range(2))
    sides = ends - starts
    # Along a ray s u = a + r (b - a): two equations for the distance s and the place r on the wall.
    cross = rays[:, None, 0] * sides[None, :, 1] - rays[:, None, 1] * sides[None, :, 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        distance = (starts[:, 0] * sides[:, 1] - starts[:, 1] * sides[:, 0])[None] / cross
        along = (starts[None, :, 0] * rays[:, None, 1] - starts[None, :, 1] * rays[:, None, 0]) / cross
    hit = np.isfinite(distance) & (distance > 1e-9) & (along >= 0.0) & (along <= 1.0)
    ranges = np.where(hit, distance, np.inf).min(axis=1)
    seen = ranges < reach
    measured = ranges[seen] + noise * generator.standard_normal(int(seen.sum()))
    points: Array = measured[:, None] * rays[seen]
    return points


def _sides(
    left: float, bottom: float, right: float, top: float
) -> list[tuple[tuple[float, float], tuple[float, float]]]:
    corners = [(left, bottom), (right, bottom), (right, top), (left, top)]
    return [(corners[k], corners[(k + 1) % 4]) for k in range(4)]
