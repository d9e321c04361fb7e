"""svgm.map on scenes whose poses are known, and on what users hand over by mistake."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import svgm
from svgm import FileError, InputError, MapResult
from svgm.datasets import body, laser_scan, partial_view, round_walk, storey
from svgm.rigid import apply, invert, pose_error
from tests.mapping.scenes import YARD, body_views, planar, room_loop, seen, worst

Scans = list[np.ndarray]

EMPTY = np.empty((0, 2))


@pytest.fixture(scope="module")
def room() -> MapResult:
    """Once around the room."""
    return svgm.map(room_loop(40)[0])


def yard(seed: int = 3) -> np.ndarray:
    return seen(YARD, np.array([planar(3.5, 7.0, 0.0)]), seed=seed)[0]


def identical(one: MapResult, other: MapResult) -> bool:
    return (
        one.poses.tobytes() == other.poses.tobytes()
        and one.mixture.means.tobytes() == other.mixture.means.tobytes()
        and one.mixture.weights.tobytes() == other.mixture.weights.tobytes()
        and [edge.as_dict() for edge in one.edges] == [edge.as_dict() for edge in other.edges]
        and one.left_out == other.left_out
    )


class TestRoom:
    """A sequence in the plane that comes back to its start."""

    def test_poses_are_right(self, room: MapResult) -> None:
        rotation, translation = worst(room.poses, room_loop(40)[1])
        assert rotation < 0.04
        assert translation < 0.2  # about a sigma
        assert np.allclose(room.poses[0], np.eye(3), atol=1e-9)
        assert not room.left_out

    def test_the_loop_is_closed(self, room: MapResult) -> None:
        loops = [edge for edge in room.edges if edge.kind == "loop"]
        assert any(edge.source >= 30 and edge.target < 10 for edge in loops)
        true = room_loop(40)[1]
        assert max(worst(np.stack([invert(room.poses[0]) @ room.poses[39]]), true[39:])) < 0.1

    def test_one_model_of_fewer_components(self, room: MapResult) -> None:
        assert len(room.mixture) < 0.2 * room.components
        assert repr(room).startswith("MapResult(40 of 40 scans, edges: ")
        assert f"{len(room.mixture)} of {room.components} components" in repr(room)

    def test_every_edge_is_near_the_truth(self, room: MapResult) -> None:
        true = room_loop(40)[1]
        found = np.stack([edge.transformation for edge in room.edges])
        wanted = np.stack([invert(true[edge.target]) @ true[edge.source] for edge in room.edges])
        assert worst(found, wanted)[0] < 0.1

    def test_the_same_again_bit_for_bit(self, room: MapResult) -> None:
        assert identical(svgm.map(room_loop(40)[0]), room)

    def test_a_generator_and_lists_do_as_well(self, room: MapResult) -> None:
        assert identical(svgm.map(points.tolist() for points in room_loop(40)[0]), room)

    def test_in_another_frame_of_the_sensor(self, room: MapResult) -> None:
        mount = planar(3.0, -4.0, 1.0)
        moved = svgm.map([apply(mount, points) for points in room_loop(40)[0]])
        rotation, translation = worst(invert(mount) @ moved.poses @ mount, room.poses)
        # Cells of a grid lie differently in the other frame, so poses differ by a part of sigma.
        assert rotation < 0.01
        assert translation < 0.5 * room.sigma
        assert moved.sigma == pytest.approx(room.sigma, rel=1e-9)

    def test_shared_between_processes_bit_for_bit(
        self, room: MapResult, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        scans = room_loop(40)[0]
        for number, points in enumerate(scans):
            np.save(tmp_path / f"{number}.npy", points)
        monkeypatch.chdir(tmp_path)
        paths = [f"{number}.npy" for number in range(len(scans))]
        assert identical(svgm.map(paths, workers=2), room)
        assert identical(svgm.map(paths), room)

    def test_progress_comes_to_its_end(self) -> None:
        said: list[tuple[str, int, int]] = []
        svgm.map(room_loop(40)[0][:12], progress=lambda *words: said.append(words))
        assert said[0] == ("first pass over scans", 0, 12)
        assert ("fitting and linking", 0, 2) in said
        for phase in {phase for phase, _, _ in said}:
            done, of = [words[1:] for words in said if words[0] == phase][-1]
            assert done == of


class TestBody:
    """Views of a body in no order."""

    def test_poses_are_right(self) -> None:
        scans, true = body_views(3, 4000, 0.5)
        result = svgm.map(scans, order="unordered")
        rotation, translation = worst(result.poses, true)
        assert rotation < 0.05
        assert translation < 0.2
        assert len(result.mixture) < 0.75 * result.components
        assert {edge.kind for edge in result.edges} == {"pair"}


class TestFewScans:
    """One, two, the same ones."""

    @pytest.mark.parametrize("order", ["sequence", "unordered"])
    def test_one(self, order: str) -> None:
        result = svgm.map(room_loop(40)[0][:1], order=order)
        assert np.allclose(result.poses, np.eye(3)[None])
        assert result.edges == result.rejected == ()
        assert len(result.mixture) == result.components

    @pytest.mark.parametrize("order", ["sequence", "unordered"])
    def test_two(self, order: str) -> None:
        scans, true = room_loop(40)
        assert max(worst(svgm.map(scans[:2], order=order).poses, true[:2])) < 0.05

    @pytest.mark.parametrize("order", ["sequence", "unordered"])
    def test_the_same_again(self, order: str) -> None:
        result = svgm.map([room_loop(40)[0][0]] * 5, order=order)
        assert max(worst(result.poses, np.stack([np.eye(3)] * 5))) < 1e-3
        assert len(result.mixture) < 1.2 * result.components / 5


class TestWithoutOverlap:
    """A scan of another place among them."""

    def test_unordered_it_is_left_out(self) -> None:
        scans, true = room_loop(40)
        result = svgm.map([*scans[:3], yard()], order="unordered")
        assert result.left_out == {3: "no trusted registration links it to the others"}
        assert max(worst(result.poses[:3], true[:3])) < 0.1
        why = [reason for edge, reason in result.rejected if edge.source == 3]
        assert len(why) == 3
        assert all("too low" in reason for reason in why)

    def test_unordered_no_two_overlap(self) -> None:
        result = svgm.map([room_loop(40)[0][0], yard()], order="unordered")
        assert list(result.left_out) == [1]
        assert np.allclose(result.poses[0], np.eye(3))

    def test_in_a_sequence_it_is_left_out(self) -> None:
        result = svgm.map([*room_loop(40)[0][:3], yard()])
        assert list(result.left_out) == [3]
        assert result.whole
        assert any("confidence" in reason for edge, reason in result.rejected if edge.source == 3)


class TestPieces:
    """Two drives that nothing holds together are two maps."""

    def test_each_piece_is_right(self, tmp_path: Path) -> None:
        scans, true = room_loop(40)
        places = np.array([planar(3.5 + 0.1 * k, 7.0, 0.1 * k) for k in range(4)])
        result = svgm.map([*scans[:6], *seen(YARD, places)], output=tmp_path / "map")
        assert not result.whole
        assert [piece.scans for piece in result.pieces] == [[0, 1, 2, 3, 4, 5], [6, 7, 8, 9]]
        assert max(worst(result.poses[:6], true[:6])) < 0.2
        assert max(worst(result.others[0].poses[6:], invert(places[0]) @ places)) < 0.2
        assert np.isnan(result.poses[6:]).all()
        assert result.left_out[6] == "it is in piece 2, which no trusted edge holds to the largest one"
        assert (tmp_path / "map" / "piece-2" / "trajectory_tum.txt").exists()
        assert repr(result).startswith("MapResult(the largest of 2 pieces: 6 of 10 scans")
        result.save(tmp_path / "pieces.npz")
        same = MapResult.load(tmp_path / "pieces.npz")
        assert [piece.scans for piece in same.pieces] == [piece.scans for piece in result.pieces]
        assert identical(same.others[0], result.others[0])
        assert same.joints == result.joints

    def test_odometry_holds_them_together(self) -> None:
        """A scanner in the yard sees nothing of the room, but the wheels say where it is."""
        scans, true = room_loop(40)
        places = planar(20.0, 0.0, 0.0) @ np.array([planar(3.5 + 0.1 * k, 7.0, 0.1 * k) for k in range(4)])
        odometry = np.concatenate([planar(1.9, 1.6, 0.0) @ true[:6], places])
        walls = YARD @ np.eye(2) + np.array([20.0, 0.0])
        result = svgm.map([*scans[:6], *seen(walls, places)], odometry=odometry)
        assert result.whole
        assert [(e.source, e.target) for e in result.edges if e.kind == "odometry" and e.source == 6] == [(6, 5)]
        assert max(worst(result.poses[6:], (invert(odometry[0]) @ odometry)[6:])) < 0.3


class TestOdometry:
    """Odometry that is good, that slips, and that is of no use."""

    def test_wrong_steps_are_outvoted(self, room: MapResult) -> None:
        scans, true = room_loop(40)
        slipping = true.copy()
        for scan in (7, 20, 31):
            slipping[scan:] = slipping[scan - 1] @ planar(0.8, -0.5, 0.9) @ invert(true[scan - 1]) @ slipping[scan:]
        result = svgm.map(scans, odometry=slipping)
        assert max(worst(result.poses, true)) < 0.2
        used = {edge.source for edge in result.edges if edge.kind == "odometry"}
        assert used.isdisjoint({7, 20, 31})
        assert len(used) > 30

    def test_poses_in_space_and_steps_with_covariances(self) -> None:
        scans, true = room_loop(40)
        space = np.tile(np.eye(4), (8, 1, 1))
        space[:, :2, :2], space[:, :2, 3] = true[:8, :2, :2], true[:8, :2, 2]
        one = svgm.map(scans[:8], odometry=space)
        assert max(worst(one.poses, true[:8])) < 0.1
        steps = invert(true[:7]) @ true[1:8]
        two = svgm.map(scans[:8], odometry=(steps, np.tile(1e-4 * np.eye(3), (7, 1, 1))), times=np.arange(8) + 0.5)
        assert max(worst(two.poses, true[:8])) < 0.1
        stated = [edge for edge in two.edges if edge.kind == "odometry"]
        assert stated
        assert stated[0].covariance == pytest.approx(1e-4 * np.eye(3))
        assert two.times is not None
        assert two.times.tolist() == [k + 0.5 for k in range(8)]

    @pytest.mark.parametrize(
        ("odometry", "words"),
        [
            (np.eye(3), "odometry must be poses"),
            (np.tile(np.eye(3), (4, 1, 1)), "odometry must be poses"),
            (np.full((3, 3, 3), np.nan), "all are NaN"),
            (np.tile(2.0 * np.eye(3), (3, 1, 1)), "odometry must end with the row"),
            ((np.tile(np.eye(3), (2, 1, 1)), np.tile(-np.eye(3), (2, 1, 1))), "positive semidefinite"),
            ((np.tile(np.eye(3), (3, 1, 1)), np.tile(np.eye(3), (2, 1, 1))), "odometry must have 2 steps"),
        ],
    )
    def test_what_is_refused(self, odometry: Any, words: str) -> None:
        with pytest.raises(InputError, match=words):
            svgm.map(room_loop(40)[0][:3], odometry=odometry)

    def test_without_an_order_there_is_none(self) -> None:
        with pytest.raises(InputError, match="order must be 'sequence' if odometry is given"):
            svgm.map(room_loop(40)[0][:3], odometry=room_loop(40)[1][:3], order="unordered")


class TestMixtures:
    """Scans that are mixtures already."""

    def test_as_values_and_files(self, tmp_path: Path) -> None:
        scans, true = room_loop(40)
        mixtures = [svgm.fit(points, scale=0.15, gamma=1.0) for points in scans[:4]]
        result = svgm.map(mixtures, output=tmp_path / "map")
        assert max(worst(result.poses, true[:4])) < 0.1
        paths = [tmp_path / f"{number}.npz" for number in range(4)]
        for path, mixture in zip(paths, mixtures, strict=True):
            mixture.save(path)
        assert identical(svgm.map(paths), result)
        assert svgm.read_points(tmp_path / "map" / "cloud.ply").shape[1] == 2


SCANS = [np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]])]


@pytest.mark.parametrize(
    ("scans", "options", "match"),
    [
        (SCANS, {"order": "sequenze"}, r"^order must be one of sequence, unordered, got 'sequenze'$"),
        (SCANS, {"order": None}, r"^order must be one of"),
        ([], {}, r"^scans must hold at least one scan, got none$"),
        ("scan.ply", {}, r"^scans must be a list, got 'scan.ply'$"),
        (Path("scan.ply"), {}, r"^scans must be a list of scans, got one \w*Path$"),
        (5, {}, r"^scans must be a list, got 5$"),
        (None, {}, r"^scans must be a list, got None$"),
        (np.zeros(()), {}, r"^scans must be a list, got array\(0\.\)$"),
        ([*SCANS, body(50)[0]], {}, r"^scans: only 1 of 2 can be used, .* scan 1 must be in 2D"),
        ([*SCANS, body(50)[0]], {"order": "unordered"}, r"^scans: only 1 of 2 can be used, .* scan 1 must be in 2D"),
        ([np.eye(4)], {}, r"^scans: none of 1 can be used, .* in 2D or 3D, is in 4D$"),
        (SCANS, {"nu": 0.0}, r"^nu must be positive"),
        (SCANS, {"nu": 1.5}, r"^nu must be positive and at most 1"),
        (SCANS, {"detail": -1.0}, r"^detail must be positive"),
        (SCANS, {"detail": float("nan")}, r"^detail must be positive"),
        (SCANS, {"detail": 1e-300}, r"^detail must be at least 0.01, got 1e-300$"),
        (SCANS, {"detail": 1e300}, r"^detail must be positive and at most 100, got 1e\+300$"),
        (SCANS, {"detail": 10**400}, r"^detail must be positive"),
        (SCANS, {"detail": "fine"}, r"^detail must be positive"),
        (SCANS, {"nu": "small"}, r"^nu must be positive"),
        (SCANS, {"order": np.array(["sequence", "unordered"])}, r"^order must be one of"),
        (SCANS, {"progress": 3}, r"^progress must be a function or None, got 3$"),
        (["a.ply"], {"dask": 3}, r"^dask must be an address"),
        (["a.ply"], {"workers": "two"}, r"^workers must be a whole number"),
        (["a.ply"], {"workers": 10**9}, r"^workers must be at most"),
        (SCANS, {"workers": 2}, r"^scans must be paths if workers or dask is given: arrays cannot be sent to workers$"),
        (["a.ply"], {"workers": 0}, r"^workers must be a whole number of at least 1, got 0$"),
        (["a.ply"], {"workers": 1, "dask": "tcp://here:1"}, r"^workers and dask exclude each other"),
    ],
)
def test_refused(scans: Any, options: dict[str, Any], match: str) -> None:
    with pytest.raises(InputError, match=match) as caught:
        svgm.map(scans, **options)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("output", [3, b"folder", ["folder"], "a\0b", "x" * 5000, object()])
def test_no_name_of_a_folder(output: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("svgm.mapping.pipeline.run_first_pass", lambda *rest: pytest.fail("has begun to work"))
    with pytest.raises(FileError) as caught:
        svgm.map(SCANS, output=output)
    assert "\n" not in str(caught.value)


def test_a_file_in_the_place_of_the_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("svgm.mapping.pipeline.run_first_pass", lambda *rest: pytest.fail("has begun to work"))
    (tmp_path / "work").write_text("mine")
    with pytest.raises(FileError, match=r"work: is a file, not a folder$"):
        svgm.map(SCANS, output=tmp_path)


def test_scans_in_survey_coordinates_make_a_map() -> None:
    """Their covariances, about an origin that is thousands of kilometres away, may be lost; the map is not."""
    walls = storey()
    far = np.array([4e5, 5e6])
    result = svgm.map([laser_scan(walls, pose, seed=k) + far for k, pose in enumerate(round_walk(90)[:4])])
    assert not result.left_out
    assert result.covariances.shape == (4, 3, 3)


@cache
def scene(d: int) -> list[np.ndarray]:
    """A walk once around a storey; views of a body."""
    if d == 2:
        walls = storey()
        return [laser_scan(walls, place, seed=k, beams=120) for k, place in enumerate(round_walk(60))]
    whole = body(3000, seed=1)[0]
    return [partial_view(whole, viewpoint=[7 * np.cos(a), 7 * np.sin(a), 2.5]) for a in (0.0, 0.4, 0.8)]


@cache
def mapped(d: int, unit: float) -> MapResult:
    order = "sequence" if d == 2 else "unordered"
    return svgm.map([unit * points for points in scene(d)], order=order)


@pytest.mark.parametrize("unit", [1e3, 1e-3], ids=["millimetres", "kilometres"])
@pytest.mark.parametrize("d", [2, 3])
def test_the_same_scene_in_another_unit_is_the_same_map(d: int, unit: float) -> None:
    one, other = mapped(d, 1.0), mapped(d, unit)
    assert [(e.source, e.target, e.kind) for e in other.edges] == [(e.source, e.target, e.kind) for e in one.edges]
    assert len(other.rejected) == len(one.rejected)
    assert (len(other.mixture), other.components) == (len(one.mixture), one.components)
    assert other.sigma == pytest.approx(unit * one.sigma, rel=1e-9)
    units = np.r_[np.ones(d * (d - 1) // 2), np.full(d, unit)]
    scaled = other.poses.copy()
    scaled[:, :d, d] /= unit
    # A registration ends within a millionth of sigma, and the graph adds up the errors of a whole trajectory.
    assert np.nanmax(np.abs(scaled - one.poses)) < 1e-4 * one.sigma
    deviations = np.sqrt(np.diagonal(other.covariances, axis1=1, axis2=2)) / units
    expected = np.sqrt(np.diagonal(one.covariances, axis1=1, axis2=2))
    assert np.allclose(deviations, expected, rtol=1e-3, atol=1e-9, equal_nan=True)


@pytest.mark.usefixtures("data")
def test_outdoors() -> None:
    from benchmarks.datasets import hannover_paths, hannover_reference

    result = svgm.map(hannover_paths()[:8])
    assert not result.left_out
    for k in range(1, 8):
        found = invert(result.poses[k - 1]) @ result.poses[k]
        rotation, translation = pose_error(found, hannover_reference(k, k + 1))
        assert rotation < 0.05
        assert translation < 0.3
    assert len(result.mixture) < 0.7 * result.components


@pytest.mark.usefixtures("data")
def test_a_laser_indoors() -> None:
    from benchmarks.datasets import laser_log

    scans = laser_log("freiburg-101")[:60]
    result = svgm.map([points for points, _ in scans])
    true = np.stack([pose for _, pose in scans])
    assert not result.left_out
    errors = np.array(
        [
            pose_error(invert(result.poses[k - 1]) @ result.poses[k], invert(true[k - 1]) @ true[k])
            for k in range(1, len(scans))
        ]
    )
    assert np.median(errors[:, 0]) < 0.01
    assert np.median(errors[:, 1]) < 0.05
    assert errors[:, 0].max() < 0.1
    assert errors[:, 1].max() < 0.3
    assert len(result.mixture) < 0.5 * result.components
