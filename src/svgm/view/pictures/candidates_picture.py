"""The answer of a search and the other candidate poses."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from svgm.checks.types import PointsLike
from svgm.mixture.mixture import Mixture
from svgm.registration.result import RegistrationResult
from svgm.view.camera import Camera, camera_for
from svgm.view.pictures.draw import draw_row, moved, row_places
from svgm.view.pictures.figure import check_picture, divide, finished, picture_axes
from svgm.view.scenes.registration_scene import registered_sets

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Alternatives that are drawn, at most.
MOST_CANDIDATES = 3


def candidates(
    source: PointsLike | Mixture,
    target: PointsLike | Mixture,
    result: RegistrationResult,
    *,
    ax: Axes | None = None,
    path: str | os.PathLike[str] | None = None,
    camera: Camera | None = None,
) -> Axes:
    """Draw the source on the target by the pose that was found, and by its three best alternatives.

    Each pose has a panel.  The title of an alternative is its score relative to that of the pose that was found.

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
    >>> result = register(curve, curve + 1.0, search="global")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ax = view.candidates(curve, curve + 1.0, result, path=Path(folder) / "poses.svg")
    ...     [picture.name for picture in Path(folder).iterdir()]
    ['poses.svg']
    """
    check_picture(ax, path)
    moving, fixed = registered_sets(source, target, result)
    others = result.alternatives[:MOST_CANDIDATES]
    first, second = (value if isinstance(value, Mixture) else at for value, at in ((source, moving), (target, fixed)))
    row = [(f"answer, confidence {result.confidence:.2f}", moved(first, result.transformation))]
    row += [(f"score {other.score:.2f}", moved(first, other.transformation)) for other in others]
    ax = picture_axes(ax, path, (3.4 * len(row), 3.9))
    draw_row(divide(ax, row_places(len(row))), camera_for(fixed, camera), second, row)
    state = f"{result.search} search, overlap {result.overlap:.0%}"
    ax.text(0.02, 0.035, state, fontsize=10, transform=ax.transAxes)
    return finished(ax, path, 3.4 * len(row))
