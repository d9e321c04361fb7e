"""A map of many scans: the merged mixture, the trajectory of the sensor, and the edges of the pose graph."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from svgm.checks.arguments import instance, text
from svgm.checks.errors import InputError
from svgm.geometry.points import Array
from svgm.mapping.result import MapResult
from svgm.mixture.mixture import Mixture
from svgm.view.camera import Camera
from svgm.view.colours import INK, PAPER, SOURCE, TARGET
from svgm.view.map_viewpoint import Viewpoint, above, aslant, behind, seen_box
from svgm.view.pictures.draw import Box, frame, lit, width_in_points
from svgm.view.pictures.figure import Place, check_picture, divide, finished, picture_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Flags = NDArray[np.bool_]
#: Source, target, and whether the edge closes a loop.
Link = tuple[int, int, bool]

#: Components that are drawn, at most: every k-th of more.
MOST_DRAWN_COMPONENTS = 200_000

#: Colours of the trajectory's ends, and of edges that close no loop.
START, END, PLAIN = "#1a9850", "#b2182b", "#8a8a8a"

#: In inches: the width of a picture of one column, the distance of panels, and the room for title and legend.
PICTURE_WIDTH, PANEL_GAP, HEAD, FOOT = 10.0, 0.15, 0.45, 0.4


def map_picture(
    result: MapResult,
    *,
    ax: Axes | None = None,
    path: str | os.PathLike[str] | None = None,
    title: str = "",
    unit: str = "",
) -> Axes:
    """Draw a map from above and, in 3D, also in perspective: components, trajectory and loops.

    The positive components of the merged mixture are dots.  In 2D a dot is darker the larger its weight is, in 3D the
    colour is the height.  Of more than 200,000 components every k-th is drawn.

    Scans in no order (``svgm.map(order="unordered")``) have no trajectory, and their origins often mean nothing: those
    of a turntable are all in one place.  Then the model is drawn instead, in 3D from two sides, and the edges as a
    graph with the scans in a circle.

    Parameters
    ----------
    result : MapResult
        Returned by :func:`svgm.map`.  At least one scan must be in the map.
    ax : matplotlib.axes.Axes, optional
        Where to draw.  The default is a new figure.
    path : str or os.PathLike, optional
        Write the figure to this file, .png, .pdf or .svg, whole or not at all.  The default is to write nothing.
    title : str, default ""
        Text before the counts at the top.
    unit : str, default ""
        Unit of length, such as "m", for the scale bar.

    Returns
    -------
    matplotlib.axes.Axes
        `ax`, or the Axes of the new figure.  The panels are its ``child_axes``.

    Raises
    ------
    InputError
        If matplotlib is missing, or no scan is in the map.
    FileError
        If `path` has another suffix or cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import svgm
    >>> walls, places = svgm.datasets.storey(), svgm.datasets.round_walk(90)[:4]
    >>> result = svgm.map([svgm.datasets.laser_scan(walls, place, seed=k) for k, place in enumerate(places)])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ax = svgm.view.map_picture(result, path=Path(folder) / "storey.png", unit="m")
    ...     [picture.name for picture in Path(folder).iterdir()]
    ['storey.png']
    """
    check_picture(ax, path)
    poses, mixture = instance("result", result, MapResult).poses, result.mixture
    text("title", title)
    text("unit", unit)
    there: Flags = np.asarray(np.isfinite(poses).all(axis=(1, 2)))
    if not there.any():
        raise InputError(f"result must have at least one scan in the map, got {len(poses)} that were left out")
    links = [(edge.source, edge.target, edge.kind == "loop") for edge in result.edges]
    links = [link for link in links if there[link[0]] and there[link[1]]]
    positive = np.flatnonzero(mixture.weights > 0)
    dots = _Dots.of(mixture, positive)
    if result.settings["order"] == "unordered":
        ax, size = _draw_unordered(ax, path, dots, there, links, unit)
    else:
        ax, size = _draw_sequence(ax, path, dots, poses[:, :-1, -1], there, links, unit)
    loops = sum(link[2] for link in links)
    counts = [(there.sum(), "scan"), (len(positive), "component"), (len(links), "edge"), (loops, "loop")]
    heading = ", ".join(f"{count:,} {noun}{'' if count == 1 else 's'}" for count, noun in counts)
    heading += f", {(~there).sum():,} left out" if not there.all() else ""
    heading = f"{title}: {heading}" if title else heading
    ax.text(PANEL_GAP / size[0], 1 - 0.26 / size[1], heading, fontsize=11, va="center", transform=ax.transAxes)
    return finished(ax, path, size[0])


@dataclass(frozen=True)
class _Dots:
    """The components of a mixture that are drawn."""

    means: Array
    weights: Array
    sigma: float

    @staticmethod
    def of(mixture: Mixture, positive: NDArray[np.intp]) -> _Dots:
        kept = positive[:: -(-len(positive) // MOST_DRAWN_COMPONENTS)]
        return _Dots(mixture.means[kept], mixture.weights[kept], mixture.sigma)


def _draw_sequence(
    ax: Any, path: Any, dots: _Dots, positions: Array, there: Flags, links: list[Link], unit: str
) -> tuple[Any, tuple[float, float]]:
    trajectory = positions[there]
    straight = above(dots.means, trajectory)
    views = [straight] if dots.means.shape[1] == 2 else [straight, aslant(dots.means, straight)]
    boxes = [seen_box(view.page(dots.means), view.page(trajectory)) for view in views]
    ax, panels, size = _panels(ax, path, boxes)
    for axes, view, box in zip(panels, views, boxes, strict=True):
        frame(axes, box)
        _draw_dots(axes, view, box, dots, _shades(dots, straight))
        _draw_edges(axes, view.page(np.where(there[:, None], positions, 0.0)), links)
        _draw_trajectory(axes, view.page(trajectory))
    _draw_scale(panels[0], boxes[0], unit)
    _draw_legend(ax, [("trajectory", TARGET, "-"), ("start", START, "o"), ("end", END, "s"), ("loop", SOURCE, "-")])
    return ax, size


def _draw_unordered(
    ax: Any, path: Any, dots: _Dots, there: Flags, links: list[Link], unit: str
) -> tuple[Any, tuple[float, float]]:
    front = Viewpoint(Camera.facing(dots.means), np.median(dots.means, axis=0))
    views = [front] if dots.means.shape[1] == 2 else [front, behind(front)]
    boxes = [seen_box(view.page(dots.means), np.empty((0, 2)), 1.0, 1.0) for view in views]
    circle = (-1.25, 1.25, -1.25, 1.25)
    ax, panels, size = _panels(ax, path, [*boxes, circle])
    for axes, view, box in zip(panels, views, boxes, strict=False):
        frame(axes, box)
        flat = dots.means.shape[1] == 2
        _draw_dots(axes, view, box, dots, _shades(dots, view) if flat else lit(view.camera, dots.means, TARGET))
    frame(panels[-1], circle)
    _draw_circle(panels[-1], there, links)
    _draw_scale(panels[0], boxes[0], unit)
    _draw_legend(ax, [("scan", TARGET, "o"), ("edge", PLAIN, "-"), ("loop", SOURCE, "-")])
    return ax, size


def _panels(ax: Any, path: Any, boxes: Sequence[Box]) -> tuple[Any, list[Any], tuple[float, float]]:
    """The Axes with a panel for each box, in its proportions, and the picture's size in inches.

    The panels are below each other, or side by side if they are high.
    """
    ratios = [(box[3] - box[2]) / (box[1] - box[0]) for box in boxes]
    if len(boxes) > 1 and ratios[0] > 0.75:
        width = 0.55 * PICTURE_WIDTH
        sizes = [(width, width * ratio) for ratio in ratios]
        inner = max(height for _, height in sizes)
        total = (len(boxes) * (width + PANEL_GAP) + PANEL_GAP, inner + HEAD + FOOT)
        corners = [(PANEL_GAP + k * (width + PANEL_GAP), FOOT + inner - sizes[k][1]) for k in range(len(boxes))]
    else:
        sizes = [(PICTURE_WIDTH, PICTURE_WIDTH * ratio) for ratio in ratios]
        total = (
            PICTURE_WIDTH + 2 * PANEL_GAP,
            sum(height + PANEL_GAP for _, height in sizes) - PANEL_GAP + HEAD + FOOT,
        )
        tops = total[1] - HEAD - np.cumsum([0.0, *(height + PANEL_GAP for _, height in sizes)])
        corners = [(PANEL_GAP, float(tops[k]) - sizes[k][1]) for k in range(len(boxes))]
    places: list[Place] = [
        (x / total[0], y / total[1], w / total[0], h / total[1]) for (x, y), (w, h) in zip(corners, sizes, strict=True)
    ]
    ax = picture_axes(ax, path, total)
    return ax, divide(ax, places), total


def _shades(dots: _Dots, straight: Viewpoint) -> Array:
    """Colours (n, 4): in 3D by height, low ones dark; in 2D ink, paler the less a component weighs."""
    from matplotlib import colormaps
    from matplotlib.colors import to_rgb

    flat = dots.means.shape[1] == 2
    values = dots.weights if flat else straight.depth(dots.means)
    low, high = np.quantile(values, [0.02, 0.98])
    share = np.clip((values - low) / max(high - low, 1e-300), 0.0, 1.0)
    if flat:
        return np.column_stack([np.tile(to_rgb(INK), (len(share), 1)), 0.35 + 0.6 * share])
    return np.asarray(colormaps["viridis"](0.92 * share), dtype=np.float64)


def _draw_dots(axes: Any, view: Viewpoint, box: Box, dots: _Dots, colours: Array) -> None:
    """Dots somewhat larger than the components, so that walls are lines, near ones over far ones."""
    order = np.argsort(view.depth(dots.means), kind="stable")
    at = view.page(dots.means)[order]
    # The lines of a plan must be seen; the surfaces of a scene are covered by many dots.
    least = 1.3 if dots.means.shape[1] == 2 else 0.6
    dot = np.clip(2.2 * dots.sigma * width_in_points(axes) / (box[1] - box[0]), least, 4.0)
    # As an image inside vector formats: a file of 200,000 circles opens nowhere.
    axes.scatter(at[:, 0], at[:, 1], s=dot**2, c=colours[order], linewidths=0, rasterized=True)


def _draw_edges(axes: Any, at: Array, links: list[Link]) -> None:
    from matplotlib.collections import LineCollection

    for loop, colour, width in ((False, PLAIN, 0.5), (True, SOURCE, 0.7)):
        ends = [(source, target) for source, target, closes in links if closes == loop]
        if ends:
            lines = list(at[np.array(ends)])
            # Thousands of opaque loops would hide the map.
            alpha = float(np.clip(30.0 / np.sqrt(len(ends)), 0.35, 0.9))
            axes.add_collection(LineCollection(lines, colors=colour, linewidths=width, alpha=alpha, zorder=3))


def _draw_trajectory(axes: Any, at: Array) -> None:
    # A white rim makes the line visible over dots of any colour.
    for colour, width in ((PAPER, 2.4), (TARGET, 1.2)):
        axes.plot(at[:, 0], at[:, 1], color=colour, linewidth=width, zorder=4, solid_joinstyle="round")
    for place, colour, mark in ((at[0], START, "o"), (at[-1], END, "s")):
        axes.scatter(*place, s=42, c=colour, marker=mark, edgecolors=PAPER, linewidths=0.9, zorder=5)


def _draw_circle(axes: Any, there: Flags, links: list[Link]) -> None:
    angles = np.pi / 2 - 2 * np.pi * np.arange(len(there)) / len(there)
    at = np.column_stack([np.cos(angles), np.sin(angles)])
    _draw_edges(axes, at, links)
    colours = [TARGET if kept else PAPER for kept in there]
    size = float(np.clip(2500.0 / len(there), 4.0, 60.0))
    axes.scatter(at[:, 0], at[:, 1], s=size, c=colours, edgecolors=TARGET, linewidths=0.8, zorder=5)
    # As many numbers as there is room for.
    for number in range(0, len(there), -(-len(there) // 48)):
        axes.text(*(1.12 * at[number]), str(number), fontsize=7.5, ha="center", va="center", color=INK)


def _draw_scale(axes: Any, box: Box, unit: str) -> None:
    """A bar of a round length, at most a fifth of the panel, in its lower left corner."""
    width, height = box[1] - box[0], box[3] - box[2]
    power = 10.0 ** np.floor(np.log10(width / 5.0))
    length = max(step * power for step in (1, 2, 5) if step * power <= width / 5.0)
    x, y = box[0] + 0.02 * width, box[2] + 0.02 * max(width, height)
    for colour, thickness in ((PAPER, 5.0), (INK, 2.0)):
        axes.plot([x, x + length], [y, y], color=colour, linewidth=thickness, solid_capstyle="butt", zorder=6)
    ground = {"facecolor": PAPER, "edgecolor": "none", "pad": 1.0, "alpha": 0.8}
    label = f"{length:g} {unit}".strip()
    axes.text(x + length + 0.012 * width, y, label, fontsize=9, va="center", zorder=6, bbox=ground)


def _draw_legend(ax: Any, entries: list[tuple[str, str, str]]) -> None:
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], color=colour, linewidth=1.4, label=label)
        if mark == "-"
        else Line2D([], [], color=colour, marker=mark, linestyle="none", markersize=6, label=label)
        for label, colour, mark in entries
    ]
    ax.legend(handles=handles, loc="lower right", ncols=len(handles), frameon=False, fontsize=9, borderaxespad=0.4)
