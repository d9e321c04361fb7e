"""Meshes: curves as lines, surfaces as shaded triangles."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from svgm.checks.arguments import items
from svgm.checks.types import PointsLike
from svgm.reconstruction.mesh import Mesh
from svgm.view.camera import Camera, camera_for
from svgm.view.colours import INK, SOURCE, TARGET
from svgm.view.pictures.draw import as_panel, bounding_box, draw_points, frame, same_dimension, square_places
from svgm.view.pictures.figure import check_picture, finished, picture_panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def mesh(
    panels: Sequence[tuple[str, Mesh | PointsLike]],
    *,
    ax: Axes | None = None,
    path: str | os.PathLike[str] | None = None,
    camera: Camera | None = None,
) -> Axes:
    """Draw meshes, and points to compare them with, side by side.

    Parameters
    ----------
    panels : sequence of (str, Mesh or array_like of shape (n, d))
        Title and content of each panel.  All are 2D or all are 3D, in the same coordinates.  The outside of a triangle
        is blue and the inside orange: orange shows where a surface is open.
    ax : matplotlib.axes.Axes, optional
        Where to draw.  The default is a new figure.
    path : str or os.PathLike, optional
        Write the figure to this file, .png, .pdf or .svg, whole or not at all.  The default is to write nothing.
    camera : Camera, optional
        Direction of view in 3D.  The default shows the broad side of the first panel.

    Returns
    -------
    matplotlib.axes.Axes
        `ax`, or the Axes of the new figure; of several panels, they are its ``child_axes``.

    Raises
    ------
    InputError
        If matplotlib is missing, there is no panel, or the panels differ in dimension.
    FileError
        If `path` has another suffix or cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from svgm import Mesh, view
    >>> corners = np.vstack([np.zeros(3), np.eye(3)])
    >>> body = Mesh(corners, [[0, 2, 1], [0, 3, 2], [0, 1, 3], [1, 2, 3]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ax = view.mesh([("a corner of space", body)], path=Path(folder) / "corner.png")
    ...     [picture.name for picture in Path(folder).iterdir()]
    ['corner.png']
    """
    check_picture(ax, path)
    shown: list[tuple[str, Any]] = [
        as_panel(panel, f"panels[{k}]", Mesh) for k, panel in enumerate(items("panels", panels))
    ]
    places = [value.vertices if isinstance(value, Mesh) else value for _, value in shown]
    same_dimension("panels", places)
    camera = camera_for(places[0], camera)
    box = bounding_box(camera, *places)
    size, where = square_places(len(shown))
    ax, drawings = picture_panels(ax, path, size, where)
    for axes, (title, value) in zip(drawings, shown, strict=True):
        frame(axes, box, title)
        if isinstance(value, Mesh):
            _draw(axes, camera, value)
        else:
            draw_points(axes, camera, (value, TARGET))
    return finished(ax, path, size[0])


def _draw(axes: Any, camera: Camera, shown: Mesh) -> None:
    from matplotlib.collections import LineCollection, PolyCollection
    from matplotlib.colors import to_rgb

    corners = shown.vertices[shown.simplices]
    on_page: Any = camera.page(corners.reshape(-1, shown.dimension)).reshape(*corners.shape[:2], 2)
    if shown.dimension == 2:
        axes.add_collection(LineCollection(on_page, colors=INK, linewidths=0.9))
        return
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals = normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
    # Light from the upper left of the viewer, as on points.
    bright = np.abs(normals @ (camera.axes.T @ np.array([-0.4, 0.5, 0.77])))[:, None]
    outside = (normals @ camera.axes[2] >= 0)[:, None]
    tint = np.where(outside, to_rgb(TARGET), to_rgb(SOURCE))
    colours = (tint * (0.35 + 0.65 * bright) + 0.6 * np.maximum(0.0, bright - 0.4) ** 2 * (1.0 - tint)).clip(0, 1)
    order = np.argsort(camera.depth(corners.mean(axis=1)), kind="stable")
    # Smoothed edges would let what is behind shine through between neighbours.
    axes.add_collection(
        PolyCollection(on_page[order], facecolors=colours[order], edgecolors="none", antialiaseds=False)
    )
