"""From 3D to the page: an orthographic camera, which projects points and, exactly, Gaussian mixtures."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from svgm.checks.arguments import as_finite, as_floats, instance, optional
from svgm.checks.errors import InputError
from svgm.geometry.points import Array, as_place, as_points
from svgm.geometry.scale import principal_axes
from svgm.mixture.mixture import Mixture


@dataclass(frozen=True)
class Camera:
    """Rows of ``axes``: right, up and, in 3D, towards the viewer.  In 2D it is the identity.

    Examples
    --------
    From the direction of x, y is to the right and z is up:

    >>> camera = Camera.at((1.0, 0.0, 0.0))
    >>> place = np.array([[5.0, 2.0, 3.0]])
    >>> camera.page(place).tolist(), camera.depth(place).tolist()
    ([[2.0, 3.0]], [5.0])
    >>> camera.marginal(Mixture(place, 0.25, [1.0]))
    Mixture(1 components in 2D, sigma 0.5)

    Where pictures look from if they are not told, and the camera of 2D sets:

    >>> Camera.facing(place + np.diag([9.0, 5.0, 1.0])).axes.shape, Camera.flat().axes.shape
    ((3, 3), (2, 2))
    """

    axes: Array

    def __post_init__(self) -> None:
        axes = as_floats(self.axes, "axes")
        if axes.shape not in ((2, 2), (3, 3)) or not np.isfinite(axes).all():
            raise InputError(f"axes must be finite, of shape (2, 2) or (3, 3), got shape {axes.shape}")
        object.__setattr__(self, "axes", axes)

    @staticmethod
    def flat() -> Camera:
        """The page itself, for 2D sets."""
        return Camera(np.eye(2))

    @staticmethod
    def at(direction: Array, up: tuple[float, float, float] = (0.0, 0.0, 1.0)) -> Camera:
        """In that direction from the scene, looking back at it."""
        towards = unit(as_place(direction, 3, "direction"), "direction")
        right = unit(np.cross(as_place(up, 3, "up"), towards), "up")
        return Camera(np.stack([right, np.cross(towards, right), towards]))

    @staticmethod
    def facing(points: Array) -> Camera:
        """The broad side of a point set, seen from a little above and to the right, so that depth shows.

        Up is a coordinate axis, since files keep their makers' idea of it: the one nearest the second principal axis.
        """
        points = as_points(points, dimensions=(2, 3))
        if points.shape[1] == 2:
            return Camera.flat()
        _, _, columns = principal_axes(points, np.ones(len(points)))
        up = np.eye(3)[np.argmax(np.abs(columns[:, 1]))]
        # A principal axis has no sign of its own: take the one that keeps the coordinates' sense.
        right = columns[:, 0] * np.sign(columns[np.argmax(np.abs(columns[:, 0])), 0])
        towards = np.cross(right, columns[:, 1] * np.sign(columns[:, 1] @ up))
        return Camera.at(towards + 0.35 * up + 0.35 * right, tuple(up))

    def page(self, points: Array) -> Array:
        """Places on the page, (n, 2)."""
        return as_finite(points, "points", len(self.axes)) @ self.axes[:2].T

    def depth(self, points: Array) -> Array:
        """Nearness to the viewer, (n,); zero in 2D."""
        points = as_finite(points, "points", len(self.axes))
        return points @ self.axes[2] if len(self.axes) == 3 else np.zeros(points.shape[:-1])

    def marginal(self, mixture: Mixture) -> Mixture:
        """The density seen through: integrated along the line of sight, which of Gaussians leaves Gaussians."""
        return Mixture(
            self.page(instance("mixture", mixture, Mixture).means), mixture.variance, mixture.weights, mixture.bias
        )


def unit(direction: Array, name: str) -> Array:
    """A direction of length 1; what is left of `up` beside another direction must not be zero."""
    length = np.linalg.norm(direction)
    if not 1e-100 < length < np.inf:
        raise InputError(
            f"{name} must be a direction of its own, not zero and not along another, got length {length:g}"
        )
    return np.asarray(direction / length, dtype=np.float64)


def camera_for(points: Array, camera: Camera | None) -> Camera:
    """The camera that a caller wants, or the one that faces the broad side of points.

    >>> camera_for(np.eye(2), None).axes.tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    chosen = optional("camera", camera, Camera) or Camera.facing(points)
    if len(chosen.axes) != points.shape[1]:
        raise InputError(f"camera must be one for {points.shape[1]}D, got one for {len(chosen.axes)}D")
    return chosen
