"""The likelihood of the target given the moved source, with noise, outliers and smoothness estimated from the data.

Each target point comes from the mixture ``p(y) = w / V + (1 - w) sum_i a_i N(y | f(x_i), s² I)``: from a point of the
moved source with noise s, or, with probability w, from anywhere in the target's volume V.  The bends of f have normal
priors of precision tau.  An EM iteration estimates the correspondences, f, s, w and tau in turn, and counts how many
modes the data determine.  The evidence is the likelihood with the modes integrated out (Laplace): it says which of
several deformations is the answer, and a wild one with many bends does not win by its freedom.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from svgm.checks.types import Array
from svgm.geometry.scale import principal_axes
from svgm.geometry.transforms.spline import squared_distances
from svgm.registration.nonrigid.constants import NONRIGID
from svgm.registration.nonrigid.correspondences import Correspondences, all_pairs, near_pairs


@dataclass(frozen=True)
class Fit:
    """A deformation and what was estimated with it.

    Attributes
    ----------
    theta : (k, d) array
        Coefficients of the modes.
    noise : float
        s, in normalised coordinates.
    outliers : float
        w, the share of the target without a partner.
    precision : float
        tau.
    evidence : float
        Logarithm of the evidence: larger is better.
    covariance : (k, k) array
        Covariance of each column of theta, given the correspondences.
    partners : (n,) array
        Expected number of target points that come from each source point.
    iterations : int
    converged : bool
    """

    theta: Array
    noise: float
    outliers: float
    precision: float
    evidence: float
    covariance: Array
    partners: Array
    iterations: int
    converged: bool


@dataclass(frozen=True)
class Likelihood:
    """The likelihood for one source and one target; `modes` are those at the source's points, (n, k).

    `pairs` are correspondences that the caller knows: modes (m, k) at the places and their goals (m, d).
    """

    modes: Array
    penalised: Array
    source_weights: Array
    target: Array
    target_weights: Array
    volume: float
    spacing: float
    pairs: tuple[Array, Array] | None = None
    near: bool = False

    def coarser(self, count: int) -> Likelihood:
        """The same with the first modes only."""
        pairs = None if self.pairs is None else (np.ascontiguousarray(self.pairs[0][:, :count]), self.pairs[1])
        return replace(
            self, modes=np.ascontiguousarray(self.modes[:, :count]), penalised=self.penalised[:count], pairs=pairs
        )

    def correspondences(self, moved: Array, noise: float, outliers: float) -> Correspondences:
        """The expected correspondences of moved points."""
        find = near_pairs if self.near else all_pairs
        return find(
            moved, self.source_weights, self.target, self.target_weights, noise, outliers / self.volume, 1.0 - outliers
        )

    def maximised(self, start: Fit | Array, noise: float, iterations: int) -> Fit:
        """EM from a deformation: that of a fit, whose outliers and precision it keeps, or theta."""
        known = start if isinstance(start, Fit) else None
        theta = known.theta if known is not None else np.asarray(start)
        outliers = NONRIGID.outliers if known is None else known.outliers
        count, given = self.modes.shape[1], len(theta)
        theta = theta[:count] if given >= count else np.vstack([theta, np.zeros((count - given, theta.shape[1]))])
        modes, d = self.modes, self.target.shape[1]
        prior, first = NONRIGID.prior_weight(d), NONRIGID.precision(d)
        precision = first if known is None else known.precision
        expected = NONRIGID.partner_prior * float(self.source_weights.sum())
        affine, total = int(count - self.penalised.sum()), float(self.target_weights.sum())
        # The prior of the noise: so many numbers with this variance.
        known_count = NONRIGID.noise_prior * d * total
        known_variance = (NONRIGID.noise_spacings * self.spacing) ** 2
        variance, converged, number = noise**2, False, 0
        moved: Array = np.asarray(modes @ theta, dtype=np.float64)
        log_likelihood, determined = 0.0, 0.0
        inverse: Array = np.eye(count)
        links = self.correspondences(moved, noise, outliers)
        for number in range(1, iterations + 1):
            log_likelihood, matched = links.log_likelihood, float(links.partners.sum())
            outliers = float(np.clip((total - matched) / (total + expected), 1e-3, 0.95))
            matrix = (modes.T * links.partners) @ modes
            right = modes.T @ links.pulled
            if self.pairs is not None:
                matrix += NONRIGID.pair_weight * self.pairs[0].T @ self.pairs[0]
                right += NONRIGID.pair_weight * self.pairs[0].T @ self.pairs[1]
            rounding = 1e-12 * np.trace(matrix)
            # The smoothness and the noise depend on each other: two turns are nearly the fixed point.
            for _ in range(2):
                stiffness = np.diag(variance * precision * self.penalised + rounding)
                inverse = np.asarray(np.linalg.inv(matrix + stiffness), dtype=np.float64)
                theta = np.asarray(inverse @ right, dtype=np.float64)
                bends = float(np.sum(theta[affine:] ** 2))
                shares = 1.0 - variance * precision * np.diag(inverse)[affine:]
                determined = float(np.clip(shares, 0.0, 1.0).sum())
                precision = (d * determined + prior) / (bends + prior / first)
                after: Array = np.asarray(modes @ theta, dtype=np.float64)
                freedom = max(matched - affine - determined, 0.1 * matched)
                residual = links.residual(after)
                # The prior holds up a noise that is too small, and does not lower a large one.
                held = (residual + known_count * known_variance) / (d * freedom + known_count)
                variance = max(residual / (d * freedom), min(held, known_variance))
            step = float(np.sqrt(((after - moved) ** 2).sum(axis=1).mean()))
            moved = after
            if step < NONRIGID.settled * np.sqrt(variance) and number > 5:
                converged = True
                break
            links = self.correspondences(moved, float(np.sqrt(variance)), outliers)
        size, log_volume = count - affine, np.linalg.slogdet(inverse)[1]
        evidence = log_likelihood - 0.5 * precision * bends
        small = min(variance / known_variance, 1.0)
        evidence -= 0.5 * known_count * (np.log(small) + 1.0 / small - 1.0)
        evidence += expected * np.log(1.0 - outliers)
        evidence += 0.5 * d * (log_volume + size * np.log(variance * precision))
        if given > count:
            theta = np.vstack([theta, np.zeros((given - count, d))])
        return Fit(
            theta,
            float(np.sqrt(variance)),
            outliers,
            precision,
            evidence,
            variance * inverse,
            links.partners,
            number,
            converged,
        )


def sharpened(likelihood: Likelihood, fit: Fit) -> Fit:
    """The fit without the prior of the noise, if the points of both sets meet far more exactly than the prior expects:
    then the target holds the moved points themselves, not another sampling of the shape."""
    moved = likelihood.modes @ fit.theta
    links = likelihood.correspondences(moved, fit.noise, fit.outliers)
    numbers = moved.shape[1] * max(float(links.partners.sum()), 1.0)
    if np.sqrt(links.residual(moved) / numbers) > NONRIGID.exact_spacings * likelihood.spacing:
        return fit
    sharp = replace(likelihood, spacing=likelihood.spacing * NONRIGID.exact_spacings)
    found = sharp.maximised(fit, fit.noise, NONRIGID.final_iterations)
    return replace(found, evidence=fit.evidence)


def volume_of(points: Array, weights: Array) -> float:
    """The volume of the uniform box with the same covariance; a flat set has some thickness."""
    widths = np.sqrt(12.0) * principal_axes(points, weights)[1]
    return float(np.prod(np.maximum(widths, 0.05 * widths[0])))


def spacing_of(points: Array) -> float:
    """Median distance from a point to the nearest one at another place."""
    from scipy.spatial import cKDTree

    distance = cKDTree(points).query(points, 2)[0][:, 1]
    apart = distance[distance > 1e-9]
    return float(np.median(apart)) if len(apart) else 1.0


def start_score(moved: Array, weights: Array, target: Array, target_weights: Array, noise: float, rest: float) -> float:
    """Log likelihood of a start with this noise, `rest` being the density of points without a partner."""
    d = target.shape[1]
    density = np.exp(squared_distances(moved, target) * (-0.5 / noise**2)).T @ weights
    density /= weights.sum() * (2.0 * np.pi * noise**2) ** (0.5 * d)
    return float(target_weights @ np.log(density + rest))
