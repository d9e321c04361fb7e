"""Random mixtures with covariances of their own, and their sums by plain NumPy."""

from __future__ import annotations

import numpy as np

from svgm import Mixture


def random_covariances(rng: np.random.Generator, m: int, d: int, flatness: float = 0.1) -> np.ndarray:
    """Random directions, with deviations from `flatness` to 1."""
    axes = np.linalg.qr(rng.normal(size=(m, d, d)))[0]
    deviations = np.exp(rng.uniform(np.log(flatness), 0.0, size=(m, d)))
    covariances = (axes * deviations[:, None] ** 2) @ axes.swapaxes(1, 2)
    return 0.5 * (covariances + covariances.swapaxes(1, 2))


def full_mixture(rng: np.random.Generator, m: int, d: int, sigma: float = 0.5, flatness: float = 0.1) -> Mixture:
    weights = rng.random(m) + 0.1
    covariances = sigma**2 * random_covariances(rng, m, d, flatness)
    return Mixture(rng.normal(size=(m, d)), sigma**2, weights / weights.sum(), bias=0.1, covariances=covariances)


def normal_density(differences: np.ndarray, covariances: np.ndarray) -> np.ndarray:
    """N(difference | 0, covariance), row by row."""
    exponents = -0.5 * (differences * np.linalg.solve(covariances, differences[..., None])[..., 0]).sum(axis=-1)
    return np.exp(exponents) / np.sqrt(np.linalg.det(2.0 * np.pi * covariances))


def brute_density(mixture: Mixture, x: np.ndarray) -> np.ndarray:
    terms = [normal_density(x - mean, covariance) for mean, covariance in parts(mixture)]
    return np.stack(terms, axis=1) @ mixture.weights


def brute_product(p: Mixture, q: Mixture) -> float:
    return sum(
        w * v * float(normal_density(mu - nu, a + b))
        for w, (mu, a) in zip(p.weights, parts(p), strict=True)
        for v, (nu, b) in zip(q.weights, parts(q), strict=True)
    )


def parts(mixture: Mixture) -> list[tuple[np.ndarray, np.ndarray]]:
    return list(zip(mixture.means, mixture.full_covariances(), strict=True))
