"""The scene of a merge: the components that were kept, and those that were left out as duplicates."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from svgm.checks.arguments import instance
from svgm.geometry.points import Array
from svgm.mixture.mixture import Mixture, places
from svgm.view.colours import SOURCE, TARGET
from svgm.view.scenes.layers import Cloud, Layer, mixture_layer
from svgm.view.scenes.scene import Scene

LEFT_OUT_COLOUR = "#8a8a8a"


def merge_scene(source: Mixture, target: Mixture, merged: Mixture, *, title: str = "") -> Scene:
    """Make a scene of a merged mixture: its components coloured by origin, and those that were left out.

    Parameters
    ----------
    source, target : Mixture
        The mixtures that were merged, in the same coordinates, 2D or 3D.
    merged : Mixture
        Returned by :func:`svgm.merge`.
    title : str, default ""
        Title of the scene.

    Returns
    -------
    Scene
        Without frames: nothing moves.

    Raises
    ------
    InputError
        If an argument is not a mixture in 2D or 3D.

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
            layers.append(mixture_layer(merged, chosen, name=name, colour=colour))
    for name, mixture in (("left out of the source", source), ("left out of the target", target)):
        gone = ~_rows_in(mixture.means, merged.means) & (mixture.weights > 0)
        if gone.any():
            layers.append(Cloud(name=name, points=mixture.means[gone], colour=LEFT_OUT_COLOUR, shown=False))
    return Scene(layers, title=title)


def _rows_in(rows: Array, others: Array) -> NDArray[np.bool_]:
    """Which rows are also among the others, bit for bit: merging does not change means."""
    there = {row.tobytes() for row in others + 0.0}
    return np.array([row.tobytes() in there for row in rows + 0.0], dtype=bool)
