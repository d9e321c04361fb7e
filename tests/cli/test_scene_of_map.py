"""Scenes of an output folder of `svgm map`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import svgm
from svgm.cli.scene_of_files import read_scene
from svgm.view.scenes.layers import Cloud, Gaussians, Lines
from tests.mapping.scenes import room_loop

#: Points of a cloud that are shown.
MOST = 100_000


@pytest.fixture(scope="module")
def room_map(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small 2D map."""
    folder = tmp_path_factory.mktemp("maps") / "room"
    svgm.map(room_loop(40)[0][:4], output=folder)
    return folder


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
    with pytest.raises(svgm.FileError, match=r"record.json: is not the record of svgm map"):
        read_scene([room_map], None, None, MOST)
    (room_map / "record.json").write_text(json.dumps(record))
    assert "room cloud" in read_scene([room_map, files / "b.csv"], None, None, MOST)[0].names
