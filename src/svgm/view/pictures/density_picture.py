"""Densities in a table of panels, in one colour scale, for comparison."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from svgm.checks.arguments import flag, items
from svgm.checks.types import PointsLike
from svgm.mixture.mixture import Mixture
from svgm.view.camera import Camera, camera_for
from svgm.view.colours import TARGET
from svgm.view.pictures.draw import (
    as_panel,
    bounding_box,
    density_image,
    draw_density,
    draw_points,
    frame,
    same_dimension,
)
from svgm.view.pictures.figure import Place, check_picture, finished, picture_panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def densities(
    rows: Sequence[Sequence[tuple[str, Mixture | PointsLike]]],
    *,
    ax: Axes | None = None,
    path: str | os.PathLike[str] | None = None,
    camera: Camera | None = None,
    same_scale: bool = True,
) -> Axes:
    """Draw a table of panels: the densities of mixtures by colour, point sets as dots.

    Parameters
    ----------
    rows : sequence of sequences of (str, Mixture or array_like of shape (n, d))
        Title and content of each panel, row by row.  All are 2D or all are 3D, in the same coordinates.  Rows may
        differ in length.
    ax : matplotlib.axes.Axes, optional
        Where to draw.  The default is a new figure.
    path : str or os.PathLike, optional
        Write the figure to this file, .png, .pdf or .svg, whole or not at all.  The default is to write nothing.
    camera : Camera, optional
        Direction of view in 3D.  The default shows the broad side of the first panel.
    same_scale : bool, default True
        Use one colour scale for all mixtures.  If False, each mixture has its own.

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
    >>> from svgm import datasets, fit, kde, view
    >>> curve = datasets.butterfly(300)
    >>> row = [("points", curve), ("SVGM", fit(curve, gamma=40)), ("KDE", kde(curve, gamma=40))]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ax = view.densities([row], path=Path(folder) / "densities.png")
    ...     [picture.name for picture in Path(folder).iterdir()]
    ['densities.png']
    """
    check_picture(ax, path)
    flag("same_scale", same_scale)
    table: list[list[tuple[str, Any]]] = [
        [as_panel(panel, f"rows[{i}][{j}]", Mixture) for j, panel in enumerate(items(f"rows[{i}]", row))]
        for i, row in enumerate(items("rows", rows))
    ]
    shown = [value for row in table for _, value in row]
    places = [value.means if isinstance(value, Mixture) else value for value in shown]
    mixtures = [value for value in shown if isinstance(value, Mixture)]
    same_dimension("rows", places)
    camera = camera_for(places[0], camera)
    box = bounding_box(camera, *places, margin=2.0 * max((mixture.sigma for mixture in mixtures), default=0.0))
    peaks = [float(density_image(camera, mixture, box, 150).max()) for mixture in mixtures]
    peak = float(np.max(peaks)) if same_scale and peaks else None

    columns, side, gap = max(map(len, table)), 2.9, 0.15
    width, height = columns * (side + gap) + gap, len(table) * (side + 0.4) + gap
    places_of_panels: list[Place] = [
        ((gap + j * (side + gap)) / width, (height - (i + 1) * (side + 0.4)) / height, side / width, side / height)
        for i, row in enumerate(table)
        for j in range(len(row))
    ]
    ax, panels = picture_panels(ax, path, (width, height), places_of_panels)
    for axes, (title, value) in zip(panels, (panel for row in table for panel in row), strict=True):
        frame(axes, box, title)
        if isinstance(value, Mixture):
            draw_density(axes, camera, value, box, peak=peak)
        else:
            draw_points(axes, camera, (value, TARGET))
    return finished(ax, path, width)
