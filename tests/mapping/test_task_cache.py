"""The cache of task results: the same results bit for bit, found by their task, and an interrupted run continues."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import svgm
from svgm import Mixture, fit
from svgm.io.archive import write_archive
from svgm.mapping.scan_linking import Segment
from svgm.mapping.task_cache import TaskCache
from tests.mapping.edges import edge_between, spread, walk
from tests.mapping.point_clouds import PointCloud, Tensor
from tests.mapping.scenes import room_loop


def same(one: Mixture, other: Mixture) -> bool:
    return (
        one.means.tobytes() == other.means.tobytes()
        and one.weights.tobytes() == other.weights.tobytes()
        and (one.variance, one.bias) == (other.variance, other.bias)
        and one == other
    )


@pytest.fixture
def cache(tmp_path: Path) -> TaskCache:
    return TaskCache(tmp_path / "work")


def stored(cache: TaskCache, result: Any) -> Any:
    path = cache.path("task", (1,))
    cache.store(path, result)
    return cache.load(path)


@pytest.mark.parametrize("bias", [None, 0.1 + 0.2])
def test_a_mixture(cache: TaskCache, curve: np.ndarray, bias: float | None) -> None:
    plain = fit(curve, gamma=7.0)
    mixture = Mixture(plain.means, plain.variance, plain.weights, bias=bias)
    assert same(stored(cache, mixture), mixture)


def test_a_mixture_with_covariances(cache: TaskCache, curve: np.ndarray) -> None:
    mixture = fit(curve, gamma=7.0, covariance="full")
    assert same(stored(cache, mixture), mixture)


@pytest.mark.parametrize("d", [2, 3])
def test_an_edge(cache: TaskCache, d: int, rng: np.random.Generator) -> None:
    edge = edge_between(walk(d, 2, rng), 1, 0, covariance=spread(d, rng))
    assert stored(cache, edge).as_dict() == edge.as_dict()


def test_a_segment(cache: TaskCache, curve: np.ndarray, rng: np.random.Generator) -> None:
    mixtures = {number: fit(curve + number, gamma=5.0) for number in (10, 12)}
    edges = [edge_between(walk(2, 2, rng), 1, 0, covariance=spread(2, rng)) for _ in range(3)]
    segment = Segment(mixtures, {10: 0.1 + 0.2, 12: 1 / 3}, edges, [[10], [12]], {11: "file: is damaged, ä"})
    again = stored(cache, segment)
    assert list(again.mixtures) == [10, 12]
    assert all(same(again.mixtures[number], mixtures[number]) for number in mixtures)
    assert [edge.as_dict() for edge in again.edges] == [edge.as_dict() for edge in edges]
    assert (again.radii, again.submaps, again.left_out) == (segment.radii, segment.submaps, segment.left_out)


def test_what_cannot_be_stored(cache: TaskCache, tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="set cannot be stored"):
        cache.store(cache.path("task", ()), {1})
    assert not list(tmp_path.rglob("*.npz"))


@pytest.mark.parametrize(
    "value", [object(), np.ma.masked_less([[1.0, 2.0]], 1.5), np.array([["a"]]), PointCloud("words")]
)
def test_a_task_without_numbers_is_not_stored(value: Any, cache: TaskCache) -> None:
    assert cache.path("fit", (value,)) is None
    assert cache.path("fit", ([(0, value)], 1.0)) is None


@pytest.mark.parametrize("kind", [PointCloud, Tensor])
def test_a_map_of_other_clouds_is_another_map(kind: Callable[[Any], Any], tmp_path: Path) -> None:
    scans = room_loop(40)[0]
    svgm.map([kind(points) for points in scans[:2]], output=tmp_path)
    other = svgm.map([kind(points) for points in scans[2:4]], output=tmp_path)
    assert other.poses.tobytes() == svgm.map(scans[2:4]).poses.tobytes()


def test_results_of_another_version_do_not_count(cache: TaskCache, monkeypatch: pytest.MonkeyPatch) -> None:
    path = cache.path("fit", (1,))
    monkeypatch.setattr("svgm.mapping.task_cache.version", lambda name: "0.0.0")
    assert TaskCache(cache._folder).path("fit", (1,)) != path


def test_the_result_of_another_task_does_not_count(cache: TaskCache, curve: np.ndarray) -> None:
    one, other = cache.path("fit", (1,)), cache.path("fit", (2,))
    assert one is not None
    assert other is not None
    cache.store(one, fit(curve))
    shutil.copy(one, other)
    assert cache.load(one) == fit(curve)
    assert cache.load(other) is None


def write_result(path: Path, result: Any) -> None:
    write_archive(path, text=np.array(json.dumps({"task": path.stem, "result": result})))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(b"no archive"),
        lambda path: path.write_bytes(path.read_bytes()[:-40]),
        lambda path: write_archive(path, other=np.zeros(3)),
        lambda path: write_archive(path, text=np.array("{")),
        lambda path: write_archive(path, text=np.array("[]")),
        lambda path: write_archive(path, text=np.array("{}")),
        lambda path: write_result(path, {"mixture": [1]}),
        lambda path: write_result(path, {"edge": {"source": 1}}),
        lambda path: write_result(path, {"segment": 3}),
    ],
)
def test_a_damaged_file_does_not_count(cache: TaskCache, curve: np.ndarray, spoil: Callable[[Path], Any]) -> None:
    path = cache.path("task", ())
    assert cache.load(path) is None
    cache.store(path, fit(curve))
    spoil(path)
    assert cache.load(path) is None
    cache.store(path, fit(curve))
    assert cache.load(path) is not None


def test_an_interrupted_run_continues(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scans = room_loop(40)[0]
    computed: list[str] = []

    def run(self: Any, function: Callable[..., Any], tasks: Any) -> Any:
        for number, task in enumerate(tasks):
            computed.extend([function.__name__] * (function.__name__ != "summarise"))
            yield number, function(*task)

    monkeypatch.setattr("svgm.mapping.executor.ThreadExecutor.run", run)
    whole = svgm.map(scans)
    in_all = len(computed)
    computed.clear()

    def interrupt(phase: str, done: int, total: int) -> None:
        if phase == "fitting and linking" and done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        svgm.map(scans, output=tmp_path / "map", progress=interrupt)
    assert computed == ["link_segment", "link_segment"]
    assert len(list((tmp_path / "map" / "work").iterdir())) == 2
    assert not (tmp_path / "map" / "record.json").exists()
    computed.clear()
    again = svgm.map(scans, output=tmp_path / "map")
    assert len(computed) == in_all - 2
    computed.clear()
    third = svgm.map(scans, output=tmp_path / "map")
    assert not computed
    for result in (again, third):
        assert result.poses.tobytes() == whole.poses.tobytes()
        assert same(result.mixture, whole.mixture)
        assert [edge.as_dict() for edge in result.edges] == [edge.as_dict() for edge in whole.edges]
        assert [why for _, why in result.rejected] == [why for _, why in whole.rejected]


def test_other_settings_are_computed_anew(tmp_path: Path) -> None:
    scans = room_loop(40)[0][:3]
    coarse = svgm.map(scans, output=tmp_path, detail=0.5)
    fine = svgm.map(scans, output=tmp_path)
    assert len(fine.mixture) > len(coarse.mixture)
    assert fine.poses.tobytes() == svgm.map(scans).poses.tobytes()
