"""One scan of a map: read and checked, prepared for registration, and fitted once as a mixture of the map's sigma."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np

from svgm.checks.arguments import positive
from svgm.checks.errors import InputError, SvgmError
from svgm.geometry.points import Array, as_points
from svgm.mapping.tuning import MAP_TUNING
from svgm.mixture.fit import fit
from svgm.mixture.mixture import Mixture, is_mixture_file
from svgm.registration.prepared import Prepared, as_prepared
from svgm.registration.tuning import TUNING


@dataclass(frozen=True)
class ScanProfile:
    """What the scans of a map have in common: their dimension and their approximate size, in the points' unit."""

    dimension: int
    size: float


@dataclass(frozen=True)
class ScanSummary:
    """What the first pass finds in a scan: the sigma that suits it, its dimension and its size; or only the reason why
    the scan cannot be used."""

    sigma: float = 0.0
    dimension: int = 0
    size: float = 0.0
    reason: str | None = None


@dataclass(frozen=True)
class UnusableScan:
    """In place of a scan that cannot be used, with the reason."""

    reason: str


@dataclass(frozen=True)
class Scan:
    """A scan: its number in the sequence, its prepared set for registration, and its mixture for merging."""

    number: int
    prepared: Prepared
    mixture: Mixture


def summarise(number: int, source: Any, nu: float) -> ScanSummary:
    """Read a scan in the first pass."""
    try:
        read = points_or_mixture(number, source)
        places = read.means if isinstance(read, Mixture) else read
        check_profile(number, places, None)
        return ScanSummary(natural_sigma(as_prepared(read, nu, f"scan {number}")), places.shape[1], size_of(places))
    except Exception as error:  # whatever a reader raises, the map is made of the other scans
        return ScanSummary(reason=reason_unusable(number, source, error))


def read_scan(number: int, source: Any, sigma: float, nu: float, profile: ScanProfile | None = None) -> Scan:
    """Read and fit a scan: points (n, d), a mixture of the map's sigma, or the path of either."""
    source = points_or_mixture(number, source)
    places = source.means if isinstance(source, Mixture) else source
    check_profile(number, places, profile)
    prepared = as_prepared(source, nu, f"scan {number}")
    if isinstance(source, Mixture):
        return Scan(number, prepared, source)
    return Scan(number, prepared, fit(source, nu=nu, scale=sigma, gamma=1.0, tolerance=MAP_TUNING.svm_tolerance))


def points_or_mixture(number: int, source: Any) -> Array | Mixture:
    """The points or the mixture of a file, or those that were passed."""
    if isinstance(source, UnusableScan):
        raise InputError(source.reason)
    if isinstance(source, str | os.PathLike) and is_mixture_file(source):
        return Mixture.load(source)
    return source if isinstance(source, Mixture) else as_points(source, f"scan {number}")


def check_profile(number: int, places: Array, profile: ScanProfile | None) -> None:
    """Raise an InputError unless a scan is in 2D or 3D and, if a profile is known, has its dimension and size."""
    reason = profile_mismatch(number, places.shape[1], size_of(places), profile)
    if reason is not None:
        raise InputError(reason)


def profile_mismatch(number: int, dimension: int, size: float, profile: ScanProfile | None) -> str | None:
    """Why a scan does not belong to the others of its map, or None."""
    if dimension not in (2, 3):
        return f"scan {number} must be in 2D or 3D, is in {dimension}D"
    if profile is None:
        return None
    if dimension != profile.dimension:
        return f"scan {number} must be in {profile.dimension}D like the others, is in {dimension}D"
    if not same_size(size, profile.size):
        ratio = f"{size / profile.size:.3g} times as large"
        return f"scan {number} must be about as large as the others, is {ratio}: perhaps in another unit of length"
    return None


def size_of(places: Array) -> float:
    """Median distance from the median place: a few points far away do not change it."""
    return float(np.median(np.linalg.norm(places - np.median(places, axis=0), axis=1)))


def same_size(one: float, other: float) -> bool:
    """Whether two sizes may be in one unit of length.

    A size is zero if most of the points are at one place; such a size is compatible with every other.
    """
    return min(one, other) == 0.0 or max(one, other) <= MAP_TUNING.unit_factor * min(one, other)


def reason_unusable(number: int, source: Any, error: Exception) -> str:
    """The reason why a scan is left out, in one line, whatever its reader raised."""
    if isinstance(error, SvgmError):
        return " ".join(str(error).split())
    name = str(source) if isinstance(source, os.PathLike) else f"scan {number}"
    return " ".join(f"{name}: cannot be used ({type(error).__name__}: {error})".split())


def checked_detail(value: Any) -> float:
    """The fineness of a map's mixtures, within a factor `detail_factor` of what suits the scans."""
    most = MAP_TUNING.detail_factor
    detail = positive("detail", value, most=most)
    if detail < 1.0 / most:
        raise InputError(f"detail must be at least {1.0 / most:g}, got {value!r}")
    return detail


def natural_sigma(prepared: Prepared) -> float:
    """The finest sigma of a registration of this scan: about the spacing of its points."""
    return max(prepared.resolution, prepared.scale / float(np.sqrt(TUNING.finest_gamma)))
