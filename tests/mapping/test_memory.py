"""Results that are kept: the same bit for bit, found by what was asked, and an interrupted run goes on."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import svgm
from svgm import Mixture, fit
from svgm.io.archive import write_archive
from svgm.mapping.chain import Stretch
from svgm.mapping.closures import Model
from svgm.mapping.fingerprint import fingerprint
from svgm.mapping.memory import Memory
from tests.mapping.edges import edge_between, spread, walk
from tests.mapping.scenes import room_loop


def same(one: Mixture, other: Mixture) -> bool:
    return (
        one.means.tobytes() == other.means.tobytes()
        and one.weights.tobytes() == other.weights.tobytes()
        and (one.variance, one.bias) == (other.variance, other.bias)
    )


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return Memory(tmp_path / "work")


def kept(memory: Memory, result: Any) -> Any:
    place = memory.place("task", (1,))
    memory.keep(place, result)
    return memory.recall(place)


@pytest.mark.parametrize("bias", [None, 0.1 + 0.2])
def test_a_mixture(memory: Memory, curve: np.ndarray, bias: float | None) -> None:
    plain = fit(curve, gamma=7.0)
    mixture = Mixture(plain.means, plain.variance, plain.weights, bias=bias)
    assert same(kept(memory, mixture), mixture)


@pytest.mark.parametrize("d", [2, 3])
def test_an_edge(memory: Memory, d: int, rng: np.random.Generator) -> None:
    edge = edge_between(walk(d, 2, rng), 1, 0, covariance=spread(d, rng))
    assert kept(memory, edge).as_dict() == edge.as_dict()


def test_a_stretch(memory: Memory, curve: np.ndarray, rng: np.random.Generator) -> None:
    mixtures = {number: fit(curve + number, gamma=5.0) for number in (10, 12)}
    edges = [edge_between(walk(2, 2, rng), 1, 0, covariance=spread(2, rng)) for _ in range(3)]
    stretch = Stretch(mixtures, {10: 0.1 + 0.2, 12: 1 / 3}, edges, [[10], [12]], {11: "file: is damaged, ä"})
    again = kept(memory, stretch)
    assert list(again.mixtures) == [10, 12]
    assert all(same(again.mixtures[number], mixtures[number]) for number in mixtures)
    assert [edge.as_dict() for edge in again.edges] == [edge.as_dict() for edge in edges]
    assert (again.radii, again.pieces, again.left_out) == (stretch.radii, stretch.pieces, stretch.left_out)


def test_what_cannot_be_kept(memory: Memory, tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="set are not kept"):
        memory.keep(memory.place("task", ()), {1})
    assert not list(tmp_path.rglob("*.npz"))


def test_another_question_has_another_place(memory: Memory, curve: np.ndarray) -> None:
    mixture = fit(curve, gamma=5.0)
    moved = mixture.transformed(np.array([[1.0, 0, 1e-12], [0, 1, 0], [0, 0, 1]]))
    asked = [
        ("a", (1, 2)),
        ("b", (1, 2)),
        ("a", (2, 1)),
        ("a", (1, (2,))),
        ("a", ((1,), 2)),
        ("a", (1.0, 2)),
        ("a", ("1", 2)),
        ("a", (None, 2)),
        ("a", (0.1 + 0.2,)),
        ("a", (0.3,)),
        ("a", (curve,)),
        ("a", (curve.astype(np.float32),)),
        ("a", (curve.reshape(2, -1),)),
        ("a", (mixture,)),
        ("a", (moved,)),
        ("a", (Model(0, mixture),)),
        ("a", (Model(1, mixture),)),
    ]
    places = {memory.place(*question) for question in asked}
    assert len(places) == len(asked)
    assert places == {memory.place(*question) for question in asked}
    assert memory.place("a", (curve,)) == memory.place("a", (np.asfortranarray(curve),))


def test_a_changed_file_is_another_question(memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "scan.csv"
    missing = memory.place("fit", (path,))
    path.write_text("1,2\n")
    first = memory.place("fit", (path,))
    monkeypatch.chdir(tmp_path)
    assert memory.place("fit", (Path("scan.csv"),)) == first
    status = path.stat()
    path.write_text("1,3\n")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    other = memory.place("fit", (path,))  # as large and as old as before
    path.write_text("1,2\n")
    os.utime(path, ns=(0, 0))
    assert memory.place("fit", (path,)) == first
    renamed = path.rename(tmp_path / "scan.xyz")
    assert len({missing, first, other, memory.place("fit", (renamed,))}) == 4
    assert memory.place("fit", (path,)) == missing
    assert memory.place("fit", (Path("a\0b"),)) != missing


def test_a_file_that_stays_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "scan.csv"
    path.write_text("1,2\n")
    before = fingerprint(path)
    monkeypatch.setattr("svgm.mapping.fingerprint.SETTLED", -1e9)  # any file has long been as it is
    assert fingerprint(path) == before
    monkeypatch.setattr("pathlib.Path.open", lambda *rest: pytest.fail("read again"))
    assert fingerprint(path) == before


class Cloud:
    """As Open3D's: its points are an attribute, and its repr says how many there are."""

    def __init__(self, points: Any) -> None:
        self.points = points

    def __repr__(self) -> str:
        return "PointCloud with 120 points."


