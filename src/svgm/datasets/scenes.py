"""Laser scans of a generated building at known poses."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from svgm.checks.arguments import LARGEST, MOST_NUMBERS, as_finite, number, positive, seeded
from svgm.checks.arguments import count as whole_number
from svgm.checks.errors import InputError
from svgm.checks.types import Array, PoseLike
from svgm.rigid import as_pose, invert, pose, rotation_exp

#: Poses of a walk, beams of a scan, and pairs of a beam and a wall, at most; a pair takes a few numbers of memory.
MOST_POSES, MOST_BEAMS, MOST_PAIRS = 1_000_000, 1_000_000, MOST_NUMBERS // 16

#: Laps of a walk, at most.
MOST_LAPS = 1e6


def storey() -> Array:
    """Walls of one floor of a building: a corridor around a core, rooms along it, and furniture.

    Returns
    -------
    ndarray, shape (m, 2, 2)
        Both ends of m straight walls, in metres.

    Examples
    --------
    >>> walls = storey()
    >>> walls.shape[1:], walls.max(axis=(0, 1)).tolist()
    ((2, 2), [26.0, 18.0])
    """
    boxes = [(0, 0, 26, 18), (5, 5, 21, 13)]  # the outer walls, and the core inside the corridor
    walls = [side for box in boxes for side in _sides(*box)]
    # Rooms between the corridor and the outer walls; doors are at irregular positions, so that no two rooms are equal.
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


def round_walk(count: int, *, laps: float = 1.1) -> Array:
    """Poses of a sensor along the corridor of :func:`storey`, which returns to where it began.

    Parameters
    ----------
    count : int
        Number of poses, 1 to 1,000,000.
    laps : float, default 1.1
        How often the sensor goes around the core, up to 1e6.

    Returns
    -------
    ndarray, shape (count, 3, 3)
        Poses that map sensor coordinates to the building, in metres; x points forward.

    Raises
    ------
    InputError
        If an argument is not as described.

    Examples
    --------
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
    # A sensor does not turn by 90 degrees on the spot: headings are smoothed.
    turned = np.unwrap(headings)
    smooth = np.convolve(np.pad(turned, 2, mode="edge"), np.full(5, 0.2), mode="valid")
    return pose(rotation_exp(smooth[:, None], 2), places)


def laser_scan(
    walls: ArrayLike,
    sensor: PoseLike,
    *,
    beams: int = 361,
    field: float = 1.5 * np.pi,
    noise: float = 0.01,
    reach: float = 12.0,
    seed: int = 0,
) -> Array:
    """Points that a planar laser scanner measures at a pose.

    Parameters
    ----------
    walls : array_like, shape (m, 2, 2)
        Both ends of m >= 1 straight walls, for example of :func:`storey`.
    sensor : array_like, shape (3, 3)
        Pose of the scanner, which maps its coordinates to those of the walls; x points forward.
    beams : int, default 361
        Number of beams, 1 to 1,000,000.
    field : float, default 1.5 pi
        Field of view in radians, in (0, 2 pi].
    noise : float, default 0.01
        Standard deviation of the measured ranges, not negative, in the unit of the walls.
    reach : float, default 12
        The longest range, positive, in the unit of the walls.  It may be infinite.
    seed : int, default 0
        Seed of the noise, at least 0.

    Returns
    -------
    ndarray, shape (n, 2)
        One point for each beam that hits a wall, in the coordinates of the scanner.

    Raises
    ------
    InputError
        If an argument is not as described.

    Examples
    --------
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
    # A ray meets a wall where s u = a + r (b - a): two equations for the range s and the share r along the wall.
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
