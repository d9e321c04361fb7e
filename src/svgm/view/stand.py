"""Where a scene is looked at from, and the numbers it is drawn in: near zero, of unit size."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from svgm.geometry.points import Array
from svgm.geometry.scale import estimate_resolution
from svgm.view.camera import Camera
from svgm.view.scene import Scene

#: Vertical, in radians.
FIELD_OF_VIEW = math.radians(40.0)

#: Width by height of a window that nobody has opened yet.
ASPECT = 1.4

#: The camera goes far enough back to see this share of the places; a few strays must not make a dot of the rest.
_SHARE = 0.998


@dataclass(frozen=True, eq=False)
class Stand:
    """The side from which a scene is seen, and the centre and the scale that take its numbers to the screen's.

    A browser draws in single precision, which coordinates of a survey do not fit: the centre is taken off before.
    """

    camera: Camera
    up: Array
    centre: Array
    scale: float

    @staticmethod
    def of(scene: Scene) -> Stand:
        """Flat from above in 2D; in 3D from the side that the scene names."""
        places = scene.places()
        low, high = np.quantile(places, [1.0 - _SHARE, _SHARE], axis=0)
        centre = 0.5 * (low + high)
        radius = 0.5 * float(np.linalg.norm(high - low))
        up = scene.up / np.linalg.norm(scene.up)
        return Stand(scene.camera, up, centre, 1.0 / radius if radius > 0 else 1.0)

    def display(self, places: Array) -> Array:
        """Places (n, d) in the numbers that are drawn, (n, 3)."""
        return in_space((places - self.centre) * self.scale)

    def view(self, places: Array, aspect: float = ASPECT) -> tuple[Array, Array]:
        """What a camera looks at and where it is, to see places (n, 3) as large as they fit the window."""
        low, high = np.quantile(places, [1.0 - _SHARE, _SHARE], axis=0)
        middle = 0.5 * (low + high)
        right, upward, towards = ((places - middle) @ self.camera.axes.T).T
        slope = math.tan(0.5 * FIELD_OF_VIEW)
        needed = np.maximum(np.abs(upward), np.abs(right) / aspect) / slope + towards
        return middle, middle + 1.08 * max(float(np.quantile(needed, _SHARE)), 0.05) * self.camera.axes[2]

    @property
    def light(self) -> Array:
        """The direction (3,) to a light at the upper left of the viewer."""
        light: Array = self.camera.axes.T @ np.array([-0.4, 0.5, 0.77])
        return light


def spacing(points: Array) -> float:
    """Between neighbours; zero for points that have none elsewhere, which are drawn as the least of dots."""
    found = estimate_resolution(points) if len(points) > 1 else 0.0
    return found if np.isfinite(found) else 0.0


def in_space(values: Array) -> Array:
    """Rows of the plane as those of space with z zero; rows of space as they are."""
    return values if values.shape[1] == 3 else np.column_stack([values, np.zeros(len(values))])
