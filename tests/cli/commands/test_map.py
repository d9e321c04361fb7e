"""`svgm map`: the files it writes, and how it fails."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import svgm
from svgm.cli.commands.map import scan_files
from svgm.datasets import laser_scan, round_walk, storey
from svgm.mapping.outputs import FILES
from tests.mapping.scenes import room_loop, worst

COUNT = 12


@pytest.fixture(scope="module")
def drive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Scans scan1.csv ... scan12.csv."""
    folder = tmp_path_factory.mktemp("drive")
    for number, points in enumerate(room_loop(40)[0][:COUNT], start=1):
        svgm.write_points(folder / f"scan{number}.csv", points)
    return folder


def refuse(word: str) -> None:
    raise ValueError(word)


def test_a_folder_in_the_order_of_its_names(run, drive, out):
    outcome = run("map", drive, "-o", out / "map")
    assert outcome.exit_code == 0, outcome.output
    assert outcome.stdout == ""
    assert "12 of 12" in outcome.stderr
    assert "neighbour edges" in outcome.stderr
    assert {path.name for path in (out / "map").iterdir()} == {*FILES, "map.png", "work"}
    assert (out / "map" / "map.png").read_bytes().startswith(b"\x89PNG")
    record = json.loads((out / "map" / "record.json").read_text(), parse_constant=refuse)
    assert [Path(name).name for name in record["sources"]] == [f"scan{k}.csv" for k in range(1, COUNT + 1)]
    _, poses = svgm.io.trajectory.read_kitti(out / "map" / "trajectory_kitti.txt")
    assert max(worst(poses[:, [0, 1, 3]][:, :, [0, 1, 3]], room_loop(40)[1][:COUNT])) < 0.2


def test_json_and_nothing_else(run, drive, out):
    outcome = run("map", drive, "-o", out / "map", "--json")
    assert outcome.exit_code == 0, outcome.output
    assert outcome.stderr == ""
    record = json.loads(outcome.stdout, parse_constant=refuse)
    assert np.shape(record["poses"]) == (COUNT, 3, 3)
    assert record["version"] == svgm.__version__
    assert record["output"] == str(out / "map")
    assert record["edges"][0]["confidence"] > 0.9
    again = json.loads(run("map", drive, "-o", out / "map", "--json").stdout)
    assert again["poses"] == record["poses"]


def test_quiet(run, drive, out):
    files = [drive / f"scan{number}.csv" for number in (1, 2, 3)]
    outcome = run("map", *files, "-o", out / "map", "--quiet")
    assert (outcome.exit_code, outcome.stdout, outcome.stderr) == (0, "", "")
    assert (out / "map" / "map.npz").exists()


def test_scans_that_are_left_out_are_told(run, drive, out, files):
    some = [drive / "scan1.csv", files / "broken.ply", drive / "scan2.csv", out / "missing.ply", files / "empty.csv"]
    outcome = run("map", *some, "-o", out / "map")
    assert outcome.exit_code == 0, outcome.output
    lines = [line for line in outcome.stderr.splitlines() if line.startswith("left out")]
    assert len(lines) == 3
    for line, name in zip(lines, ("broken.ply", "missing.ply", "empty.csv"), strict=True):
        assert line.startswith("left out: ")
        assert line.count(name) == 1
    assert "2 of 5" in outcome.stderr
    record = json.loads(run("map", *some, "-o", out / "map", "--json").stdout, parse_constant=refuse)
    assert sorted(record["left_out"]) == ["1", "3", "4"]
    assert record["poses"][1][0] == [None, None, None]


def test_views_without_an_order(run, drive, out):
    outcome = run("map", *(drive / f"scan{k}.csv" for k in (3, 1, 2)), "-o", out / "map", "--order", "unordered")
    assert outcome.exit_code == 0, outcome.output
    assert "pair edges" in outcome.stderr


