"""Localisation of a scan in a finished map."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import svgm
from svgm import FileError, InputError, MapResult, Mixture, fit
from svgm.datasets import body
from svgm.mapping.localisation import part_around, part_centres
from svgm.rigid import apply, exp, pose_error
from tests.mapping.scenes import planar, room_loop

OUT = 13


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a map without scan 13."""
    return tmp_path_factory.mktemp("map")


@pytest.fixture(scope="module")
def result(folder: Path) -> MapResult:
    """The same map."""
    scans = room_loop(40)[0]
    return svgm.map([*scans[:OUT], *scans[OUT + 1 :]], output=folder)


@pytest.fixture(scope="module")
def rooms(result: MapResult) -> Mixture:
    """Its merged mixture."""
    return result.mixture


def test_found_without_a_guess(rooms: Mixture) -> None:
    scans, true = room_loop(40)
    said: list[tuple[int, int]] = []
    result = svgm.locate(scans[OUT], rooms, progress=lambda phase, done, of: said.append((done, of)))
    assert result.trusted
    assert max(pose_error(result.transformation, true[OUT])) < 0.15
    assert said[0][0] == 0
    assert said[-1][0] == said[-1][1]


def test_wherever_its_frame_is(rooms: Mixture) -> None:
    scans, true = room_loop(40)
    away = exp([2.0, 100.0, -40.0])
    result = svgm.locate(apply(away, scans[OUT]), rooms)
    assert result.trusted
    assert max(pose_error(result.transformation @ away, true[OUT])) < 0.15


def test_found_from_a_rough_guess(rooms: Mixture) -> None:
    scans, true = room_loop(40)
    said: list[tuple[int, int]] = []
    start = true[OUT] @ planar(0.3, 0.2, 0.2)
    result = svgm.locate(scans[OUT], rooms, init=start, progress=lambda phase, *words: said.append(words))
    assert result.trusted
    assert max(pose_error(result.transformation, true[OUT])) < 0.15
    assert not said  # no other part is tried


def test_a_guess_beside_the_map_does_no_harm(rooms: Mixture) -> None:
    scans, true = room_loop(40)
    result = svgm.locate(scans[OUT], rooms, init=planar(500.0, 0.0, 0.0))
    assert max(pose_error(result.transformation, true[OUT])) < 0.15


def test_what_was_never_there_is_not_trusted(rooms: Mixture) -> None:
    angle = np.linspace(0.0, 2.0 * np.pi, 120, endpoint=False)
    radius = 3.0 + 1.2 * np.cos(3 * angle) + 0.6 * np.sin(5 * angle + 1.0)
    cave = np.c_[radius * np.cos(angle), radius * np.sin(angle)]
    assert not svgm.locate(cave, rooms).trusted


def test_parts_of_a_map(rooms: Mixture) -> None:
    centres = part_centres(rooms, 2.0, 3.0)
    assert centres.min() >= rooms.means.min()
    part = part_around(rooms, centres[0], 3.0)
    assert part is not None
    assert np.linalg.norm(part.means - centres[0], axis=1).max() < 3.0
    assert part.weights.sum() == pytest.approx(1.0)
    assert part_around(rooms, np.array([500.0, 0.0]), 3.0) is None


def test_a_map_as_large_as_the_scan_is_one_part() -> None:
    # Each part costs a global search.  A mixture of two classes had 33 parts, most of them almost the same: 20 s.
    scan = body(500)[0]
    said: list[tuple[int, int]] = []
    svgm.locate(scan, svgm.fit_two_class(scan, gamma=20.0), progress=lambda phase, done, of: said.append((done, of)))
    assert said == [(0, 1), (1, 1)]


def test_components_of_negative_weight_make_no_parts() -> None:
    positive = np.c_[np.arange(40.0), np.zeros(40)]
    weights = np.r_[np.full(40, 1 / 40), np.full(40, -1 / 40)]
    signed = Mixture(np.r_[positive, positive + np.array([0.0, 500.0])], 1.0, weights)
    centres = part_centres(signed, 4.0, 8.0)
    assert len(centres) == 10
    assert centres[:, 1].max() == 0.0


def test_refused(rooms: Mixture, curve: np.ndarray) -> None:
    for scan, chart, options, match in (
        (body(100)[0], rooms, {}, r"^scan and map must have the same dimension, got 3 and 2$"),
        (curve, curve, {}, r"^map must be a Mixture, a MapResult or the path of one, got ndarray$"),
        (np.zeros((3, 2)), rooms, {}, r"^scan must not be a single place"),
        (np.empty((0, 2)), rooms, {}, r"^scan must hold at least one point"),
        (curve, fit(curve, gamma=0.1), {}, r"^map must have components to register to"),
        (curve, rooms, {"init": np.eye(4)}, r"^init must"),
        (curve, rooms, {"init": np.diag([-1.0, 1.0, 1.0])}, r"^init must"),
        (curve, rooms, {"threads": 0}, r"^threads must"),
        (curve, rooms, {"threads": "two"}, r"^threads must"),
        (curve, rooms, {"nu": -1}, r"^nu must"),
        (curve, rooms, {"nu": "small"}, r"^nu must"),
        (curve, rooms, {"nu": 10**400}, r"^nu must"),
        (curve, rooms, {"init": "here"}, r"^init must"),
        (curve, rooms, {"init": 3}, r"^init must"),
        (curve, rooms, {"progress": 3}, r"^progress must be a function or None, got 3$"),
        (None, rooms, {}, r"^scan must"),
        (curve, None, {}, r"^map must be a Mixture, a MapResult or the path of one, got NoneType$"),
    ):
        with pytest.raises(InputError, match=match) as caught:
            svgm.locate(scan, chart, **options)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("kind", ["result", "folder", "name of the folder", "mixture file", "map file"])
def test_a_map_in_any_form(kind: str, folder: Path, result: MapResult, tmp_path: Path) -> None:
    scans, true = room_loop(40)
    start = true[OUT] @ planar(0.1, 0.1, 0.1)
    result.save(tmp_path / "saved.npz")
    chart = {
        "result": result,
        "folder": folder,
        "name of the folder": str(folder),
        "mixture file": folder / "map.npz",
        "map file": tmp_path / "saved.npz",
    }[kind]
    expected = svgm.locate(scans[OUT], result.mixture, init=start)
    found = svgm.locate(scans[OUT], chart, init=start)
    assert found.transformation.tobytes() == expected.transformation.tobytes()
    assert found.confidence == expected.confidence


def test_paths_that_are_no_map(tmp_path: Path) -> None:
    scan = room_loop(40)[0][0]
    svgm.write_points(tmp_path / "scan.ply", scan)
    np.savez(tmp_path / "other.npz", points=scan)
    (tmp_path / "damaged.npz").write_bytes(b"PK no archive")
    for path, match in (
        (tmp_path, r"map.npz: no such file, so its folder is not a map of svgm map$"),
        (tmp_path / "missing.npz", r"missing.npz: no such file$"),
        (tmp_path / "missing", r"missing: no such file$"),
        (tmp_path / "scan.ply", r"scan.ply: is not a map of svgm map, or a mixture$"),
        (tmp_path / "other.npz", r"other.npz: is not a map of svgm map, or a mixture$"),
        (tmp_path / "damaged.npz", r"damaged.npz: is not a readable npz archive"),
        ("a\0b", r"cannot be opened"),
        ("x" * 5000, r"cannot be opened"),
    ):
        with pytest.raises(FileError, match=match) as caught:
            svgm.locate(scan, path)
        assert "\n" not in str(caught.value)
