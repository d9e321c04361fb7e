"""Where two aligned sets lie on each other, and where only one of them has seen something."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from svgm import _core
from svgm.geometry.points import Array
from svgm.view import svg
from svgm.view.scene import Cloud, Scene

#: Distances up to which the chart goes, as a share of all, and places on its axis.
SHOWN, STEPS = 0.98, 60


@dataclass(frozen=True, eq=False)
class Overlap:
    """Two sets in one frame, and for each point the distance to the nearest of the other set."""

    moved: Array
    target: Array
    from_moved: Array
    from_target: Array

    @staticmethod
    def of(moved: Array, target: Array) -> Overlap:
        """Of a source that was moved onto a target.

        >>> Overlap.of(np.array([[0.0, 0.0], [9.0, 0.0]]), np.array([[0.0, 0.1], [1.0, 0.0]])).from_moved.tolist()
        [0.1, 8.0]
        """
        return Overlap(moved, target, _nearest(moved, target), _nearest(target, moved))

    def scene(self, reach: float) -> Scene:
        """Both sets coloured by the distance: bright well within `reach`, dark from three times that on."""
        layers = (
            ("source on target", self.moved, self.from_moved),
            ("target on source", self.target, self.from_target),
        )
        return Scene(
            [
                Cloud(name=name, points=points, values=np.exp(-0.5 * (distances / reach) ** 2))
                for name, points, distances in layers
            ]
        )

    def chart(self) -> str:
        """How much of each set lies within a distance of the other, as SVG."""
        # In this order they have the colours that the sets have everywhere.
        curves = {"of the target": np.sort(self.from_target), "of the source": np.sort(self.from_moved)}
        far = max(float(np.quantile(distances, SHOWN)) for distances in curves.values()) or 1.0
        x = np.linspace(0.0, far, STEPS)
        shares = {
            name: (np.searchsorted(distances, x, side="right") / len(distances)).tolist()
            for name, distances in curves.items()
        }
        label = "distance to the other set"
        return svg.chart(x.tolist(), shares, width=460, height=220, x_label=label, y_label="share")


def _nearest(points: Array, others: Array) -> Array:
    distances: Array = _core.nearest(_core.BoxTree(others, np.ones(len(others))), points, -1.0)[0]
    return distances
