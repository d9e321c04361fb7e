"""The whole framework in one picture, like the paper's Figure 1."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from svgm.checks.arguments import instance, items
from svgm.checks.types import PointsLike, PoseLike
from svgm.geometry.points import Array, as_points
from svgm.mixture.mixture import Mixture, places
from svgm.rigid import apply, as_pose
from svgm.view.camera import Camera, camera_for
from svgm.view.colours import INK, SOURCE, TARGET
from svgm.view.pictures.draw import (
    bounding_box,
    draw_density,
    draw_outline,
    draw_points,
    draw_support_vectors,
    frame,
    same_dimension,
)
from svgm.view.pictures.figure import Place, check_picture, divide, finished, picture_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLUMNS = ("Point-set", "SVM", "Misaligned SVGM", "Aligned SVGM", "Merged SVGM")
STEPS = ("train", "convert", "register", "merge")

#: Margins, size and distance of the panels, as shares of the picture.
LEFT, BOTTOM, PANEL_WIDTH, PANEL_HEIGHT, GAP = 0.025, 0.075, 0.163, 0.387, 0.037


def figure1(
    source: tuple[PointsLike, Mixture],
    target: tuple[PointsLike, Mixture],
    T: PoseLike,
    merged: Mixture,
    *,
    ax: Axes | None = None,
    path: str | os.PathLike[str] | None = None,
    camera: Camera | None = None,
) -> Axes:
    """Draw point sets, their SVMs, their mixtures before and after alignment, and the merged mixture.

    Support vectors are discs whose area is their weight; mixtures are coloured by density, in 3D by the density
    integrated along the line of sight.  All panels show the same part of the target's coordinates.

    Parameters
    ----------
    source, target : (array_like of shape (n, d), Mixture)
        Points and the mixture fitted to them, each in its own coordinates; d is 2 or 3.
    T : array_like of shape (d+1, d+1)
        Pose that maps source into target.
    merged : Mixture
        The merged mixture, in the target's coordinates.
    ax : matplotlib.axes.Axes, optional
        Where to draw.  The default is a new figure.
    path : str or os.PathLike, optional
        Write the figure to this file, .png, .pdf or .svg, whole or not at all.  The default is to write nothing.
    camera : Camera, optional
        Direction of view in 3D.  The default shows the broad side of the target.

    Returns
    -------
    matplotlib.axes.Axes
        `ax`, or the Axes of the new figure.  The nine panels are its ``child_axes``.

    Raises
    ------
    InputError
        If matplotlib is missing, `T` is not a rigid motion, or the sets differ in dimension.
    FileError
        If `path` has another suffix or cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from svgm import datasets, estimate_scale, fit, merge, register, view
    >>> left, right = (datasets.occlude(datasets.butterfly(400), 0.3, place=(x, 1.0)) for x in (2.6, -2.6))
    >>> scale, T = estimate_scale(left), register(right, left).transformation
    >>> a, b = (fit(points, gamma=20, scale=scale) for points in (right, left))
    >>> merged = merge(a.transformed(T), b)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ax = view.figure1((right, a), (left, b), T, merged, path=Path(folder) / "framework.png")
    ...     [picture.name for picture in Path(folder).iterdir()]
    ['framework.png']
    """
    check_picture(ax, path)
    source, target = _fitted(source, "source"), _fitted(target, "target")
    places(instance("merged", merged, Mixture), "merged")
    same_dimension("source, target and merged", [source[0], source[1].means, target[0], target[1].means, merged.means])
    T = as_pose(T, merged.dimension)
    camera = camera_for(target[0], camera)
    aligned = source[1].transformed(T)
    # Before alignment each set is shown about its own centre: a translation of kilometres would leave two specks.
    shift = np.eye(len(T))
    shift[:-1, -1] = _centre(apply(T, source[0])) - _centre(source[0])
    apart = source[1].transformed(shift)
    everything = (target[0], apply(T, source[0]), apply(shift, source[0]))
    box = bounding_box(camera, *everything, margin=merged.sigma)
    rows = (
        (1, "source", SOURCE, TARGET, (apply(shift, source[0]), apart), target[1], aligned),
        (0, "target", TARGET, SOURCE, target, apart, target[1]),
    )
    ax = picture_axes(ax, path, (14.0, 5.9))
    panels = divide(ax, [_place(column, row) for row in (1, 0) for column in range(4)] + [_place(4, 0.5)])
    for row, name, colour, other_colour, (points, mixture), other, final in rows:
        for column in range(4):
            axes = panels[column if row else 4 + column]
            frame(axes, box, COLUMNS[column] if row == 1 else "")
            if column == 0:
                draw_points(axes, camera, (points, colour))
                axes.set_ylabel(f"{name}: {len(points):,} points", fontsize=10, color=colour)
            elif column == 1:
                draw_support_vectors(axes, camera, mixture, colour, points)
                axes.set_xlabel(f"{len(mixture):,} support vectors", fontsize=8, color=colour, labelpad=3)
            elif column == 2:
                draw_density(axes, camera, mixture, box)
                draw_outline(axes, camera, other, box, other_colour)
            else:
                draw_density(axes, camera, final, box)
                draw_outline(axes, camera, target[1] if row else aligned, box, other_colour)
    frame(panels[8], box, COLUMNS[4])
    draw_density(panels[8], camera, merged, box)
    panels[8].set_xlabel(f"{len(merged):,} of {len(source[1]) + len(target[1]):,} components", fontsize=8, labelpad=3)
    _draw_arrows(ax)
    seen = "density" if len(T) == 3 else "density along the line of sight"
    note = f"discs: area by weight;  colour: {seen};  lines: outline of the other set"
    ax.text(LEFT, 0.012, note, fontsize=8, color=INK, transform=ax.transAxes)
    return finished(ax, path, 14.0)


def _fitted(value: Any, name: str) -> tuple[Array, Mixture]:
    """Points and the mixture fitted to them."""
    points, mixture = items(name, value, 2)
    return as_points(points, f"{name}[0]", (2, 3)), instance(f"{name}[1]", mixture, Mixture)


def _centre(points: Array) -> Array:
    return np.asarray(0.5 * (points.min(axis=0) + points.max(axis=0)))


def _place(column: int, row: float) -> Place:
    return (LEFT + column * (PANEL_WIDTH + GAP), BOTTOM + row * (PANEL_HEIGHT + 0.065), PANEL_WIDTH, PANEL_HEIGHT)


def _draw_arrows(ax: Any) -> None:
    """Arrows from panel to panel, each with the name of the step."""
    from matplotlib.patches import FancyArrowPatch

    for column, step in enumerate(STEPS):
        for row in (0, 1):
            left, bottom, width, height = _place(column, row)
            start, y = left + width + 0.005, bottom + 0.5 * height
            end = y + (0.07 if row == 0 else -0.07) if column == 3 else y
            ax.add_artist(
                FancyArrowPatch(
                    (start, y),
                    (start + GAP - 0.010, end),
                    transform=ax.transAxes,
                    arrowstyle="-|>",
                    mutation_scale=10,
                    color=INK,
                    linewidth=1.2,
                    shrinkA=0,
                    shrinkB=0,
                )
            )
            if row == 1:
                middle = start + 0.5 * GAP - 0.005
                ax.text(middle, y + 0.022, step, ha="center", fontsize=7, color=INK, transform=ax.transAxes)
