"""Occupancy grids: a room of known walls, the files, what is refused."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import svgm
from svgm import FileError, InputError, MapResult
from svgm.mapping.occupancy import FREE, OCCUPIED, UNKNOWN, OccupancyGrid, occupancy_grid, picture_of
from tests.mapping.scenes import body_views, boxes, planar, seen

#: A room of 6 x 4 with a pillar, and five places in it.
WALLS = boxes((0, 0, 6, 4), (3.0, 2.0, 3.6, 2.6))
POSES = np.array(
    [planar(1, 1, 0.3), planar(5, 1, 2.0), planar(5, 3.4, -2.5), planar(1.5, 3.2, -0.7), planar(3.2, 0.8, 1.4)]
)
CELL = 0.1


def scans() -> list[np.ndarray]:
    return seen(WALLS, POSES, rays=360)


def placed(poses: np.ndarray = POSES, sigma: float = 0.2) -> MapResult:
    """A map with these poses."""
    mixture = svgm.Mixture([[0.0] * (poses.shape[1] - 1)], 1.0, [1.0])
    return MapResult(poses, np.zeros((len(poses), 3, 3)), mixture, (), (), {}, 1, sigma, {}, {})


def at(grid: OccupancyGrid, places: np.ndarray) -> np.ndarray:
    """What the cells of these places hold."""
    columns, rows = np.floor((places - grid.origin) / grid.resolution).astype(int).T
    return grid.cells[rows, columns]


@pytest.fixture(scope="module")
def room() -> OccupancyGrid:
    return occupancy_grid(placed(), scans(), CELL)


def test_walls_are_occupied_the_inside_free_and_the_pillar_unknown(room: OccupancyGrid) -> None:
    inner = np.stack(np.meshgrid(np.arange(0.25, 5.8, CELL), np.arange(0.25, 3.8, CELL)), axis=-1).reshape(-1, 2)
    off = np.abs(inner - (3.3, 2.3)).max(axis=1)  # from the middle of the pillar
    assert (at(room, inner[off > 0.45]) == FREE).mean() > 0.99
    assert (at(room, inner[off < 0.15]) == UNKNOWN).all()
    # Noise takes the end of a beam to either side of the wall.
    along = np.arange(0.25, 3.8, 0.5 * CELL)
    for x in (0.0, 6.0):
        sides = np.stack([at(room, np.c_[np.full(len(along), x + off), along]) for off in (-0.04, 0.04)])
        assert (sides == OCCUPIED).any(axis=0).mean() > 0.95
    occupied = room.origin + CELL * (np.argwhere(room.cells == OCCUPIED)[:, ::-1] + 0.5)
    edge = np.minimum(np.abs(occupied - (0, 0)).min(axis=1), np.abs(occupied - (6, 4)).min(axis=1))
    pillar = np.abs(np.abs(occupied - (3.3, 2.3)).max(axis=1) - 0.3)
    assert np.minimum(edge, pillar).max() < 1.5 * CELL


def test_outside_is_unknown() -> None:
    turned = planar(7.0, -3.0, 0.6)
    grid = occupancy_grid(placed(turned @ POSES), scans(), CELL)
    corners = np.array([[-0.3, 2.0], [6.3, 2.0], [3.0, -0.3], [3.0, 4.3]]) @ turned[:2, :2].T + turned[:2, 2]
    assert (at(grid, corners) == UNKNOWN).all()
    inside = np.array([[1.0, 2.0], [5.0, 2.0]]) @ turned[:2, :2].T + turned[:2, 2]
    assert (at(grid, inside) == FREE).all()


def test_who_walked_past_is_free(room: OccupancyGrid) -> None:
    several = scans() * 2
    several[0] = np.vstack([several[0], np.full((20, 2), 0.8)])
    walked = occupancy_grid(placed(np.vstack([POSES, POSES])), several, CELL)
    person = (np.full(2, 0.8) @ POSES[0, :2, :2].T + POSES[0, :2, 2])[None]
    assert at(occupancy_grid(placed(POSES[:1]), several[:1], CELL), person) == OCCUPIED
    assert at(walked, person) == FREE
    assert np.array_equal(walked.cells, room.cells)


def test_same_bits_in_any_order_and_on_whole_cells(room: OccupancyGrid) -> None:
    again = occupancy_grid(placed(POSES[::-1]), scans()[::-1], CELL)
    assert again.cells.tobytes() == room.cells.tobytes()
    assert np.array_equal(again.origin, room.origin)
    assert np.array_equal(room.origin, CELL * np.round(room.origin / CELL))


def test_scans_left_out_strays_mixtures_and_files(room: OccupancyGrid, tmp_path: Path) -> None:
    poses = np.insert(POSES, 2, np.nan, axis=0)
    given: list = scans()
    given[0] = np.vstack([given[0], [[1e6, 1e6]]])
    given[1] = svgm.Mixture(given[1], 0.01, np.full(len(given[1]), 1 / len(given[1])))
    svgm.write_points(tmp_path / "scan.npy", given[2])
    given[2] = tmp_path / "scan.npy"
    given.insert(2, "nowhere.ply")  # it has no pose, so it is not read
    assert np.array_equal(occupancy_grid(placed(poses), given, CELL).cells, room.cells)


def test_default_resolution_has_no_unit() -> None:
    grid = occupancy_grid(placed(sigma=0.2), scans())
    assert grid.resolution == pytest.approx(0.1)
    tall = POSES.copy()
    tall[:, :2, 2] *= 1024.0
    larger = occupancy_grid(placed(tall, sigma=0.2 * 1024), [1024.0 * scan for scan in scans()])
    assert np.array_equal(larger.cells, grid.cells)


def test_a_place_just_below_a_line_of_the_grid() -> None:
    """In cells from the grid's corner, it is 3 in floating point: one more than the last column."""
    pose = planar(-1e-20, 0.5, 0.0)
    grid = occupancy_grid(placed(pose[None]), [np.array([[0.0, 0.0], [-2.5, 0.0]])], 1.0)
    assert grid.cells.tolist() == [[OCCUPIED, FREE, OCCUPIED]]


