"""How the pictures look: one colour and mark a method, curves of a quantity against a level."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from svgm.view.pictures.figure import new_figure

#: The same in every picture; methods of one family share a hue.
COLOURS = {
    "svgm": "#b2182b",
    "svgm, isotropic": "#e08214",
    "svgm, default call": "#67001f",
    "svgm, chosen": "#ff7f00",
    "SVR": "#fbb4ae",
    "SVR+": "#f768a1",
    "GMR": "#7b3294",
    "CPD": "#008837",
    "ICP": "#2166ac",
    "ICP, many starts": "#67a9cf",
    "GICP": "#053061",
    "GICP, small": "#01665e",
    "VGICP": "#5ab4ac",
    "NDP": "#8c510a",
    "NDD": "#bf812d",
    "FGR": "#636363",
    "RANSAC": "#969696",
    "RANSAC, plane": "#7f7f7f",
    "KISS": "#525252",
    "GOI": "#000000",
    "S4P": "#bdbdbd",
}
MARKS = {"svgm": "o", "svgm, chosen": "s", "SVR": "v", "SVR+": "^", "GMR": "D", "CPD": "P", "ICP": "X"}


def figure(rows: int, columns: int, width: float = 4.2, height: float = 3.1) -> tuple[Any, Any]:
    """A figure and its axes (rows, columns), without pyplot's global state."""
    picture = new_figure(width * columns, height * rows)
    picture.set_layout_engine("constrained")
    axes = picture.subplots(rows, columns, squeeze=False)
    for each in axes.ravel():
        each.spines[["top", "right"]].set_visible(False)
        each.tick_params(labelsize=8)
        each.grid(alpha=0.25, linewidth=0.5)
    return picture, axes


def curves(axis: Any, levels: Sequence[float], values: Mapping[str, Sequence[float]]) -> None:
    """One line a method; ours on top."""
    for name, series in values.items():
        ours = name in ("svgm", "svgm, chosen")
        axis.plot(
            levels,
            series,
            color=COLOURS.get(name),
            marker=MARKS.get(name, "."),
            markersize=4,
            linewidth=2.0 if ours else 1.1,
            zorder=3 if ours else 2,
            label=name,
        )


def legend(picture: Any, axis: Any) -> None:
    """One for the whole picture, at its right."""
    handles, names = axis.get_legend_handles_labels()
    picture.legend(handles, names, loc="outside right center", fontsize=8, frameon=False)
