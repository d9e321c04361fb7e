"""The surface of a mixture as a mesh: a level set of its density or, for a signed mixture, of a log ratio."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from svgm import _core
from svgm.checks.arguments import LARGEST, instance, number, positive, reporter, thread_count
from svgm.checks.errors import InputError
from svgm.checks.types import Array, Progress
from svgm.geometry.points import SMALLEST
from svgm.mixture.mixture import Mixture
from svgm.reconstruction.level_set import MOST_CELLS, Field, level_set
from svgm.reconstruction.mesh import Mesh

#: Terms of a kernel sum below exp(-SURFACE_CUTOFF) = 1e-8 of a component's peak are left out: they move no vertex.
SURFACE_CUTOFF = 18.0

#: The surface of a signed mixture is known where the positive part is at least this share of its median at components.
KNOWN_SHARE = 0.3


def surface(
    mixture: Mixture,
    *,
    level: float | None = None,
    cell: float = 0.5,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Mesh:
    """The surface of a mixture: triangles in 3D, segments in 2D, by marching cubes (needs the extra ``mesh``).

    For a mixture without negative weights, the result is the set where ``sum_i w_i K(x, x_i) = level * rho``: a closed
    surface around the points.  A thin wall gets one sheet on each side.

    A signed mixture (:func:`svgm.fit_two_class`, the paper's reconstruction variant) has a surface part P and a
    free-space part N.  If it was fitted with a viewpoint, all of N is on the side that the sensor saw.  Then, beside a
    flat surface, ``log P(x) / N(x)`` is linear in the distance from it, so the level set has one sheet without offset.
    The result is the set where this logarithm is `level` times its median at the components of P.  It is open where P
    is small.

    Parameters
    ----------
    mixture : Mixture
        In 2D or 3D, isotropic.
    level : float, optional
        For a mixture without negative weights: positive, as a multiple of the bias (without a bias, of the median
        kernel sum at the components).  1 is the boundary of the SVM, which passes through the points and is rough.
        Default 0.5.
        For a signed mixture: 1 is the surface, 0 is the middle between the surface and free space.  Default 1, or 0.5
        if free space is on both sides (fitted without a viewpoint).  In that case level sets are closed surfaces, and
        the level 1 is only reached at the maximum between their sheets.
    cell : float, default 0.5
        Side of a grid cell as a multiple of sigma, positive.
    threads : int, optional
        Threads to use, at least 1.  Default: one for each CPU that this process may use.
    progress : callable, optional
        Called as ``progress(phase, done, total)``, which counts blocks of the grid.

    Returns
    -------
    Mesh
        A mesh without seams.

    Raises
    ------
    InputError
        If an argument is not as described, if the level is reached nowhere, if the cell is so small that the mesh is
        too large, or if scikit-image is not installed.

    Examples
    --------
    >>> import svgm
    >>> angle = np.linspace(0, 2 * np.pi, 200, endpoint=False)
    >>> ring = np.c_[np.cos(angle), np.sin(angle)]
    >>> mesh = surface(svgm.fit_two_class(ring, viewpoint=[0.0, 0.0]))
    >>> mesh.closed, bool(np.allclose(np.linalg.norm(mesh.vertices, axis=1), 1.0, atol=1e-3))
    (True, True)
    >>> closed = surface(svgm.fit(ring, gamma=16))  # one sheet inside the ring, one outside
    >>> round(float(closed.measures.sum() / mesh.measures.sum()), 1)
    2.0
    """
    if instance("mixture", mixture, Mixture).dimension not in (2, 3):
        raise InputError(f"mixture must be 2D or 3D to have a surface, got {mixture.dimension}D")
    if mixture.covariances is not None:
        # Sheets beside flat components are nearer to each other than any grid of cells of sigma resolves.
        raise InputError("mixture must be isotropic to have a surface, got full covariances: fit it without them")
    report, threads = reporter(progress), thread_count(threads)
    cell = positive("cell", cell, most=MOST_CELLS) * mixture.sigma
    # Coordinates far from the origin have too few digits for a small cell.
    centre = mixture.means.mean(axis=0)
    places = mixture.means - centre
    if mixture.signed:
        seen = mixture.weights > 0
        wanted = None if level is None else number("level", level, most=LARGEST)
        field, least = _log_ratio_field(mixture, places, wanted, threads)
        places = places[seen]
    else:
        lowest = 0.5 if level is None else positive("level", level, least=np.exp(-SURFACE_CUTOFF), most=LARGEST)
        field, least = _density_field(mixture, places, lowest, threads)
    # Weights sum to 1, so the kernel sum is below `least` where every component is farther away than this.
    reach = mixture.sigma * np.sqrt(2.0 * max(np.log(1.0 / least), 0.0))
    mesh = level_set(field, places, reach, cell, report)
    if mesh is None:
        value = "(the default)" if level is None else level
        raise InputError(f"level {value} is reached nowhere by this mixture: pass another one")
    return Mesh(mesh.vertices + centre, mesh.simplices)


def _density_field(mixture: Mixture, places: Array, level: float, threads: int) -> tuple[Field, float]:
    """A field that is zero at the level of the kernel sum, and the kernel sum there."""
    sums = _kernel_sum(places, mixture.weights, mixture.gamma, threads)
    usual = mixture.bias if mixture.bias is not None and mixture.bias > 0 else float(np.median(sums(places)))
    _check_usual(usual)
    return lambda x: sums(x) / usual - level, level * usual


def _log_ratio_field(mixture: Mixture, places: Array, level: float | None, threads: int) -> tuple[Field, float]:
    """A field that is zero at the level of log(P / N) and NaN where P is too small, and the smallest P that is used."""
    seen = mixture.weights > 0
    of_surface = _kernel_sum(places[seen], mixture.weights[seen], mixture.gamma, threads)
    of_free = _kernel_sum(places[~seen], -mixture.weights[~seen], mixture.gamma, threads)
    usual = float(np.median(of_surface(places[seen])))
    _check_usual(usual)
    floor = np.exp(-SURFACE_CUTOFF) * usual

    def log_ratio(x: Array) -> Array:
        part = of_surface(x)
        known = part >= KNOWN_SHARE * usual
        out = np.full(len(x), np.nan)
        out[known] = np.log(part[known] / np.maximum(of_free(x[known]), floor))
        return out

    here = log_ratio(places[seen])
    held = float(np.median(here[~np.isnan(here)]))
    one_sided = _one_sided(of_free, places[seen], mixture.sigma, held)
    wanted = held * (level if level is not None else 1.0 if one_sided else 0.5)
    if one_sided:
        return lambda x: log_ratio(x) - wanted, KNOWN_SHARE * usual
    # Free space is on both sides, so all that is not surface is outside: unknown values become negative.
    return lambda x: np.nan_to_num(log_ratio(x), nan=-SURFACE_CUTOFF) - wanted, KNOWN_SHARE * usual


def _check_usual(usual: float) -> None:
    if not SMALLEST <= usual <= LARGEST:
        raise InputError(
            f"mixture must have a kernel sum from {SMALLEST:g} to {LARGEST:g} on its surface, got {usual:g}"
        )


def _one_sided(of_free: Callable[[Array], Array], places: Array, sigma: float, held: float) -> bool:
    """Whether free space is on one side: at distance d from it |grad log N| is d / sigma²; from two sides it is 0."""
    step = 0.1 * sigma * np.eye(places.shape[1])
    ahead, behind = (np.stack([of_free(places + sign * e) for e in step], axis=1) for sign in (1, -1))
    slope = np.linalg.norm(ahead - behind, axis=1) / np.maximum(0.1 * (ahead + behind).mean(axis=1), 1e-300)
    # For one side, held = d² / 2 sigma².
    return bool(np.median(slope) > 0.5 * np.sqrt(2.0 * max(held, 0.0)))


def _kernel_sum(means: Array, weights: Array, gamma: float, threads: int) -> Callable[[Array], Array]:
    """:meth:`Mixture.kernel_sum` of some components as a function that builds their tree once."""
    tree = _core.BoxTree(np.ascontiguousarray(means), np.ascontiguousarray(weights))

    def sums(x: Array) -> Array:
        values: Array = _core.gauss_transform(tree, np.ascontiguousarray(x), gamma, SURFACE_CUTOFF, 0, threads)[:, 0]
        return values

    return sums
