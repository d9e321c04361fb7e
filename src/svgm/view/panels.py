"""What one panel of a picture shows: points, support vectors by weight, or a density by colour."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from svgm.checks.arguments import items, text
from svgm.checks.errors import InputError
from svgm.geometry.points import Array, as_points
from svgm.mixture.mixture import Mixture
from svgm.view.camera import Camera
from svgm.view.canvas import INK
from svgm.view.colours import lit as lit_from

#: More points than this do not show on a page.
MOST_POINTS = 20_000

COLOURS = "magma"

Box = tuple[float, float, float, float]
Pair = tuple[str, str]


def bounding_box(camera: Camera, *sets: Array, margin: float = 0.0) -> Box:
    """A square (left, right, bottom, top) around point sets on the page, `margin` wider: panels of a row share it."""
    places = np.vstack([camera.page(points) for points in sets])
    low, high = places.min(axis=0), places.max(axis=0)
    middle, half = 0.5 * (low + high), 0.54 * max(float((high - low).max()), 1e-12) + margin
    return (middle[0] - half, middle[0] + half, middle[1] - half, middle[1] + half)


def as_panel(value: Any, name: str, *kinds: type) -> tuple[str, Any]:
    """A title and what is under it: a thing of one of these kinds, or points (n, d), d 2 or 3.

    >>> as_panel(("two points", [[0, 0], [1, 0]]), "panels[0]")[1].shape
    (2, 2)
    """
    title, thing = items(name, value, 2)
    return text(f"{name}[0]", title), thing if isinstance(thing, kinds) else as_points(thing, f"{name}[1]", (2, 3))


def same_dimension(name: str, sets: Sequence[Array]) -> None:
    """Raise an InputError unless there are sets, all in the plane or all in space."""
    dimensions = sorted({points.shape[1] for points in sets})
    if len(dimensions) != 1 or dimensions[0] not in (2, 3):
        raise InputError(f"{name} must be in 2D or all in 3D, got dimensions {dimensions}")


def frame(axes: Any, box: Box, title: str = "", colour: str = INK) -> None:
    """An empty panel: no ticks, since a position on the page means nothing, and a thin border."""
    axes.set(xlim=box[:2], ylim=box[2:], aspect="equal", xticks=[], yticks=[])
    if title:
        axes.set_title(title, fontsize=10, color=colour, pad=6)
    for spine in axes.spines.values():
        spine.set(color="#999999", linewidth=0.6)


def draw_points(axes: Any, camera: Camera, *sets: tuple[Array, str]) -> None:
    """Point sets in their colours; in 3D shaded as lit surfaces, near points over far ones."""
    places, colours, depths = [], [], []
    for points, colour in sets:
        points = points[:: -(-len(points) // MOST_POINTS)]
        places.append(camera.page(points))
        depths.append(camera.depth(points))
        colours.append(lit(camera, points, colour))
    order = np.argsort(np.concatenate(depths), kind="stable")
    at = np.vstack(places)[order]
    dot = float(np.clip(0.2 * _area(axes) / len(at), 0.6, 5.0))
    axes.scatter(at[:, 0], at[:, 1], s=dot, c=np.vstack(colours)[order], linewidths=0)


def lit(camera: Camera, points: Array, colour: str) -> Array:
    """Colours (n, 3) of points: one in 2D, in 3D shades of it as on a surface in light from the upper left."""
    light = camera.axes.T @ np.array([-0.4, 0.5, 0.77]) if len(camera.axes) == 3 else np.zeros(3)
    return lit_from(points, colour, light) / 255.0


def draw_row(figure: Any, camera: Camera, fixed: Array, row: Sequence[tuple[str, Array]], colours: Pair) -> None:
    """Panels side by side, each the fixed set with another one over it, under a title; colours of both."""
    share = 1.0 / len(row)
    for column, (title, points) in enumerate(row):
        axes = figure.add_axes((share * (column + 0.03), 0.1, 0.94 * share, 0.82))
        frame(axes, bounding_box(camera, points, fixed), title)
        draw_points(axes, camera, (fixed, colours[0]), (points, colours[1]))


def draw_support_vectors(axes: Any, camera: Camera, mixture: Mixture, colour: str, points: Array | None = None) -> None:
    """Components as discs whose area is their weight, over the points they stand for."""
    if points is not None:
        places = camera.page(points[:: -(-len(points) // MOST_POINTS)])
        axes.scatter(places[:, 0], places[:, 1], s=0.5, color="#bbbbbb", linewidths=0)
    order = np.argsort(camera.depth(mixture.means), kind="stable")
    at, weights = camera.page(mixture.means)[order], np.abs(mixture.weights)[order]
    size = np.clip(0.5 * _area(axes) / len(mixture), 5.0, 60.0) * weights / weights.max()
    axes.scatter(at[:, 0], at[:, 1], s=size, color=colour, alpha=0.7, linewidths=0.3, edgecolors=INK)


def _area(axes: Any) -> float:
    """Of a panel in square points (72 to the inch), as markers are measured: they are to cover a share of it."""
    return float(axes.get_position().width * axes.figure.get_figwidth() * 72.0) ** 2


def draw_density(
    axes: Any, camera: Camera, mixture: Mixture, box: Box, *, peak: float | None = None, resolution: int = 300
) -> None:
    """The density by colour, from black for none to light for `peak` (default: its largest value)."""
    values = density_image(camera, mixture, box, resolution)
    axes.imshow(values, origin="lower", extent=box, cmap=COLOURS, vmin=0.0, vmax=peak, interpolation="bilinear")


def draw_outline(axes: Any, camera: Camera, mixture: Mixture, box: Box, colour: str) -> None:
    """Where a density rises above a tenth of its peak, as a line."""
    values = density_image(camera, mixture, box, 200)
    if values.max() > 0:
        x, y = np.linspace(*box[:2], 200), np.linspace(*box[2:], 200)
        axes.contour(x, y, values, levels=[0.1 * values.max()], colors=[colour], linewidths=0.9, alpha=0.9)


def density_image(camera: Camera, mixture: Mixture, box: Box, resolution: int = 300) -> Array:
    """The density on a grid over the box, (resolution, resolution)."""
    x, y = np.linspace(*box[:2], resolution), np.linspace(*box[2:], resolution)
    grid = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    return camera.marginal(mixture).density(grid).reshape(resolution, resolution)
