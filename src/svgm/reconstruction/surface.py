"""The surface that a mixture describes, as a mesh: a level set of its density, or of surface against free space."""

from __future__ import annotations

import os
from collections.abc import Callable

import numpy as np

from svgm import _core
from svgm.checks.arguments import instance, number, positive, reporter
from svgm.checks.errors import InputError
from svgm.checks.types import Progress
from svgm.geometry.points import LARGEST, SMALLEST, Array
from svgm.mixture.mixture import Mixture
from svgm.reconstruction.level_set import MOST_CELLS, Field, level_set
from svgm.reconstruction.mesh import Mesh

#: Terms of a sum below exp(-CUTOFF) of a component's peak are left out: 1e-8, far below what moves a vertex.
CUTOFF = 18.0

#: A signed mixture knows its surface where its positive part has this share of what it has at its components.
KNOWN = 0.3


def surface(
    mixture: Mixture, *, level: float | None = None, cell: float = 0.5, progress: Progress | None = None
) -> Mesh:
    """The surface that a mixture describes: triangles in 3D, segments in 2D, by marching cubes (extra ``mesh``).

    A mixture without negative weights is cut where ``sum_i w_i K(x, x_i) = level * rho``: a closed skin around the
    points, on both sides of a surface that is thin.

    A signed one (:func:`svgm.fit_two_class`, the paper's reconstruction variant) has a surface part P and a free-space
    part N.  With a viewpoint all of N is on the seen side, and beside a flat piece of surface ``log P(x) / N(x)`` is
    linear in the distance from it: neither a second sheet nor an offset.  It is cut where it is `level` times its
    median at the components of P, and left open where P is not known.

    Parameters
    ----------
    mixture
        2D or 3D.
    level
        Unsigned mixtures: positive, in units of the bias (of the median at the components, if there is none).  1 is
        the boundary of the SVM, which runs through the points themselves and is ragged; default 0.5.
        Signed ones: 1 is the surface, 0 the middle between it and free space.  Default 1; but 0.5 if free space is on
        both sides (fitted without a viewpoint), where level sets are closed skins too, and 1 is the crest between.
    cell
        Side of a cell of the grid as a fraction of sigma.
    progress
        Called as ``progress(phase, done, total)``, which counts blocks of the grid.

    Returns
    -------
    Mesh
        Free of seams; only the grid near the mixture is looked at, a block at a time.

    Examples
    --------
    >>> import svgm
    >>> angle = np.linspace(0, 2 * np.pi, 200, endpoint=False)
    >>> ring = np.c_[np.cos(angle), np.sin(angle)]
    >>> mesh = surface(svgm.fit_two_class(ring, viewpoint=[0.0, 0.0]))
    >>> mesh.closed, bool(np.allclose(np.linalg.norm(mesh.vertices, axis=1), 1.0, atol=1e-3))
    (True, True)
    >>> skin = surface(svgm.fit(ring, gamma=16))  # inside and outside of the ring
    >>> round(float(skin.measures.sum() / mesh.measures.sum()), 1)
    2.0
    """
    if instance("mixture", mixture, Mixture).dimension not in (2, 3):
        raise InputError(f"mixture must be 2D or 3D to have a surface, got {mixture.dimension}D")
    report = reporter(progress)
    cell = positive("cell", cell, most=MOST_CELLS) * mixture.sigma
    # Far from the origin the digits of a small cell are lost.
    centre = mixture.means.mean(axis=0)
    places = mixture.means - centre
    if mixture.signed:
        seen = mixture.weights > 0
        field, least = _against_free_space(
            mixture, places, None if level is None else number("level", level, most=LARGEST)
        )
        places = places[seen]
    else:
        lowest = 0.5 if level is None else positive("level", level, least=np.exp(-CUTOFF), most=LARGEST)
        field, least = _density(mixture, places, lowest)
    # Weights sum to 1, so the sum is below `least` where every component is farther than this.
    reach = mixture.sigma * np.sqrt(2.0 * max(np.log(1.0 / least), 0.0))
    mesh = level_set(field, places, reach, cell, report)
    if mesh is None:
        raise InputError(f"level {'of the default' if level is None else level} is nowhere reached by this mixture")
    return Mesh(mesh.vertices + centre, mesh.simplices)


def _density(mixture: Mixture, places: Array, level: float) -> tuple[Field, float]:
    """The kernel sum over the level, and the sum that it takes to get there."""
    sums = _kernel_sum(places, mixture.weights, mixture.gamma)
    usual = mixture.bias if mixture.bias is not None and mixture.bias > 0 else float(np.median(sums(places)))
    _check_usual(usual)
    return lambda x: sums(x) / usual - level, level * usual


def _against_free_space(mixture: Mixture, places: Array, level: float | None) -> tuple[Field, float]:
    """The logarithm of P / N over the level, NaN where P is not known, and the P that it takes to be known."""
    seen = mixture.weights > 0
    of_surface = _kernel_sum(places[seen], mixture.weights[seen], mixture.gamma)
    of_free = _kernel_sum(places[~seen], -mixture.weights[~seen], mixture.gamma)
    usual = float(np.median(of_surface(places[seen])))
    _check_usual(usual)
    floor = np.exp(-CUTOFF) * usual

    def log_ratio(x: Array) -> Array:
        part = of_surface(x)
        known = part >= KNOWN * usual
        out = np.full(len(x), np.nan)
        out[known] = np.log(part[known] / np.maximum(of_free(x[known]), floor))
        return out

    here = log_ratio(places[seen])
    held = float(np.median(here[~np.isnan(here)]))
    one_sided = _one_sided(of_free, places[seen], mixture.sigma, held)
    wanted = held * (level if level is not None else 1.0 if one_sided else 0.5)
    if one_sided:
        return lambda x: log_ratio(x) - wanted, KNOWN * usual
    # Between free space on both sides nothing is hidden: what is not surface is outside, and the skin closes.
    return lambda x: np.nan_to_num(log_ratio(x), nan=-CUTOFF) - wanted, KNOWN * usual


def _check_usual(usual: float) -> None:
    if not SMALLEST <= usual <= LARGEST:
        raise InputError(
            f"mixture must have a kernel sum from {SMALLEST:g} to {LARGEST:g} on its surface, got {usual:g}"
        )


def _one_sided(of_free: Callable[[Array], Array], places: Array, sigma: float, held: float) -> bool:
    """Whether free space pulls the surface to one side: at a distance d, |grad log N| is d / sigma² or, from two, 0."""
    step = 0.1 * sigma * np.eye(places.shape[1])
    ahead, behind = (np.stack([of_free(places + sign * e) for e in step], axis=1) for sign in (1, -1))
    slope = np.linalg.norm(ahead - behind, axis=1) / np.maximum(0.1 * (ahead + behind).mean(axis=1), 1e-300)
    # For one side, held = d² / 2 sigma².
    return bool(np.median(slope) > 0.5 * np.sqrt(2.0 * max(held, 0.0)))


def _kernel_sum(means: Array, weights: Array, gamma: float) -> Callable[[Array], Array]:
    """As :meth:`Mixture.kernel_sum`, of some components, many times."""
    tree = _core.BoxTree(np.ascontiguousarray(means), np.ascontiguousarray(weights))
    threads = os.cpu_count() or 1

    def sums(x: Array) -> Array:
        values: Array = _core.gauss_transform(tree, np.ascontiguousarray(x), gamma, CUTOFF, 0, threads)[:, 0]
        return values

    return sums
