"""A map of many scans: what they saw, the way the sensor went, and the edges that hold it together."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from svgm.checks.arguments import attribute, count, instance, items, one_of, text
from svgm.checks.errors import InputError
from svgm.geometry.points import Array, as_numbers
from svgm.mixture.mixture import Mixture
from svgm.view.camera import Camera
from svgm.view.canvas import INK, PAPER, SOURCE, TARGET, check_picture_path, require_matplotlib, save, sheet
from svgm.view.panels import Box, frame, lit
from svgm.view.viewpoint import Viewpoint, above, aslant, behind, seen_box

Flags = NDArray[np.bool_]
#: Source, target, and whether it closes a loop.
Link = tuple[int, int, bool]

ORDERS = ("sequence", "unordered")

#: More components than this do not show on a page.
MOST_COMPONENTS = 200_000

#: Of the trajectory's ends, and of edges that are no loops.
START, END, PLAIN = "#1a9850", "#b2182b", "#8a8a8a"

#: Of the sheet, in inches: a page's width, and room for title and legend.
WIDTH, GAP, HEAD, FOOT = 10.0, 0.15, 0.45, 0.4


def map_picture(
    poses: ArrayLike,
    mixture: Mixture,
    edges: Iterable[Any],
    path: str | os.PathLike[str],
    *,
    order: str = "sequence",
    title: str = "",
    unit: str = "",
) -> None:
    """Draw a map from above, in 3D also in perspective: components, trajectory, loops.

    Parameters
    ----------
    poses
        (n, d+1, d+1), world from scan, d 2 or 3; NaN for scans that were left out.
    mixture
        The merged mixture, in the world.  Its positive components are drawn as dots, darker the more they weigh in 2D,
        coloured by height in 3D; of more than 200,000 every k-th.
    edges
        Objects with ``source`` and ``target``, numbers of scans.  Those whose ``kind`` is "loop" are coloured.
    path
        .png, .pdf or .svg; written whole or not at all.
    order
        "sequence": the poses are the way of one sensor.  "unordered": scans in no order, whose origins often mean
        nothing (a turntable's stay in one place), so the model is drawn from two sides in 3D, and the edges as a
        graph with the scans in a circle.
    title
        Stands before the counts at the top.
    unit
        Of length, for the scale: "m".

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from svgm import datasets, fit, rigid, view
    >>> places = datasets.round_walk(90)
    >>> seen = [datasets.laser_scan(datasets.storey(), place) for place in places]
    >>> points = np.vstack([rigid.apply(place, scan) for place, scan in zip(places, seen, strict=True)])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     view.map_picture(places, fit(points, gamma=200), [], Path(folder) / "storey.png", unit="m")
    ...     [picture.name for picture in Path(folder).iterdir()]
    ['storey.png']
    """
    check_picture_path(path)
    require_matplotlib()
    world = as_numbers(poses, "poses")
    d = instance("mixture", mixture, Mixture).dimension
    if d not in (2, 3) or world.ndim != 3 or world.shape[1:] != (d + 1, d + 1):
        raise InputError(f"poses must have shape (n, d+1, d+1) for a {d}D mixture, d 2 or 3, got shape {world.shape}")
    one_of("order", order, ORDERS)
    text("title", title)
    text("unit", unit)
    there: Flags = np.asarray(np.isfinite(world).all(axis=(1, 2)))
    if not there.any():
        raise InputError(f"poses must hold one that is not NaN, got {len(world)} that are")
    links = [_link(edge, k, len(world)) for k, edge in enumerate(items("edges", edges))]
    links = [link for link in links if there[link[0]] and there[link[1]]]
    positive = np.flatnonzero(mixture.weights > 0)
    if order == "unordered":
        figure = _unordered(_Dots.of(mixture, positive), there, links, unit)
    else:
        figure = _sequence(_Dots.of(mixture, positive), world[:, :d, d], there, links, unit)
    loops = sum(link[2] for link in links)
    counts = [(there.sum(), "scan"), (len(positive), "component"), (len(links), "edge"), (loops, "loop")]
    heading = ", ".join(f"{count:,} {noun}{'' if count == 1 else 's'}" for count, noun in counts)
    heading += f", {(~there).sum():,} left out" if not there.all() else ""
    place = (GAP / figure.get_figwidth(), 1 - 0.26 / figure.get_figheight())
    figure.text(*place, f"{title}: {heading}" if title else heading, fontsize=11, va="center")
    save(figure, path)


def _link(edge: Any, k: int, scans: int) -> Link:
    """An edge, its ends numbers of scans."""
    ends = [count(f"edges[{k}].{end}", attribute(edge, end), least=0, most=scans - 1) for end in ("source", "target")]
    return ends[0], ends[1], attribute(edge, "kind") == "loop"


@dataclass(frozen=True)
class _Dots:
    """What is drawn of a mixture."""

    means: Array
    weights: Array
    sigma: float

    @staticmethod
    def of(mixture: Mixture, positive: NDArray[np.intp]) -> _Dots:
        kept = positive[:: -(-len(positive) // MOST_COMPONENTS)]
        return _Dots(mixture.means[kept], mixture.weights[kept], mixture.sigma)


def _sequence(dots: _Dots, positions: Array, there: Flags, links: list[Link], unit: str) -> Any:
    way = positions[there]
    straight = above(dots.means, way)
    views = [straight] if dots.means.shape[1] == 2 else [straight, aslant(dots.means, straight)]
    boxes = [seen_box(view.page(dots.means), view.page(way)) for view in views]
    figure, panels = _panels(boxes)
    for axes, view, box in zip(panels, views, boxes, strict=True):
        frame(axes, box)
        _draw_dots(axes, view, box, dots, _shades(dots, straight))
        _draw_edges(axes, view.page(np.where(there[:, None], positions, 0.0)), links)
        _draw_way(axes, view.page(way))
    _draw_scale(panels[0], boxes[0], unit)
    _legend(figure, [("trajectory", TARGET, "-"), ("start", START, "o"), ("end", END, "s"), ("loop", SOURCE, "-")])
    return figure


def _unordered(dots: _Dots, there: Flags, links: list[Link], unit: str) -> Any:
    front = Viewpoint(Camera.facing(dots.means), np.median(dots.means, axis=0))
    views = [front] if dots.means.shape[1] == 2 else [front, behind(front)]
    boxes = [seen_box(view.page(dots.means), np.empty((0, 2)), 1.0, 1.0) for view in views]
    circle = (-1.25, 1.25, -1.25, 1.25)
    figure, panels = _panels([*boxes, circle])
    for axes, view, box in zip(panels, views, boxes, strict=False):
        frame(axes, box)
        flat = dots.means.shape[1] == 2
        _draw_dots(axes, view, box, dots, _shades(dots, view) if flat else lit(view.camera, dots.means, TARGET))
    frame(panels[-1], circle)
    _draw_circle(panels[-1], there, links)
    _draw_scale(panels[0], boxes[0], unit)
    _legend(figure, [("scan", TARGET, "o"), ("edge", PLAIN, "-"), ("loop", SOURCE, "-")])
    return figure


def _panels(boxes: Sequence[Box]) -> tuple[Any, list[Any]]:
    """A sheet with a panel for each box, in its proportions: below each other, or side by side if they are high."""
    ratios = [(box[3] - box[2]) / (box[1] - box[0]) for box in boxes]
    if len(boxes) > 1 and ratios[0] > 0.75:
        width = 0.55 * WIDTH
        sizes = [(width, width * ratio) for ratio in ratios]
        inner = max(height for _, height in sizes)
        total = (len(boxes) * (width + GAP) + GAP, inner + HEAD + FOOT)
        corners = [(GAP + k * (width + GAP), FOOT + inner - sizes[k][1]) for k in range(len(boxes))]
    else:
        sizes = [(WIDTH, WIDTH * ratio) for ratio in ratios]
        total = (WIDTH + 2 * GAP, sum(height + GAP for _, height in sizes) - GAP + HEAD + FOOT)
        tops = total[1] - HEAD - np.cumsum([0.0, *(height + GAP for _, height in sizes)])
        corners = [(GAP, float(tops[k]) - sizes[k][1]) for k in range(len(boxes))]
    figure = sheet(*total)
    places = [(x / total[0], y / total[1]) for x, y in corners]
    spans = [(w / total[0], h / total[1]) for w, h in sizes]
    return figure, [figure.add_axes((*place, *span)) for place, span in zip(places, spans, strict=True)]


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
    inches = axes.get_position().width * axes.figure.get_figwidth()
    # The lines of a plan must be seen; the surfaces of a scene are covered by many dots.
    least = 1.3 if dots.means.shape[1] == 2 else 0.6
    dot = np.clip(2.2 * dots.sigma * 72.0 * inches / (box[1] - box[0]), least, 4.0)
    # As an image inside vector formats: a file of 200,000 circles opens nowhere.
    axes.scatter(at[:, 0], at[:, 1], s=dot**2, c=colours[order], linewidths=0, rasterized=True)


def _draw_edges(axes: Any, at: Array, links: list[Link]) -> None:
    from matplotlib.collections import LineCollection

    for loop, colour, width in ((False, PLAIN, 0.5), (True, SOURCE, 0.7)):
        ends = [(source, target) for source, target, closes in links if closes == loop]
        if ends:
            lines = list(at[np.array(ends)])
            # Thousands of loops would hide the map they hold together.
            alpha = float(np.clip(30.0 / np.sqrt(len(ends)), 0.35, 0.9))
            axes.add_collection(LineCollection(lines, colors=colour, linewidths=width, alpha=alpha, zorder=3))


def _draw_way(axes: Any, at: Array) -> None:
    # On a white rim it shows over dots of any colour.
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
    # Numbers as many as there is room for.
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


def _legend(figure: Any, entries: list[tuple[str, str, str]]) -> None:
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], color=colour, linewidth=1.4, label=label)
        if mark == "-"
        else Line2D([], [], color=colour, marker=mark, linestyle="none", markersize=6, label=label)
        for label, colour, mark in entries
    ]
    figure.legend(handles=handles, loc="lower right", ncols=len(handles), frameon=False, fontsize=9, borderaxespad=0.4)
