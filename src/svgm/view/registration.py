"""Two sets before and after registration."""

from __future__ import annotations

import os

from svgm.geometry.points import Array
from svgm.mixture.mixture import Mixture
from svgm.registration.result import RegistrationResult
from svgm.rigid import apply
from svgm.view.camera import Camera, camera_for
from svgm.view.canvas import SOURCE, TARGET, check_picture_path, save, sheet
from svgm.view.panels import draw_row
from svgm.view.registration_scene import registered_sets


def registration(
    source: Array | Mixture,
    target: Array | Mixture,
    result: RegistrationResult,
    path: str | os.PathLike[str],
    *,
    camera: Camera | None = None,
) -> None:
    """Draw source and target before and after a registration, side by side.

    Parameters
    ----------
    source, target
        What was registered: points (n, d), d 2 or 3, or mixtures, which are drawn by their means.
    result
        Of :func:`svgm.register`.
    path
        .png, .pdf or .svg; written whole or not at all.
    camera
        Of 3D sets; default the broad side of the target.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from svgm import datasets, register, view
    >>> curve = datasets.butterfly(300)
    >>> result = register(curve, curve + 1.0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     view.registration(curve, curve + 1.0, result, Path(folder) / "pair.png")
    ...     [picture.name for picture in Path(folder).iterdir()]
    ['pair.png']
    """
    check_picture_path(path)
    moving, fixed = registered_sets(source, target, result)
    figure = sheet(10.0, 5.5)
    row = [("before", moving), ("after", apply(result.transformation, moving))]
    draw_row(figure, camera_for(fixed, camera), fixed, row, (TARGET, SOURCE))
    figure.text(0.02, 0.035, f"source, {len(moving):,} points", color=SOURCE, fontsize=10)
    figure.text(0.22, 0.035, f"target, {len(fixed):,} points", color=TARGET, fontsize=10)
    state = f"{result.search} search, confidence {result.confidence:.2f}, overlap {result.overlap:.0%}"
    figure.text(0.98, 0.035, state, fontsize=10, ha="right")
    save(figure, path)
