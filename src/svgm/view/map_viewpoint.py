"""The viewpoint of a map: from straight above, or in perspective."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from svgm.geometry.points import Array
from svgm.view.camera import Camera
from svgm.view.pictures.draw import Box

#: A direction within 20 degrees of a coordinate axis is taken to be that axis, since streets have slopes; its cosine.
_NEAR_AXIS = math.cos(math.radians(20.0))


@dataclass(frozen=True)
class Viewpoint:
    """A camera, the place that it looks at, and its distance from there; an infinite distance means no perspective."""

    camera: Camera
    centre: Array
    distance: float = math.inf

    def page(self, points: Array) -> Array:
        """Points on the page, (n, 2), in the unit of the points at the centre."""
        away = points - self.centre
        # Points behind the camera are moved just before it: they are off the page in any case.
        shrink = np.maximum(1.0 - self.camera.depth(away) / self.distance, 0.05)
        return np.asarray(self.camera.page(away) / shrink[:, None], dtype=np.float64)

    def depth(self, points: Array) -> Array:
        """Distance towards the viewer, (n,)."""
        return self.camera.depth(points - self.centre)


def above(points: Array, positions: Array) -> Viewpoint:
    """The viewpoint straight above a map.

    Up is the axis along which the sensor moved least.  If the trajectory does not determine such an axis, as on a
    straight drive or with a scanner at rest, up is the axis along which the points spread least.  Of the two directions
    of the axis, up is the one in which the points reach farther from the sensor, since a sensor is near the ground.
    In 2D the viewpoint is the page itself.
    """
    centre = np.median(points, axis=0)
    if points.shape[1] == 2:
        return Viewpoint(Camera.flat(), centre)
    up = up_axis(points, positions)
    k = int(np.argmax(np.abs(up)))
    # If z is up, x points right and y up the page; cyclically for other axes, mirrored if the axis points down.
    page_up = np.eye(3)[(k + 2) % 3 if up[k] > 0 else (k + 1) % 3]
    straight = Viewpoint(Camera.at(up, tuple(page_up)), centre)
    width, height = np.ptp(np.quantile(straight.page(points), [0.01, 0.99], axis=0), axis=0)
    if height > 1.1 * width:
        # The page is wider than high, and in 3D no axis must point up the page.
        straight = Viewpoint(Camera.at(up, tuple(-straight.camera.axes[0])), centre)
    return straight


def aslant(points: Array, straight: Viewpoint) -> Viewpoint:
    """The viewpoint in perspective, from 35 degrees above the ground, in front of the page and a little to the left."""
    right, ahead, up = straight.camera.axes
    direction = math.sin(math.radians(35.0)) * up - math.cos(math.radians(35.0)) * (0.9 * ahead + 0.43 * right)
    radius = float(np.quantile(np.linalg.norm(points - straight.centre, axis=1), 0.999))
    return Viewpoint(Camera.at(direction, tuple(up)), straight.centre, 2.2 * max(radius, 1e-300))


def behind(front: Viewpoint) -> Viewpoint:
    """The opposite viewpoint: half a turn about the coordinate axis that is up on the page, still from above."""
    _, page_up, towards = front.camera.axes
    k = int(np.argmax(np.abs(page_up)))
    up = np.eye(3)[k] * np.sign(page_up[k])
    return Viewpoint(Camera.at(2.0 * (towards @ up) * up - towards, tuple(up)), front.centre, front.distance)


def up_axis(points: Array, positions: Array) -> Array:
    """The unit vector that points up in a 3D map, found as :func:`above` describes."""
    reach = float(np.sqrt(points.var(axis=0).sum()))
    spread, axes = _principal(positions)
    level = spread[1] > 0.05 * reach and spread[0] < 0.3 * spread[1]
    up = axes[:, 0] if level else _principal(points)[1][:, 0]
    k = int(np.argmax(np.abs(up)))
    up = np.eye(3)[k] if abs(up[k]) > _NEAR_AXIS else up * np.sign(up[k])
    low, high = np.quantile(points @ up - np.median(positions @ up), [0.02, 0.98])
    down = level and -low > 1.5 * max(high, 0.0)
    return np.asarray(-up if down else up, dtype=np.float64)


def seen_box(at: Array, also: Array, lowest: float = 0.35, highest: float = 1.4) -> Box:
    """The part of the page (left, right, bottom, top) that shows places without far outliers, and all of `also`.

    A few beams through a window must not shrink the house to a dot: beyond the quantiles 0.1 % and 99.9 %, only a
    margin of 4 % is shown.  The height is from `lowest` to `highest` times the width.
    """
    inner = np.quantile(at, [0.001, 0.999], axis=0)
    slack = 0.04 * (inner[1] - inner[0]).max()
    low = np.maximum(at.min(axis=0), inner[0] - slack)
    high = np.minimum(at.max(axis=0), inner[1] + slack)
    if len(also):
        low, high = np.minimum(low, also.min(axis=0)), np.maximum(high, also.max(axis=0))
    middle, half = 0.5 * (low + high), 0.5 * (high - low)
    # Both ends of the box must differ as floats, also far from the origin.
    half = half + 0.03 * max(float(half.max()), 1e-12, 1e-13 * float(np.abs(middle).max()))
    width, height = max(half[0], half[1] / highest), max(half[1], half[0] * lowest)
    return (middle[0] - width, middle[0] + width, middle[1] - height, middle[1] + height)


def _principal(points: Array) -> tuple[Array, Array]:
    """Standard deviations, ascending, and their axes as columns."""
    away = points - points.mean(axis=0)
    values, axes = np.linalg.eigh(away.T @ away / len(points))
    return np.sqrt(np.maximum(values, 0.0)), axes
