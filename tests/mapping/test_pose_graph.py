"""The pose graph: exact for exact edges, least squares for noisy ones, and wrong edges are ignored."""

from __future__ import annotations

import builtins

import numpy as np
import pytest
from scipy.optimize import least_squares

from svgm import InputError
from svgm.mapping.edge import Edge
from svgm.mapping.edge_noise import noise_floor
from svgm.mapping.pose_graph import disagreements, gtsam_module, marginals, solve
from svgm.rigid import exp, invert, log
from tests.mapping.edges import all_pairs, edge_between, size, spread, stacked, walk
from tests.mapping.scenes import worst

FLOOR = {d: noise_floor(d, 0.002, 1.0) for d in (2, 3)}


def disturbed(poses: np.ndarray, rng: np.random.Generator, by: float) -> dict[int, np.ndarray]:
    """Initial poses that are off, but for the first."""
    d = poses.shape[1] - 1
    return {k: pose @ exp(rng.normal(scale=by if k else 0.0, size=size(d))) for k, pose in enumerate(poses)}


def noisy(poses: np.ndarray, reach: int, rng: np.random.Generator, deviation: float = 0.01) -> list[Edge]:
    d = poses.shape[1] - 1
    edges = []
    for exact in all_pairs(poses, reach):
        covariance = spread(d, rng, deviation)
        xi = rng.multivariate_normal(np.zeros(size(d)), covariance)
        edges.append(edge_between(poses, exact.source, exact.target, xi=xi, covariance=covariance))
    return edges


@pytest.mark.parametrize("d", [2, 3])
def test_exact_edges_give_exact_poses(d: int, rng: np.random.Generator) -> None:
    poses = walk(d, 12, rng)
    solution = solve(all_pairs(poses, 3), disturbed(poses, rng, 0.1), FLOOR[d])
    assert max(worst(stacked(solution.poses), poses)) < 1e-5
    assert solution.disagreements.max() < 1e-4


@pytest.mark.parametrize("d", [2, 3])
def test_as_an_independent_solver_finds_them(d: int, rng: np.random.Generator) -> None:
    """Cauchy's kernel of the last scale, and the same minimum by SciPy."""
    poses = walk(d, 6, rng)
    edges = noisy(poses, 3, rng)
    found = solve(edges, disturbed(poses, rng, 0.05), FLOOR[d]).poses
    roots = [np.linalg.cholesky(np.linalg.inv(e.covariance + np.diag(FLOOR[d]))).T for e in edges]

    def residuals(parameters: np.ndarray) -> np.ndarray:
        moved = [poses[0], *(pose @ exp(xi) for pose, xi in zip(poses[1:], parameters.reshape(5, -1), strict=True))]
        lengths = []
        for edge, root in zip(edges, roots, strict=True):
            error = root @ log(invert(edge.transformation) @ invert(moved[edge.target]) @ moved[edge.source])
            lengths.append(np.sqrt(np.log1p(error @ error)))
        return np.array(lengths)

    start = np.concatenate([log(invert(poses[k]) @ found[k]) for k in range(1, 6)])
    best = least_squares(residuals, start, max_nfev=6)
    moved = [poses[0], *(pose @ exp(xi) for pose, xi in zip(poses[1:], best.x.reshape(5, -1), strict=True))]
    assert best.cost >= 0.5 * (residuals(start) ** 2).sum() * (1 - 1e-4)
    assert max(worst(stacked(found), np.array(moved))) < 5e-4  # the noise is 0.01
    assert max(worst(stacked(found), poses)) < 0.05


@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize("share", [0.1, 0.2])
def test_wrong_edges_are_ignored(d: int, share: float, rng: np.random.Generator) -> None:
    poses = walk(d, 20, rng)
    edges = noisy(poses, 4, rng, 0.003)
    chain = {k for k, edge in enumerate(edges) if edge.source - edge.target == 1}
    candidates = [k for k in range(len(edges)) if k not in chain]
    wrong = rng.choice(candidates, size=int(share * len(edges)), replace=False)
    for k in wrong:
        edges[k] = edge_between(poses, edges[k].source, edges[k].target, xi=rng.normal(scale=2.0, size=size(d)))
    solution = solve(edges, disturbed(poses, rng, 0.02), FLOOR[d])
    assert max(worst(stacked(solution.poses), poses)) < 0.05
    assert solution.disagreements[wrong].min() > 100.0
    assert np.delete(solution.disagreements, wrong).max() < 40.0


