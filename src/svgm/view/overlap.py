"""Where two aligned sets lie on each other, and where only one of them has seen something."""

from __future__ import annotations

import numpy as np

from svgm import svg
from svgm.points import Array
from svgm.view.scene import Cloud, Scene


def nearest(points: Array, others: Array) -> Array:
    """Distances (n,) from points to the nearest of the others."""
    from scipy.spatial import cKDTree

    return np.asarray(cKDTree(others).query(points)[0], dtype=np.float64)


def overlap_scene(moved: Array, target: Array, reach: float) -> Scene:
    """Both sets in the target's frame, coloured by the distance to the other: bright within `reach`, dark from three
    times that on.

    >>> scene = overlap_scene(np.array([[0.0, 0.0], [9.0, 0.0]]), np.array([[0.0, 0.1], [1.0, 0.0]]), 0.5)
    >>> [layer.values.round(2).tolist() for layer in scene.layers]
    [[0.98, 0.0], [0.98, 0.14]]
    """
    pairs = (("source on target", moved, target), ("target on source", target, moved))
    return Scene(
        [
            Cloud(name=name, points=points, values=np.exp(-0.5 * (nearest(points, others) / reach) ** 2))
            for name, points, others in pairs
        ]
    )


def distance_chart(moved: Array, target: Array) -> str:
    """How much of each set lies within a distance of the other, as SVG."""
    distances = [nearest(moved, target), nearest(target, moved)]
    far = max(float(np.quantile(values, 0.98)) for values in distances) or 1.0
    x = np.linspace(0.0, far, 60)
    shares = [np.searchsorted(np.sort(values), x, side="right") / len(values) for values in distances]
    series = {"of the source": shares[0].tolist(), "of the target": shares[1].tolist()}
    return svg.chart(x.tolist(), series, width=460, height=220, x_label="distance to the other set", y_label="share")
