"""`svgm locate`: the pose it prints, and how it fails."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import svgm
from svgm.rigid import pose_error
from tests.mapping.scenes import planar, room_loop

OUT = 5


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A scan, and a map that it is not in."""
    folder = tmp_path_factory.mktemp("place")
    scans = room_loop(40)[0]
    svgm.map([*scans[:OUT], *scans[OUT + 1 : 16]]).mixture.save(folder / "map.npz")
    svgm.write_points(folder / "scan.csv", scans[OUT])
    np.savetxt(folder / "guess.txt", room_loop(40)[1][OUT] @ planar(0.2, 0.1, 0.1))
    return folder


def matrix_of(text: str) -> np.ndarray:
    return np.array([[float(word) for word in line.split()] for line in text.splitlines()])


@pytest.mark.parametrize("chart", [".", "map.npz"])
@pytest.mark.parametrize("guess", [(), ("--init", "guess.txt")])
def test_folder_or_file(run, place, monkeypatch, chart, guess):
    monkeypatch.chdir(place)
    outcome = run("locate", "scan.csv", chart, *guess)
    assert outcome.exit_code == 0, outcome.output
    assert max(pose_error(matrix_of(outcome.stdout), room_loop(40)[1][OUT])) < 0.15
    assert "confidence" in outcome.stderr


def test_json(run, place, out):
    outcome = run("locate", place / "scan.csv", place, "--json", "--matrix", out / "T.txt")
    assert outcome.exit_code == 0, outcome.output
    assert outcome.stderr == ""
    record = json.loads(outcome.stdout)
    assert record["trusted"]
    assert record["map"] == str(place / "map.npz")
    assert record["version"] == svgm.__version__
    assert np.array_equal(np.loadtxt(out / "T.txt"), record["transformation"])


def test_quiet_and_from_stdin(run, place):
    text = (place / "guess.txt").read_text()
    outcome = run("locate", place / "scan.csv", place, "-q", "--init", "-", input=text)
    assert outcome.exit_code == 0, outcome.output
    assert outcome.stderr == ""
    assert matrix_of(outcome.stdout).shape == (3, 3)


def test_nonsense_is_one_line(fails, run, place, files, out, tmp_path):
    scan = place / "scan.csv"
    fails("locate", scan, tmp_path / "none.npz", match="none.npz: no such file")
    fails("locate", scan, out, match="map.npz: no such file, so its folder is not a map of svgm map")
    fails("locate", scan, scan, match="is not a map")
    fails("locate", tmp_path / "none.csv", place, match="none.csv")
    fails("locate", files / "empty.csv", place, match="empty.csv")
    fails("locate", files / "broken.ply", place, match="broken.ply")
    fails("locate", files / "a.ply", place, match="scan and map must have the same dimension, got 3 and 2")
    fails("locate", scan, place, "--init", files / "mirror.txt", match="mirror.txt")
    fails("locate", scan, place, "--init", files / "identity3d.txt", match="identity3d.txt")
    fails("locate", scan, place, "--nu", 0, match="nu must be positive")
    fails("locate", scan, place, "--matrix", tmp_path / "none" / "T.txt", match="folder does not exist")
    assert run("locate", scan).exit_code == 2


def test_help(run):
    outcome = run("locate", "--help")
    assert outcome.exit_code == 0
    assert "svgm locate scan.ply drive-map/" in outcome.stdout
    assert "  locate " in run("--help").stdout
