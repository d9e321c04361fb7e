"""One cloud of many scans: means of cells, the same in any order, in bounded memory."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from svgm.checks.errors import InputError
from svgm.mapping.cloud import aligned_cloud
from svgm.rigid import apply, exp


def drive(d: int, count: int = 5, points: int = 400, seed: int = 0) -> tuple[list[np.ndarray], np.ndarray]:
    rng = np.random.default_rng(seed)
    scans = [rng.normal(scale=3.0, size=(points, d)) for _ in range(count)]
    return scans, np.stack([exp(rng.normal(size=d * (d + 1) // 2)) for _ in range(count)])


def cell_means(points: np.ndarray, cell: float) -> np.ndarray:
    _, inverse, counts = np.unique(np.floor(points / cell), axis=0, return_inverse=True, return_counts=True)
    sums = [np.bincount(inverse.ravel(), weights=column) for column in points.T]
    return np.stack(sums, axis=1) / counts[:, None]


@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize("cell", [0.3, 2.0, 100.0])
def test_means_of_the_cells(d: int, cell: float) -> None:
    scans, poses = drive(d)
    world = np.vstack([apply(T, points) for T, points in zip(poses, scans, strict=True)])
    cloud = aligned_cloud(enumerate(scans), poses, cell)
    assert cloud.shape == cell_means(world, cell).shape
    assert np.abs(cloud - cell_means(world, cell)).max() < 1e-9 * cell + 1e-14


@pytest.mark.parametrize("d", [2, 3])
def test_order_and_parts_do_not_matter(d: int, monkeypatch: pytest.MonkeyPatch) -> None:
    scans, poses = drive(d)
    whole = aligned_cloud(enumerate(scans), poses, 0.7)
    parts = [(i, part) for i, points in enumerate(scans) for part in np.array_split(points, 7)]
    mixed = [parts[k] for k in np.random.default_rng(1).permutation(len(parts))]
    monkeypatch.setattr("svgm.mapping.cloud._BATCH_ROWS", 60)
    assert aligned_cloud(mixed, poses, 0.7).tobytes() == whole.tobytes()


def test_scans_left_out_and_empty_ones() -> None:
    scans, poses = drive(2)
    poses[1] = np.nan
    poses[1, 2] = (0, 0, 1)
    scans[3] = np.empty((0, 2))
    kept = aligned_cloud([(i, scans[i]) for i in (0, 2, 4)], poses, 0.5)
    assert np.array_equal(aligned_cloud(enumerate(scans), poses, 0.5), kept)


def test_far_from_the_origin() -> None:
    scans, poses = drive(3)
    poses[:, :3, 3] += (3.5e6, -5.6e6, 1e3)
    world = np.vstack([apply(T, points) for T, points in zip(poses, scans, strict=True)])
    assert np.allclose(aligned_cloud(enumerate(scans), poses, 0.05), cell_means(world, 0.05), rtol=0, atol=2e-8)


def test_memory_follows_the_cells() -> None:
    rng = np.random.default_rng(0)

    def scans():
        for number in range(200):
            yield number, rng.uniform(0, 10, size=(10_000, 2))

    poses = np.tile(np.eye(3), (200, 1, 1))
    tracemalloc.start()
    cloud = aligned_cloud(scans(), poses, 0.5)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(cloud) == 400
    assert peak < 12e6  # all the points at once would be 32e6


@pytest.mark.parametrize("far", [1e4, 1e6, 1e9])
@pytest.mark.parametrize("d", [2, 3])
def test_strays_are_cells_of_their_own(d: int, far: float) -> None:
    """Wherever they come, first of all or last, and on either side."""
    scans, poses = drive(d)
    strays = far * np.vstack([np.eye(d), -np.eye(d), np.eye(d)])
    world = np.vstack([apply(T, points) for T, points in zip(poses, scans, strict=True)])
    expected = cell_means(np.vstack([world, apply(poses[0], strays)]), 0.5)
    parts = [(0, np.vstack([strays[:4], scans[0]])), *list(enumerate(scans))[1:], (0, strays[4:])]
    found = aligned_cloud(parts, poses, 0.5)
    assert np.allclose(found, expected, rtol=1e-12, atol=1e-8)
    assert aligned_cloud(parts[::-1], poses, 0.5).tobytes() == found.tobytes()


def test_refusals(monkeypatch: pytest.MonkeyPatch) -> None:
    scans, poses = drive(2)
    for cell in (0.0, -1.0, np.nan, np.inf):
        with pytest.raises(InputError, match="cell must be positive"):
            aligned_cloud(enumerate(scans), poses, cell)
    with pytest.raises(InputError, match="numbers of the 5 poses, got 7"):
        aligned_cloud([(7, scans[0])], poses, 1.0)
    with pytest.raises(InputError, match="must have 2 coordinates"):
        aligned_cloud([(0, np.zeros((4, 3)))], poses, 1.0)
    with pytest.raises(InputError, match="poses must have shape"):
        aligned_cloud(enumerate(scans), poses[0], 1.0)
    with pytest.raises(InputError, match="rotation"):
        aligned_cloud(enumerate(scans), 2.0 * poses + np.diag([0, 0, -1.0]), 1.0)
    with pytest.raises(InputError, match="at least one point"):
        aligned_cloud(enumerate(scans), np.full_like(poses, np.nan), 1.0)
    monkeypatch.setattr("svgm.mapping.cloud._MOST_FAR_CELLS", 0)
    with pytest.raises(InputError, match="cell must be at least"):
        aligned_cloud([(0, [[0.0, 0.0], [1e3, 0.0]])], poses, 1e-7)
    with pytest.raises(InputError, match="cell must be large enough"):
        aligned_cloud([(0, [[1e9, 0.0]])], poses, 1e-12)
