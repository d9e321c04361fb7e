"""The logistic function of the confidence, fitted to observations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import fields

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from benchmarks.confidence.observe import Observation
from benchmarks.datasets import Array
from svgm.registration.confidence import Evidence
from svgm.registration.tuning import TUNING

#: The figures of the evidence, in the order of the weights.
FIGURES = [field.name for field in fields(Evidence)]

#: Weight of the squared weights: without it a figure that separates a small family would get any weight.
RIDGE = 1e-4


def present(dimension: int) -> Array:
    """The constants in use: bias, then a weight for each figure."""
    weights = [getattr(TUNING, f"{name}_weight")[dimension] for name in FIGURES]
    return np.array([TUNING.bias[dimension], *weights])


def rows(observations: Sequence[Observation]) -> tuple[Array, NDArray[np.bool_], list[str]]:
    """Of every assessed answer: one and the figures (n, k), whether it was right, and its family."""
    found = [
        (_row(answer.evidence), answer.right, each.family)
        for each in observations
        for answer in each.answers
        if answer.evidence is not None
    ]
    return np.array([row[0] for row in found]), np.array([row[1] for row in found], bool), [row[2] for row in found]


def fitted(observations: Sequence[Observation]) -> Array:
    """The constants of greatest likelihood.

    A family weighs as the square root of its answers.  Right and wrong answers weigh the same in all, so the confidence
    is that of an answer which is as likely right as wrong before anything is known of it.
    """
    figures, right, families = rows(observations)
    # A figure that a dimension does not use has no weight.
    used = present(observations[0].dimension) != 0.0
    used[0] = True
    figures = figures * used
    counts = Counter(families)
    weights = np.array([counts[family] ** -0.5 for family in families])
    for chosen in (right, ~right):
        weights[chosen] *= 0.5 / max(weights[chosen].sum(), 1e-12)
    sign = np.where(right, 1.0, -1.0)

    def loss(constants: Array) -> tuple[float, Array]:
        surplus = sign * (figures @ constants)
        slope = -weights * sign * np.exp(-np.logaddexp(0.0, surplus))
        penalty = np.append(0.0, constants[1:])
        value = weights @ np.logaddexp(0.0, -surplus) + RIDGE * penalty @ penalty
        return float(value), figures.T @ slope + 2.0 * RIDGE * penalty

    return np.asarray(minimize(loss, np.zeros(figures.shape[1]), jac=True, method="L-BFGS-B").x)


def judged(constants: Array, observations: Sequence[Observation]) -> tuple[Array, NDArray[np.bool_]]:
    """Of each pair, the confidence of the answer that has most of it, as the default call returns it, and whether that
    answer is right; 0 for sets without a surface."""
    confidences, right = [], []
    for each in observations:
        found = [(0.0, each.right)]
        for answer in each.answers:
            if answer.evidence is not None:
                surplus = float(np.dot(constants, _row(answer.evidence)))
                found.append((float(np.exp(-np.logaddexp(0.0, -surplus))), answer.right))
        best = max(found, key=lambda pair: pair[0])
        confidences.append(best[0])
        right.append(best[1])
    return np.array(confidences), np.array(right, bool)


def _row(evidence: Evidence) -> list[float]:
    return [1.0, *(getattr(evidence, name) for name in FIGURES)]
