"""One scan as the map needs it: ready to be registered, and as a mixture of the map's sigma."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np

from svgm.annealing import FINEST
from svgm.fit import fit
from svgm.mixture import Mixture, is_mixture_file
from svgm.points import Array, as_points
from svgm.representation import Prepared, represent


@dataclass(frozen=True)
class Scan:
    """Its number in the sequence, what is registered, and what is merged."""

    number: int
    prepared: Prepared
    mixture: Mixture


def read_scan(number: int, source: Any, sigma: float, nu: float) -> Scan:
    """Fit a scan once: points (n, d), a mixture of the map's sigma, or the path of either."""
    source = points_or_mixture(number, source)
    if isinstance(source, Mixture):
        return Scan(number, represent(source, nu, f"scan {number}"), source)
    points = source
    prepared = represent(points, nu, f"scan {number}")
    return Scan(number, prepared, fit(points, nu=nu, scale=sigma, gamma=1.0, tolerance=TOLERANCE))


def points_or_mixture(number: int, source: Any) -> Array | Mixture:
    """What stands in a file, or was handed over."""
    if isinstance(source, str | os.PathLike) and is_mixture_file(source):
        return Mixture.load(source)
    return source if isinstance(source, Mixture) else as_points(source, f"scan {number}")


#: Of the SVMs behind the map's mixtures.
TOLERANCE = 1e-2


def natural_sigma(prepared: Prepared) -> float:
    """The finest sigma that a registration of this scan would go down to: about the spacing of its points."""
    return max(prepared.resolution, prepared.scale / float(np.sqrt(FINEST)))
