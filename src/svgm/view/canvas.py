"""The sheet that a picture is drawn on, and the colours that all pictures share."""

from __future__ import annotations

import importlib
import os
from typing import Any

from svgm.checks.errors import InputError, not_installed
from svgm.io import atomic_write
from svgm.io.errors import file_error
from svgm.io.paths import as_path

#: What a picture can be written as.
SUFFIXES = (".png", ".pdf", ".svg")

#: Two colours that are told apart by readers with any colour vision, and in print.
SOURCE, TARGET = "#d95f02", "#1b6ca8"

INK, PAPER = "#222222", "#ffffff"


def require_matplotlib() -> None:
    """Raise one clear error if matplotlib is missing; commands call it before they compute.

    >>> require_matplotlib()  # says nothing: it is here
    """
    _module("matplotlib.figure")


def sheet(width: float, height: float) -> Any:
    """A matplotlib Figure of that size in inches, outside pyplot: no window, no global state."""
    figure = _module("matplotlib.figure").Figure(figsize=(width, height), dpi=150, facecolor=PAPER)
    # Its own canvas draws without a display, whatever backend the caller has chosen.
    _module("matplotlib.backends.backend_agg").FigureCanvasAgg(figure)
    return figure


def check_picture_path(path: str | os.PathLike[str]) -> None:
    """Raise a FileError if the suffix is none that pictures are written in.

    >>> check_picture_path("pair.png")
    >>> check_picture_path("pair.doc")
    Traceback (most recent call last):
        ...
    svgm.FileError: pair.doc: a picture must end in .png .pdf .svg
    """
    if as_path(path).suffix.lower() not in SUFFIXES:
        raise file_error(as_path(path), f"a picture must end in {' '.join(SUFFIXES)}")


def save(figure: Any, path: str | os.PathLike[str]) -> None:
    """Write a figure, whole or not at all."""
    check_picture_path(path)
    with atomic_write(path) as temporary:
        figure.savefig(temporary, facecolor=PAPER)


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise InputError(not_installed("drawing needs matplotlib", "view")) from None
