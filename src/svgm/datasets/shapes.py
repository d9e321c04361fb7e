"""Generated shapes: a curve, a body, their visible parts, and points with holes, noise and outliers."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from svgm.checks.arguments import LARGEST, MOST_NUMBERS, count, number, positive, real, seeded, shown
from svgm.checks.errors import InputError
from svgm.checks.types import Array, PointsLike
from svgm.geometry.points import as_place, as_points
from svgm.rigid import rotation_exp

#: The body, an animal that looks to one side: centre, semi-axes and rotation vector of each ellipsoid.  It has no
#: symmetry, and from some side each part hides another part.
ELLIPSOIDS: tuple[tuple[tuple[float, ...], tuple[float, ...], tuple[float, ...]], ...] = (
    ((0.00, 0.00, 0.00), (1.00, 0.52, 0.56), (0.00, 0.08, 0.00)),  # trunk
    ((0.95, 0.14, 0.42), (0.30, 0.22, 0.48), (0.00, 0.62, 0.00)),  # neck
    ((1.24, 0.26, 0.84), (0.42, 0.28, 0.30), (0.00, 0.22, 0.42)),  # head
    ((1.58, 0.42, 0.72), (0.26, 0.15, 0.15), (0.00, 0.32, 0.50)),  # snout
    ((1.02, 0.44, 1.16), (0.13, 0.07, 0.32), (-0.40, -0.20, 0.30)),  # ear, upright
    ((1.10, 0.00, 1.06), (0.22, 0.06, 0.18), (0.90, -0.50, 0.20)),  # ear, folded
    ((0.62, 0.34, -0.62), (0.17, 0.15, 0.46), (0.00, -0.10, 0.00)),  # legs
    ((0.80, -0.28, -0.58), (0.16, 0.15, 0.46), (0.00, -0.40, 0.00)),
    ((-0.66, 0.32, -0.62), (0.19, 0.16, 0.48), (0.00, 0.22, 0.00)),
    ((-0.52, -0.30, -0.60), (0.18, 0.16, 0.48), (0.00, -0.06, 0.00)),
    ((-1.12, -0.18, 0.34), (0.15, 0.13, 0.46), (0.30, -0.72, 0.00)),  # tail
)

#: Points of a shape, at most, and turns of the butterfly curve, which is closed after twelve.
MOST_GENERATED, MOST_TURNS = 10_000_000, 1_000

#: Radius of the sphere of hidden-point removal, as a power of ten, at most: a float64 has about 16 digits.
MOST_REACH = 16.0


def butterfly(n: int = 1000, *, turns: int = 6, seed: int | None = None) -> Array:
    """Points on Fay's butterfly curve at equal steps of arc length:

        (x, y) = (sin u, cos u) (exp(cos u) - 2 cos 4u - sin⁵(u / 12)),      0 <= u <= 2 pi turns

    Parameters
    ----------
    n : int, default 1000
        Number of points, 1 to 10,000,000.
    turns : int, default 6
        Number of turns, 1 to 1000: 6 for the whole curve, 1 for its outline.
    seed : int, optional
        If it is given, at least 0, all points are shifted along the curve by the same random part of their spacing, so
        that two samples share no point.  By default the first point is at u = 0.

    Returns
    -------
    ndarray, shape (n, 2)
        Points in the order of the curve, which is 5.8 wide and 4.9 high.

    Raises
    ------
    InputError
        If an argument is not as described.

    Examples
    --------
    >>> butterfly(4).round(2).tolist()
    [[0.0, 0.72], [-0.22, 1.42], [0.0, -0.28], [0.22, 1.42]]
    """
    n, turns = count("n", n, most=MOST_GENERATED), count("turns", turns, most=MOST_TURNS)
    u = np.linspace(0.0, 2.0 * np.pi * turns, 8_000 * turns + 1)
    radius = np.exp(np.cos(u)) - 2.0 * np.cos(4.0 * u) - np.sin(u / 12.0) ** 5
    curve = np.c_[np.sin(u), np.cos(u)] * radius[:, None]
    length = np.r_[0.0, np.cumsum(np.linalg.norm(np.diff(curve, axis=0), axis=1))]
    shift = 0.0 if seed is None else seeded(seed).random()
    places = (np.arange(n) + shift) * length[-1] / n
    return np.stack([np.interp(places, length, curve[:, k]) for k in range(2)], axis=1)


def body(n: int = 5000, *, seed: int = 0) -> tuple[Array, Array]:
    """Points on the surface of a 3D body without symmetry, the union of `ELLIPSOIDS`, with their outward normals.

    Parameters
    ----------
    n : int, default 5000
        Number of points, 1 to 10,000,000.
    seed : int, default 0
        Seed of the random positions, at least 0.

    Returns
    -------
    points, normals : ndarray, shape (n, 3)
        Random points of uniform density on the surface of the body, which is 3.2 long, and normals of length 1.

    Raises
    ------
    InputError
        If an argument is not as described.

    Examples
    --------
    >>> points, normals = body(500)
    >>> points.shape, bool(np.allclose(np.linalg.norm(normals, axis=1), 1.0))
    ((500, 3), True)
    """
    n, generator = count("n", n, most=MOST_GENERATED), seeded(seed)
    points, normals = np.empty((0, 3)), np.empty((0, 3))
    while len(points) < n:
        more, theirs = _surface(2 * n + 100, generator)
        points, normals = np.vstack([points, more]), np.vstack([normals, theirs])
    return points[:n], normals[:n]


def _surface(tries: int, generator: np.random.Generator) -> tuple[Array, Array]:
    """Random points of uniform density on the surface of the union of the ellipsoids, at most `tries`."""
    centres, axes, turns = (np.array([part[k] for part in ELLIPSOIDS]) for k in range(3))
    frames = rotation_exp(turns, 3)
    # Mapping the unit sphere to an ellipsoid scales the area at p by |p / axes| prod(axes), which is at most the
    # product of the two longer axes.  Points accepted in this proportion have uniform density.
    most = axes.prod(axis=1) / axes.min(axis=1)
    part = generator.choice(len(axes), size=tries, p=most / most.sum())
    sphere = generator.standard_normal((tries, 3))
    sphere /= np.linalg.norm(sphere, axis=1, keepdims=True)
    slopes = sphere / axes[part]
    steepness = np.linalg.norm(slopes, axis=1)
    accepted = generator.random(tries) * most[part] < steepness * axes[part].prod(axis=1)
    part, sphere, slopes = part[accepted], sphere[accepted], slopes[accepted] / steepness[accepted, None]
    points = np.einsum("nij,nj->ni", frames[part], sphere * axes[part]) + centres[part]
    normals = np.einsum("nij,nj->ni", frames[part], slopes)
    inside = np.zeros(len(points), dtype=bool)
    for k in range(len(axes)):
        local = (points - centres[k]) @ frames[k] / axes[k]
        inside |= ((local**2).sum(axis=1) < 1.0) & (part != k)
    return points[~inside], normals[~inside]


def visible(points: PointsLike, viewpoint: ArrayLike, *, reach: float = 2.0) -> NDArray[np.bool_]:
    """Which points are visible from a viewpoint: hidden-point removal by spherical flipping (Katz et al. 2007).

    With the viewpoint as origin, each point p becomes ``p + 2 (r - |p|) p / |p|``.  The visible points are those whose
    image is on the convex hull of all images and the origin.

    Parameters
    ----------
    points : PointsLike, shape (n, d)
        Points in 2D or 3D.
    viewpoint : array_like, shape (d,)
        Position of the observer; it must not be one of the points.
    reach : float, default 2
        r is 10^reach times the largest distance; from -16 to 16.  If it is larger, more points in hollows are visible,
        and more points behind sparse surfaces.

    Returns
    -------
    ndarray of bool, shape (n,)

    Raises
    ------
    InputError
        If an argument is not as described, or if the points lie on a line (2D) or in a plane (3D) with the viewpoint.
    FileError
        If `points` is a path and the file cannot be read.

    Examples
    --------
    >>> near_and_far_wall = [[x, y] for x in (1.0, 2.0) for y in (-0.2, -0.1, 0.0, 0.1, 0.2)]
    >>> visible(near_and_far_wall, [0.0, 0.0]).astype(int).tolist()
    [1, 1, 1, 1, 1, 0, 0, 0, 0, 0]
    """
    from scipy.spatial import ConvexHull, QhullError

    seen = as_points(points, dimensions=(2, 3))
    reach = number("reach", reach, most=MOST_REACH)
    rays = seen - as_place(viewpoint, seen.shape[1], "viewpoint")
    distances = np.linalg.norm(rays, axis=1, keepdims=True)
    if not distances.min() > 0:
        raise InputError("viewpoint must not be one of the points")
    with np.errstate(over="ignore", invalid="ignore"):
        flipped = rays + 2.0 * (10.0**reach * distances.max() - distances) * rays / distances
    if not np.isfinite(flipped).all():
        raise InputError(f"points must be nearer to the viewpoint for reach {reach:g}, got {distances.max():g}")
    try:
        corners = ConvexHull(np.vstack([flipped, np.zeros(seen.shape[1])])).vertices
    except QhullError:
        raise InputError(f"points must not be flat, so that their visible part can be found, got {len(seen)}") from None
    mask = np.zeros(len(seen), dtype=bool)
    mask[corners[corners < len(seen)]] = True
    return mask


def partial_view(
    points: PointsLike,
    viewpoint: ArrayLike,
    *,
    reach: float = 2.0,
    noise: float = 0.0,
    outliers: float = 0.0,
    seed: int = 0,
) -> Array:
    """The points that a sensor at a viewpoint measures: the visible ones, with noise and outliers.

    Parameters
    ----------
    points : PointsLike, shape (n, d)
        Points in 2D or 3D.
    viewpoint, reach
        As in :func:`visible`.
    noise, outliers, seed
        As in :func:`disturb`.

    Returns
    -------
    ndarray, shape (m, d)
        The visible points in the same order, then the outliers.

    Raises
    ------
    InputError
        As for :func:`visible` and :func:`disturb`.
    FileError
        If `points` is a path and the file cannot be read.

    Examples
    --------
    >>> points, _ = body(2000)
    >>> bool(len(partial_view(points, [4.0, 3.0, 2.0])) < 1200)
    True
    """
    seen = as_points(points)
    return disturb(seen[visible(seen, viewpoint, reach=reach)], noise=noise, outliers=outliers, seed=seed)


def occlude(points: PointsLike, fraction: float, *, place: ArrayLike | None = None, seed: int = 0) -> Array:
    """Remove a point and its nearest neighbours, as the paper does with 2D sets.

    Parameters
    ----------
    points : PointsLike, shape (n, d)
        An array or nested lists, a path, an Open3D cloud or a tensor.
    fraction : float
        Share of the points to remove, in [0, 1).
    place : array_like, shape (d,), optional
        Centre of the hole.  Default: a random point of the set.
    seed : int, default 0
        Seed of that choice, at least 0.

    Returns
    -------
    ndarray, shape (m, d)
        The other points, in the same order.

    Raises
    ------
    InputError
        If an argument is not as described.
    FileError
        If `points` is a path and the file cannot be read.

    Examples
    --------
    >>> occlude([[0.0], [1.0], [2.0], [3.0]], 0.5, place=[0.0]).tolist()
    [[2.0], [3.0]]
    """
    whole = as_points(points)
    share = real(fraction)
    if not 0 <= share < 1:
        raise InputError(f"fraction must be in [0, 1), got {shown(fraction)}")
    chosen = seeded(seed).integers(len(whole))
    middle = whole[chosen] if place is None else as_place(place, whole.shape[1], "place")
    distances = np.linalg.norm(whole - middle, axis=1)
    lost = np.argsort(distances, kind="stable")[: int(share * len(whole))]
    return np.delete(whole, lost, axis=0)


def disturb(points: PointsLike, *, noise: float = 0.0, outliers: float = 0.0, seed: int = 0) -> Array:
    """Add Gaussian noise to points, and outliers of uniform density in their bounding box.

    Parameters
    ----------
    points : PointsLike, shape (n, d)
        An array or nested lists, a path, an Open3D cloud or a tensor.
    noise : float, default 0
        Standard deviation in each coordinate as a fraction of the box's diagonal, not negative.
    outliers : float, default 0
        Number of outliers as a fraction of n, not negative.
    seed : int, default 0
        Seed of noise and outliers, at least 0.

    Returns
    -------
    ndarray, shape (m, d)
        The n points with noise, in the same order, then the outliers.

    Raises
    ------
    InputError
        If an argument is not as described.
    FileError
        If `points` is a path and the file cannot be read.

    Examples
    --------
    >>> disturb(butterfly(100), noise=0.01, outliers=0.25).shape
    (125, 2)
    """
    clean = as_points(points)
    noise = positive("noise", noise, most=LARGEST, zero=True)
    outliers = positive("outliers", outliers, most=MOST_NUMBERS / clean.size, zero=True)
    generator = seeded(seed)
    low, high = clean.min(axis=0), clean.max(axis=0)
    noisy = clean + noise * np.linalg.norm(high - low) * generator.standard_normal(clean.shape)
    return np.vstack([noisy, generator.uniform(low, high, (round(outliers * len(clean)), clean.shape[1]))])
