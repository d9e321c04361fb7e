"""`svgm mesh`: meshes of points and mixtures, and how it fails."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest
import trimesh

import svgm
from svgm.datasets import body, partial_view

pytest.importorskip("skimage")


def test_points_become_a_mesh(run, out, files):
    outcome = run("mesh", "b.ply", "-o", out / "m.ply", "--gamma", 16)
    assert outcome.exit_code == 0, outcome.output
    expected = svgm.surface(svgm.fit(files / "b.ply", gamma=16))
    assert len(trimesh.load(out / "m.ply", process=False).faces) == len(expected.simplices)
    fields = dict(line.split(maxsplit=1) for line in outcome.stderr.splitlines())
    assert outcome.stdout == ""
    assert int(fields["triangles"]) == len(expected.simplices)
    assert fields["closed"] == "yes"


def test_two_classes_and_a_viewpoint(run, out, files):
    outcome = run(
        "mesh", "b.ply", "-o", out / "m.obj", "--two-class", "--viewpoint", "-1,0,8.5", "--gamma", 16, "--json"
    )
    record = json.loads(outcome.stdout)
    expected = svgm.surface(svgm.fit_two_class(files / "b.ply", gamma=16, viewpoint=[-1, 0, 8.5]))
    assert record["triangles"] == len(expected.simplices)
    assert record["settings"]["viewpoint"] == [-1, 0, 8.5]
    assert (out / "m.obj").read_text().startswith("v ")


def test_a_mixture_in_2d_with_a_picture(run, out):
    pytest.importorskip("matplotlib")
    outcome = run(
        "mesh", "b.npz", "-o", out / "m.ply", "--level", 0.4, "--cell", 0.25, "--picture", out / "m.png", "-q"
    )
    assert outcome.exit_code == 0, outcome.output
    assert outcome.output == ""
    assert {path.name for path in out.iterdir()} == {"m.ply", "m.png"}


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        (("missing.ply", "-o", "{out}/m.ply"), "no such file"),
        (("broken.ply", "-o", "{out}/m.ply"), "broken.ply"),
        (("b.csv", "-o", "{out}/m.stl"), "a mesh must be written to a file ending in .ply .obj"),
        (("b.csv", "-o", "{out}/no/m.ply"), "folder does not exist"),
        (("b.csv", "-o", "{out}/m.ply", "--picture", "{out}/m.gif"), "a picture must end in"),
        (("b.csv", "-o", "{out}/m.ply", "--cell", 0), "cell must be positive"),
        (("b.csv", "-o", "{out}/m.ply", "--level", -1), "level must be positive"),
        (("b.csv", "-o", "{out}/m.ply", "--level", 99), "reached nowhere"),
        (("b.npz", "-o", "{out}/m.ply", "--gamma", 4), "are for point files"),
        (("b.npz", "-o", "{out}/m.ply", "--two-class"), "are for point files"),
        (("b.csv", "-o", "{out}/m.ply", "--two-class", "--viewpoint", "1,2,3"), "viewpoint must be 2 numbers"),
        (("b.csv", "-o", "{out}/m.ply", "--two-class", "--viewpoint", "here"), "viewpoint must be 2 numbers"),
    ],
)
def test_one_line_for_what_is_wrong(fails, out, arguments, match):
    fails("mesh", *(str(argument).format(out=out) for argument in arguments), match=match)


def test_wrong_usage(run, out):
    assert run("mesh", "b.csv", "-o", out / "m.ply", "--viewpoint", "0,0").exit_code == 2
    assert run("mesh", "b.csv", "-o", out / "m.ply", "--two-class", "--nu", 0.1).exit_code == 2
    assert not list(out.iterdir())


def test_without_scikit_image(fails, out, monkeypatch):
    monkeypatch.setitem(sys.modules, "skimage.measure", None)
    fails("mesh", "b.csv", "-o", out / "m.ply", match='surfaces need scikit-image: pip install "svgm[mesh]"')


def test_the_scans_of_a_map(run, fails, out, tmp_path):
    pytest.importorskip("gtsam")
    scans = tmp_path / "scans"
    scans.mkdir()
    for k in range(4):
        angle = 0.5 * k
        eye = 8.0 * np.array([np.cos(angle), np.sin(angle), 0.3])
        svgm.write_points(scans / f"{k}.ply", partial_view(body(2500, seed=k)[0], eye, noise=0.001, seed=k))
    folder = tmp_path / "map"
    assert run("map", scans, "-o", folder, "-q", "--mesh", out / "map.ply").exit_code == 0
    outcome = run("mesh", folder, "-o", out / "m.ply", "--json")
    assert outcome.exit_code == 0, outcome.output
    record = json.loads(outcome.stdout)
    assert record["scans"] == 4
    assert not record["closed"]
    assert (out / "m.ply").read_bytes() == (out / "map.ply").read_bytes()
    mesh = trimesh.load(out / "m.ply", process=False)
    areas = [piece.area for piece in mesh.split(only_watertight=False)]
    assert min(areas) >= 0.01 * max(areas)
    closed = json.loads(run("mesh", folder, "-o", out / "c.ply", "--holes", "closed", "--json").stdout)
    assert closed["closed"]
    assert run("mesh", folder, "-o", out / "d.ply", "--two-class").exit_code == 2
    assert run("mesh", "b.ply", "-o", out / "d.ply", "--detail", 2).exit_code == 2
    (scans / "2.ply").unlink()
    assert "which is not there" in run("mesh", folder, "-o", out / "e.ply").stderr
