"""A map that grows scan by scan."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import svgm
from svgm import FileError, InputError, Mapper
from svgm.datasets import body
from tests.mapping.scenes import room_loop, worst

COUNT = 24


@pytest.fixture(scope="module")
def live() -> tuple[Mapper, np.ndarray]:
    """Part of the round trip, and each pose as `add` returned it."""
    mapper = Mapper(sigma=svgm.map(room_loop(40)[0][:COUNT]).sigma)
    return mapper, np.stack([mapper.add(points) for points in room_loop(40)[0][:COUNT]])


def test_poses_are_near_the_truth_as_they_come(live: tuple[Mapper, np.ndarray]) -> None:
    mapper, returned = live
    true = room_loop(40)[1][:COUNT]
    assert np.array_equal(returned[0], np.eye(3))
    assert max(worst(returned, true)) < 0.3
    assert max(worst(mapper.poses, true)) < 0.3
    assert mapper.poses.shape == (COUNT, 3, 3)


def test_the_result_is_that_of_map(live: tuple[Mapper, np.ndarray]) -> None:
    mapper, _ = live
    whole = svgm.map(room_loop(40)[0][:COUNT])
    for result in (mapper.result(), mapper.result()):
        assert result.poses.tobytes() == whole.poses.tobytes()
        assert result.mixture == whole.mixture
        assert [edge.as_dict() for edge in result.edges] == [edge.as_dict() for edge in whole.edges]
        assert result.left_out == {}


def test_returned_poses_are_copies() -> None:
    mapper = Mapper()
    mapper.add(room_loop(40)[0][0])[:] = 7.0
    mapper.poses[:] = 7.0
    assert np.array_equal(mapper.poses, np.eye(3)[None])


def test_a_map_can_be_asked_for_at_any_time() -> None:
    scans, true = room_loop(40)
    mapper = Mapper()
    for number in range(4):
        mapper.add(scans[number])
        result = mapper.result()
        assert len(result.poses) == number + 1
        assert max(worst(result.poses, true[: number + 1])) < 0.1


def test_a_bad_scan_raises_and_the_stream_goes_on(tmp_path: Path) -> None:
    scans, true = room_loop(40)
    (tmp_path / "broken.ply").write_bytes(b"ply\nformat binary")
    mapper = Mapper()
    with pytest.raises(InputError, match=r"^scan 0 must hold at least one point"):
        mapper.add(np.empty((0, 2)))
    mapper.add(scans[1])
    mapper.add(scans[2])
    for bad, error in (
        (np.full((4, 2), np.nan), InputError),
        (body(200)[0], InputError),
        (tmp_path / "broken.ply", FileError),
        (tmp_path / "missing.ply", FileError),
    ):
        with pytest.raises(error) as caught:
            mapper.add(bad)
        assert "\n" not in str(caught.value)
    mapper.add(scans[3])
    result = mapper.result()
    assert sorted(result.left_out) == [0, 3, 4, 5, 6]
    assert "2D like the others" in result.left_out[4]
    assert "broken.ply" in result.left_out[5]
    assert np.isnan(result.poses[list(result.left_out)]).all()
    assert np.array_equal(np.isnan(result.poses), np.isnan(mapper.poses))
    there = [1, 2, 7]
    assert max(worst(result.poses[there], np.linalg.inv(true[1]) @ true[1:4])) < 0.1
    assert repr(result).startswith("MapResult(3 of 8 scans")


def test_a_pickled_mapper_continues() -> None:
    """Pickled, it is the same map, and takes the same scans to the same places."""
    scans = room_loop(40)[0][:14]
    whole, parts = Mapper(), pickle.loads(pickle.dumps(Mapper()))
    for number, points in enumerate(scans):
        if number in (0, 1, 5, 10, 12):
            parts = pickle.loads(pickle.dumps(parts))
        assert whole.add(points).tobytes() == parts.add(points).tobytes()
    assert whole.poses.tobytes() == parts.poses.tobytes()
    one, other = whole.result(), pickle.loads(pickle.dumps(parts)).result()
    assert one.poses.tobytes() == other.poses.tobytes()
    assert one.mixture == other.mixture


def test_a_scan_in_another_unit_raises() -> None:
    scans = room_loop(40)[0]
    mapper = Mapper()
    mapper.add(scans[0])
    with pytest.raises(InputError, match=r"^scan 1 must be about as large as the others, is [\d.e+]+ times as large"):
        mapper.add(1e3 * scans[1])
    assert np.isfinite(mapper.add(scans[1])).all()


@pytest.mark.parametrize("sigma", [1e-300, 1e-9, 1e9, 1e300])
def test_a_sigma_far_from_the_spacing(sigma: float) -> None:
    mapper = Mapper(sigma=sigma)
    with pytest.raises(InputError, match=r"^sigma must be within a factor 100 of 0\.\d+, got 1e"):
        mapper.add(room_loop(40)[0][0])


def test_a_scan_that_cannot_be_registered_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Because memory ran out, for example: in a stream and in a map."""
    scans = room_loop(40)[0][:5]
    whole = svgm.map([*scans[:2], np.empty((0, 2)), *scans[3:]])
    register = svgm.register

    def starved(source: Any, *rest: Any, **options: Any) -> Any:
        if np.isclose(source.centre, scans[2].mean(axis=0)).all():
            raise MemoryError("no room")
        return register(source, *rest, **options)

    monkeypatch.setattr("svgm.mapping.scan_linking.register", starved)
    mapper = Mapper(sigma=whole.sigma)
    for number, points in enumerate(scans):
        if number == 2:
            with pytest.raises(MemoryError):
                mapper.add(points)
        else:
            mapper.add(points)
    assert mapper.result().left_out == {2: "scan 2: cannot be used (MemoryError: no room)"}
    assert svgm.map(scans).left_out == {2: "scan 2: cannot be used (MemoryError: no room)"}
    assert mapper.result().poses.tobytes() == whole.poses.tobytes()


def test_nothing_yet() -> None:
    mapper = Mapper()
    with pytest.raises(InputError, match=r"^a map without scans has no poses"):
        _ = mapper.poses
    with pytest.raises(InputError, match=r"^a map without scans has no result"):
        mapper.result()
    with pytest.raises(InputError, match=r"^scan 0 must be in 2D or 3D, is in 4D$"):
        mapper.add(np.eye(4))
    with pytest.raises(InputError, match=r"^a map without scans has no result"):
        mapper.result()


@pytest.mark.parametrize(
    "options",
    [
        {"nu": 0},
        {"nu": "x"},
        {"detail": -1},
        {"detail": "fine"},
        {"detail": 1e9},
        {"sigma": 0.0},
        {"sigma": float("inf")},
        {"sigma": 10**400},
        {"sigma": "wide"},
    ],
)
def test_refused(options: dict) -> None:
    with pytest.raises(InputError, match=rf"^{next(iter(options))} must be positive"):
        Mapper(**options)
