"""The overlap of two aligned sets: distances of each point to the other set."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from svgm import _core
from svgm.geometry.points import Array
from svgm.view import svg
from svgm.view.scenes.layers import Cloud
from svgm.view.scenes.scene import Scene

#: The chart ends at this quantile of the distances, and has so many steps.
CHART_QUANTILE, CHART_STEPS = 0.98, 60


@dataclass(frozen=True, eq=False)
class Overlap:
    """Two sets in the same coordinates, and the distance of each point to the nearest point of the other set."""

    moved: Array
    target: Array
    from_moved: Array
    from_target: Array

    @staticmethod
    def of(moved: Array, target: Array) -> Overlap:
        """The overlap of a moved source and a target.

        >>> Overlap.of(np.array([[0.0, 0.0], [9.0, 0.0]]), np.array([[0.0, 0.1], [1.0, 0.0]])).from_moved.tolist()
        [0.1, 8.0]
        """
        return Overlap(moved, target, _nearest(moved, target), _nearest(target, moved))

    def scene(self, reach: float) -> Scene:
        """Both sets coloured by the distance: bright well below `reach`, dark beyond three times `reach`."""
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
        """A chart as SVG: the share of each set within a distance of the other."""
        # In this order the curves get the usual colours of target and source.
        curves = {"of the target": np.sort(self.from_target), "of the source": np.sort(self.from_moved)}
        far = max(float(np.quantile(distances, CHART_QUANTILE)) for distances in curves.values()) or 1.0
        x = np.linspace(0.0, far, CHART_STEPS)
        shares = {
            name: (np.searchsorted(distances, x, side="right") / len(distances)).tolist()
            for name, distances in curves.items()
        }
        label = "distance to the other set"
        return svg.chart(x.tolist(), shares, width=460, height=220, x_label=label, y_label="share")


def _nearest(points: Array, others: Array) -> Array:
    distances: Array = _core.nearest(_core.BoxTree(others, np.ones(len(others))), points, -1.0)[0]
    return distances
