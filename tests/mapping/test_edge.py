"""A measured pose: the same measurement seen from the other side, and as plain numbers."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from svgm import TRUSTED, Alternative, register
from svgm.datasets import butterfly
from svgm.mapping.edge import Edge
from svgm.rigid import exp, information_of, invert, log
from tests.mapping.edges import size, spread


def an_edge(d: int, rng: np.random.Generator, deviation: float = 1e-3) -> Edge:
    pose = exp(rng.normal(size=size(d)))
    return Edge(3, 1, pose, spread(d, rng, deviation), 0.97, 0.6, "neighbour")


@pytest.mark.parametrize("d", [2, 3])
def test_reversed_twice_is_the_edge(d: int, rng: np.random.Generator) -> None:
    edge = an_edge(d, rng)
    twice = edge.reversed().reversed()
    assert (edge.reversed().source, edge.reversed().target) == (1, 3)
    assert (twice.source, twice.target, twice.kind) == (3, 1, "neighbour")
    assert (twice.confidence, twice.overlap) == (edge.confidence, edge.overlap)
    assert np.allclose(twice.transformation, edge.transformation, atol=1e-12)
    assert np.allclose(twice.covariance, edge.covariance, rtol=1e-9, atol=1e-18)


@pytest.mark.parametrize("d", [2, 3])
def test_covariance_of_the_reverse_by_sampling(d: int, rng: np.random.Generator) -> None:
    edge = an_edge(d, rng)
    back = edge.reversed()
    draws = rng.multivariate_normal(np.zeros(size(d)), edge.covariance, size=20_000)
    true = edge.transformation @ np.stack([exp(xi) for xi in draws[:4000]])
    errors = log(invert(back.transformation) @ invert(true))
    sampled = errors.T @ errors / len(errors)
    scale = np.sqrt(np.diag(back.covariance))
    assert np.abs(sampled - back.covariance).max() < 0.1 * scale.max() ** 2
    assert np.allclose(np.diag(sampled), np.diag(back.covariance), rtol=0.12)


@pytest.mark.parametrize("d", [2, 3])
def test_covariance_of_the_reverse_by_differences(d: int, rng: np.random.Generator) -> None:
    edge, step = an_edge(d, rng), 1e-6
    back = edge.reversed()
    columns = [
        log(invert(back.transformation) @ invert(edge.transformation @ exp(step * axis))) / step
        for axis in np.eye(size(d))
    ]
    jacobian = np.stack(columns, axis=1)
    assert np.allclose(jacobian @ edge.covariance @ jacobian.T, back.covariance, rtol=1e-4, atol=1e-10)


@pytest.mark.parametrize("d", [2, 3])
def test_information_is_the_inverse(d: int, rng: np.random.Generator) -> None:
    edge = an_edge(d, rng)
    assert np.allclose(edge.information @ edge.covariance, np.eye(size(d)), atol=1e-9)


@pytest.mark.parametrize("unknown", [1e3, 1e6, 1e10, 1e16, 1e30])
@pytest.mark.parametrize("d", [2, 3])
def test_information_is_symmetric_and_never_negative(d: int, unknown: float, rng: np.random.Generator) -> None:
    """A direction that nothing holds makes the covariance all but singular to a computer."""
    for _ in range(20):
        loose = rng.normal(size=(size(d), 1))
        edge = replace(an_edge(d, rng), covariance=spread(d, rng) + unknown * loose @ loose.T)
        information = edge.information
        assert np.isfinite(information).all()
        assert np.array_equal(information, information.T)
        values = np.linalg.eigvalsh(information)
        assert values[0] >= -1e-14 * values[-1]


def test_information_of_nothing_unknown() -> None:
    assert np.isfinite(information_of(np.zeros((6, 6)))).all()


@pytest.mark.parametrize("d", [2, 3])
def test_plain_numbers_give_it_back_bit_for_bit(d: int, rng: np.random.Generator) -> None:
    edge = an_edge(d, rng)
    again = Edge.from_dict(json.loads(json.dumps(edge.as_dict(), allow_nan=False)))
    assert again.transformation.tobytes() == edge.transformation.tobytes()
    assert again.covariance.tobytes() == edge.covariance.tobytes()
    assert again.as_dict() == edge.as_dict()


def test_trust_begins_at_the_bar(rng: np.random.Generator) -> None:
    edge = an_edge(2, rng)
    assert replace(edge, confidence=TRUSTED).trusted
    assert not replace(edge, confidence=np.nextafter(TRUSTED, 0.0)).trusted


def test_an_ambiguous_registration_is_not_trusted() -> None:
    sure = register(butterfly(300, seed=1), butterfly(300, seed=2))
    assert Edge.measured(1, 0, sure, "pair").trusted
    other = replace(sure, alternatives=(Alternative(np.eye(3), 1.0),))
    assert not Edge.measured(1, 0, other, "pair").trusted