class Tensor:
    """As torch's, whose repr leaves out most of the numbers."""

    def __init__(self, points: np.ndarray) -> None:
        self._points = points

    def detach(self) -> Tensor:
        return self

    cpu = detach

    def numpy(self) -> np.ndarray:
        return self._points

    def __repr__(self) -> str:
        return "tensor([[0., 1.], ..., [2., 3.]])"


@pytest.mark.parametrize("kind", [Cloud, Tensor, lambda points: Cloud(Tensor(points)), lambda p: p.astype(object)])
def test_clouds_are_told_apart_by_their_numbers(kind: Callable[[Any], Any], memory: Memory, curve: np.ndarray) -> None:
    moved = curve + 1e-9
    one, other = memory.place("fit", (kind(curve),)), memory.place("fit", (kind(moved),))
    assert one != other
    assert one == memory.place("fit", (kind(curve.copy()),))


@pytest.mark.parametrize("what", [object(), np.ma.masked_less([[1.0, 2.0]], 1.5), np.array([["a"]]), Cloud("words")])
def test_what_has_no_numbers_is_not_remembered(what: Any, memory: Memory) -> None:
    assert memory.place("fit", (what,)) is None
    assert memory.place("fit", ([(0, what)], 1.0)) is None


@pytest.mark.parametrize("kind", [Cloud, Tensor])
def test_a_map_of_other_clouds_is_another_map(kind: Callable[[Any], Any], tmp_path: Path) -> None:
    scans = room_loop(40)[0]
    svgm.map([kind(points) for points in scans[:2]], output=tmp_path)
    other = svgm.map([kind(points) for points in scans[2:4]], output=tmp_path)
    assert other.poses.tobytes() == svgm.map(scans[2:4]).poses.tobytes()


def test_results_of_another_version_do_not_count(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    place = memory.place("fit", (1,))
    monkeypatch.setattr("svgm.mapping.memory.version", lambda name: "0.0.0")
    assert Memory(memory._folder).place("fit", (1,)) != place


def test_the_result_of_another_task_does_not_count(memory: Memory, curve: np.ndarray) -> None:
    one, other = memory.place("fit", (1,)), memory.place("fit", (2,))
    assert one is not None
    assert other is not None
    memory.keep(one, fit(curve))
    shutil.copy(one, other)
    assert memory.recall(one) == fit(curve)
    assert memory.recall(other) is None


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
        lambda path: write_archive(path, text=np.array(json.dumps({"mixture": [1]}))),
        lambda path: write_archive(path, text=np.array(json.dumps({"edge": {"source": 1}}))),
        lambda path: write_archive(path, text=np.array(json.dumps({"stretch": 3}))),
    ],
)
def test_a_damaged_file_does_not_count(memory: Memory, curve: np.ndarray, spoil: Callable[[Path], Any]) -> None:
    place = memory.place("task", ())
    assert memory.recall(place) is None
    memory.keep(place, fit(curve))
    spoil(place)
    assert memory.recall(place) is None
    memory.keep(place, fit(curve))
    assert memory.recall(place) is not None


def test_an_interrupted_run_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scans = room_loop(40)[0]
    computed: list[str] = []

    def run(self: Any, function: Callable[..., Any], tasks: Any) -> Any:
        for number, task in enumerate(tasks):
            computed.extend([function.__name__] * (function.__name__ != "look"))
            yield number, function(*task)

    monkeypatch.setattr("svgm.mapping.executor.Here.run", run)
    whole = svgm.map(scans)
    in_all = len(computed)
    computed.clear()

    def interrupt(phase: str, done: int, of: int) -> None:
        if phase == "fitting and linking" and done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        svgm.map(scans, output=tmp_path / "map", progress=interrupt)
    assert computed == ["follow", "follow"]
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
