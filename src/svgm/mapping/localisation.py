"""Localisation: the pose of a scan in a finished map, the paper's registration of a view into a global frame."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from svgm.checks.arguments import count, positive, reporter
from svgm.checks.errors import InputError
from svgm.checks.types import PointsLike, PoseLike, Progress
from svgm.geometry.points import Array
from svgm.io.errors import file_error
from svgm.io.paths import as_path, file_size
from svgm.mapping.edge import with_prior
from svgm.mapping.map_file import is_map_file
from svgm.mapping.result import MapResult
from svgm.mapping.tuning import LINKS, MAP_TUNING
from svgm.mixture.mixture import Mixture, is_mixture_file
from svgm.registration.prepared import Prepared, as_prepared
from svgm.registration.register import register
from svgm.registration.result import RegistrationResult
from svgm.rigid import apply, as_pose


def locate(
    scan: PointsLike | Mixture | Prepared,
    map: Mixture | MapResult | str | os.PathLike[str],
    *,
    init: PoseLike | None = None,
    nu: float = 0.01,
    threads: int | None = None,
    progress: Progress | None = None,
) -> RegistrationResult:
    """Find the pose of a scan in a map.

    A map is larger than a scan, and most of it says nothing about a pose.  So the scan is registered to parts of the
    map, each with twice the scan's radius.  A map that is not larger than a part is one part.  The time grows with the
    number of parts.  If `init` is given, the part around it is tried first, and its answer is returned if the
    confidence is at least 0.99 (2D) or 0.95 (3D).  Otherwise all parts are tried, each by a global search, until one
    answer has that confidence.  The answer with the highest confidence is returned.  The confidence assumes that the
    scan is in the map, and is reduced if another part gives an answer at another place.

    Parameters
    ----------
    scan : array_like of shape (n, d), Mixture, Prepared or path
        The scan, in 2D or 3D.
    map : Mixture, MapResult or path
        The map: a merged mixture, the result of :func:`svgm.map`, the .npz file of either, or the folder that
        ``svgm map`` or ``svgm.map(..., output=folder)`` wrote.
    init : array_like of shape (d+1, d+1), optional
        Pose to try first, scan to map.  Default: all parts are tried.
    nu : float, default 0.01
        Parameter of the SVMs, in (0, 1].
    threads : int, optional
        Threads of each registration, at least 1.  Default: one for each CPU that the process may use.
    progress : callable, optional
        Called as ``progress(phase, done, total)``; the phase is "locating" and counts parts.

    Returns
    -------
    RegistrationResult
        ``transformation`` maps the scan into the map; check ``trusted``.

    Raises
    ------
    InputError
        If an argument breaks its rule, if scan and map differ in dimension, or if the map has too few components.
    FileError
        If a path is given and the file is missing, damaged, or not a scan or a map.

    Examples
    --------
    >>> from svgm import fit
    >>> angle = np.linspace(0, 12, 600)
    >>> spiral = np.c_[angle * np.cos(angle), angle * np.sin(angle)]
    >>> result = locate(spiral[300:450] - 3.0, fit(spiral, gamma=200.0))
    >>> bool(np.abs(result.transformation[:2, 2] - 3.0).max() < 0.2)
    True
    """
    model = as_map(map)
    report = reporter(progress)
    moving = as_prepared(scan, positive("nu", nu, most=1), "scan")
    if moving.dimension != model.dimension:
        raise InputError(f"scan and map must have the same dimension, got {moving.dimension} and {model.dimension}")
    threads = None if threads is None else count("threads", threads)
    start = None if init is None else as_pose(init, model.dimension, "init")
    part_radius, early_stop = MAP_TUNING.part_radius * moving.radius, MAP_TUNING.early_stop[model.dimension]
    # The components of a 2D map are round.
    links = LINKS if model.dimension == 2 else "full"
    found: list[RegistrationResult] = []
    if start is not None:
        part = part_around(model, apply(start, moving.centre[None])[0], part_radius)
        if part is not None:
            found.append(register(moving, part, init=start, search="auto", covariance=links, threads=threads))
            confidence = with_prior(found[0].confidence, MAP_TUNING.in_map)
            if confidence >= early_stop:
                return replace(found[0], confidence=confidence)
    centres = part_centres(model, MAP_TUNING.part_step * moving.radius, part_radius)
    for number, centre in enumerate(centres):
        report("locating", number, len(centres))
        part = part_around(model, centre, part_radius)
        if part is not None:
            found.append(register(moving, part, search="global", covariance=links, threads=threads))
            if found[-1].confidence >= early_stop:
                break
    report("locating", len(centres), len(centres))
    if not found:
        raise InputError("map must have components to register to, this one has too few")
    best = max(found, key=lambda result: (result.confidence, result.overlap))
    if best.confidence >= early_stop:
        return best
    # The scan is somewhere in the map, so its answers at different places compete.
    body = moving.centre + moving.radius * np.vstack([np.zeros(model.dimension), np.eye(model.dimension)])
    here = apply(best.transformation, body)
    apart = MAP_TUNING.another_place * moving.radius
    competing = [
        _odds(result.confidence)
        for result in found
        if np.linalg.norm(apply(result.transformation, body) - here, axis=1).max() > apart
    ]
    odds, nowhere = _odds(best.confidence), (1.0 - MAP_TUNING.in_map) / MAP_TUNING.in_map
    return replace(best, confidence=odds / (odds + max(competing, default=0.0) + nowhere))


def _odds(confidence: float) -> float:
    return confidence / max(1.0 - confidence, 1e-12)


def as_map(value: Any) -> Mixture:
    """The merged mixture of a map: of a Mixture, a MapResult, the file of either, or the folder of a map."""
    if isinstance(value, Mixture):
        return value
    if isinstance(value, MapResult):
        return value.mixture
    if not isinstance(value, str | os.PathLike):
        raise InputError(f"map must be a Mixture, a MapResult or the path of one, got {type(value).__name__}")
    path = map_file(value)
    if is_map_file(path):
        return MapResult.load(path).mixture
    if is_mixture_file(path):
        return Mixture.load(path)
    raise file_error(path, "is not a map of svgm map, or a mixture")


def map_file(path: str | os.PathLike[str]) -> Path:
    """The file of a map: the path itself or, if it is a folder, its map.npz."""
    path = as_path(path)
    if os.path.isdir(path):  # noqa: PTH112 - unlike Path.is_dir, false for names that no file can have
        path = path / "map.npz"
        if not path.exists():
            raise file_error(path, "no such file, so its folder is not a map of svgm map")
    file_size(path)
    return path


def part_around(map: Mixture, centre: Array, radius: float) -> Mixture | None:
    """The components within a radius, or None if they are few."""
    near = ((map.means - centre) ** 2).sum(axis=1) < radius**2
    near &= map.weights > 0
    if near.sum() < MAP_TUNING.part_components:
        return None
    weights = map.weights[near]
    shapes = None if map.covariances is None else map.covariances[near]
    return Mixture(map.means[near], map.variance, weights / weights.sum(), covariances=shapes)


def part_centres(map: Mixture, step: float, radius: float) -> Array:
    """Means of the components in cells of this size, fullest cell first; one centre if one part holds the whole map.

    Components of negative weight are never registered to, so no part is made for them.
    """
    means = map.means[map.weights > 0]
    middle = means.mean(axis=0)
    if ((means - middle) ** 2).sum(axis=1).max() < radius**2:
        return np.asarray(middle[None])
    cells = np.floor((means - means.min(axis=0)) / step)
    _, members, counts = np.unique(cells, axis=0, return_inverse=True, return_counts=True)
    sums = np.stack([np.bincount(members.ravel(), weights=column) for column in means.T], axis=1)
    return np.asarray((sums / counts[:, None])[np.argsort(-counts, kind="stable")])
