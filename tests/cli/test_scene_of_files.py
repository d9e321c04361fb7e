"""Scenes of files: layers, names, colours and poses."""

from __future__ import annotations

import json

import numpy as np
import pytest

import svgm
from svgm.cli.scene_of_files import read_scene
from svgm.io import PointCloud, write_cloud
from svgm.rigid import exp
from svgm.view.colours import SOURCE, TARGET
from svgm.view.scenes.layers import Cloud, Gaussians

#: Points of a cloud that are shown.
MOST = 100_000


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
    assert scene.frames[1].label.startswith(f"gamma {record['stages'][0]['gamma']:.3g}, sigma ")
    assert scene.frames[-1].label.startswith("result, confidence ")
    assert scene.frames[-1].transformation.tolist() == pytest.approx(np.array(record["transformation"]))


def test_what_is_thinned_is_told(files) -> None:
    scene, told = read_scene([files / "a.csv", files / "b.csv"], None, None, 150)
    assert [len(layer.points) for layer in scene.layers] == [134, 134]
    assert told == [f"{name}: has 400 points, 1 in 3 is shown" for name in ("a.csv", "b.csv")]


def test_a_result_begins_where_the_registration_began(run, pair, tmp_path) -> None:
    start = exp([0.3, 0.0, 0.0, 0.0, 0.0, 0.0])
    np.savetxt(tmp_path / "T.txt", start)
    outcome = run("register", *pair, "--init", tmp_path / "T.txt", "--json")
    (tmp_path / "result.json").write_text(outcome.stdout)
    scene, _ = read_scene([], None, tmp_path / "result.json", 1000)
    np.testing.assert_allclose(scene.frames[0].transformation, start)
    assert len(scene.layers[0].places) <= 1000


def test_a_cloud_has_the_colours_of_its_file(tmp_path):
    columns = {name: np.arange(30, dtype=np.uint8) for name in ("red", "green", "blue")}
    points = np.random.default_rng(0).normal(size=(30, 3))
    write_cloud(tmp_path / "a.ply", PointCloud(points, columns))
    scene, _ = read_scene([tmp_path / "a.ply"], None, None, 10)
    (layer,) = scene.layers
    np.testing.assert_allclose(layer.colours, np.tile(np.arange(0, 30, 3)[:, None] / 255.0, (1, 3)))
    np.savetxt(tmp_path / "T.txt", np.eye(4))
    scene, _ = read_scene([tmp_path / "a.ply", tmp_path / "a.ply"], tmp_path / "T.txt", None, 100)
    assert all(layer.colours is None for layer in scene.layers)  # two sets are told apart
