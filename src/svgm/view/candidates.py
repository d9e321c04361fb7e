"""The answer of a search and the other poses that were in the running."""

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

    The parameters are those of :func:`svgm.view.registration`.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from svgm import datasets, register, view
    >>> curve = datasets.butterfly(300)
    >>> result = register(curve, curve + 1.0, search="global")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     view.candidates(curve, curve + 1.0, result, Path(folder) / "poses.svg")
    ...     [picture.name for picture in Path(folder).iterdir()]
    ['poses.svg']
    """
    check_picture_path(path)
    moving, fixed = registered_sets(source, target, result)
    row = [(f"answer, confidence {result.confidence:.2f}", apply(result.transformation, moving))]
    row += [(f"score {other.score:.2f}", apply(other.transformation, moving)) for other in result.alternatives[:SHOWN]]
    figure = sheet(3.4 * len(row), 3.9)
    draw_row(figure, camera_for(fixed, camera), fixed, row, (TARGET, SOURCE))
    figure.text(0.02, 0.035, f"{result.search} search, overlap {result.overlap:.0%}", fontsize=10)
    save(figure, path)
