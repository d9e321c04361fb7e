"""What one panel of a picture shows: points, support vectors by weight, or a density by colour."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from svgm.checks.arguments import items, text
from svgm.checks.errors import InputError
from svgm.geometry.points import Array, as_points
from svgm.mixture.mixture import Mixture
from svgm.rigid import apply
from svgm.view.camera import Camera
from svgm.view.colours import INK, SOURCE, TARGET, rgb
from svgm.view.colours import lit as lit_from
from svgm.view.pictures.figure import Place

#: Points of a set that a panel shows, at most: every k-th of more.
MOST_DRAWN_POINTS = 20_000

#: Colour map of densities, from black to light.
DENSITY_COLOURS = "magma"

#: Direction of the light as the camera sees it: from the upper left, towards the viewer.
LIGHT = np.array([-0.4, 0.5, 0.77])

#: Left, right, bottom and top of what a panel shows, on the page.
Box = tuple[float, float, float, float]


def bounding_box(camera: Camera, *sets: Array, margin: float = 0.0) -> Box:
    """A square (left, right, bottom, top) around point sets on the page, `margin` wider: panels of a row share it."""
    places = np.vstack([camera.page(points) for points in sets])
    low, high = places.min(axis=0), places.max(axis=0)
    # Both ends of the box must differ as floats, also far from the origin.
    least = max(1e-12, 1e-13 * float(np.abs(places).max()))
    middle, half = 0.5 * (low + high), 0.54 * max(float((high - low).max()), least) + margin
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
    """Prepare a panel: its limits, no ticks, since a position on the page means nothing, and a thin border."""
    axes.set(xlim=box[:2], ylim=box[2:], aspect="equal", xticks=[], yticks=[])
    if title:
        axes.set_title(title, fontsize=10, color=colour, pad=6)
    for spine in axes.spines.values():
        spine.set(color="#999999", linewidth=0.6)


def draw_points(axes: Any, camera: Camera, *sets: tuple[Array, str]) -> None:
    """Point sets in their colours; in 3D shaded as lit surfaces, near points over far ones."""
    places, colours, depths = [], [], []
    for points, colour in sets:
        points = points[:: -(-len(points) // MOST_DRAWN_POINTS)]
        places.append(camera.page(points))
        depths.append(camera.depth(points))
        colours.append(lit(camera, points, colour))
    order = np.argsort(np.concatenate(depths), kind="stable")
    at = np.vstack(places)[order]
    dot = float(np.clip(0.2 * width_in_points(axes) ** 2 / len(at), 0.6, 5.0))
    axes.scatter(at[:, 0], at[:, 1], s=dot, c=np.vstack(colours)[order], linewidths=0)


def lit(camera: Camera, points: Array, colour: str) -> Array:
    """Colours (n, 3) of points: one in 2D, in 3D shades of it as on a surface in light from the upper left."""
    light = camera.axes.T @ LIGHT if len(camera.axes) == 3 else np.zeros(3)
    return lit_from(points, colour, light) / 255.0


def draw_row(
    panels: Sequence[Any], camera: Camera, target: Array | Mixture, row: Sequence[tuple[str, Array | Mixture]]
) -> None:
    """In each panel, under a title, the target and the source as one pose moves it: points, or support vectors."""
    for axes, (title, source) in zip(panels, row, strict=True):
        sets = (target, TARGET), (source, SOURCE)
        places = [value.means if isinstance(value, Mixture) else value for value, _ in (sets[1], sets[0])]
        frame(axes, bounding_box(camera, *places), title)
        points = [(value, colour) for value, colour in sets if not isinstance(value, Mixture)]
        if points:
            draw_points(axes, camera, *points)
        for value, colour in sets:
            if isinstance(value, Mixture):
                draw_support_vectors(axes, camera, positive_part(value), colour)


def moved(value: Array | Mixture, T: Array) -> Array | Mixture:
    """Points or a mixture, moved by a pose."""
    return value.transformed(T) if isinstance(value, Mixture) else apply(T, value)


def positive_part(mixture: Mixture) -> Mixture:
    """The mixture without its negative components."""
    kept = mixture.weights > 0
    if kept.all():
        return mixture
    shapes = None if mixture.covariances is None else mixture.covariances[kept]
    return Mixture(mixture.means[kept], mixture.variance, mixture.weights[kept], covariances=shapes)


def row_places(columns: int) -> list[Place]:
    """Places of panels side by side, with room for titles above and for a line of text below."""
    share = 1.0 / columns
    return [(share * (column + 0.03), 0.1, 0.94 * share, 0.82) for column in range(columns)]


def square_places(columns: int) -> tuple[tuple[float, float], list[Place]]:
    """Size in inches of a picture of square panels side by side, under titles, and the places of the panels."""
    side, gap = 4.6, 0.2
    width, height = columns * (side + gap) + gap, side + 0.65
    shape = gap / height, side / width, side / height
    return (width, height), [((gap + column * (side + gap)) / width, *shape) for column in range(columns)]


def draw_support_vectors(axes: Any, camera: Camera, mixture: Mixture, colour: str, points: Array | None = None) -> None:
    """Components as discs whose area is their weight, over the points they stand for.

    Components with covariances are ellipses of one standard deviation, in 3D as the camera sees the ellipsoids.
    """
    if points is not None:
        places = camera.page(points[:: -(-len(points) // MOST_DRAWN_POINTS)])
        axes.scatter(places[:, 0], places[:, 1], s=0.5, color="#bbbbbb", linewidths=0)
    order = np.argsort(camera.depth(mixture.means), kind="stable")
    at, weights = camera.page(mixture.means)[order], np.abs(mixture.weights)[order]
    if mixture.covariances is not None:
        draw_ellipses(axes, camera, mixture.means[order], mixture.covariances[order], colour)
        return
    size = np.clip(0.5 * width_in_points(axes) ** 2 / len(mixture), 5.0, 60.0) * weights / weights.max()
    axes.scatter(at[:, 0], at[:, 1], s=size, color=colour, alpha=0.7, linewidths=0.3, edgecolors=INK)


def draw_ellipses(axes: Any, camera: Camera, means: Array, covariances: Array, colour: str) -> None:
    """Gaussians as ellipses of one standard deviation, the last one on top; in 3D lit by the normals of flat ones."""
    from matplotlib.collections import EllipseCollection

    # EllipseCollection takes full axes, and the angle of the first in degrees.
    squares, turns = np.linalg.eigh(camera.axes[:2] @ covariances @ camera.axes[:2].T)
    lengths = 2.0 * np.sqrt(np.maximum(squares, 0.0))
    angles = np.degrees(np.arctan2(turns[:, 1, 1], turns[:, 0, 1]))
    tints = np.tile(np.array(rgb(colour)) / 255.0, (len(means), 1))
    if len(camera.axes) == 3:
        normals = np.linalg.eigh(covariances)[1][:, :, 0] @ camera.axes.T
        shade = np.abs(normals @ LIGHT)[:, None]
        tints = np.clip(tints * (0.55 + 0.45 * shade) + 0.3 * shade**4, 0.0, 1.0)
    axes.add_collection(
        EllipseCollection(
            lengths[:, 1],
            lengths[:, 0],
            angles,
            units="xy",
            offsets=camera.page(means),
            offset_transform=axes.transData,
            facecolors=np.column_stack([tints, np.full(len(tints), 0.5)]),
            edgecolors=INK,
            linewidths=0.3,
        )
    )


def width_in_points(axes: Any) -> float:
    """Width of what a panel shows in points (72 to the inch), the unit of markers; it keeps its limits' proportions."""
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    width, height = axes.bbox.width, axes.bbox.height
    return float(min(width, height * (right - left) / (top - bottom)) * 72.0 / axes.figure.dpi)


def draw_density(
    axes: Any, camera: Camera, mixture: Mixture, box: Box, *, peak: float | None = None, resolution: int = 300
) -> None:
    """The density by colour, from black for none to light for `peak` (default: its largest value)."""
    values = density_image(camera, mixture, box, resolution)
    axes.imshow(values, origin="lower", extent=box, cmap=DENSITY_COLOURS, vmin=0.0, vmax=peak, interpolation="bilinear")


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
