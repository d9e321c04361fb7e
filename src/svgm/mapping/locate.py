"""Where a scan was taken in a finished map: the paper's registration of a view into a global frame."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from svgm.checks.arguments import count, positive, reporter
from svgm.checks.errors import InputError
from svgm.checks.types import Progress
from svgm.geometry.points import Array
from svgm.mixture.mixture import Mixture
from svgm.registration.prepared import as_prepared
from svgm.registration.register import register
from svgm.registration.result import RegistrationResult
from svgm.rigid import apply, as_pose

#: Parts of the map are this large, and this far apart, in radii of the scan.
PART = 2.0
STEP = 1.0

#: A part with fewer components is no place to be.
FEWEST = 20

#: Surely the place: other parts need not be looked at.
SURE = 0.99

#: Answers that move some point of the scan by more than this share of its radius are two places.
ELSEWHERE = 0.3


def locate(
    scan: Any,
    map: Mixture,
    *,
    init: Any = None,
    nu: float = 0.01,
    threads: int | None = None,
    progress: Progress | None = None,
) -> RegistrationResult:
    """Find the pose of a scan in a map.

    A map is larger than a scan, and most of it speaks neither for nor against a pose.  So the scan is registered to the
    parts of the map around each place where it may be: around `init` alone if that is given and the answer is sure,
    else in all parts, from everywhere.  The most trusted answer is returned, its confidence lessened by that of a rival
    at another place.

    Parameters
    ----------
    scan
        Points (n, d), a mixture, a prepared set or the path of one.
    map
        A merged mixture, as ``svgm.map(...).mixture``.
    init
        (d+1, d+1) pose where the scan may be.
    nu, threads, progress
        As in :func:`svgm.register`; ``progress(phase, done, total)`` counts parts.

    Returns
    -------
    RegistrationResult
        ``transformation`` maps the scan into the map; look at ``trusted``.

    Examples
    --------
    >>> from svgm import fit
    >>> angle = np.linspace(0, 12, 600)
    >>> spiral = np.c_[angle * np.cos(angle), angle * np.sin(angle)]
    >>> result = locate(spiral[300:450] - 3.0, fit(spiral, gamma=200.0))
    >>> bool(np.abs(result.transformation[:2, 2] - 3.0).max() < 0.2)
    True
    """
    if not isinstance(map, Mixture):
        raise InputError(f"map must be a Mixture, got {type(map).__name__}")
    report = reporter(progress)
    moving = as_prepared(scan, positive("nu", nu, most=1), "scan")
    if moving.dimension != map.dimension:
        raise InputError(f"scan and map must have the same dimension, got {moving.dimension} and {map.dimension}")
    threads = None if threads is None else count("threads", threads)
    start = None if init is None else as_pose(init, map.dimension, "init")
    found: list[RegistrationResult] = []
    if start is not None:
        part = part_around(map, apply(start, moving.centre[None])[0], PART * moving.radius)
        if part is not None:
            found.append(register(moving, part, init=start, search="auto", threads=threads))
            if found[0].confidence >= SURE:
                return found[0]
    places = part_centres(map, STEP * moving.radius)
    for number, centre in enumerate(places):
        report("locating", number, len(places))
        part = part_around(map, centre, PART * moving.radius)
        if part is not None:
            found.append(register(moving, part, search="global", threads=threads))
            if found[-1].confidence >= SURE:
                break
    report("locating", len(places), len(places))
    if not found:
        raise InputError("map must have components to register to, this one has too few")
    best = max(found, key=lambda result: (result.confidence, result.overlap))
    if best.confidence >= SURE:
        return best
    # The best of many places is good by chance, too: a rival elsewhere takes away what it would deserve itself.
    body = moving.centre + moving.radius * np.vstack([np.zeros(map.dimension), np.eye(map.dimension)])
    here = apply(best.transformation, body)
    rivals = [
        result.confidence
        for result in found
        if np.linalg.norm(apply(result.transformation, body) - here, axis=1).max() > ELSEWHERE * moving.radius
    ]
    return replace(best, confidence=best.confidence * (1.0 - max(rivals, default=0.0)))


def part_around(map: Mixture, centre: Array, radius: float) -> Mixture | None:
    """The components within a radius, or None if they are few."""
    near = ((map.means - centre) ** 2).sum(axis=1) < radius**2
    near &= map.weights > 0
    if near.sum() < FEWEST:
        return None
    weights = map.weights[near]
    return Mixture(map.means[near], map.variance, weights / weights.sum())


def part_centres(map: Mixture, step: float) -> Array:
    """Means of the components in cells of this size, fullest cell first."""
    cells = np.floor((map.means - map.means.min(axis=0)) / step)
    _, members, counts = np.unique(cells, axis=0, return_inverse=True, return_counts=True)
    sums = np.stack([np.bincount(members.ravel(), weights=column) for column in map.means.T], axis=1)
    return np.asarray((sums / counts[:, None])[np.argsort(-counts, kind="stable")])
