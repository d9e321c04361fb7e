"""`svgm convert`, and what other commands do with columns, viewpoints, NaN rows, folders and trust."""

from __future__ import annotations

import json

import numpy as np
import pytest

import svgm
from svgm.datasets import body, butterfly
from svgm.io import PointCloud, read_cloud, write_cloud
from svgm.rigid import apply, exp, invert


@pytest.fixture
def coloured(tmp_path):
    """A cloud with colours, normals and times as a PCD file, and the same moved."""
    points, normals = body(900, seed=1)
    columns = {f"n{axis}": normals[:, k] for k, axis in enumerate("xyz")}
    columns |= {name: np.arange(900) % 251 for name in ("red", "green", "blue")}
    columns = {name: c.astype(np.uint8) if name in ("red", "green", "blue") else c for name, c in columns.items()}
    cloud = PointCloud(points, {**columns, "time": np.arange(900.0)}, np.array([5.0, 0.0, 1.0]))
    T = exp([0.1, -0.1, 0.2, 0.2, 0.1, 0.0])
    write_cloud(tmp_path / "a.pcd", cloud.transformed(invert(T)))
    write_cloud(tmp_path / "b.pcd", cloud)
    return tmp_path


def test_one_file(run, coloured):
    outcome = run("convert", coloured / "b.pcd", "-o", coloured / "b.ply")
    assert outcome.exit_code == 0, outcome.output
    assert "warning: .ply files cannot hold viewpoint" in outcome.stderr
    before, after = read_cloud(coloured / "b.pcd"), read_cloud(coloured / "b.ply")
    np.testing.assert_array_equal(before.points, after.points)
    assert {name: column.tolist() for name, column in before.columns.items()} == {
        name: column.tolist() for name, column in after.columns.items()
    }


def test_a_folder(run, coloured):
    outcome = run("convert", coloured, "-o", coloured / "out", "--format", "csv", "--json")
    assert outcome.exit_code == 0, outcome.output
    found = json.loads(outcome.stdout)
    assert [file.rsplit("/")[-1] for file in found["files"]] == ["a.csv", "b.csv"]
    assert found["left_out"] == ["viewpoint"]
    assert len(read_cloud(coloured / "out" / "a.csv").columns) == 7


def test_a_bag(run, tmp_path):
    pytest.importorskip("rosbags")
    from tests.io.test_bags import clouds, write

    rows = np.zeros(10, [("x", "<f4"), ("y", "<f4"), ("z", "<f4"), ("intensity", "<f4")])
    rows["x"], rows["intensity"] = np.arange(10), 0.5
    bag = write(tmp_path, "ros1", clouds(rows, 3))
    outcome = run("convert", bag, "-o", tmp_path / "out", "--format", "pcd")
    assert outcome.exit_code == 0, outcome.output
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "000000.pcd",
        "000001.pcd",
        "000002.pcd",
        "times.txt",
    ]
    assert (tmp_path / "out" / "times.txt").read_text().split() == ["100.500000000", "101.500000000", "102.500000000"]
    np.testing.assert_array_equal(read_cloud(tmp_path / "out" / "000002.pcd").points[:, 0], np.arange(10))


def test_refused(fails, run, tmp_path):
    fails("convert", "a.csv", "-o", tmp_path / "a.e57", match="points must be written to a file ending in")
    fails("convert", "a.csv", "b.csv", "-o", tmp_path / "a.ply", match="--output must be a folder")
    fails("convert", "a.npz", "-o", tmp_path / "b.ply", match="holds a mixture")
    assert run("convert", "a.csv", "-o", tmp_path / "a.ply", "--topic", "/a").exit_code == 2


def test_register_keeps_columns_and_turns_normals(run, coloured):
    outcome = run("register", coloured / "a.pcd", coloured / "b.pcd", "-o", coloured / "out.ply", "--json")
    assert outcome.exit_code == 0, outcome.output
    found = json.loads(outcome.stdout)
    assert "cannot hold viewpoint of a.pcd" in outcome.stderr
    np.testing.assert_allclose(found["settings"]["viewpoint"][1], [5.0, 0.0, 1.0])  # from the files
    moved, source = read_cloud(coloured / "out.ply"), read_cloud(coloured / "a.pcd")
    T = np.array(found["transformation"])
    np.testing.assert_allclose(moved.points, apply(T, source.points), atol=1e-12)
    np.testing.assert_allclose(moved.normals, source.normals @ T[:3, :3].T, atol=1e-12)
    np.testing.assert_array_equal(moved.columns["time"], source.columns["time"])
    np.testing.assert_array_equal(moved.colours, source.colours)


def test_drop_nan_everywhere(run, fails, tmp_path):
    points = butterfly(200, seed=1)
    points[[3, 7]] = np.nan
    np.savetxt(tmp_path / "holes.csv", points, delimiter=",")
    fails("info", tmp_path / "holes.csv", match="--drop-nan")
    for command in (
        ("info", tmp_path / "holes.csv"),
        ("fit", tmp_path / "holes.csv", "-o", tmp_path / "m.npz"),
        ("register", tmp_path / "holes.csv", "b.csv"),
        ("merge", tmp_path / "holes.csv", "b.csv", "-o", tmp_path / "m.npz"),
        ("convert", tmp_path / "holes.csv", "-o", tmp_path / "full.csv"),
    ):
        outcome = run(*command, "--drop-nan")
        assert outcome.exit_code == 0, outcome.output
        assert "holes.csv: dropped 2 of 200 points, which have NaN" in outcome.stderr
    assert len(svgm.read_points(tmp_path / "full.csv")) == 198


def test_folders(run, fails, files, tmp_path):
    for name in ("scan10.csv", "scan2.csv"):
        svgm.write_points(tmp_path / name, butterfly(50))
    outcome = run("info", tmp_path)
    assert outcome.exit_code == 0
    assert outcome.stdout.index("scan2.csv") < outcome.stdout.index("scan10.csv")
    fails("register", tmp_path, "b.csv", match="it holds 2 point files such as scan10.csv")


def test_trust(run, tmp_path):
    assert run("register", "a.csv", "b.csv", "--require-trust").exit_code == 0
    rng = np.random.default_rng(0)
    for name in ("x", "y"):
        np.savetxt(tmp_path / f"{name}.csv", rng.random((60, 2)), delimiter=",")
    arguments = ("register", tmp_path / "x.csv", tmp_path / "y.csv")
    assert run(*arguments).exit_code == 0
    outcome = run(*arguments, "--require-trust", "--matrix", tmp_path / "T.txt")
    assert outcome.exit_code == 3
    assert outcome.stderr.splitlines()[-1].startswith("svgm: error: the result is not trusted (confidence 0.")
    assert (tmp_path / "T.txt").exists()
    assert outcome.stdout
