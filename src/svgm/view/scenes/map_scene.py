"""The scene of a map: the merged mixture, the trajectory, the edges, and the uncertainty of the poses."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from svgm.checks.arguments import instance
from svgm.geometry.points import Array
from svgm.mapping.result import MapResult
from svgm.view.colours import SOURCE, TARGET, shares
from svgm.view.map_viewpoint import above, aslant
from svgm.view.pictures.map_picture import END, PLAIN, START
from svgm.view.scenes.layers import Cloud, Ellipsoids, Layer, Lines, mixture_layer
from svgm.view.scenes.scene import Scene
from svgm.view.scenes.uncertainty import UNCERTAINTY_COLOUR, enlarged

#: Components that are drawn as Gaussians, at most: the heaviest.  Poses with an ellipsoid of uncertainty, at most.
MOST_MAP_GAUSSIANS, MOST_ELLIPSOIDS = 40_000, 60

#: Colour of a 2D map: it is visible on white and on black.
GROUND_PLAN = "#5a6a7a"

#: Radius of the marks at both ends of the trajectory, as a share of the map's radius.
END_MARK = 0.012


def map_scene(result: MapResult, *, title: str = "") -> Scene:
    """Make a scene of a map: the merged mixture, the trajectory and its ends, the edges, and the uncertainty.

    In 3D the components are coloured by height.  Scans in no order have no trajectory.  The uncertainty is one standard
    deviation of positions, enlarged by the factor in the layer's name.

    Parameters
    ----------
    result : MapResult
        Returned by :func:`svgm.map`.
    title : str, default ""
        Title of the scene.

    Returns
    -------
    Scene
        Without frames: nothing moves.

    Raises
    ------
    InputError
        If `result` is not a MapResult.

    Examples
    --------
    >>> import svgm
    >>> from svgm.datasets import laser_scan, round_walk, storey
    >>> walls = storey()
    >>> scans = [laser_scan(walls, pose, seed=k) for k, pose in enumerate(round_walk(90)[:4])]
    >>> map_scene(svgm.map(scans)).names[:3]
    ['map', 'mixture', 'trajectory']
    """
    instance("result", result, MapResult)
    positive = np.flatnonzero(result.mixture.weights > 0)
    means, weights = result.mixture.means[positive], result.mixture.weights[positive]
    d = result.mixture.dimension
    there = np.flatnonzero(np.isfinite(result.poses).all(axis=(1, 2)))
    positions = result.poses[there][:, :d, d]
    straight = above(means, positions)
    heavy = np.sort(np.argsort(-weights, kind="stable")[:MOST_MAP_GAUSSIANS])
    layers: list[Layer] = [
        Cloud(name="map", points=means, colour=GROUND_PLAN, values=None if d == 2 else shares(straight.depth(means))),
        mixture_layer(result.mixture, positive[heavy], name="mixture", colour=TARGET, shown=False),
    ]
    ordered = result.settings["order"] == "sequence"
    if ordered and len(there) > 1:
        layers.append(Lines(name="trajectory", vertices=positions, colour=TARGET))
    layers += _edges(result, positions, there, ordered)
    radius = float(np.sqrt(means.var(axis=0).sum()))
    if ordered:
        for name, place, colour in (("start", positions[0], START), ("end", positions[-1], END)):
            layers.append(
                Ellipsoids(name=name, centres=place[None], axes=END_MARK * radius * np.eye(d)[None], colour=colour)
            )
    known = np.flatnonzero(np.isfinite(result.covariances).all(axis=(1, 2)))
    if len(known) > 1:
        chosen = known[:: -(-len(known) // MOST_ELLIPSOIDS)]
        axes = np.stack([_half_axes(result, scan) for scan in chosen])
        factor, axes = enlarged(axes, radius)
        name = f"uncertainty of positions, enlarged {factor:g} times"
        centres = result.poses[chosen][:, :d, d]
        layers.append(Ellipsoids(name=name, centres=centres, axes=axes, colour=UNCERTAINTY_COLOUR, shown=False))
    if d == 2 or not ordered:
        return Scene(layers, title=title)
    slanted = aslant(means, straight)
    return Scene(layers, title=title, towards=slanted.camera.axes[2], up=straight.camera.axes[2])


def _edges(result: MapResult, positions: Array, there: NDArray[np.intp], ordered: bool) -> list[Layer]:
    """Loops, and the other edges, which lie along the trajectory and are hidden at first."""
    number = {int(scan): k for k, scan in enumerate(there)}
    leaps = [edge for edge in result.edges if edge.kind in ("loop", "pair")]
    others = [edge for edge in result.edges if edge.kind not in ("loop", "pair")]
    found: list[Layer] = []
    for name, edges, colour, shown in (("loops", leaps, SOURCE, ordered), ("other edges", others, PLAIN, False)):
        pairs = np.array([(number[edge.source], number[edge.target]) for edge in edges], dtype=np.intp)
        if len(pairs):
            name = name if ordered else "edges"
            found.append(Lines(name=name, vertices=positions, pairs=pairs, colour=colour, shown=shown))
    return found


def _half_axes(result: MapResult, scan: int) -> Array:
    """One standard deviation of a scan's position, in world coordinates, (d, d)."""
    d = result.mixture.dimension
    turned = result.poses[scan, :d, :d]
    variances, axes = np.linalg.eigh(turned @ result.covariances[scan][-d:, -d:] @ turned.T)
    return np.asarray(axes * np.sqrt(np.maximum(variances, 0.0)), dtype=np.float64)
