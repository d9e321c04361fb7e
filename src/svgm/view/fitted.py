"""A point set, its support vectors and its density, side by side."""

from __future__ import annotations

import os

from svgm.checks.arguments import instance
from svgm.geometry.points import Array, as_points, check_dimension
from svgm.mixture.mixture import Mixture
from svgm.view.camera import Camera, camera_for
from svgm.view.canvas import INK, TARGET, check_picture_path, save, sheet
from svgm.view.panels import bounding_box, draw_density, draw_points, draw_support_vectors, frame


def fitted(points: Array, mixture: Mixture, path: str | os.PathLike[str], *, camera: Camera | None = None) -> None:
    """Draw what :func:`svgm.fit` made of a point set: points, support vectors by weight, density by colour.

    Support vectors are discs whose area is their weight, over the points; in 3D the density is that seen through.  Of
    a two-class mixture only the positive part is drawn.

    Parameters
    ----------
    points
        (n, d), d 2 or 3.
    mixture
        Fitted to them.
    path
        .png, .pdf or .svg; written whole or not at all.
    camera
        Of 3D sets; default their broad side.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from svgm import datasets, fit, view
    >>> points = datasets.butterfly(400)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     view.fitted(points, fit(points, gamma=20), Path(folder) / "fitted.png")
    ...     [picture.name for picture in Path(folder).iterdir()]
    ['fitted.png']
    """
    check_picture_path(path)
    places = as_points(points, dimensions=(2, 3))
    camera = camera_for(places, camera)
    check_dimension(instance("mixture", mixture, Mixture).means.shape, "mixture", (places.shape[1],))
    kept = mixture.weights > 0
    surface = mixture if kept.all() else Mixture(mixture.means[kept], mixture.variance, mixture.weights[kept])
    box = bounding_box(camera, places, margin=2.0 * mixture.sigma)
    figure = sheet(12.0, 4.5)
    titles = (
        f"{len(places):,} points",
        f"{len(surface):,} support vectors, area by weight",
        f"density, sigma {mixture.sigma:.3g}",
    )
    for column, title in enumerate(titles):
        axes = figure.add_axes(((column + 0.03) / 3.0, 0.03, 0.94 / 3.0, 0.87))
        frame(axes, box, title, TARGET if column < 2 else INK)
        if column == 0:
            draw_points(axes, camera, (places, TARGET))
        elif column == 1:
            draw_support_vectors(axes, camera, surface, TARGET, places)
        else:
            draw_density(axes, camera, surface, box)
    save(figure, path)
