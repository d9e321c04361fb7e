"""`svgm view`: files in, a page served, and how it ends."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import numpy as np
import pytest

import svgm
from svgm.cli.view_scene import read_scene
from svgm.view.canvas import SOURCE, TARGET
from svgm.view.scene import Cloud, Gaussians, Lines
from tests.mapping.scenes import room_loop

#: Points of a cloud that are shown.
MOST = 100_000


@pytest.fixture(scope="module")
def room_map(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small 2D map."""
    folder = tmp_path_factory.mktemp("maps") / "room"
    svgm.map(room_loop(40)[0][:4], output=folder)
    return folder


@pytest.fixture
def json_result(run, tmp_path: Path) -> Path:
    """What `svgm register --json` prints."""
    path = tmp_path / "result.json"
    path.write_text(run("register", "a.csv", "b.csv", "--json").stdout)
    return path


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT for one process there")
@pytest.mark.parametrize("as_json", [False, True])
def test_it_serves_until_it_is_interrupted(files: Path, as_json: bool) -> None:
    options = ["--no-browser", "--port", "0", *(["--json"] if as_json else [])]
    command = [sys.executable, "-m", "svgm.cli", "view", "a.ply", "b.ply", *options]
    with subprocess.Popen(
        command,
        cwd=files,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A shell that starts the tests in the background has interrupts ignored, and children inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        try:
            text = process.stdout.readline()
            while as_json and not text.endswith("\n}\n"):
                text += process.stdout.readline()
            found = json.loads(text)["url"] if as_json else re.fullmatch(r"(\S+)  \(Ctrl-C ends it\)\n", text)[1]
            with urlopen(found, timeout=600) as answer:
                assert b"<html" in answer.read().lower()
            process.send_signal(signal.SIGINT)
            stdout, stderr = process.communicate(timeout=600)
        finally:
            process.kill()
    assert (process.returncode, stdout, stderr) == (0, "", "")
    assert not as_json or json.loads(text)["layers"] == ["a.ply", "b.ply"]


def test_points_and_mixtures(run, files) -> None:
    scene, told = read_scene([files / "a.csv", files / "b.npz"], None, None, MOST)
    points, mixture = scene.layers
    assert isinstance(points, Cloud)
    assert isinstance(mixture, Gaussians)
    assert (points.colour, mixture.colour) == (SOURCE, TARGET)
    assert len(points.points) == 400
    assert mixture.sigma == svgm.Mixture.load(files / "b.npz").sigma
    assert (scene.names, scene.title, list(scene.frames), told) == (["a.csv", "b.npz"], "a.csv, b.npz", [], [])


def test_many_files_have_colours_of_their_own(files) -> None:
    scene, _ = read_scene(
        [files / name for name in ("a.csv", "b.csv", "a.npz", "b.npz", "coarse.npz")], None, None, MOST
    )
    assert len({layer.colour for layer in scene.layers}) == 5
    assert scene.title == "a.csv, b.csv, a.npz, b.npz, ..."


def test_files_of_one_name_are_told_apart_by_their_folders(files, tmp_path) -> None:
    (tmp_path / "a.csv").write_bytes((files / "a.csv").read_bytes())
    assert len(read_scene([files / "a.csv", tmp_path / "a.csv"], None, None, MOST)[0].names) == 2


def test_a_matrix_moves_the_first_file(files, truth) -> None:
    scene, _ = read_scene([files / "a.csv", files / "b.csv"], files / "truth.txt", None, MOST)
    assert [layer.moves for layer in scene.layers] == [True, False]
    assert [frame.label for frame in scene.frames] == ["before", "after"]
    np.testing.assert_allclose(scene.frames[1].transformation, truth["csv"])


def test_a_result_shows_the_scales(files, json_result, monkeypatch) -> None:
    monkeypatch.chdir(files)
    scene, _ = read_scene([], None, json_result, MOST)
    record = json.loads(json_result.read_text())
    assert scene.names == ["a.csv", "b.csv"]
    assert len(scene.frames) == len(record["stages"]) + 2
    assert scene.frames[1].label.startswith("gamma 0.1, sigma ")
    assert scene.frames[-1].label.startswith("answer, confidence ")
    assert scene.frames[-1].transformation.tolist() == pytest.approx(np.array(record["transformation"]))


def test_a_map(room_map, files) -> None:
    scene, _ = read_scene([room_map], None, None, MOST)
    kinds = {layer.name: type(layer) for layer in scene.layers}
    expected = {"cloud": Cloud, "model": Gaussians, "edges": Lines, "trajectory": Lines}
    assert {name: kinds.get(name) for name in expected} == expected
    assert scene.dimension == 2
    record = json.loads((room_map / "record.json").read_text())
    record["edges"][0]["kind"] = "loop"
    (room_map / "record.json").write_text(json.dumps(record))
    loops = [layer for layer in read_scene([room_map], None, None, MOST)[0].layers if layer.name == "loops"]
    assert len(loops[0].ends) == 1
    (room_map / "record.json").write_text("{}")
    with pytest.raises(svgm.FileError, match=r"record.json: is no record of svgm map"):
        read_scene([room_map], None, None, MOST)
    (room_map / "record.json").write_text(json.dumps(record))
    assert "room cloud" in read_scene([room_map, files / "b.csv"], None, None, MOST)[0].names


def test_what_is_thinned_is_told(files) -> None:
    scene, told = read_scene([files / "a.csv", files / "b.csv"], None, None, 150)
    assert [len(layer.points) for layer in scene.layers] == [134, 134]
    assert told == [f"{name}: one in 3 of 400 points is shown" for name in ("a.csv", "b.csv")]


def test_wrong_usage(run, files) -> None:
    assert run("view").exit_code == 2
    both = run("view", "a.csv", "--transform", "truth.txt", "--result", "x.json")
    assert both.exit_code == 2
    assert "exclude each other" in both.stderr


def test_faults_are_one_line(fails, files, tmp_path, json_result) -> None:
    fails("view", "missing.ply", match="missing.ply: ")
    fails("view", "a.csv", "b.ply", match="must be all 2D or all 3D")
    fails("view", "a.csv", "--transform", "words.txt", match="words.txt: must hold a matrix")
    fails("view", "a.ply", "--transform", "truth.txt", match="must be a 4x4 matrix")
    fails("view", "a.csv", "--result", "words.txt", match="words.txt: must hold JSON")
    fails("view", "a.ply", "b.ply", "--result", json_result, match="must be a 4x4 matrix")
    fails("view", files, match="holds no graph.g2o")
    fails("view", "a.csv", "--html", tmp_path / "page.txt", match="must be written to a file ending in .html")
    fails("view", "a.csv", "--html", tmp_path / "none" / "page.html", match="its folder does not exist")
    fails("view", "a.csv", "--port", 70000, match="port must be in [0, 65535], got 70000")
    fails("view", "a.csv", "b.csv", "--result", json_result, "--port", -1, match="port must be in")
    (tmp_path / "list.json").write_text("[]")
    fails("view", "--result", tmp_path / "list.json", match="must hold a JSON object")
    (tmp_path / "empty.json").write_text("{}")
    fails("view", "--result", tmp_path / "empty.json", match="with source and target")
    fails("view", "a.csv", "b.csv", "--result", tmp_path / "empty.json", match="with stages")
