"""Meshes, lit: curves as lines, surfaces as triangles."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from svgm.checks.arguments import items
from svgm.geometry.points import Array
from svgm.reconstruction.mesh import Mesh
from svgm.view.camera import Camera, camera_for
from svgm.view.canvas import INK, SOURCE, TARGET, check_picture_path, save, sheet
from svgm.view.panels import as_panel, bounding_box, draw_points, frame, same_dimension


def mesh(
    panels: Sequence[tuple[str, Mesh | Array]], path: str | os.PathLike[str], *, camera: Camera | None = None
) -> None:
    """Draw meshes, and points to compare them with, side by side.

    Parameters
    ----------
    panels
        (title, mesh or points), 2D or 3D, all in one frame.  Sides of triangles that face the outside are blue, the
        others orange: where orange shows, one looks into an open surface.
    path
        .png, .pdf or .svg; written whole or not at all.
    camera
        Of 3D meshes; default the broad side of the first panel.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from svgm import Mesh, view
    >>> corners = np.vstack([np.zeros(3), np.eye(3)])
    >>> body = Mesh(corners, [[0, 2, 1], [0, 3, 2], [0, 1, 3], [1, 2, 3]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     view.mesh([("a corner of space", body)], Path(folder) / "corner.png")
    ...     [picture.name for picture in Path(folder).iterdir()]
    ['corner.png']
    """
    check_picture_path(path)
    panels = [as_panel(panel, f"panels[{k}]", Mesh) for k, panel in enumerate(items("panels", panels))]
    places = [value.vertices if isinstance(value, Mesh) else value for _, value in panels]
    same_dimension("panels", places)
    camera = camera_for(places[0], camera)
    box = bounding_box(camera, *places)
    side, gap = 4.6, 0.2
    width, height = len(panels) * (side + gap) + gap, side + 0.65
    figure = sheet(width, height)
    for column, (title, value) in enumerate(panels):
        axes = figure.add_axes(((gap + column * (side + gap)) / width, gap / height, side / width, side / height))
        frame(axes, box, title)
        if isinstance(value, Mesh):
            _draw(axes, camera, value)
        else:
            draw_points(axes, camera, (value, TARGET))
    save(figure, path)


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
