"""Point sets that the project generates: a curve, a body, and what is left of them when a part is out of sight."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from svgm.checks.arguments import count, number, positive, real, seeded, shown
from svgm.checks.errors import InputError
from svgm.geometry.points import LARGEST, MOST_NUMBERS, Array, as_place, as_points
from svgm.rigid import rotation_exp

#: The body, an animal that looks to one side: centre, semi-axes and rotation vector of each ellipsoid.  No motion but
#: the identity maps it onto itself, and every part hides another from some side.
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

#: Points that a function makes, at most, and turns of the butterfly curve, which closes after twelve.
MOST_POINTS, MOST_TURNS = 10_000_000, 1_000

#: Radius of the sphere of hidden-point removal, as a power of ten: beyond, a double cannot tell near from far.
MOST_REACH = 16.0


def butterfly(n: int = 1000, *, turns: int = 6, seed: int | None = None) -> Array:
    """Points on Fay's butterfly curve, evenly spread by arc length:

        (x, y) = (sin u, cos u) (exp(cos u) - 2 cos 4u - sin⁵(u / 12)),      0 <= u <= 2 pi turns

    Parameters
    ----------
    n
        Number of points, at least 1.
    turns
        How often the curve goes round: 6 for the whole of it, 1 for an outline.
    seed
        Shifts all points along the curve by a random part of their spacing, so that two samples share no point; None
        starts at u = 0.

    Returns
    -------
    ndarray, shape (n, 2)
        In the order of the curve; the whole curve spans 5.8 by 4.9.

    Examples
    --------
    >>> butterfly(4).round(2).tolist()
    [[0.0, 0.72], [-0.22, 1.42], [0.0, -0.28], [0.22, 1.42]]
    """
    n, turns = count("n", n, most=MOST_POINTS), count("turns", turns, most=MOST_TURNS)
    u = np.linspace(0.0, 2.0 * np.pi * turns, 8_000 * turns + 1)
    radius = np.exp(np.cos(u)) - 2.0 * np.cos(4.0 * u) - np.sin(u / 12.0) ** 5
    curve = np.c_[np.sin(u), np.cos(u)] * radius[:, None]
    length = np.r_[0.0, np.cumsum(np.linalg.norm(np.diff(curve, axis=0), axis=1))]
    shift = 0.0 if seed is None else seeded(seed).random()
    places = (np.arange(n) + shift) * length[-1] / n
    return np.stack([np.interp(places, length, curve[:, k]) for k in range(2)], axis=1)


def body(n: int = 5000, *, seed: int = 0) -> tuple[Array, Array]:
    """Points on the surface of a 3D body without symmetry, the union of `ELLIPSOIDS`, with the outward normals.

    Parameters
    ----------
    n
        Number of points, at least 1; they are spread at random, evenly by area.
    seed
        Of the random places.

    Returns
    -------
    points, normals : ndarray, shape (n, 3)
        The body is 3.2 long; normals have length 1.

    Examples
    --------
    >>> points, normals = body(500)
    >>> points.shape, bool(np.allclose(np.linalg.norm(normals, axis=1), 1.0))
    ((500, 3), True)
    """
    n, generator = count("n", n, most=MOST_POINTS), seeded(seed)
    points, normals = np.empty((0, 3)), np.empty((0, 3))
    while len(points) < n:
        more, theirs = _surface(2 * n + 100, generator)
        points, normals = np.vstack([points, more]), np.vstack([normals, theirs])
    return points[:n], normals[:n]


def _surface(tries: int, generator: np.random.Generator) -> tuple[Array, Array]:
    """Points spread by area over the outside of the ellipsoids, fewer than `tries`."""
    centres, axes, turns = (np.array([part[k] for part in ELLIPSOIDS]) for k in range(3))
    frames = rotation_exp(turns, 3)
    # A unit sphere's point p lands on the ellipsoid with area growing by |p / axes| prod(axes), at most by the product
    # of the two longer axes: accepting points in that proportion spreads them evenly.
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


def visible(points: ArrayLike, viewpoint: ArrayLike, *, reach: float = 2.0) -> NDArray[np.bool_]:
    """Which points can be seen from a viewpoint: hidden-point removal by spherical flipping (Katz et al. 2007).

    Points p seen from the origin are flipped to ``p + 2 (r - |p|) p / |p|``; those on the convex hull of the flipped
    points and the origin are visible.

    Parameters
    ----------
    points
        (n, d), d 2 or 3.
    viewpoint
        (d,) position of the eye, outside the points.
    reach
        r = 10^reach times the largest distance.  Larger sees deeper into hollows, and through sparse surfaces.

    Returns
    -------
    ndarray of bool, shape (n,)

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
        raise InputError(f"points must not be flat for their visible part to be found, got {len(seen)}") from None
    mask = np.zeros(len(seen), dtype=bool)
    mask[corners[corners < len(seen)]] = True
    return mask


def partial_view(
    points: ArrayLike,
    viewpoint: ArrayLike,
    *,
    reach: float = 2.0,
    noise: float = 0.0,
    outliers: float = 0.0,
    seed: int = 0,
) -> Array:
    """What a sensor at a viewpoint measures of points: the visible ones, with noise and outliers.

    `reach` is that of :func:`visible`; `noise`, `outliers` and `seed` are those of :func:`disturb`.

    >>> points, _ = body(2000)
    >>> bool(len(partial_view(points, [4.0, 3.0, 2.0])) < 1200)
    True
    """
    seen = as_points(points)
    return disturb(seen[visible(seen, viewpoint, reach=reach)], noise=noise, outliers=outliers, seed=seed)


def occlude(points: ArrayLike, fraction: float, *, place: Any = None, seed: int = 0) -> Array:
    """Cut out a point and its nearest neighbours, as the paper does to 2D sets.

    Parameters
    ----------
    points
        (n, d).
    fraction
        In [0, 1): share of the points that are lost.
    place
        (d,) middle of the hole; default a point chosen at random.
    seed
        Of that choice.

    Returns
    -------
    ndarray, shape (m, d)
        The rest, in the same order.

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


def disturb(points: ArrayLike, *, noise: float = 0.0, outliers: float = 0.0, seed: int = 0) -> Array:
    """Add Gaussian noise to points, and outliers spread evenly over the box around them.

    Parameters
    ----------
    points
        (n, d).
    noise
        Standard deviation, as a fraction of the diagonal of the box.
    outliers
        Their number, as a fraction of n; they follow the points.
    seed
        Of both.

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
