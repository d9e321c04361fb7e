"""The pieces of the mapping benchmarks: alignment of pose sets, edges, comparison of maps, processes of their own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from benchmarks.criteria import inlier
from benchmarks.mapping import edges
from benchmarks.mapping.__main__ import finite
from benchmarks.mapping.mapped import Edge, differences, find, make_map
from benchmarks.mapping.pose_sets import alignment, remaining
from benchmarks.mapping.workers import Killer
from benchmarks.search.pairs import anywhere
from svgm.rigid import exp, invert

Drive = tuple[list[np.ndarray], np.ndarray]


@pytest.mark.parametrize("dimension", [2, 3])
def test_alignment_undoes_a_motion_of_the_whole_set(dimension: int, drive_2d: Drive, drive_3d: Drive) -> None:
    truth = (drive_2d if dimension == 2 else drive_3d)[1]
    motion = exp([2.5, 3.0, -1.0]) if dimension == 2 else exp([1.0, -2.0, 0.5, 3.0, -1.0, 2.0])
    estimate = motion @ truth
    estimate[3] = np.nan
    assert np.allclose(alignment(estimate, truth), invert(motion))
    errors = remaining(estimate, truth, np.ones((len(truth), dimension)))
    for each in errors:
        assert np.isinf(each[3])
        assert np.delete(each, 3) == pytest.approx(0.0, abs=1e-7)


def test_no_other_motion_brings_noisy_poses_nearer(rng: np.random.Generator, drive_3d: Drive) -> None:
    truth = drive_3d[1]
    estimate = anywhere(rng, 1.0) @ truth @ exp(0.05 * rng.normal(size=(len(truth), 6)))
    best = alignment(estimate, truth)

    def misfit(motion: np.ndarray) -> tuple[float, float]:
        apart = (motion @ estimate - truth)[:, :3]
        return float((apart[:, :, :3] ** 2).sum()), float((apart[:, :, 3] ** 2).sum())

    for axis in np.eye(6):
        for sign in (-1e-3, 1e-3):
            rotation, translation = misfit(best @ exp(sign * axis))
            assert rotation >= misfit(best)[0] - 1e-12
            if not axis[:3].any():
                assert translation > misfit(best)[1]


def test_the_centre_of_a_scan_is_off_where_its_origin_is_not() -> None:
    truth = np.stack([np.eye(4)] * 2)
    estimate = np.stack([exp([0.0, 0.0, 0.1, 0, 0, 0]), exp([0.0, 0.0, -0.1, 0, 0, 0])])
    rotation, translation, centre = remaining(estimate, truth, np.array([[2.0, 0.0, 0.0]] * 2))
    assert rotation == pytest.approx([0.1, 0.1])
    assert translation == pytest.approx([0.0, 0.0])
    assert centre == pytest.approx(4.0 * np.sin([0.05, 0.05]))


def _edge(source: int, target: int, pose: np.ndarray, kind: str = "neighbour", trusted: bool = True) -> Edge:
    return Edge(source, target, pose, 0.9, kind, trusted)


def test_steps_count_with_a_right_trusted_edge_and_no_wrong_one(drive_3d: Drive) -> None:
    poses = drive_3d[1][:5]

    def true(source: int, target: int) -> np.ndarray:
        return invert(poses[target]) @ poses[source]

    off = exp([0.0, 0.0, 0.0, 0.9, 0.0, 0.0])
    found = [
        _edge(1, 0, true(1, 0)),
        _edge(2, 1, true(2, 1), trusted=False),
        _edge(2, 3, true(2, 3)),
        _edge(3, 2, true(3, 2) @ off),
        _edge(3, 4, true(3, 4)),
        _edge(4, 0, true(4, 0) @ off, kind="loop"),
    ]
    judged = edges.judge(found, poses, inlier)
    assert [each.right for each in judged] == [True, True, True, False, True, False]
    assert edges.share_of_steps(judged, len(poses)) == (2, [1, 2])
    counts = edges.groups(judged, far=1.0)
    assert counts["neighbour"] == edges.Count(edges=5, trusted=4, right=3, wrong=1, doubted=1)
    assert counts["loop, from 1 m"].wrong == 1
    assert [(row["source"], row["target"]) for row in edges.wrong_ones(judged)] == [(3, 2), (4, 0)]


@pytest.mark.usefixtures("fake_map")
def test_two_maps_differ_by_the_last_bit(drive_2d: Drive) -> None:
    one = make_map(drive_2d[0], order="sequence")
    assert differences(one, replace(make_map(drive_2d[0], order="sequence"), seconds=9.0)) == []
    poses = one.poses.copy()
    poses[0, 0, 0] = np.nextafter(poses[0, 0, 0], 2.0)
    assert differences(one, replace(one, poses=poses)) == ["poses"]
    mixture = {**one.mixture, "weights": one.mixture["weights"][:-1]}
    assert differences(one, replace(one, mixture=mixture, left_out={3: "?"})) == ["mixture, weights", "scans left out"]
    other = replace(one.edges[0], confidence=0.1)
    assert differences(one, replace(one, edges=(other, *one.edges[1:]))) == ["edges"]
    assert differences(one, replace(one, rejected=((other, "far"),), components=1)) == ["rejected edges", "components"]


def test_a_version_without_maps_says_so() -> None:
    with pytest.raises(SystemExit, match=r"svgm\.nothing is not there"):
        find("svgm:nothing")


@pytest.mark.usefixtures("fake_map")
def test_a_map_in_a_process_of_its_own_is_the_same_though_a_worker_is_killed(tmp_path: Path, drive_3d: Drive) -> None:
    pytest.importorskip("psutil", reason="psutil is not installed")
    from benchmarks.mapping.child import map_in_child

    paths = [tmp_path / f"{number}.npy" for number in range(3)]
    for path, scan in zip(paths, drive_3d[0], strict=False):
        np.save(path, scan)
    killer = Killer(0.0)
    watched = map_in_child(paths, mapper="fake_map:map", order="sequence", workers=2, during=killer)
    assert killer.victim > 0
    assert differences(watched.mapped, make_map(paths, order="sequence")) == []
    assert 0 < watched.imported <= watched.peak <= watched.memory
    assert watched.tree > watched.peak  # its workers count


def test_a_map_that_fails_in_its_process_fails_here(tmp_path: Path, fake_map: ModuleType) -> None:
    pytest.importorskip("psutil", reason="psutil is not installed")
    from benchmarks.mapping.child import map_in_child

    with pytest.raises(RuntimeError, match="ended with code 1"):
        map_in_child([tmp_path / "none.npy"], mapper="fake_map:map", order="sequence")


def test_what_json_has_not_is_null() -> None:
    given: dict[str, Any] = {"a": [np.inf, 1.5], "b": np.array([np.nan, 2.0]), "c": np.int64(3), "d": np.bool_(True)}
    assert finite(given) == {"a": [None, 1.5], "b": [None, 2.0], "c": 3, "d": True}
