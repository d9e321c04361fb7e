"""Cross-validation of gamma (end of Section 3.1): the cheapest scale that registers training pairs well enough."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from svgm.checks.arguments import as_numbers, items, positive, reporter, shown
from svgm.checks.errors import InputError
from svgm.checks.types import Progress
from svgm.geometry.points import Array
from svgm.registration.prepared import as_prepared
from svgm.registration.register import register
from svgm.rigid import as_pose, pose_error

#: Multiples of gamma-hat tried by default: its neighbourhood, by factors of two.
NEIGHBOURHOOD = tuple(float(2.0**k) for k in range(-2, 7))

#: What a training pair is.
PAIR = "(source, target, T)"


@dataclass(frozen=True)
class GammaTrial:
    """One row of the table: a gamma, what it cost and how well it registered the training pairs.

    ``converged`` is the share of pairs within the error allowed, ``components`` the mean size of a mixture and
    ``pairs_of_components`` the mean cost of a Gauss transform; ``seconds`` are those of one pair.

    Examples
    --------
    >>> spiral = np.array([[a * np.cos(a), a * np.sin(a)] for a in np.linspace(0, 4, 60)])
    >>> coarse, fine = select_gamma([(spiral, spiral, np.eye(3))], gammas=[1, 4]).table
    >>> coarse.accurate, coarse.converged, coarse.components < fine.components
    (True, 1.0, True)
    """

    gamma: float
    converged: float
    median_rotation_error: float
    components: float
    pairs_of_components: float
    seconds: float
    accurate: bool


@dataclass(frozen=True)
class GammaSelection:
    """The chosen gamma (a multiple of gamma-hat, as `register` and `fit` take it) and everything that was tried.

    Printed, it is the table.

    Examples
    --------
    >>> spiral = np.array([[a * np.cos(a), a * np.sin(a)] for a in np.linspace(0, 4, 60)])
    >>> chosen = select_gamma([(spiral, spiral, np.eye(3))], gammas=[1, 4])
    >>> chosen.gamma, len(chosen.table)
    (1.0, 2)
    >>> print(str(chosen).splitlines()[0].split())
    ['gamma', 'converged', 'median', 'error', 'components', 'cost', '(pairs)', 'seconds']
    """

    gamma: float
    table: tuple[GammaTrial, ...]

    def __str__(self) -> str:
        lines = ["   gamma  converged  median error  components   cost (pairs)  seconds"]
        for row in self.table:
            mark = " <- chosen" if row.gamma == self.gamma else ("" if row.accurate else " (not accurate)")
            lines.append(
                f"{row.gamma:8.3g} {row.converged:10.0%} {np.degrees(row.median_rotation_error):11.2f}° "
                f"{row.components:11.0f} {row.pairs_of_components:14.0f} {row.seconds:8.3f}{mark}"
            )
        return "\n".join(lines)


def select_gamma(
    training_pairs: Sequence[tuple[Any, Any, Any]],
    *,
    gammas: Sequence[float] = NEIGHBOURHOOD,
    max_rotation_error: float = 0.1,
    min_converged: float = 0.9,
    nu: float = 0.01,
    progress: Progress | None = None,
) -> GammaSelection:
    """Choose gamma on pairs with known poses: the cheapest one that meets a constraint on accuracy.

    Each pair is registered by Algorithm 1 from the identity, without annealing, at each gamma.  A gamma is accurate if
    at least `min_converged` of the pairs end within `max_rotation_error`; of the accurate ones, the one with the fewest
    pairs of components (the cost of the Gauss transform) is chosen.

    Parameters
    ----------
    training_pairs
        ``(source, target, T)`` with T the true pose of the source in the target.
    gammas
        Multiples of gamma-hat to try; default 1/4 to 64 by factors of two.
    max_rotation_error
        Radians.
    min_converged
        In (0, 1].
    nu
        Of the SVMs.
    progress
        Called as ``progress(phase, done, total)``.

    Returns
    -------
    GammaSelection
        ``gamma``, and the ``table`` of what was tried.  If no gamma is accurate, an InputError names the best.

    Examples
    --------
    >>> spiral = np.array([[a * np.cos(a), a * np.sin(a)] for a in np.linspace(0, 4, 60)])
    >>> select_gamma([(spiral, spiral, np.eye(3))], gammas=[1, 4]).gamma
    1.0
    """
    nu = positive("nu", nu, most=1)
    values = as_numbers(gammas, "gammas")
    if values.ndim != 1 or not len(values):
        raise InputError(f"gammas must be a list of at least one number, got {shown(gammas)}")
    gammas = [positive("gammas", gamma) for gamma in values.tolist()]
    min_converged = positive("min_converged", min_converged, most=1)
    max_rotation_error = positive("max_rotation_error", max_rotation_error)
    report = reporter(progress)
    pairs = [_checked(number, pair, nu) for number, pair in enumerate(items("training_pairs", training_pairs))]
    if not pairs:
        raise InputError(f"training_pairs must hold at least one {PAIR}, got none")
    rows: list[GammaTrial] = []
    for index, gamma in enumerate(gammas):
        errors, sizes, costs = [], [], []
        begin = time.perf_counter()
        for done, (source, target, truth) in enumerate(pairs):
            report("selecting gamma", index * len(pairs) + done, len(gammas) * len(pairs))
            result = register(source, target, search="local", nu=nu, gamma=gamma, annealing=None)
            errors.append(pose_error(result.transformation, truth)[0])
            m, n = result.stages[-1].components
            sizes.append(0.5 * (m + n))
            costs.append(m * n)
        converged = float(np.mean(np.array(errors) <= max_rotation_error))
        rows.append(
            GammaTrial(
                gamma=float(gamma),
                converged=converged,
                median_rotation_error=float(np.median(errors)),
                components=float(np.mean(sizes)),
                pairs_of_components=float(np.mean(costs)),
                seconds=(time.perf_counter() - begin) / len(pairs),
                accurate=converged >= min_converged,
            )
        )
    report("selecting gamma", len(gammas) * len(pairs), len(gammas) * len(pairs))
    accurate = [row for row in rows if row.accurate]
    if not accurate:
        best = max(rows, key=lambda row: (row.converged, -row.median_rotation_error))
        raise InputError(
            f"no gamma meets min_converged {min_converged:.0%} within {max_rotation_error} rad: the best, "
            f"{best.gamma:g}, has {best.converged:.0%}"
        )
    return GammaSelection(min(accurate, key=lambda row: row.pairs_of_components).gamma, tuple(rows))


def _checked(number: int, pair: Any, nu: float) -> tuple[Any, Any, Array]:
    """A training pair, all of which can be registered and compared."""
    name = f"training_pairs[{number}]"
    source, target, truth = items(f"{name} {PAIR}", pair, 3)
    moving, fixed = as_prepared(source, nu, f"{name} source"), as_prepared(target, nu, f"{name} target")
    if moving.dimension != fixed.dimension or moving.dimension not in (2, 3):
        raise InputError(f"{name} must be in 2D or in 3D, got {moving.dimension}D and {fixed.dimension}D")
    return source, target, as_pose(truth, moving.dimension, f"{name} T")
