"""One scan as the map needs it: ready to be registered, and as a mixture of the map's sigma."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np

from svgm.checks.arguments import positive
from svgm.checks.errors import InputError, SvgmError
from svgm.geometry.points import Array, as_points
from svgm.mixture.fit import fit
from svgm.mixture.mixture import Mixture, is_mixture_file
from svgm.registration.prepared import Prepared, as_prepared
from svgm.registration.tuning import TUNING

#: Of the SVMs behind the map's mixtures.
TOLERANCE = 1e-2

#: A scan that is larger or smaller than the others by more than this factor is in another unit of length: metres and
#: millimetres differ by 1000, scans of one sensor in narrow and wide places by less than 100.
ANOTHER_UNIT = 200.0

#: Beyond this factor, either way, from the spacing of the points a mixture has every point for itself, or is a blur.
DETAIL = 100.0


@dataclass(frozen=True)
class Likeness:
    """What the scans of a map have in common: their dimension and about their size, in the points' unit."""

    dimension: int
    size: float


@dataclass(frozen=True)
class Look:
    """What one scan tells: the sigma that suits it, its dimension and size; or only why it is of no use."""

    sigma: float = 0.0
    dimension: int = 0
    size: float = 0.0
    reason: str | None = None


@dataclass(frozen=True)
class LeftOut:
    """In place of a scan that is known to be of no use, and why."""

    reason: str


@dataclass(frozen=True)
class Scan:
    """Its number in the sequence, what is registered, and what is merged."""

    number: int
    prepared: Prepared
    mixture: Mixture


def look(number: int, source: Any, nu: float) -> Look:
    """Read a scan."""
    try:
        read = points_or_mixture(number, source)
        places = read.means if isinstance(read, Mixture) else read
        check_like(number, places, None)
        return Look(natural_sigma(as_prepared(read, nu, f"scan {number}")), places.shape[1], size_of(places))
    except Exception as error:  # whatever a reader raises, the map is made of the others
        return Look(reason=why_useless(number, source, error))


def read_scan(number: int, source: Any, sigma: float, nu: float, like: Likeness | None = None) -> Scan:
    """Fit a scan once: points (n, d), a mixture of the map's sigma, or the path of either."""
    source = points_or_mixture(number, source)
    places = source.means if isinstance(source, Mixture) else source
    check_like(number, places, like)
    prepared = as_prepared(source, nu, f"scan {number}")
    if isinstance(source, Mixture):
        return Scan(number, prepared, source)
    return Scan(number, prepared, fit(source, nu=nu, scale=sigma, gamma=1.0, tolerance=TOLERANCE))


def points_or_mixture(number: int, source: Any) -> Array | Mixture:
    """What stands in a file, or was handed over."""
    if isinstance(source, LeftOut):
        raise InputError(source.reason)
    if isinstance(source, str | os.PathLike) and is_mixture_file(source):
        return Mixture.load(source)
    return source if isinstance(source, Mixture) else as_points(source, f"scan {number}")


def check_like(number: int, places: Array, like: Likeness | None) -> None:
    """Raise an InputError unless a scan is in 2D or 3D, and like the others of its map, if these are known."""
    reason = unlike(number, places.shape[1], size_of(places), like)
    if reason is not None:
        raise InputError(reason)


def unlike(number: int, dimension: int, size: float, like: Likeness | None) -> str | None:
    """Why a scan does not go with the others of its map."""
    if dimension not in (2, 3):
        return f"scan {number} must be in 2D or 3D, is in {dimension}D"
    if like is None:
        return None
    if dimension != like.dimension:
        return f"scan {number} must be in {like.dimension}D like the others, is in {dimension}D"
    if not same_size(size, like.size):
        ratio = f"{size / like.size:.3g} times as large"
        return f"scan {number} must be about as large as the others, is {ratio}: perhaps in another unit of length"
    return None


def size_of(places: Array) -> float:
    """Median distance from the median place: a few points far away do not change it."""
    return float(np.median(np.linalg.norm(places - np.median(places, axis=0), axis=1)))


def same_size(one: float, other: float) -> bool:
    """Whether two sizes may be in one unit of length; zero, of a set most of which is at one place, says nothing."""
    return min(one, other) == 0.0 or max(one, other) <= ANOTHER_UNIT * min(one, other)


def why_useless(number: int, source: Any, error: Exception) -> str:
    """The reason for which a scan is left out, in one line, whatever its reader raised."""
    if isinstance(error, SvgmError):
        return " ".join(str(error).split())
    name = str(source) if isinstance(source, os.PathLike) else f"scan {number}"
    return " ".join(f"{name}: cannot be used ({type(error).__name__}: {error})".split())


def checked_detail(value: Any) -> float:
    """The fineness of a map's mixtures, within a factor `DETAIL` of what suits the scans."""
    detail = positive("detail", value, most=DETAIL)
    if detail < 1.0 / DETAIL:
        raise InputError(f"detail must be at least {1.0 / DETAIL:g}, got {value!r}")
    return detail


def natural_sigma(prepared: Prepared) -> float:
    """The finest sigma that a registration of this scan would go down to: about the spacing of its points."""
    return max(prepared.resolution, prepared.scale / float(np.sqrt(TUNING.finest_gamma)))
