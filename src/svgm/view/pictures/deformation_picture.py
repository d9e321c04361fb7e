"""A deformation: in 2D the grid that it bends, in 3D how far it moves each point."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from svgm.checks.types import Array, PointsLike
from svgm.mixture.mixture import Mixture
from svgm.registration.result import RegistrationResult
from svgm.rigid import apply
from svgm.view.camera import Camera, camera_for
from svgm.view.colours import INK, SOURCE, TARGET, heat
from svgm.view.pictures.draw import (
    MOST_DRAWN_POINTS,
    bounding_box,
    draw_points,
    draw_support_vectors,
    frame,
    positive_part,
    row_places,
    width_in_points,
)
from svgm.view.pictures.figure import check_picture, divide, finished, picture_axes
from svgm.view.scenes.registration_scene import registered_sets

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Cells of the grid along the longer side of the source, and points of each of its lines.
GRID_CELLS, LINE_POINTS = 16, 120


def deformation(
    source: PointsLike | Mixture,
    target: PointsLike | Mixture,
    result: RegistrationResult,
    *,
    ax: Axes | None = None,
    path: str | os.PathLike[str] | None = None,
    camera: Camera | None = None,
) -> Axes:
    """Draw what a registration does to space: source and target before and after, and the deformation.

    In 2D both panels have a grid: before it is straight, after it is moved as the source is.  In 3D a third panel shows
    the moved source, coloured by the displacement

        |f(x) - T x|

    of its points x, where f is ``result.transform`` and T the nearest rigid motion, ``result.transformation``.

    Parameters
    ----------
    source, target : array_like of shape (n, d) or Mixture
        What was registered, d 2 or 3, each in its own coordinates.  A mixture is drawn by its components.
    result : RegistrationResult
        Returned by :func:`svgm.register`, with ``transform="nonrigid"`` or with another kind: a rigid motion leaves the
        grid straight and all displacements zero.
    ax : matplotlib.axes.Axes, optional
        Where to draw.  The default is a new figure.
    path : str or os.PathLike, optional
        Write the figure to this file, .png, .pdf or .svg, whole or not at all.  The default is to write nothing.
    camera : Camera, optional
        Direction of view in 3D.  The default shows the broad side of the target.

    Returns
    -------
    matplotlib.axes.Axes
        `ax`, or the Axes of the new figure.  The panels, two in 2D and three in 3D, are its ``child_axes``.

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
    >>> curve = datasets.butterfly(100)
    >>> bent = curve + 0.1 * np.sin(curve[:, ::-1])
    >>> result = register(curve, bent, transform="nonrigid", search="local")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ax = view.deformation(curve, bent, result, path=Path(folder) / "bent.png")
    ...     [picture.name for picture in Path(folder).iterdir()]
    ['bent.png']
    >>> [panel.get_title() for panel in ax.child_axes]
    ['before', 'after']
    """
    check_picture(ax, path)
    moving, fixed = registered_sets(source, target, result)
    solid = result.dimension == 3
    columns = 3 if solid else 2
    ax = picture_axes(ax, path, (5.0 * columns, 5.5))
    camera = camera_for(fixed, camera)
    moved = result.apply(moving)
    panels = divide(ax, row_places(columns))
    for panel, title, at in ((panels[0], "before", moving), (panels[1], "after", moved)):
        frame(panel, bounding_box(camera, at, fixed), title)
        if not solid:
            lines = grid_lines(moving)
            _draw_lines(panel, lines if at is moving else _bent(lines, result))
        _draw_sets(panel, camera, (target, fixed, TARGET), (source, at, SOURCE))
    if solid:
        _draw_displacements(panels[2], camera, moved, apply(result.transformation, moving))
    names = ["components" if isinstance(value, Mixture) else "points" for value in (source, target)]
    shift = 0.44 / columns
    ax.text(0.02, 0.035, f"source, {len(moving):,} {names[0]}", color=SOURCE, fontsize=10, transform=ax.transAxes)
    ax.text(
        0.02 + shift, 0.035, f"target, {len(fixed):,} {names[1]}", color=TARGET, fontsize=10, transform=ax.transAxes
    )
    ax.text(0.98, 0.035, _state(result), fontsize=10, ha="right", transform=ax.transAxes)
    return finished(ax, path, 5.0 * columns)


def grid_lines(points: Array) -> list[Array]:
    """The lines of a square grid over 2D points and one cell around them, each as points (m, 2).

    >>> lines = grid_lines(np.array([[0.0, 0.0], [16.0, 8.0]]))
    >>> len(lines), lines[0][0].tolist(), lines[-1][-1].tolist()
    (30, [-1.0, -1.0], [17.0, 9.0])
    """
    low, high = points.min(axis=0), points.max(axis=0)
    # A set at one place has no extent: its grid is as fine as floats there allow.
    step = max(float((high - low).max()), 1e-12, 1e-13 * float(np.abs(points).max())) / GRID_CELLS
    ticks = [(low + high)[k] / 2.0 + step * _centred((high - low)[k] / step) for k in range(2)]
    lines = []
    for k in range(2):
        along = np.linspace(ticks[1 - k][0], ticks[1 - k][-1], LINE_POINTS)
        for tick in ticks[k]:
            line = np.empty((LINE_POINTS, 2))
            line[:, k], line[:, 1 - k] = tick, along
            lines.append(line)
    return lines


def _centred(cells: float) -> Array:
    """Numbers with step 1 about zero that cover so many cells and one more on each side."""
    count = int(np.ceil(cells - 1e-9)) + 2
    return np.asarray(np.arange(count + 1) - 0.5 * count)


def _bent(lines: list[Array], result: RegistrationResult) -> list[Array]:
    return list(result.apply(np.vstack(lines)).reshape(len(lines), LINE_POINTS, 2))


def _draw_lines(axes: Any, lines: list[Array]) -> None:
    from matplotlib.collections import LineCollection

    # Limits are set already: the part of the grid outside them is cut off.
    axes.add_collection(LineCollection(lines, colors="#bdbdbd", linewidths=0.6, zorder=0.5), autolim=False)


def _draw_sets(axes: Any, camera: Camera, *sets: tuple[PointsLike | Mixture, Array, str]) -> None:
    """Sets at places: a mixture by its components, points by dots."""
    points = [(at, colour) for value, at, colour in sets if not isinstance(value, Mixture)]
    if points:
        draw_points(axes, camera, *points)
    for value, at, colour in sets:
        if isinstance(value, Mixture):
            shown = positive_part(Mixture(at, value.variance, value.weights))
            draw_support_vectors(axes, camera, shown, colour)


def _draw_displacements(axes: Any, camera: Camera, moved: Array, rigid: Array) -> None:
    """Moved points, dark where they are where the rigid motion takes them, bright where they are farthest from it."""
    lengths = np.linalg.norm(moved - rigid, axis=1)
    longest = float(lengths.max())
    frame(axes, bounding_box(camera, moved), "displacement from the nearest rigid motion")
    chosen = np.arange(len(moved))[:: -(-len(moved) // MOST_DRAWN_POINTS)]
    chosen = chosen[np.argsort(camera.depth(moved[chosen]), kind="stable")]
    at = camera.page(moved[chosen])
    dot = float(np.clip(0.3 * width_in_points(axes) ** 2 / len(at), 0.6, 12.0))
    # Not lit as a surface: a colour is a number here.
    axes.scatter(at[:, 0], at[:, 1], s=dot, c=heat(lengths[chosen] / (longest or 1.0)) / 255.0, linewidths=0)
    scale = axes.inset_axes((0.3, 0.03, 0.4, 0.025))
    scale.imshow(heat(np.linspace(0.0, 1.0, 100))[None], aspect="auto")
    scale.set(xticks=[], yticks=[])
    axes.text(0.28, 0.025, "0", fontsize=9, color=INK, ha="right", transform=axes.transAxes)
    axes.text(0.72, 0.025, f"{longest:.3g}", fontsize=9, color=INK, transform=axes.transAxes)


def _state(result: RegistrationResult) -> str:
    if result.warp is None:
        return f"{result.kind}, confidence {result.confidence:.2f}, overlap {result.overlap:.0%}"
    warp = result.warp
    folds = f", {warp.folds} folds" if warp.folds else ""
    return f"bending {warp.bending:.3g}, noise {warp.noise:.2g}{folds}, overlap {result.overlap:.0%}"
