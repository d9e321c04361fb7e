"""The decision function of a 2D support-vector machine: which side of the surface a place is on."""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np

from svgm.checks.arguments import flag, instance, items
from svgm.checks.errors import InputError
from svgm.geometry.points import Array, as_points
from svgm.mixture.mixture import Mixture
from svgm.view.camera import Camera
from svgm.view.canvas import INK, check_picture_path, save, sheet
from svgm.view.panels import as_panel, bounding_box, frame

RESOLUTION = 400


def decision(
    panels: Sequence[tuple[str, Mixture]], points: Array, path: str | os.PathLike[str], *, line: bool = True
) -> None:
    """Draw decision functions side by side: red where a place counts as surface, blue where as free space.

    Parameters
    ----------
    panels
        (title, mixture with a bias), 2D.
    points
        (n, 2) that they were fitted to, drawn as dots.
    path
        .png, .pdf or .svg; written whole or not at all.
    line
        Draw the boundary, where the function is zero.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from svgm import datasets, fit, view
    >>> curve = datasets.butterfly(300)
    >>> panels = [(f"gamma {gamma}", fit(curve, gamma=gamma)) for gamma in (4, 40)]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     view.decision(panels, curve, Path(folder) / "inside.png")
    ...     [picture.name for picture in Path(folder).iterdir()]
    ['inside.png']
    """
    check_picture_path(path)
    flag("line", line)
    points = as_points(points, dimensions=(2,))
    panels = [as_panel(panel, f"panels[{k}]", Mixture) for k, panel in enumerate(items("panels", panels))]
    drawn = [instance(f"panels[{k}][1]", mixture, Mixture) for k, (_, mixture) in enumerate(panels)]
    if not drawn or any(mixture.dimension != 2 for mixture in drawn):
        raise InputError("panels must hold some: decision functions are drawn of 2D mixtures only")
    camera = Camera.flat()
    box = bounding_box(camera, points, margin=3.0 * max(mixture.sigma for _, mixture in panels))
    x, y = np.linspace(*box[:2], RESOLUTION), np.linspace(*box[2:], RESOLUTION)
    grid = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    side, gap = 4.6, 0.2
    width, height = len(panels) * (side + gap) + gap, side + 0.65
    figure = sheet(width, height)
    for column, (title, mixture) in enumerate(panels):
        values = mixture.decision(grid).reshape(RESOLUTION, RESOLUTION)
        axes = figure.add_axes(((gap + column * (side + gap)) / width, gap / height, side / width, side / height))
        frame(axes, box, title)
        most = float(np.quantile(np.abs(values), 0.99))
        axes.imshow(
            values,
            origin="lower",
            extent=box,
            cmap="RdBu_r",
            vmin=-most,
            vmax=most,
            interpolation="bilinear",
            alpha=0.85,
        )
        axes.scatter(points[:, 0], points[:, 1], s=1.2, color=INK, linewidths=0)
        if line and values.min() < 0 < values.max():
            axes.contour(x, y, values, levels=[0.0], colors=[INK], linewidths=0.8)
    save(figure, path)
