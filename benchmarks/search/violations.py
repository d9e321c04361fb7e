"""Poses sampled inside boxes against the boxes' bounds: a proof must survive every one of them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.datasets import Array
from svgm.mixture import Mixture
from svgm.rigid import apply
from svgm.search.boxes import Boxes
from svgm.search.certified import Problem

#: Rounds of sampling in a box, each closer around the best pose so far.
ROUNDS = 5


def count(checks: int, seed: int) -> tuple[int, int, float]:
    """Poses checked, how many of them beat the bound of their box, and the least of (bound - best) / bound."""
    rng = np.random.default_rng(seed)
    checked = violated = 0
    tightest = np.inf
    for source, target in _mixtures(rng):
        problem = Problem(source, target, 1)
        boxes = _boxes(rng, source.dimension, 16)
        bounds, at_centres = problem.bound(boxes)
        for k in range(len(boxes)):
            values = np.r_[at_centres[k], _sampled(problem, boxes[np.array([k])], rng)]
            checked += len(values)
            violated += int((values > bounds[k]).sum())
            if bounds[k] > 1e-6:
                tightest = min(tightest, 1.0 - values.max() / bounds[k])
        if checked >= checks:
            return checked, violated, float(tightest)
    raise AssertionError("unreachable: mixtures do not end")


def correlation(problem: Problem, poses: Array) -> Array:
    """F of poses in the problem's units, pair by pair."""
    moved = apply(poses, problem.x)
    squared = ((moved[:, :, None] - problem.y) ** 2).sum(axis=3)
    return np.einsum("nij,i,j->n", np.exp(-0.5 * squared), problem.u, problem.w)


def _sampled(problem: Problem, box: Boxes, rng: np.random.Generator) -> Array:
    """F at poses in a box: first its corners and anywhere, then ever closer around the best."""
    k = box.centres.shape[1]
    best, best_value, width, values = np.zeros(k), -np.inf, 1.0, []
    for _ in range(ROUNDS):
        places = np.clip(best + width * rng.uniform(-1.0, 1.0, (24, k)), -1.0, 1.0)
        if width == 1.0:
            places[::2] = np.sign(places[::2])
        inside = Boxes(np.repeat(box.charts, 24), box.centres + places * box.halves, np.zeros((24, k)))
        found = correlation(problem, inside.poses())
        values.append(found)
        if found.max() > best_value:
            best, best_value = places[np.argmax(found)], float(found.max())
        width *= 0.4
    return np.concatenate(values)


def _mixtures(rng: np.random.Generator) -> Iterator[tuple[Mixture, Mixture]]:
    """Pairs of every kind, without end: few and many components, coincident ones, unequal variances and weights."""
    while True:
        d = int(rng.integers(2, 4))
        pair = []
        for _ in range(2):
            n = int(rng.choice([1, 2, 5, 20, 60]))
            means = rng.normal(size=(n, d))
            if rng.random() < 0.3:
                means[n // 2 :] = means[0]
            weights = rng.uniform(0.0, 1.0, n) ** rng.choice([1, 8])
            pair.append(Mixture(means, float(10.0 ** rng.uniform(-2.5, 0.5)), weights / weights.sum()))
        if rng.random() < 0.3:
            pair[1] = pair[0]
        yield pair[0], pair[1]


def _boxes(rng: np.random.Generator, d: int, count: int) -> Boxes:
    """Boxes anywhere, from all rotations down to a millionth, their sides of unequal lengths."""
    charts, k = rng.integers(0, 4 if d == 3 else 1, count), d * (d - 1) // 2
    largest = np.r_[np.full(k, np.pi if d == 2 else np.pi / 4), np.full(d, 4.0)]
    halves = largest * 10.0 ** (rng.uniform(-6.0, 0.0, (count, 1)) * rng.choice([0.15, 1.0], (count, 1)))
    halves *= 2.0 ** -rng.integers(0, 3, (count, k + d)).astype(float)
    centres = (largest - halves) * rng.uniform(-1.0, 1.0, halves.shape) * rng.choice([0.0, 0.1, 1.0], (count, 1))
    return Boxes(charts, centres, halves)
