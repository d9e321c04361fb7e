"""Columns, normals, colours, viewpoints and NaN rows: read, written, moved, and compared with other readers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from svgm.checks.errors import FileError, InputError
from svgm.io import COLUMNS_WRITABLE, PointCloud, depth_to_points, read_cloud, read_points, write_cloud
from svgm.rigid import apply, exp
from tests.io.refused import refused

LIBRARY = {".las": "laspy", ".laz": "laspy"}


@pytest.fixture
def cloud(rng: np.random.Generator) -> PointCloud:
    """Points with every kind of column."""
    n = 40
    normals = rng.normal(size=(n, 3))
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    return PointCloud(
        rng.normal(size=(n, 3)),
        {
            **{f"n{axis}": normals[:, k] for k, axis in enumerate("xyz")},
            **{name: rng.integers(0, 256, n).astype(np.uint8) for name in ("red", "green", "blue")},
            "intensity": rng.random(n).astype(np.float32),
            "time": 1.5e9 + rng.random(n),
            "ring": rng.integers(0, 64, n).astype(np.uint16),
        },
        np.array([1.0, -2.0, 0.5]),
    )


@pytest.mark.parametrize("suffix", COLUMNS_WRITABLE)
def test_every_column_comes_back(tmp_path: Path, cloud: PointCloud, suffix: str) -> None:
    pytest.importorskip(LIBRARY.get(suffix, "numpy"))
    path = tmp_path / f"a{suffix}"
    left_out = write_cloud(path, cloud)
    assert left_out == (() if suffix == ".pcd" else ("viewpoint",))
    found = read_cloud(path)
    tolerance = 1e-8 if suffix in LIBRARY else 0.0
    np.testing.assert_allclose(found.points, cloud.points, rtol=0, atol=tolerance)
    np.testing.assert_array_equal(found.points, read_points(path))
    assert set(found.columns) == set(cloud.columns)
    for name, column in cloud.columns.items():
        if name in ("red", "green", "blue"):
            continue
        np.testing.assert_array_equal(found.columns[name].astype(column.dtype), column, err_msg=name)
    np.testing.assert_allclose(found.colours, cloud.colours, atol=1e-12)
    if suffix == ".pcd":
        np.testing.assert_array_equal(found.viewpoint, cloud.viewpoint)


@pytest.mark.parametrize("suffix", [".npy", ".npz", ".pts"])
def test_what_a_format_cannot_hold_is_said(tmp_path: Path, cloud: PointCloud, suffix: str) -> None:
    left_out = write_cloud(tmp_path / f"a{suffix}", cloud)
    assert left_out == (*cloud.columns, "viewpoint")
    np.testing.assert_array_equal(read_points(tmp_path / f"a{suffix}"), cloud.points)


def test_other_readers_agree_on_ply(tmp_path: Path, cloud: PointCloud) -> None:
    plyfile = pytest.importorskip("plyfile")
    trimesh = pytest.importorskip("trimesh")
    path = tmp_path / "a.ply"
    write_cloud(path, cloud)
    vertices = plyfile.PlyData.read(path)["vertex"].data
    assert set(vertices.dtype.names) == {"x", "y", "z", *cloud.columns}
    for name, column in cloud.columns.items():
        np.testing.assert_array_equal(vertices[name], column)
    theirs = trimesh.load(path)
    np.testing.assert_array_equal(theirs.vertices, cloud.points)
    np.testing.assert_array_equal(
        theirs.colors[:, :3], np.column_stack([vertices[c] for c in ("red", "green", "blue")])
    )


def test_laspy_agrees(tmp_path: Path, cloud: PointCloud) -> None:
    laspy = pytest.importorskip("laspy")
    path = tmp_path / "a.las"
    whole = {**cloud.columns, "intensity": np.arange(40, dtype=np.uint16)}
    write_cloud(path, PointCloud(cloud.points, whole))
    las = laspy.read(path)
    np.testing.assert_array_equal(las.intensity, whole["intensity"])
    np.testing.assert_array_equal(las.gps_time, cloud.columns["time"])
    np.testing.assert_array_equal(las.red, cloud.columns["red"].astype(np.uint16) * 257)
    np.testing.assert_array_equal(las["nx"], cloud.columns["nx"])


def test_open3d_agrees_on_pcd(tmp_path: Path, cloud: PointCloud) -> None:
    open3d = pytest.importorskip("open3d")
    path = tmp_path / "a.pcd"
    write_cloud(path, cloud)
    # Its reader of plain clouds takes coordinates of 64 bits for zeros; the one of tensors reads them.
    theirs = open3d.t.io.read_point_cloud(str(path)).point
    np.testing.assert_array_equal(theirs.positions.numpy(), cloud.points)
    np.testing.assert_array_equal(theirs.normals.numpy(), cloud.normals)
    np.testing.assert_array_equal(theirs.colors.numpy()[:, 0], cloud.columns["red"])
    np.testing.assert_array_equal(theirs["intensity"].numpy()[:, 0], cloud.columns["intensity"])


def test_a_moved_cloud_has_turned_normals(cloud: PointCloud) -> None:
    T = exp([0.3, -0.8, 0.5, 1.0, 2.0, 3.0])
    moved = cloud.transformed(T)
    np.testing.assert_allclose(moved.points, apply(T, cloud.points), atol=1e-14)
    np.testing.assert_allclose(moved.normals, cloud.normals @ T[:3, :3].T, atol=1e-15)
    np.testing.assert_allclose(moved.viewpoint, apply(T, cloud.viewpoint[None])[0])
    np.testing.assert_array_equal(moved.columns["time"], cloud.columns["time"])


def test_rows_with_nan_are_dropped_on_request_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("x,y,z,intensity\n0,0,0,1\nnan,1,1,2\n2,2,2,3\n3,nan,nan,4\n")
    assert "2 of 4 points are not, the first is point 1" in refused(read_points, path)
    found = read_cloud(path, drop_nan=True)
    assert found.dropped == 2
    np.testing.assert_array_equal(found.points[:, 0], [0, 2])
    np.testing.assert_array_equal(found.columns["intensity"], [1, 3])
    path.write_text("x,y\nnan,1\n")
    with pytest.raises(FileError, match="holds no points, all 1 are NaN"):
        read_points(path, drop_nan=True)
    path.write_text("x,y\ninf,1\n1,1\n")
    with pytest.raises(FileError, match="must be finite"):
        read_points(path, drop_nan=True)


@pytest.mark.parametrize(
    "head",
    [
        "ply\nobj_info num_cols 512\nobj_info num_rows 400\nformat ascii 1.0\nobj_info echo_rgb_offset_x 0.013\n",
        "ply\nzipper written by hand\nformat ascii 1.0\ncomment a\n",
        "ply\nscanner format ascii 1.0\n",
        "ply\n\nformat ascii 1.0\nmesh of a friend\n",
        "ply\r\nformat ascii 1.0\r\n",
    ],
)
def test_unusual_headers_of_ply(tmp_path: Path, head: str) -> None:
    path = tmp_path / "a.ply"
    path.write_bytes(f"{head}element vertex 2\nproperty float x\nproperty float y\nproperty float z\n".encode())
    path.write_bytes(
        path.read_bytes() + b"element face 0\nproperty list uchar int vertex_indices\nend_header\n1 2 3\n4 5 6\n"
    )
    np.testing.assert_array_equal(read_points(path), [[1, 2, 3], [4, 5, 6]])


def test_stanford_files_as_trimesh_reads_them(data: Path) -> None:
    trimesh = pytest.importorskip("trimesh")
    for path in sorted((data / "dragon_stand").glob("*.ply"))[:3]:
        np.testing.assert_array_equal(read_points(path), trimesh.load(path, process=False).vertices)


def test_kitti_scans(tmp_path: Path, rng: np.random.Generator) -> None:
    rows = rng.normal(size=(50, 4)).astype("<f4")
    path = tmp_path / "000000.bin"
    rows.tofile(path)
    found = read_cloud(path)
    np.testing.assert_array_equal(found.points, rows[:, :3].astype(np.float64))
    np.testing.assert_array_equal(found.columns["intensity"], rows[:, 3])
    np.testing.assert_array_equal(found.viewpoint, np.zeros(3))
    path.write_bytes(rows.tobytes()[:-3])
    refused(read_points, path, "797 bytes are no multiple")


def ptx(pose: np.ndarray, rows: str, count: int = 2) -> str:
    """A scan of one column in PTX: a matrix there is applied to rows from the right."""
    matrix = pose.T
    lines = [matrix[3, :3], *matrix[:3, :3], *matrix]
    return f"1\n{count}\n" + "".join(" ".join(map(repr, line.tolist())) + "\n" for line in lines) + rows


def test_ptx(tmp_path: Path) -> None:
    path, pose = tmp_path / "a.ptx", exp([0.2, 0.4, -0.3, 5.0, 6.0, 7.0])
    path.write_text(ptx(pose, "1 2 3 0.25 10 20 30\n0 0 0 0.5 0 0 0\n"))
    found = read_cloud(path)
    np.testing.assert_allclose(found.points, apply(pose, np.array([[1.0, 2.0, 3.0]])), atol=1e-12)
    np.testing.assert_allclose(found.viewpoint, pose[:3, 3])
    assert {name: column.tolist() for name, column in found.columns.items()} == {
        "intensity": [0.25],
        "red": [10],
        "green": [20],
        "blue": [30],
    }
    path.write_text(ptx(pose, "1 2 3 0.5\n1 2 4 0.5\n") + ptx(np.eye(4), "7 8 9 1\n0 0 0 0\n"))
    both = read_cloud(path)
    assert both.points.shape == (3, 3)
    assert both.viewpoint is None


@pytest.mark.parametrize(
    ("text", "match"),
    [
        (ptx(np.eye(4), "1 2 3 0.5\n"), "is cut off, a scan declares 2 points, 1 lines follow"),
        (ptx(np.eye(4), "1 2 3\n1 2 3\n"), "4 or 7 numbers"),
        (ptx(2 * np.eye(4), "1 2 3 1\n1 2 3 1\n"), "rigid motion"),
        ("1\n2\n0 0 0\n", "its header has 3 of 10 lines"),
        ("a\n", "cut off"),
        (ptx(np.eye(4), "0 0 0 1\n0 0 0 1\n"), "holds no points"),
    ],
)
def test_bad_ptx(tmp_path: Path, text: str, match: str) -> None:
    (tmp_path / "a.ptx").write_text(text)
    refused(read_points, tmp_path / "a.ptx", match)


def test_depth_images(rng: np.random.Generator) -> None:
    depth = rng.uniform(500, 4000, (6, 8))
    depth[2, 3], depth[0, 0], depth[5, 7] = 0.0, np.nan, -1.0
    camera = np.array([[5.0, 0.0, 3.5], [0.0, 6.0, 2.5], [0.0, 0.0, 1.0]])
    colours = rng.integers(0, 256, (6, 8, 3)).astype(np.uint8)
    found = depth_to_points(depth, camera, scale=1e-3, colours=colours)
    assert len(found.points) == 45
    seen = found.points @ camera.T
    rows, columns = (np.round(seen[:, k] / seen[:, 2]).astype(int) for k in (1, 0))
    np.testing.assert_allclose(seen[:, 2], 1e-3 * depth[rows, columns])
    np.testing.assert_allclose(found.colours, colours[rows, columns] / 255.0)
    np.testing.assert_array_equal(found.points, depth_to_points(depth, [5, 6, 3.5, 2.5], scale=1e-3).points)
    for wrong, match in (
        ({"intrinsics": np.eye(4)}, "intrinsics"),
        ({"scale": 0.0}, "scale"),
        ({"depth": [1.0]}, "depth"),
    ):
        with pytest.raises(InputError, match=match):
            depth_to_points(**{"depth": depth, "intrinsics": camera, **wrong})  # type: ignore[arg-type]
    with pytest.raises(InputError, match="colours must be numbers of shape"):
        depth_to_points(depth, camera, colours=colours[:2])


def test_a_folder_and_a_bag_where_one_scan_is_meant(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("0,0\n1,1\n")
    assert "1 point files such as a.csv" in refused(read_points, tmp_path)


def test_points_may_be_lists_of_numbers() -> None:
    cloud = PointCloud([[1.0, 2.0], [3, 4]])
    assert cloud.transformed(np.eye(3)).points.tolist() == cloud.points.tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert cloud.selected([1]).points.tolist() == [[3.0, 4.0]]
    for wrong in ([1.0, 2.0], 3.0, [["a", "b"]], np.zeros((2, 2, 2))):
        with pytest.raises(InputError, match="points must"):
            PointCloud(wrong)
