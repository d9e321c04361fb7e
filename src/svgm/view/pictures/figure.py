"""The Axes that a picture is drawn in, their panels, and the file that they are written to.

All pictures share one rule.  A picture is drawn in one matplotlib Axes, which is returned: the caller's (`ax`), or that
of a new figure.  A picture of one panel is drawn in the Axes itself.  A picture of several panels divides the place of
the Axes: the panels are ``ax.child_axes``, in reading order.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from svgm.checks.arguments import shown
from svgm.checks.errors import InputError, not_installed
from svgm.io import atomic_write
from svgm.io.errors import file_error
from svgm.io.paths import as_path
from svgm.view.colours import PAPER

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: File types of pictures.
PICTURE_SUFFIXES = (".png", ".pdf", ".svg")

#: Left, bottom, width and height, as shares of the picture.
Place = tuple[float, float, float, float]

#: Font size of text in narrow Axes, at least, in points.
SMALLEST_TEXT = 5.5

WHOLE: Place = (0.0, 0.0, 1.0, 1.0)


def require_matplotlib() -> None:
    """Raise one clear error if matplotlib is missing.  Commands call this before they compute.

    Raises
    ------
    InputError
        If matplotlib cannot be imported.

    Examples
    --------
    >>> require_matplotlib()  # matplotlib is installed
    """
    _module("matplotlib.figure")


def check_picture_path(path: str | os.PathLike[str]) -> None:
    """Raise an error if a picture cannot be written to a file of this name.

    Parameters
    ----------
    path : str or os.PathLike
        Name of the file.

    Raises
    ------
    FileError
        If the name does not end in .png, .pdf or .svg.

    Examples
    --------
    >>> check_picture_path("pair.png")
    >>> check_picture_path("pair.doc")
    Traceback (most recent call last):
        ...
    svgm.FileError: pair.doc: a picture must end in .png .pdf .svg
    """
    if as_path(path).suffix.lower() not in PICTURE_SUFFIXES:
        raise file_error(as_path(path), f"a picture must end in {' '.join(PICTURE_SUFFIXES)}")


def check_picture(ax: Any, path: str | os.PathLike[str] | None) -> None:
    """Raise an error if a picture cannot be drawn there: every picture calls this before its work."""
    if path is not None:
        check_picture_path(path)
    require_matplotlib()
    if ax is not None and not isinstance(ax, _module("matplotlib.axes").Axes):
        raise InputError(f"ax must be matplotlib Axes or None, got {shown(ax)}")
    if ax is not None and ax.name != "rectilinear":
        raise InputError(f"ax must be plain 2D Axes, since a camera projects the points, got {ax.name} Axes")


def new_figure(width: float, height: float, *, show: bool = False) -> Any:
    """A matplotlib Figure of that size in inches: no window and no global state.

    With `show`, a figure that is made in a notebook or another IPython session belongs to pyplot instead, which shows
    it like any other plot.
    """
    if show and in_ipython():
        return _module("matplotlib.pyplot").figure(figsize=(width, height), facecolor=PAPER)
    figure = _module("matplotlib.figure").Figure(figsize=(width, height), dpi=150, facecolor=PAPER)
    # Its own canvas draws without a display, whatever backend the caller has chosen.
    _module("matplotlib.backends.backend_agg").FigureCanvasAgg(figure)
    return figure


def in_ipython() -> bool:
    """Whether this code runs in a notebook or another IPython session.

    >>> in_ipython()
    False
    """
    ipython = sys.modules.get("IPython")
    return ipython is not None and ipython.get_ipython() is not None


def picture_axes(ax: Any, path: str | os.PathLike[str] | None, size: tuple[float, float], place: Place = WHOLE) -> Any:
    """The caller's Axes, or Axes at a place of a new figure of that size in inches.

    A new figure is shown in a notebook, unless it goes to a file.
    """
    return ax if ax is not None else new_figure(*size, show=path is None).add_axes(place)


def divide(ax: Any, places: Sequence[Place]) -> list[Any]:
    """Panels at places inside Axes, which then have no axis lines of their own."""
    ax.set_axis_off()
    return [ax.inset_axes(place) for place in places]


def picture_panels(
    ax: Any, path: str | os.PathLike[str] | None, size: tuple[float, float], places: Sequence[Place]
) -> tuple[Any, list[Any]]:
    """The Axes of a picture and its panels: one panel is the Axes itself."""
    if len(places) == 1:
        ax = picture_axes(ax, path, size, places[0])
        return ax, [ax]
    ax = picture_axes(ax, path, size)
    return ax, divide(ax, places)


def finished(ax: Axes, path: str | os.PathLike[str] | None, width: float) -> Axes:
    """The Axes of a picture that is drawn; the whole figure is written if there is a path.

    If the Axes are narrower than `width`, that of a new figure in inches, the text of the panels is made smaller.
    """
    factor = ax.bbox.width / ax.figure.dpi / width
    if factor < 0.9 and ax.child_axes:
        legend = ax.get_legend()
        texts = [*ax.texts, *(legend.get_texts() if legend is not None else [])]
        for panel in ax.child_axes:
            texts += [panel.title, panel.xaxis.label, panel.yaxis.label, *panel.texts]
        for text in texts:
            text.set_fontsize(max(SMALLEST_TEXT, factor * float(text.get_fontsize())))
    if path is not None:
        save(ax.figure.canvas.figure, path)  # also where the Axes are part of a subfigure
    return ax


def save(figure: Any, path: str | os.PathLike[str]) -> None:
    """Write a figure, whole or not at all."""
    check_picture_path(path)
    with atomic_write(path) as temporary:
        figure.savefig(temporary, facecolor=figure.get_facecolor())


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise InputError(not_installed("drawing needs matplotlib", "view")) from None