def test_nonsense_is_one_line(fails, run, files, drive, out, tmp_path):
    (tmp_path / "none").mkdir()
    (tmp_path / "file").write_text("")
    fails("map", files / "broken.ply", "-o", out / "map", match="broken.ply")
    fails("map", tmp_path / "missing.ply", "-o", out / "map", match="missing.ply")
    fails("map", tmp_path / "none", "-o", out / "map", match="holds no point files")
    fails("map", drive, "-o", tmp_path / "file", match="is a file, not a folder")
    fails("map", drive, "-o", tmp_path / "file" / "below", match="is a file")
    fails("map", drive, "-o", out / "map", "--detail", 0, match="detail must be positive")
    fails("map", drive, "-o", out / "map", "--nu", 2, match="nu must be positive and at most 1")
    fails("map", drive, "-o", out / "map", "--workers", 0, match="workers must be a whole number of at least 1")
    fails("map", drive, "-o", out / "map", "--dask", "nonsense", match="no scheduler answers at 'nonsense'")
    fails("map", "a.csv", "a.ply", "-o", out / "map", match="scans: only 1 of 2 can be used")
    for wrong in (("map", drive), ("map", "-o", out), ("map", drive, "-o", out, "--order", "sequenze")):
        assert run(*wrong).exit_code == 2


def test_the_folder_of_the_scans_may_be_that_of_the_map(run, drive, tmp_path):
    for number in (1, 2, 3):
        (tmp_path / f"scan{number}.csv").write_bytes((drive / f"scan{number}.csv").read_bytes())
    for _ in range(2):  # the second time the map's own files lie among the scans
        outcome = run("map", tmp_path, "-o", tmp_path)
        assert outcome.exit_code == 0, outcome.output
        assert outcome.stdout == ""
        assert "3 of 3" in outcome.stderr


def test_an_output_that_fails_is_told_and_the_others_are_written(run, drive, out):
    folder = out / "map"
    for name in ("graph.g2o", "map.png"):
        (folder / name).mkdir(parents=True)
    outcome = run("map", *(drive / f"scan{k}.csv" for k in (1, 2, 3)), "-o", folder, "--report", out / "report.html")
    assert outcome.exit_code == 1
    lines = [line for line in outcome.stderr.splitlines() if line.startswith("svgm: error: ")]
    assert len(lines) == 2
    assert str(folder / "graph.g2o") in lines[0]
    assert str(folder / "map.png") in lines[1]
    assert "3 of 3" in outcome.stderr
    assert all((folder / name).is_file() for name in FILES if name != "graph.g2o")
    assert (out / "report.html").is_file()
    outcome = run("map", *(drive / f"scan{k}.csv" for k in (1, 2, 3)), "-o", folder, "--json")
    assert outcome.exit_code == 1
    assert json.loads(outcome.stdout, parse_constant=refuse)["scans"] == 3


def test_names_with_numbers_in_any_script(tmp_path):
    names = [
        ".svgm-0123456789abcdef.ply",
        "scan10.ply",
        "scan2.ply",
        "Scan1.PLY",
        "1²3.ply",
        "1²20.ply",
        "b.xyz",
        "notes.md",
        "7.ply",
    ]
    for name in names:
        (tmp_path / name).write_text("")
    (tmp_path / "folder.ply").mkdir()
    found = [path.name for path in scan_files((tmp_path,), tmp_path / "map")]
    assert found == ["1²3.ply", "1²20.ply", "7.ply", "Scan1.PLY", "b.xyz", "scan2.ply", "scan10.ply"]


def test_help(run):
    outcome = run("map", "--help")
    assert outcome.exit_code == 0
    for words in ("--order", "--workers", "--dask", "--detail", "svgm map drive/*.ply -o drive-map", "scan2 before"):
        assert words in outcome.stdout
    assert "  map " in run("--help").stdout


def test_a_map_writes_its_report(run, tmp_path) -> None:
    pytest.importorskip("gtsam")
    walls = storey()
    for k, pose in enumerate(round_walk(60)[:4]):
        svgm.write_points(tmp_path / f"{k}.csv", laser_scan(walls, pose, seed=k))
    outcome = run("map", tmp_path, "-o", tmp_path / "map", "--report", tmp_path / "map.html", "-q")
    assert outcome.exit_code == 0
    text = (tmp_path / "map.html").read_text(encoding="utf-8")
    assert "All 4 scans are in the map" in text
    assert "svgm map" in text


