"""Densities side by side, in one colour scale, for comparison."""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np

from svgm.checks.arguments import flag, items
from svgm.geometry.points import Array
from svgm.mixture.mixture import Mixture
from svgm.view.camera import Camera, camera_for
from svgm.view.canvas import TARGET, check_picture_path, save, sheet
from svgm.view.panels import (
    as_panel,
    bounding_box,
    density_image,
    draw_density,
    draw_points,
    frame,
    same_dimension,
)

Panel = tuple[str, "Mixture | Array"]


def densities(
    rows: Sequence[Sequence[Panel]],
    path: str | os.PathLike[str],
    *,
    camera: Camera | None = None,
    same_scale: bool = True,
) -> None:
    """Draw a table of panels: mixtures by colour, point sets as dots.

    Parameters
    ----------
    rows
        Of (title, mixture or points), 2D or 3D, all in one frame; rows may differ in length.
    path
        .png, .pdf or .svg; written whole or not at all.
    camera
        Of 3D sets; default the broad side of the first set.
    same_scale
        One colour scale for all mixtures; otherwise each has its own.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from svgm import datasets, fit, kde, view
    >>> curve = datasets.butterfly(300)
    >>> row = [("points", curve), ("SVGM", fit(curve, gamma=40)), ("KDE", kde(curve, gamma=40))]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     view.densities([row], Path(folder) / "densities.png")
    ...     [picture.name for picture in Path(folder).iterdir()]
    ['densities.png']
    """
    check_picture_path(path)
    flag("same_scale", same_scale)
    rows = [
        [as_panel(panel, f"rows[{i}][{j}]", Mixture) for j, panel in enumerate(items(f"rows[{i}]", row))]
        for i, row in enumerate(items("rows", rows))
    ]
    shown = [value for row in rows for _, value in row]
    places = [value.means if isinstance(value, Mixture) else value for value in shown]
    mixtures = [value for value in shown if isinstance(value, Mixture)]
    same_dimension("rows", places)
    camera = camera_for(places[0], camera)
    box = bounding_box(camera, *places, margin=2.0 * max((mixture.sigma for mixture in mixtures), default=0.0))
    peaks = [float(density_image(camera, mixture, box, 150).max()) for mixture in mixtures]
    peak = float(np.max(peaks)) if same_scale and peaks else None

    columns, side, gap = max(map(len, rows)), 2.9, 0.15
    width, height = columns * (side + gap) + gap, len(rows) * (side + 0.4) + gap
    figure = sheet(width, height)
    for i, row in enumerate(rows):
        for j, (title, value) in enumerate(row):
            bottom = height - (i + 1) * (side + 0.4)
            axes = figure.add_axes(((gap + j * (side + gap)) / width, bottom / height, side / width, side / height))
            frame(axes, box, title)
            if isinstance(value, Mixture):
                draw_density(axes, camera, value, box, peak=peak)
            else:
                draw_points(axes, camera, (value, TARGET))
    save(figure, path)
