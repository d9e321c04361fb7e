"""Loop closure: submaps that meet again are registered, and merged again if their poses have changed."""

from __future__ import annotations

import numpy as np
import pytest

import svgm
from svgm.mapping.executor import ThreadExecutor
from svgm.mapping.loop_closure import close_loops, merge_submaps
from svgm.mapping.map_state import MapState
from svgm.mapping.scan_linking import link_segment
from svgm.mapping.task_runner import TaskRunner
from svgm.rigid import invert
from tests.mapping.scenes import planar, room_loop, worst

SIGMA = 0.15


def submaps_that_meet() -> tuple[MapState, np.ndarray]:
    """Two submaps of the same place without an edge between them, the second 0.3 off; and its true pose."""
    scans, true = room_loop(40)
    state = MapState(SIGMA, "sequence")
    state.add(link_segment(list(enumerate(scans[:4])), 0, SIGMA, 0.01))
    state.add(link_segment([(10 + k, scans[k]) for k in range(4)], 0, SIGMA, 0.01))
    state.poses = {k: true[k] for k in range(4)} | {10 + k: planar(0.3, 0.0, 0.0) @ true[k] for k in range(4)}
    return state, true[0]


def test_a_loop_is_closed() -> None:
    state, true = submaps_that_meet()
    runner = TaskRunner(ThreadExecutor(1), None, None)
    close_loops(state, runner)
    (loop,) = state.loops.values()
    assert (loop.source, loop.target, loop.kind, loop.trusted) == (10, 0, "loop", True)
    assert max(worst(loop.transformation[None], true[None])) < 0.01
    assert max(worst((invert(state.poses[0]) @ state.poses[10])[None], true[None])) < 0.01
    assert "closing loops, round 1" in runner.seconds


def test_only_pairs_of_some_submaps() -> None:
    state, _ = submaps_that_meet()
    close_loops(state, TaskRunner(ThreadExecutor(1), None, None), only=[7])
    assert not state.loops


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
def test_a_submap_is_merged_again_if_its_points_have_moved(unit: float) -> None:
    """By a rotation, too, whose entries have no unit."""
    points = unit * room_loop(40)[0][0]
    sigma = 0.1 * unit
    mixture = svgm.fit(points, scale=sigma, gamma=1.0)
    state = MapState(sigma, "sequence", mixtures={0: mixture, 1: mixture}, submaps=[[0, 1]])
    made: list[int] = []

    def runner(phase: str, function: object, tasks: list) -> list[svgm.Mixture]:
        made.append(len(tasks))
        return [mixture for _ in tasks]

    far = np.linalg.norm(points, axis=1).max()
    for angle in (0.0, 0.05 * sigma / far, 0.3 * sigma / far):
        state.poses = {0: np.eye(3), 1: planar(0.0, 0.0, angle)}
        merge_submaps(state, runner)  # type: ignore[arg-type]
    assert made == [1, 0, 1]