def test_the_report_of_a_map_may_lie_in_its_folder(run, tmp_path) -> None:
    pytest.importorskip("gtsam")
    walls = storey()
    for k, pose in enumerate(round_walk(60)[:3]):
        svgm.write_points(tmp_path / f"{k}.csv", laser_scan(walls, pose, seed=k))
    outcome = run("map", tmp_path, "-o", tmp_path / "map", "--report", tmp_path / "map" / "report.html", "-q")
    assert outcome.exit_code == 0
    assert (tmp_path / "map" / "report.html").is_file()


def carmen_log(path: Path, count: int) -> None:
    """A CARMEN log of a laser in the storey, with the wheels' poses."""
    lines = []
    angles = np.deg2rad(np.arange(181) - 90.0)
    for k, pose in enumerate(round_walk(60)[:count]):
        points = laser_scan(storey(), pose, beams=181, field=np.pi, reach=np.inf, seed=k)
        ranges = " ".join(f"{reading:.4f}" for reading in np.linalg.norm(points, axis=1))
        assert len(points) == len(angles)
        x, y, heading = pose[0, 2], pose[1, 2], np.arctan2(pose[1, 0], pose[0, 0])
        place = f"{x:.6f} {y:.6f} {heading:.6f}"
        lines.append(f"ODOM {place} 0 0 0 {k} robot {k}")
        lines.append(f"FLASER 181 {ranges} {place} {place} {k}.5 robot {k}.5")
    path.write_text("\n".join(lines) + "\n")


def test_a_carmen_log_brings_its_odometry_and_times(run, fails, drive, out, tmp_path) -> None:
    carmen_log(tmp_path / "robot.log", 5)
    outcome = run("map", tmp_path / "robot.log", "-o", out / "map")
    assert outcome.exit_code == 0, outcome.output
    assert "one piece" in outcome.stderr
    assert "5 of 5" in outcome.stderr
    times, _ = svgm.io.trajectory.read_tum(out / "map" / "trajectory_tum.txt")
    assert times.tolist() == [0.5, 1.5, 2.5, 3.5, 4.5]
    record = json.loads((out / "map" / "record.json").read_text(), parse_constant=refuse)
    assert record["settings"]["odometry"] is True
    assert (record["whole"], record["pieces"]) == (True, [[0, 1, 2, 3, 4]])
    assert any(edge["kind"] == "odometry" for edge in record["edges"])
    fails("map", tmp_path / "robot.log", drive, "-o", out / "map", match="must be the only argument")
    fails("map", drive, "-o", out / "map", "--odometry", tmp_path / "robot.log", match="must have 12 poses")


def test_odometry_from_a_trajectory(run, drive, out, tmp_path) -> None:
    svgm.io.trajectory.write_tum(tmp_path / "wheels.tum", room_loop(40)[1][:COUNT])
    outcome = run("map", drive, "-o", out / "map", "--odometry", tmp_path / "wheels.tum", "--json")
    assert outcome.exit_code == 0, outcome.output
    record = json.loads(outcome.stdout, parse_constant=refuse)
    assert record["settings"]["odometry"] is True
    assert max(worst(np.array(record["poses"]), room_loop(40)[1][:COUNT])) < 0.2


def test_a_map_writes_its_occupancy_grid(run, fails, drive, files, out, tmp_path) -> None:
    some = [drive / f"scan{k}.csv" for k in (1, 2, 3)]
    outcome = run("map", *some, "-o", out / "map", "--grid", out / "map" / "grid.yaml")
    assert (outcome.exit_code, outcome.stdout) == (0, ""), outcome.output
    assert 'image: "grid.pgm"' in (out / "map" / "grid.yaml").read_text(encoding="utf-8")
    assert (out / "map" / "grid.pgm").read_bytes().startswith(b"P5\n")
    # Before the work begins:
    space = [files / "a.ply", files / "b.ply"]
    fails("map", *space, "-o", tmp_path / "map", "--grid", out / "a.yaml", match="a.ply is in 3D")
    fails(
        "map",
        *some,
        "-o",
        tmp_path / "map",
        "--grid",
        out / "a.png",
        match="must be written to a file ending in .yaml .yml",
    )
    fails("map", *some, "-o", tmp_path / "map", "--grid", out / "b" / "a.yaml", match="folder does not exist")
    assert not (tmp_path / "map").exists()