@pytest.mark.parametrize("d", [2, 3])
def test_the_frame_of_the_world_does_not_matter(d: int, rng: np.random.Generator) -> None:
    poses = walk(d, 8, rng)
    edges, initial = noisy(poses, 3, rng), disturbed(poses, rng, 0.05)
    here = stacked(solve(edges, initial, FLOOR[d]).poses)
    world = exp(2.0 * rng.normal(size=size(d)))
    there = stacked(solve(edges, {k: world @ pose for k, pose in initial.items()}, FLOOR[d]).poses)
    assert max(worst(there, world @ here)) < 1e-4


@pytest.mark.parametrize("d", [2, 3])
def test_the_first_stays(d: int, rng: np.random.Generator) -> None:
    poses = exp(rng.normal(size=size(d))) @ walk(d, 6, rng)
    initial = {k + 4: pose for k, pose in disturbed(poses, rng, 0.1).items()}
    edges = [edge_between(poses, k, k - 1) for k in range(1, 6)]
    edges = [Edge(e.source + 4, e.target + 4, e.transformation, e.covariance, 0.9, 0.9, e.kind) for e in edges]
    solution = solve(edges, initial, FLOOR[d])
    assert sorted(solution.poses) == sorted(initial)
    assert np.allclose(solution.poses[4], initial[4], atol=1e-9)
    assert max(worst(stacked(solution.poses), poses)) < 1e-5


@pytest.mark.parametrize("d", [2, 3])
def test_sure_directions_count_more(d: int) -> None:
    """Two edges that know another axis each: the answer has each axis from the edge that knows it."""
    poses = np.stack([np.eye(d + 1)] * 2)
    edges = []
    for axis in (0, 1):
        deviations = np.full(size(d), 1e-4)
        deviations[-d:] = 1.0
        deviations[-d + axis] = 1e-3
        xi = np.zeros(size(d))
        xi[-d:] = 0.3
        xi[-d + axis] = 0.0
        edges.append(edge_between(poses, 1, 0, xi=xi, covariance=np.diag(deviations**2)))
    found = solve(edges, dict(enumerate(poses)), np.full(size(d), 1e-12)).poses[1]
    assert np.abs(found[:2, d]).max() < 1e-3
    if d == 3:
        assert found[2, 3] == pytest.approx(0.3, abs=1e-3)


def test_no_edges_and_no_gtsam(monkeypatch: pytest.MonkeyPatch) -> None:
    alone = solve([], {0: np.eye(3)}, FLOOR[2])
    assert np.allclose(alone.poses[0], np.eye(3))
    assert alone.disagreements.shape == (0,)
    assert disagreements([], {}, FLOOR[2]).shape == (0,)
    real = builtins.__import__

    def without(name: str, *rest: object) -> object:
        if name == "gtsam":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(InputError, match=r'pip install "svgm\[map\]"'):
        gtsam_module()


@pytest.mark.parametrize("d", [2, 3])
def test_covariances_of_poses(d: int, rng: np.random.Generator) -> None:
    """As the inverse of the information matrix, its Jacobians by differences."""
    poses = walk(d, 5, rng)
    k = size(d)
    edges = [
        edge_between(poses, exact.source, exact.target, covariance=spread(d, rng, 0.01))
        for exact in all_pairs(poses, 2)
    ]
    information = np.zeros((5 * k, 5 * k))
    for edge in edges:
        weight = np.linalg.inv(edge.covariance + np.diag(FLOOR[d]))
        jacobian = np.zeros((k, 5 * k))
        for node, sign in ((edge.source, 1.0), (edge.target, 1.0)):
            for column in range(k):
                step = np.zeros(k)
                step[column] = sign * 1e-6
                moved = {other: poses[other] for other in (edge.source, edge.target)}
                moved[node] = moved[node] @ exp(step)
                error = log(invert(edge.transformation) @ invert(moved[edge.target]) @ moved[edge.source])
                jacobian[:, k * node + column] = error / 1e-6
        information += jacobian.T @ weight @ jacobian
    expected = np.linalg.inv(information[k:, k:])  # the first is held
    found = marginals(edges, dict(enumerate(poses)), FLOOR[d])
    assert np.abs(found[0]).max() < 1e-11
    for node in range(1, 5):
        block = expected[k * (node - 1) : k * node, k * (node - 1) : k * node]
        np.testing.assert_allclose(found[node], block, rtol=1e-3, atol=1e-4 * np.abs(block).max())


def test_edges_whose_covariance_is_singular_have_finite_lengths() -> None:
    edge = Edge(1, 0, np.eye(3), np.zeros((3, 3)), 1.0, 1.0, "pair")
    assert np.isfinite(disagreements([edge], {0: np.eye(3), 1: np.eye(3)}, np.zeros(3))).all()
