"""One surface from many aligned scans: each scan with its own free space, merged, as one sheet."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from svgm.checks.arguments import as_numbers, attribute, items, iterable, one_of, positive, reporter, thread_count
from svgm.checks.errors import InputError
from svgm.checks.types import Array, PointsLike, Progress
from svgm.geometry.points import as_place, as_points
from svgm.geometry.scale import estimate_resolution
from svgm.mixture.merge import merge
from svgm.mixture.mixture import Mixture
from svgm.mixture.two_class import fit_two_class
from svgm.reconstruction.mesh import Mesh
from svgm.reconstruction.pieces import without_holes, without_strays
from svgm.reconstruction.sensor_places import sensor_places
from svgm.reconstruction.surface import surface
from svgm.rigid import as_pose

#: Sigma as a multiple of the spacing of the points. Two scans of one surface have other points, and their poses have
#: errors; below 2 spacings the sheet breaks, far above it small shapes are rounded. Chosen on generated bodies.
SPACINGS = 2.5

#: What becomes of holes.
HOLES = ("open", "closed")

#: Points of the scans whose colours a vertex takes the mean of.
COLOURED_BY = 4


def surface_of_scans(
    scans: Sequence[PointsLike],
    poses: ArrayLike,
    *,
    viewpoints: Sequence[ArrayLike | None] | None = None,
    detail: float = 1.0,
    holes: str = "open",
    threads: int | None = None,
    progress: Progress | None = None,
) -> Mesh:
    """One sheet through the points of many aligned scans (needs the extra ``mesh``).

    Each scan becomes a two-class mixture: its surface against the free space on the side of its sensor
    (:func:`svgm.fit_two_class`). The mixtures are moved by the poses and merged in pairs (:func:`svgm.merge`), so that
    surface that several scans saw counts once and free space that contradicts it is removed. The mesh is the level set
    of log P / N (:func:`svgm.surface`). Pieces that measure less than a hundredth of the largest are dropped.

    Parameters
    ----------
    scans : sequence of PointsLike, shape (n_k, d)
        The scans in their own coordinates, 2D or 3D: arrays, paths or clouds. A :class:`svgm.io.PointCloud` brings its
        viewpoint and its colours with it, and so does a path.
    poses : array_like, shape (k, d+1, d+1)
        World from scan, as ``MapResult.poses``. A scan whose pose is NaN is left out.
    viewpoints : sequence of array_like, shape (d,), or None, optional
        Where each sensor stood, in the coordinates of the scan; None where that is not known. By default that of the
        scan, else it is estimated: the far place from which the scan hides least of itself, on the side from which it
        does not look through points of other scans, or the origin if the points lie all around it.
    detail : float, default 1
        Positive. Sigma is 2.5 times the median spacing of the points, divided by this.
    holes : {"open", "closed"}, default "open"
        Whether holes, where nothing was measured, stay open or are closed by a flat patch each. A closed mesh is
        watertight.
    threads : int, optional
        Threads to use, at least 1.  Default: one for each CPU that this process may use.
    progress : callable, optional
        Called as ``progress(phase, done, total)``.

    Returns
    -------
    Mesh
        In the world. The normals point to where the sensors stood. It has colours if all scans have colours.

    Raises
    ------
    InputError
        If an argument is not as described, or if no scan has a pose.
    FileError
        If a path cannot be read.

    Examples
    --------
    >>> import svgm
    >>> from svgm.datasets import body, visible
    >>> points = body(3000, seed=1)[0]
    >>> sensors = 8.0 * np.vstack([np.eye(3), -np.eye(3)])
    >>> views = [points[visible(points, sensor)] for sensor in sensors]
    >>> mesh = surface_of_scans(views, np.stack([np.eye(4)] * 6), viewpoints=sensors)
    >>> mesh.dimension, bool(abs(mesh.measures.sum() / 11.2 - 1) < 0.1)
    (3, True)
    """
    report, threads = reporter(progress), thread_count(threads)
    detail = positive("detail", detail, least=0.01, most=100.0)
    one_of("holes", holes, HOLES)
    given = [_content(f"scans[{k}]", scan) for k, scan in enumerate(iterable("scans", scans))]
    world = as_numbers(poses, "poses")
    if not given or world.ndim != 3 or world.shape[1:] not in ((3, 3), (4, 4)) or len(world) != len(given):
        raise InputError(f"poses must have shape ({len(given)}, d+1, d+1), one for each scan, got shape {world.shape}")
    d = world.shape[1] - 1
    places: list[Any] = [None] * len(given) if viewpoints is None else list(items("viewpoints", viewpoints, len(given)))
    used = [k for k in range(len(given)) if not np.isnan(world[k, :d]).all()]
    if not used:
        raise InputError("poses must have a pose for at least one scan, all are NaN")
    clouds, matrices, known = [], [], []
    for k in used:
        points, viewpoint, _ = given[k]
        if points.shape[1] != d:
            raise InputError(f"scans[{k}] must have {d} coordinates, as its pose, got {points.shape[1]}")
        place = places[k] if places[k] is not None else viewpoint
        clouds.append(points)
        matrices.append(as_pose(world[k], d, f"poses[{k}]"))
        known.append(None if place is None else as_place(place, d, f"viewpoints[{k}]"))
    spacing = float(np.median([estimate_resolution(points) for points in clouds]))
    sensors = sensor_places(clouds, matrices, known, spacing, threads)
    sigma = SPACINGS * spacing / detail
    models: list[Mixture] = []
    for number, (points, pose, sensor) in enumerate(zip(clouds, matrices, sensors, strict=True)):
        report("fitting", number, len(clouds))
        models.append(fit_two_class(points, scale=sigma, gamma=1.0, viewpoint=sensor).transformed(pose))
    report("fitting", len(clouds), len(clouds))
    sheet = without_strays(surface(_merged(models, threads), threads=threads, progress=progress))
    if all(given[k][2] is not None for k in used):
        sheet = _coloured(sheet, clouds, matrices, [given[k][2] for k in used])
    return without_holes(sheet) if holes == "closed" else sheet


def _content(name: str, scan: PointsLike) -> tuple[Array, Array | None, Array | None]:
    """The points of a scan, and its viewpoint and its colours if it has them."""
    if isinstance(scan, str | os.PathLike):
        from svgm.io import read_cloud

        scan = read_cloud(scan)
    points = as_points(scan, name, dimensions=(2, 3))
    if isinstance(scan, np.ndarray | list | tuple):
        return points, None, None
    viewpoint, colours = attribute(scan, "viewpoint"), attribute(scan, "colours")
    if colours is not None and np.shape(colours) != (len(points), 3):
        colours = None
    return points, None if viewpoint is None else as_numbers(viewpoint, f"{name}.viewpoint"), colours


def _merged(models: list[Mixture], threads: int) -> Mixture:
    """All mixtures as one, merged in pairs in a balanced tree: neighbours first, as scans overlap."""
    while len(models) > 1:
        pairs = zip(models[1::2], models[::2], strict=False)
        models = [merge(s, t, threads=threads) for s, t in pairs] + models[len(models) // 2 * 2 :]
    return models[0]


def _coloured(mesh: Mesh, clouds: Sequence[Array], poses: Sequence[Array], colours: Sequence[Any]) -> Mesh:
    """The mesh with the mean colour of the nearest points at each vertex."""
    from scipy.spatial import cKDTree

    d = mesh.dimension
    moved = np.vstack([points @ T[:d, :d].T + T[:d, d] for points, T in zip(clouds, poses, strict=True)])
    _, near = cKDTree(moved).query(mesh.vertices, k=min(COLOURED_BY, len(moved)))
    mean = np.vstack(colours)[near.reshape(len(mesh.vertices), -1)].mean(axis=1)
    return Mesh(mesh.vertices, mesh.simplices, colours=np.clip(mean, 0.0, 1.0))