def test_map_server_reads_the_files(room: OccupancyGrid, tmp_path: Path) -> None:
    yaml, image = pytest.importorskip("yaml"), pytest.importorskip("PIL.Image")
    for name in ("room.yaml", 'a: "b" é.yml'):
        room.save(tmp_path / name)
        text = yaml.safe_load((tmp_path / name).read_text(encoding="utf-8"))
        assert text == {
            "image": f"{Path(name).stem}.pgm",
            "resolution": CELL,
            "origin": [*room.origin.tolist(), 0.0],
            "negate": 0,
            "occupied_thresh": 0.65,
            "free_thresh": 0.196,
        }
        content = (tmp_path / text["image"]).read_bytes()
        rows, columns = room.cells.shape
        assert content.startswith(f"P5\n{columns} {rows}\n255\n".encode())
        greys = np.asarray(image.open(tmp_path / text["image"]))[::-1]  # the picture's first row is the topmost
        chance = (255 - greys.astype(float)) / 255  # the rule of map_server
        ros = np.where(chance > text["occupied_thresh"], 100, np.where(chance < text["free_thresh"], 0, -1))
        assert np.array_equal(ros, room.cells)
    assert len(list(tmp_path.iterdir())) == 4


def test_numbers_in_yaml(tmp_path: Path) -> None:
    yaml = pytest.importorskip("yaml")
    OccupancyGrid(np.zeros((1, 1)), 1e-05, np.array([1e-7, -2.5e20])).save(tmp_path / "a.yaml")
    text = yaml.safe_load((tmp_path / "a.yaml").read_text())
    assert (text["resolution"], text["origin"]) == (1e-05, [1e-7, -2.5e20, 0.0])


def test_a_grid_is_frozen_also_after_pickling(room: OccupancyGrid) -> None:
    again = pickle.loads(pickle.dumps(room))
    assert np.array_equal(again.cells, room.cells)
    assert repr(again).startswith(f"OccupancyGrid({room.cells.shape[1]} x {room.cells.shape[0]} cells of 0.1: ")
    for array in (room.cells, room.origin, again.cells, again.origin):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


def test_refusals(room: OccupancyGrid, tmp_path: Path) -> None:
    result, given = placed(), scans()
    with pytest.raises(InputError, match=r"scans must hold 5 values, got 2"):
        occupancy_grid(result, given[:2])
    with pytest.raises(InputError, match=r"scans\[1\] must have 2 coordinates, as its pose, got 3"):
        occupancy_grid(result, [given[0], np.zeros((4, 3)), *given[2:]])
    for wrong in (0.0, -1.0, np.nan, np.inf):
        with pytest.raises(InputError, match="resolution must be positive"):
            occupancy_grid(result, given, wrong)
    for small in (1e-5, 1e-300, 5e-324):
        with pytest.raises(InputError, match="resolution must be larger for a map of this size"):
            occupancy_grid(result, given, small)
    assert occupancy_grid(result, given, 1e308).cells.size <= 4
    views, poses = body_views(2, points=60)
    space = replace(placed(poses), covariances=np.zeros((2, 6, 6)))
    with pytest.raises(InputError, match=r"must be a map in 2D, .*: this one is in 3D"):
        occupancy_grid(space, views)
    for name in ("grid.png", "grid", ".yaml"):
        with pytest.raises(FileError, match=r"ending in \.yaml \.yml"):
            room.save(tmp_path / name)
    with pytest.raises(FileError, match="its folder does not exist"):
        room.save(tmp_path / "none" / "grid.yaml")
    (tmp_path / "taken.pgm").mkdir()
    with pytest.raises(FileError, match=r"taken\.pgm: is a folder"):
        room.save(tmp_path / "taken.yaml")
    assert [path.name for path in tmp_path.iterdir()] == ["taken.pgm"]
    with pytest.raises(FileError, match="must be Unicode"):
        picture_of(Path("\udcff.yaml"))
