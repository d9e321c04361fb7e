"""Correspondences that a caller knows, and rigid motions to start a deformation from."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from numpy.typing import ArrayLike

from svgm.checks.arguments import as_indices
from svgm.checks.errors import InputError
from svgm.checks.types import Array, PointsLike
from svgm.mixture.mixture import Mixture, places
from svgm.registration.prepared import Prepared
from svgm.registration.result import RegistrationResult

#: Competing rigid poses to start from.
_ALTERNATIVES = 3


def known_pairs(
    pairs: ArrayLike,
    source: PointsLike | Mixture | Prepared,
    target: PointsLike | Mixture | Prepared,
    transform: str,
) -> tuple[Array, Array]:
    """The places (m, d) of known pairs in the source and in the target."""
    if transform != "nonrigid":
        raise InputError(f"pairs need transform='nonrigid', got {transform!r}")
    if isinstance(source, Prepared) or isinstance(target, Prepared):
        raise InputError("pairs need source and target as points, not as prepared sets")
    moving, fixed = places(source, "source"), places(target, "target")
    rows = as_indices(pairs, "pairs", 2, "points", max(len(moving), len(fixed)))
    for k, points, name in ((0, moving, "source"), (1, fixed, "target")):
        if len(rows) and rows[:, k].max() >= len(points):
            raise InputError(f"pairs must be rows of {name}, 0 to {len(points) - 1}, got {rows[:, k].max()}")
    if not len(rows):
        raise InputError("pairs must hold at least one pair, got none")
    return moving[rows[:, 0]], fixed[rows[:, 1]]


def rigid_starts(register: Callable[[], RegistrationResult], dimension: int) -> Sequence[Array]:
    """The rigid answer and its alternatives in 3D; in 2D the turned and shifted copies of the search suffice."""
    if dimension == 2:
        return []
    answer = register()
    return [answer.transformation, *(other.transformation for other in answer.alternatives[:_ALTERNATIVES])]
