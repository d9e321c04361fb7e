"""An orthographic camera: it projects points, and Gaussian mixtures exactly, from 3D to the page."""

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
    """Direction of view of a picture.

    Parameters
    ----------
    axes : array_like of shape (3, 3) or (2, 2)
        The rows are the directions right, up and, in 3D, towards the viewer.  In 2D it is the identity.

    Raises
    ------
    InputError
        If `axes` are not finite or have another shape.

    Examples
    --------
    Seen from the direction of x, y points right and z points up:

    >>> camera = Camera.at((1.0, 0.0, 0.0))
    >>> place = np.array([[5.0, 2.0, 3.0]])
    >>> camera.page(place).tolist(), camera.depth(place).tolist()
    ([[2.0, 3.0]], [5.0])
    >>> camera.marginal(Mixture(place, 0.25, [1.0]))
    Mixture(1 components in 2D, sigma 0.5)

    The default direction of view in 3D, and the camera of 2D sets:

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
        """The camera of 2D sets: the page itself."""
        return Camera(np.eye(2))

    @staticmethod
    def at(direction: Array, up: tuple[float, float, float] = (0.0, 0.0, 1.0)) -> Camera:
        """A camera in a direction from the scene, looking back at the scene.

        Parameters
        ----------
        direction : array_like of shape (3,)
            From the scene to the camera.
        up : array_like of shape (3,), default (0, 0, 1)
            Direction that points up on the page; not parallel to `direction`.

        Raises
        ------
        InputError
            If a direction is zero, or both are parallel.
        """
        towards = unit(as_place(direction, 3, "direction"), "direction")
        right = unit(np.cross(as_place(up, 3, "up"), towards), "up")
        return Camera(np.stack([right, np.cross(towards, right), towards]))

    @staticmethod
    def facing(points: Array) -> Camera:
        """A camera that sees the broad side of a point set, from a little above and to the right, so that depth shows.

        Up is the coordinate axis nearest to the second principal axis: in most files a coordinate axis is up.

        Parameters
        ----------
        points : array_like of shape (n, d)
            d is 2 or 3.  In 2D this is :meth:`flat`.

        Raises
        ------
        InputError
            If `points` are not finite points in 2D or 3D.
        """
        points = as_points(points, dimensions=(2, 3))
        if points.shape[1] == 2:
            return Camera.flat()
        _, _, columns = principal_axes(points, np.ones(len(points)))
        up = np.eye(3)[np.argmax(np.abs(columns[:, 1]))]
        # The sign of a principal axis is arbitrary: take the one along the coordinate axis.
        right = columns[:, 0] * np.sign(columns[np.argmax(np.abs(columns[:, 0])), 0])
        towards = np.cross(right, columns[:, 1] * np.sign(columns[:, 1] @ up))
        return Camera.at(towards + 0.35 * up + 0.35 * right, tuple(up))

    def page(self, points: Array) -> Array:
        """Points (n, d) on the page, (n, 2)."""
        return as_finite(points, "points", len(self.axes)) @ self.axes[:2].T

    def depth(self, points: Array) -> Array:
        """Distance of points (n, d) towards the viewer, (n,); zero in 2D."""
        points = as_finite(points, "points", len(self.axes))
        return points @ self.axes[2] if len(self.axes) == 3 else np.zeros(points.shape[:-1])

    def marginal(self, mixture: Mixture) -> Mixture:
        """The mixture integrated along the line of sight: a 2D mixture on the page with the same sigma and weights.

        A covariance Σ becomes P Σ Pᵀ, where the rows of P are the directions right and up.
        """
        means, shapes = self.page(instance("mixture", mixture, Mixture).means), mixture.covariances
        if shapes is not None:
            shapes = self.axes[:2] @ shapes @ self.axes[:2].T
        return Mixture(means, mixture.variance, mixture.weights, mixture.bias, covariances=shapes)


def unit(direction: Array, name: str) -> Array:
    """A direction of length 1, or an InputError if the length is zero."""
    length = np.linalg.norm(direction)
    if not 1e-100 < length < np.inf:
        raise InputError(
            f"{name} must be a direction that is not zero and not parallel to the other one, got length {length:g}"
        )
    return np.asarray(direction / length, dtype=np.float64)


def camera_for(points: Array, camera: Camera | None) -> Camera:
    """The caller's camera, or one that sees the broad side of points.

    >>> camera_for(np.eye(2), None).axes.tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    chosen = optional("camera", camera, Camera) or Camera.facing(points)
    if len(chosen.axes) != points.shape[1]:
        raise InputError(f"camera must be for {points.shape[1]}D, got a camera for {len(chosen.axes)}D")
    return chosen
