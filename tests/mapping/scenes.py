"""Scenes whose poses are known: rooms seen by a simulated laser along a trajectory, a body seen from all sides."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

import svgm
from svgm.datasets import body, laser_scan, partial_view
from svgm.rigid import apply, invert, pose, pose_error

Scans = list[np.ndarray]


def boxes(*corners: tuple[float, float, float, float]) -> np.ndarray:
    """The walls (n, 2, 2) of boxes given as (left, bottom, right, top)."""
    walls = []
    for left, bottom, right, top in corners:
        ring = [(left, bottom), (right, bottom), (right, top), (left, top)]
        walls += [(ring[k], ring[(k + 1) % 4]) for k in range(4)]
    return np.array(walls)


#: A corridor around a block, with cupboards and pillars, no two corners alike.
ROOM = np.concatenate(
    [
        boxes((0, 0, 12, 10), (3.5, 3, 8.5, 7), (0, 4, 0.9, 5.2), (5, 0, 6.3, 0.7), (11.2, 6, 12, 8.5)),
        boxes((8, 9, 9, 10), (2, 9.4, 4.2, 10), (10.8, 1.0, 11.3, 1.5), (1.2, 8.2, 1.5, 8.5)),
        np.array([[(0, 2), (1.5, 0)], [(8.5, 5), (9.3, 5.4)], [(6, 7), (6.2, 8.0)], [(5, 3), (4.6, 2.2)]]),
    ]
)

#: Another place, which shares nothing with the room.
YARD = np.concatenate(
    [boxes((0, 0, 7, 16), (2, 3, 3, 4.5), (4.2, 9, 6, 9.4)), np.array([[(0, 12), (3, 14)], [(7, 5), (5.5, 7)]])]
)


def seen(walls: np.ndarray, poses: np.ndarray, rays: int = 120, noise: float = 0.005, seed: int = 0) -> Scans:
    """A scan from each pose, all around."""
    options = {"beams": rays, "field": 2 * np.pi * (1 - 1 / rays), "noise": noise, "reach": np.inf}
    return [laser_scan(walls, place, seed=seed + 1000 * k, **options) for k, place in enumerate(poses)]


def planar(x: float, y: float, angle: float) -> np.ndarray:
    """A pose of the plane."""
    return pose(np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]), np.array([x, y]))


def round_trip(count: int) -> np.ndarray:
    """Poses along the corridor of the room, looking ahead, back to the start."""
    ring = np.array([(1.9, 1.6), (10.0, 1.7), (10.0, 8.3), (1.9, 8.4), (1.9, 1.6)])
    lengths = np.r_[0.0, np.linalg.norm(np.diff(ring, axis=0), axis=1).cumsum()]
    at = np.linspace(0.0, lengths[-1], count)
    places = np.c_[np.interp(at, lengths, ring[:, 0]), np.interp(at, lengths, ring[:, 1])]
    # Corners are cut, as a robot would, and taken in a gentle turn.
    kernel = np.ones(3) / 3
    places[1:-1] = np.c_[np.convolve(places[:, 0], kernel, "valid"), np.convolve(places[:, 1], kernel, "valid")]
    ahead = np.gradient(places, axis=0)
    angles = np.unwrap(np.arctan2(ahead[:, 1], ahead[:, 0]))
    return np.array([planar(x, y, angle) for (x, y), angle in zip(places, angles, strict=True)])


@cache
def room_loop(count: int = 40) -> tuple[Scans, np.ndarray]:
    """Scans once around the room and the poses they were taken from, in the frame of the first."""
    poses = round_trip(count)
    return seen(ROOM, poses), invert(poses[0]) @ poses


@cache
def body_views(count: int = 4, points: int = 3000, step: float = 0.6) -> tuple[Scans, np.ndarray]:
    """Views of the body from an arc around it, in any order and pose, and those poses, in the frame of the first."""
    rng = np.random.default_rng(7)
    angles = rng.permutation(np.arange(count) * step)
    scans, poses = [], []
    for number, angle in enumerate(angles):
        whole = body(points, seed=number)[0]
        view = partial_view(whole, viewpoint=[7 * np.cos(angle), 7 * np.sin(angle), 2.5], seed=number)
        q, r = np.linalg.qr(rng.normal(size=(3, 3)))
        q = q * np.sign(np.diag(r))
        q[:, 0] *= np.sign(np.linalg.det(q))
        poses.append(pose(q, rng.uniform(-5, 5, size=3)))
        scans.append(apply(invert(poses[-1]), view))
    return scans, invert(poses[0]) @ np.array(poses)


def worst(found: np.ndarray, true: np.ndarray) -> tuple[float, float]:
    """Largest error of rotation, in radians, and of translation."""
    errors = np.array([pose_error(a, b) for a, b in zip(found, true, strict=True)])
    return float(errors[:, 0].max()), float(errors[:, 1].max())


def written(scans: list[np.ndarray], folder: Path) -> list[Path]:
    """The scans as files in a folder."""
    paths = [folder / f"scan{number}.ply" for number in range(len(scans))]
    for path, points in zip(paths, scans, strict=True):
        svgm.write_points(path, points)
    return paths
