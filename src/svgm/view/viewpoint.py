"""Where a map is looked at from: straight above, or aslant in perspective."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from svgm.geometry.points import Array
from svgm.view.camera import Camera
from svgm.view.panels import Box

#: A direction this near a coordinate axis, as a cosine (20 degrees), is meant to be that axis: streets have slopes.
_NEAR_AXIS = math.cos(math.radians(20.0))


@dataclass(frozen=True)
class Viewpoint:
    """A camera, the place it looks at, and how far the eye is from there; infinitely far is without perspective."""

    camera: Camera
    centre: Array
    distance: float = math.inf

    def page(self, points: Array) -> Array:
        """Places on the page, (n, 2), in the unit of the points at the centre."""
        away = points - self.centre
        # What is behind the eye is held just before it; it is off the page in any case.
        shrink = np.maximum(1.0 - self.camera.depth(away) / self.distance, 0.05)
        return np.asarray(self.camera.page(away) / shrink[:, None], dtype=np.float64)

    def depth(self, points: Array) -> Array:
        """Nearness to the viewer, (n,)."""
        return self.camera.depth(points - self.centre)


def above(points: Array, positions: Array) -> Viewpoint:
    """Straight above a map: along the axis in which the sensor moved least, or the points are spread least.

    The axis of the trajectory counts if it is well determined: a straight drive or a scanner that stood still says
    nothing of up.  Of its two ends the upper one is that towards which the points reach farther: a sensor is near the
    ground.  In 2D it is the page itself.
    """
    centre = np.median(points, axis=0)
    if points.shape[1] == 2:
        return Viewpoint(Camera.flat(), centre)
    up = up_axis(points, positions)
    k = int(np.argmax(np.abs(up)))
    # x to the right and y up the page if z is up; the same in turn for the others, mirrored for those that point down.
    page_up = np.eye(3)[(k + 2) % 3 if up[k] > 0 else (k + 1) % 3]
    straight = Viewpoint(Camera.at(up, tuple(page_up)), centre)
    width, height = np.ptp(np.quantile(straight.page(points), [0.01, 0.99], axis=0), axis=0)
    if height > 1.1 * width:
        # The page is wide, and in 3D no axis of the world has a claim to its upper edge.
        straight = Viewpoint(Camera.at(up, tuple(-straight.camera.axes[0])), centre)
    return straight


def aslant(points: Array, straight: Viewpoint) -> Viewpoint:
    """In perspective from the front of the page and 35 degrees above it, a little to the left, up staying up."""
    right, ahead, up = straight.camera.axes
    direction = math.sin(math.radians(35.0)) * up - math.cos(math.radians(35.0)) * (0.9 * ahead + 0.43 * right)
    radius = float(np.quantile(np.linalg.norm(points - straight.centre, axis=1), 0.999))
    return Viewpoint(Camera.at(direction, tuple(up)), straight.centre, 2.2 * max(radius, 1e-300))


def behind(front: Viewpoint) -> Viewpoint:
    """The other side: half a turn about the coordinate axis that is up on the page, still from above."""
    _, page_up, towards = front.camera.axes
    k = int(np.argmax(np.abs(page_up)))
    up = np.eye(3)[k] * np.sign(page_up[k])
    return Viewpoint(Camera.at(2.0 * (towards @ up) * up - towards, tuple(up)), front.centre, front.distance)


def up_axis(points: Array, positions: Array) -> Array:
    """The unit vector that points up in a 3D map, as :func:`above` says."""
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
    """The part of the page around places, without their strays, and all of `also`: (left, right, bottom, top).

    A few beams through a window must not make a dot of the house: beyond the 0.1 % on either side only a margin
    of 4 % is shown.  The height is `lowest` to `highest` of the width.
    """
    inner = np.quantile(at, [0.001, 0.999], axis=0)
    slack = 0.04 * (inner[1] - inner[0]).max()
    low = np.maximum(at.min(axis=0), inner[0] - slack)
    high = np.minimum(at.max(axis=0), inner[1] + slack)
    if len(also):
        low, high = np.minimum(low, also.min(axis=0)), np.maximum(high, also.max(axis=0))
    middle, half = 0.5 * (low + high), 0.5 * (high - low)
    half = half + 0.03 * max(float(half.max()), 1e-12)
    width, height = max(half[0], half[1] / highest), max(half[1], half[0] * lowest)
    return (middle[0] - width, middle[0] + width, middle[1] - height, middle[1] + height)


def _principal(points: Array) -> tuple[Array, Array]:
    """Standard deviations, ascending, and their axes as columns."""
    away = points - points.mean(axis=0)
    values, axes = np.linalg.eigh(away.T @ away / len(points))
    return np.sqrt(np.maximum(values, 0.0)), axes
