"""The decision function of a 2D support-vector machine: positive on the surface, negative in free space."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from svgm.checks.arguments import flag, instance, items
from svgm.checks.errors import InputError
from svgm.checks.types import PointsLike
from svgm.geometry.points import as_points
from svgm.mixture.mixture import Mixture
from svgm.view.camera import Camera
from svgm.view.colours import INK
from svgm.view.pictures.draw import as_panel, bounding_box, frame, square_places
from svgm.view.pictures.figure import check_picture, finished, picture_panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Places along each side of a panel at which the function is computed.
DECISION_RESOLUTION = 400


def decision(
    panels: Sequence[tuple[str, Mixture]],
    points: PointsLike,
    *,
    ax: Axes | None = None,
    path: str | os.PathLike[str] | None = None,
    line: bool = True,
) -> Axes:
    """Draw decision functions in 2D: red where the function is positive (surface), blue where negative (free space).

    Parameters
    ----------
    panels : sequence of (str, Mixture)
        Title and mixture of each panel.  The mixtures are 2D and have a bias.
    points : array_like of shape (n, 2)
        What the mixtures were fitted to, drawn as dots.
    ax : matplotlib.axes.Axes, optional
        Where to draw.  The default is a new figure.
    path : str or os.PathLike, optional
        Write the figure to this file, .png, .pdf or .svg, whole or not at all.  The default is to write nothing.
    line : bool, default True
        Draw the boundary, where the function is zero.

    Returns
    -------
    matplotlib.axes.Axes
        `ax`, or the Axes of the new figure; of several panels, they are its ``child_axes``.

    Raises
    ------
    InputError
        If matplotlib is missing, there is no panel, or a mixture is not 2D or has no bias.
    FileError
        If `path` has another suffix or cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from svgm import datasets, fit, view
    >>> curve = datasets.butterfly(300)
    >>> panels = [(f"gamma {gamma}", fit(curve, gamma=gamma)) for gamma in (4, 40)]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ax = view.decision(panels, curve, path=Path(folder) / "inside.png")
    ...     [picture.name for picture in Path(folder).iterdir()]
    ['inside.png']
    """
    check_picture(ax, path)
    flag("line", line)
    points = as_points(points, dimensions=(2,))
    panels = [as_panel(panel, f"panels[{k}]", Mixture) for k, panel in enumerate(items("panels", panels))]
    drawn = [instance(f"panels[{k}][1]", mixture, Mixture) for k, (_, mixture) in enumerate(panels)]
    if not drawn or any(mixture.dimension != 2 for mixture in drawn):
        raise InputError("panels must hold at least one 2D mixture, and 2D mixtures only")
    camera = Camera.flat()
    box = bounding_box(camera, points, margin=3.0 * max(mixture.sigma for _, mixture in panels))
    x, y = np.linspace(*box[:2], DECISION_RESOLUTION), np.linspace(*box[2:], DECISION_RESOLUTION)
    grid = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    size, where = square_places(len(panels))
    ax, drawings = picture_panels(ax, path, size, where)
    for axes, (title, mixture) in zip(drawings, panels, strict=True):
        values = mixture.decision(grid).reshape(DECISION_RESOLUTION, DECISION_RESOLUTION)
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
    return finished(ax, path, size[0])
