"""What merging kept of two mixtures, and what it left out because both had seen it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from svgm.checks.arguments import instance
from svgm.geometry.points import Array
from svgm.mixture.mixture import Mixture, places
from svgm.view.canvas import SOURCE, TARGET
from svgm.view.scene import Cloud, Gaussians, Layer, Scene

LEFT_OUT = "#8a8a8a"


def merge_scene(source: Mixture, target: Mixture, merged: Mixture, *, title: str = "") -> Scene:
    """A merged mixture, its components coloured by the mixture they come from, and those that were left out.

    Parameters
    ----------
    source, target
        The mixtures that were merged, in one frame.
    merged
        What :func:`svgm.merge` made of them.
    title
        Of the scene.

    Examples
    --------
    >>> from svgm import merge
    >>> left = Mixture([[0.0, 0.0], [1.05, 0.0]], 0.04, [0.5, 0.5], bias=0.5)
    >>> right = Mixture([[1.0, 0.0], [1.1, 0.0]], 0.04, [0.5, 0.5], bias=0.5)
    >>> for layer in merge_scene(left, right, merge(left, right)).layers:
    ...     print(layer.name, layer.places.tolist())
    from the target [[1.0, 0.0], [1.1, 0.0]]
    from the source [[0.0, 0.0]]
    left out of the source [[1.05, 0.0]]
    """
    for role, value in (("source", source), ("target", target), ("merged", merged)):
        places(instance(role, value, Mixture), role)
    positive = merged.weights > 0
    known = _rows_in(merged.means, target.means)
    layers: list[Layer] = []
    for name, chosen, colour in (
        ("from the target", positive & known, TARGET),
        ("from the source", positive & ~known, SOURCE),
    ):
        if chosen.any():
            means, weights = merged.means[chosen], merged.weights[chosen]
            layers.append(Gaussians(name=name, means=means, weights=weights, sigma=merged.sigma, colour=colour))
    for name, mixture in (("left out of the source", source), ("left out of the target", target)):
        gone = ~_rows_in(mixture.means, merged.means) & (mixture.weights > 0)
        if gone.any():
            layers.append(Cloud(name=name, points=mixture.means[gone], colour=LEFT_OUT, shown=False))
    return Scene(layers, title=title)


def _rows_in(rows: Array, others: Array) -> NDArray[np.bool_]:
    """Which rows occur among the others, to the last bit: merging keeps means as they are."""
    there = {row.tobytes() for row in others + 0.0}
    return np.array([row.tobytes() in there for row in rows + 0.0], dtype=bool)
