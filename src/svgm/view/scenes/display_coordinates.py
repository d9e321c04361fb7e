"""The coordinates that a scene is drawn in, near zero and of unit size, and where its camera is."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from svgm.geometry.points import Array
from svgm.geometry.scale import estimate_resolution
from svgm.view.camera import Camera
from svgm.view.scenes.scene import Scene

#: Vertical angle of view, in radians.
FIELD_OF_VIEW = math.radians(40.0)

#: Width by height of a window that is not open yet.
DEFAULT_ASPECT = 1.4

#: Share of the places that the camera must see: a few far outliers must not shrink the rest to a dot.
_SEEN_SHARE = 0.998


@dataclass(frozen=True, eq=False)
class DisplayCoordinates:
    """Centre and scale of a scene, and the side from which it is seen.

    A browser draws in single precision, which is too coarse for survey coordinates: so the centre is subtracted first.
    """

    camera: Camera
    up: Array
    centre: Array
    scale: float

    @staticmethod
    def of(scene: Scene) -> DisplayCoordinates:
        """Of a scene: in 2D seen from above, in 3D from the side that the scene says."""
        places = scene.places()
        low, high = np.quantile(places, [1.0 - _SEEN_SHARE, _SEEN_SHARE], axis=0)
        centre = 0.5 * (low + high)
        radius = 0.5 * float(np.linalg.norm(high - low))
        up = scene.up / np.linalg.norm(scene.up)
        return DisplayCoordinates(scene.camera, up, centre, 1.0 / radius if radius > 0 else 1.0)

    def display(self, places: Array) -> Array:
        """Places (n, d) in display coordinates, (n, 3)."""
        return to_3d((places - self.centre) * self.scale)

    def view(self, places: Array, aspect: float = DEFAULT_ASPECT) -> tuple[Array, Array]:
        """The point that a camera looks at, and its position, so that places (n, 3) fill the window."""
        low, high = np.quantile(places, [1.0 - _SEEN_SHARE, _SEEN_SHARE], axis=0)
        middle = 0.5 * (low + high)
        right, upward, towards = ((places - middle) @ self.camera.axes.T).T
        slope = math.tan(0.5 * FIELD_OF_VIEW)
        needed = np.maximum(np.abs(upward), np.abs(right) / aspect) / slope + towards
        return middle, middle + 1.08 * max(float(np.quantile(needed, _SEEN_SHARE)), 0.05) * self.camera.axes[2]

    @property
    def light(self) -> Array:
        """The direction (3,) to a light at the upper left of the viewer."""
        light: Array = self.camera.axes.T @ np.array([-0.4, 0.5, 0.77])
        return light


def point_spacing(points: Array) -> float:
    """Distance between neighbouring points; zero if all points are in one place."""
    found = estimate_resolution(points) if len(points) > 1 else 0.0
    return found if np.isfinite(found) else 0.0


def to_3d(values: Array) -> Array:
    """Rows (n, 2) with z = 0 added; rows (n, 3) unchanged."""
    return values if values.shape[1] == 3 else np.column_stack([values, np.zeros(len(values))])


def solid_covariances(covariances: Array, sigma: float) -> Array:
    """Covariances (n, 2, 2) with the variance sigma² along z added; those of 3D unchanged."""
    if covariances.shape[1] == 3:
        return covariances
    solid = np.tile(sigma**2 * np.eye(3), (len(covariances), 1, 1))
    solid[:, :2, :2] = covariances
    return solid
