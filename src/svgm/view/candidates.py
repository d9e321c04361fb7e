"""The answer of a search and the other poses that were in the running."""

from __future__ import annotations

import os

import numpy as np

from svgm.mixture import Mixture
from svgm.points import Array
from svgm.result import RegistrationResult
from svgm.rigid import apply
from svgm.view.camera import Camera
from svgm.view.canvas import SOURCE, TARGET, save, sheet
from svgm.view.panels import bounding_box, draw_points, frame

#: Alternatives drawn, at most.
SHOWN = 3


def candidates(
    source: Array | Mixture,
    target: Array | Mixture,
    result: RegistrationResult,
    path: str | os.PathLike[str],
    *,
    camera: Camera | None = None,
) -> None:
    """Draw the source on the target as the answer has it, and as its best alternatives would.

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
    """
    moving = source.means if isinstance(source, Mixture) else np.asarray(source, dtype=np.float64)
    fixed = target.means if isinstance(target, Mixture) else np.asarray(target, dtype=np.float64)
    camera = camera or Camera.facing(fixed)
    panels = [(f"answer, confidence {result.confidence:.2f}", result.transformation)]
    panels += [(f"score {other.score:.2f}", other.transformation) for other in result.alternatives[:SHOWN]]
    figure = sheet(3.4 * len(panels), 3.9)
    share = 1.0 / len(panels)
    for column, (title, T) in enumerate(panels):
        axes = figure.add_axes((share * (column + 0.03), 0.1, 0.94 * share, 0.8))
        moved = apply(T, moving)
        frame(axes, bounding_box(camera, moved, fixed), title)
        draw_points(axes, camera, (fixed, TARGET), (moved, SOURCE))
    figure.text(0.02, 0.035, f"{result.search} search, overlap {result.overlap:.0%}", fontsize=10)
    save(figure, path)
