"""Merging in a balanced tree: nothing new from what is the same, and one order for all."""

from __future__ import annotations

import numpy as np
import pytest

from svgm import fit
from svgm.mapping.executor import ThreadExecutor
from svgm.mapping.merge_tree import TASK_MIXTURES, merge_at_poses, merge_pairwise, merge_scans
from svgm.mapping.task_runner import TaskRunner
from svgm.mixture.merge import merge
from svgm.rigid import exp, invert
from tests.mapping.edges import size


@pytest.mark.parametrize("count", [1, 2, 7, 16])
def test_the_same_again_adds_no_components(count: int, curve: np.ndarray) -> None:
    one = fit(curve, gamma=30.0)
    merged = merge_pairwise([one] * count)
    assert len(merged) == len(one)
    assert np.array_equal(np.sort(merged.means, axis=0), np.sort(one.means, axis=0))
    assert merged.weights.sum() == pytest.approx(1.0)


def test_pairs_then_pairs_of_pairs(curve: np.ndarray) -> None:
    parts = [fit(curve[20 * k : 20 * k + 35], gamma=1.0, scale=0.15) for k in range(5)]
    a, b, c, d, e = parts
    assert merge_pairwise(parts) == merge(e, merge(merge(d, c), merge(b, a)))
    assert merge_pairwise(parts) == merge_pairwise(list(parts))
    assert len(merge_pairwise(parts)) < sum(map(len, parts))


@pytest.mark.parametrize("d", [2, 3])
def test_moved_into_one_frame_first(d: int, curve: np.ndarray, surface: np.ndarray, rng: np.random.Generator) -> None:
    one = fit(curve if d == 2 else surface, gamma=10.0)
    poses = [exp(rng.normal(size=size(d))) for _ in range(3)]
    scans = [one.transformed(invert(pose)) for pose in poses]
    merged = merge_at_poses(scans, poses)
    assert len(merged) <= 1.1 * len(one)
    assert merged.l2_distance(one) < 1e-3 * one.inner_product(one)


def test_scans_are_merged_as_by_one_tree(curve: np.ndarray, rng: np.random.Generator) -> None:
    """Two tasks of eight mixtures and one of four; scans without a pose are not merged."""
    mixtures = {k: fit(curve[4 * k : 4 * k + 35], gamma=1.0, scale=0.15) for k in range(21)}
    poses = {k: exp(rng.normal(scale=0.1, size=3)) for k in range(20)}
    runner = TaskRunner(ThreadExecutor(1), None, None)
    merged = merge_scans(mixtures, poses, runner)
    moved = [mixtures[k].transformed(poses[k]) for k in range(20)]
    first, second, third = (merge_pairwise(moved[start : start + TASK_MIXTURES]) for start in (0, 8, 16))
    assert merged == merge(third, merge(second, first))
    assert list(runner.seconds) == ["merging"]
