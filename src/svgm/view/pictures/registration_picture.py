"""Two sets before and after registration."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from svgm.checks.types import PointsLike
from svgm.mixture.mixture import Mixture
from svgm.registration.result import RegistrationResult
from svgm.view.camera import Camera, camera_for
from svgm.view.colours import SOURCE, TARGET
from svgm.view.pictures.deformation_picture import deformation
from svgm.view.pictures.draw import draw_row, moved, row_places
from svgm.view.pictures.figure import check_picture, divide, finished, picture_axes
from svgm.view.scenes.registration_scene import registered_sets

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def registration(
    source: PointsLike | Mixture,
    target: PointsLike | Mixture,
    result: RegistrationResult,
    *,
    ax: Axes | None = None,
    path: str | os.PathLike[str] | None = None,
    camera: Camera | None = None,
) -> Axes:
    """Draw source and target before and after a registration, in two panels.

    Of a non-rigid registration this is :func:`svgm.view.deformation`, with the grid in 2D and a third panel in 3D.

    Parameters
    ----------
    source, target : array_like of shape (n, d) or Mixture
        What was registered, d 2 or 3, each in its own coordinates.  A mixture is drawn by its components, whose
        area is their weight.
    result : RegistrationResult
        Returned by :func:`svgm.register`.
    ax : matplotlib.axes.Axes, optional
        Where to draw.  The default is a new figure.
    path : str or os.PathLike, optional
        Write the figure to this file, .png, .pdf or .svg, whole or not at all.  The default is to write nothing.
    camera : Camera, optional
        Direction of view in 3D.  The default shows the broad side of the target.

    Returns
    -------
    matplotlib.axes.Axes
        `ax`, or the Axes of the new figure.  The panels are its ``child_axes``.

    Raises
    ------
    InputError
        If matplotlib is missing, or source, target and result differ in dimension.
    FileError
        If `path` has another suffix or cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from svgm import datasets, register, view
    >>> curve = datasets.butterfly(300)
    >>> result = register(curve, curve + 1.0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ax = view.registration(curve, curve + 1.0, result, path=Path(folder) / "pair.png")
    ...     [picture.name for picture in Path(folder).iterdir()]
    ['pair.png']
    >>> [panel.get_title() for panel in ax.child_axes]
    ['before', 'after']
    """
    check_picture(ax, path)
    moving, fixed = registered_sets(source, target, result)
    if result.warp is not None:
        return deformation(source, target, result, ax=ax, path=path, camera=camera)
    ax = picture_axes(ax, path, (10.0, 5.5))
    first, second = (value if isinstance(value, Mixture) else at for value, at in ((source, moving), (target, fixed)))
    row = [("before", first), ("after", moved(first, result.transformation))]
    draw_row(divide(ax, row_places(2)), camera_for(fixed, camera), second, row)
    what = ["components" if isinstance(value, Mixture) else "points" for value in (source, target)]
    state = f"{result.search} search, confidence {result.confidence:.2f}, overlap {result.overlap:.0%}"
    ax.text(0.02, 0.035, f"source, {len(moving):,} {what[0]}", color=SOURCE, fontsize=10, transform=ax.transAxes)
    ax.text(0.22, 0.035, f"target, {len(fixed):,} {what[1]}", color=TARGET, fontsize=10, transform=ax.transAxes)
    ax.text(0.98, 0.035, state, fontsize=10, ha="right", transform=ax.transAxes)
    return finished(ax, path, 10.0)
