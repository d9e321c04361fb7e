"""A mixture, and the point set that it was fitted to."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from svgm.checks.arguments import instance
from svgm.checks.types import PointsLike
from svgm.geometry.points import as_points, check_dimension
from svgm.mixture.mixture import Mixture, places
from svgm.view.camera import Camera, camera_for
from svgm.view.colours import INK, TARGET
from svgm.view.pictures.draw import bounding_box, draw_density, draw_points, draw_support_vectors, frame, positive_part
from svgm.view.pictures.figure import Place, check_picture, finished, picture_panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def fitted(
    mixture: Mixture,
    points: PointsLike | None = None,
    *,
    ax: Axes | None = None,
    path: str | os.PathLike[str] | None = None,
    camera: Camera | None = None,
) -> Axes:
    """Draw a mixture: its support vectors as discs, whose area is their weight, over its density by colour.

    Components with covariances are drawn as ellipses of one standard deviation, in 3D as ellipsoids in light.

    With the points that the mixture was fitted to, draw three panels instead: the points, the support vectors over the
    points, and the density.  In 3D the density is integrated along the line of sight.  Of a two-class mixture only the
    positive components are drawn.

    Parameters
    ----------
    mixture : Mixture
        In 2D or 3D.
    points : array_like of shape (n, d), optional
        What the mixture was fitted to, in the same coordinates.
    ax : matplotlib.axes.Axes, optional
        Where to draw.  The default is a new figure.
    path : str or os.PathLike, optional
        Write the figure to this file, .png, .pdf or .svg, whole or not at all.  The default is to write nothing.
    camera : Camera, optional
        Direction of view in 3D.  The default shows the broad side.

    Returns
    -------
    matplotlib.axes.Axes
        `ax`, or the Axes of the new figure; of three panels, they are its ``child_axes``.

    Raises
    ------
    InputError
        If matplotlib is missing, or an argument is not what is said above.
    FileError
        If `path` has another suffix or cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from svgm import datasets, fit, view
    >>> points = datasets.butterfly(400)
    >>> ax = view.fitted(fit(points, gamma=20))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ax = view.fitted(fit(points, gamma=20), points, path=Path(folder) / "fitted.png")
    ...     [picture.name for picture in Path(folder).iterdir()]
    ['fitted.png']
    >>> [panel.get_title() for panel in ax.child_axes][0]
    '400 points'
    """
    check_picture(ax, path)
    means = places(instance("mixture", mixture, Mixture), "mixture")
    given = None if points is None else as_points(points, dimensions=(2, 3))
    if given is not None:
        check_dimension(means.shape, "mixture", (given.shape[1],))
    drawn = positive_part(mixture)
    everything = drawn.means if given is None else given
    camera = camera_for(everything, camera)
    box = bounding_box(camera, everything, margin=2.0 * mixture.sigma)
    kind = "area by weight" if drawn.covariances is None else "one deviation each"
    vectors = f"{len(drawn):,} support vectors, {kind}"
    density = f"density, sigma {mixture.sigma:.3g}"
    if given is None:
        ax, (panel,) = picture_panels(ax, path, (5.0, 5.0), [(0.03, 0.02, 0.94, 0.92)])
        frame(panel, box, f"{len(drawn):,} components, sigma {mixture.sigma:.3g}")
        draw_density(panel, camera, drawn, box)
        draw_support_vectors(panel, camera, drawn, TARGET)
        return finished(ax, path, 5.0)
    columns: list[Place] = [((column + 0.03) / 3.0, 0.03, 0.94 / 3.0, 0.87) for column in range(3)]
    ax, panels = picture_panels(ax, path, (12.0, 4.5), columns)
    titles = (f"{len(given):,} points", vectors, density)
    for panel, title, colour in zip(panels, titles, (TARGET, TARGET, INK), strict=True):
        frame(panel, box, title, colour)
    draw_points(panels[0], camera, (given, TARGET))
    draw_support_vectors(panels[1], camera, drawn, TARGET, given)
    draw_density(panels[2], camera, drawn, box)
    return finished(ax, path, 12.0)
