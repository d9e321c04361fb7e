"""File names that are not UTF-8, which Linux allows: every command reads, writes and prints them."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import numpy as np
import pytest

import svgm
from svgm.cli.scene_of_files import read_scene
from svgm.datasets import laser_scan, round_walk, storey
from svgm.io import WRITABLE, read_points, write_points
from svgm.view import show

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="names are bytes there")

#: In a name: bytes that are no UTF-8, as Python spells them.
ODD = os.fsdecode(b"\xff\xe9")


@pytest.fixture
def odd(tmp_path: Path, files: Path) -> Path:
    """A folder of such a name, with the files of all command tests under such names."""
    folder = tmp_path / f"folder{ODD}"
    folder.mkdir()
    for name in ("a.ply", "b.ply", "a.npz", "b.npz"):
        (folder / f"{ODD}{name}").write_bytes((files / name).read_bytes())
    return folder


COMMANDS = {
    "register": ("register {}a.ply {}b.ply -o {}moved.ply --matrix {}T.txt --candidates {}c.json --report {}r.html", 4),
    "register --json": ("register {}a.ply {}b.ply --json --report {}r.html", 1),
    "register --picture": ("register {}a.ply {}b.ply --picture {}p.png", 1),
    "fit": ("fit {}a.ply -o {}a2.npz --picture {}p.png", 2),
    "merge": ("merge {}a.npz {}b.npz -o {}m.npz --html {}m.html", 2),
    "mesh": ("mesh {}a.npz -o {}m.ply", 1),
    "locate": ("locate {}a.npz {}b.npz --matrix {}T.txt", 1),
    "view": ("view {}a.ply {}b.ply --html {}v.html", 1),
    "view --json": ("view {}a.ply --html {}v.html --json", 1),
    "info": ("info {}a.ply {}a.npz", 0),
    "info --json": ("info {}a.ply --json", 0),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command(shell, odd: Path, name: str) -> None:
    text, written = COMMANDS[name]
    before = len(list(odd.iterdir()))
    outcome = shell(*(word.replace("{}", f"{odd}/{ODD}") for word in text.split()), errors="surrogateescape")
    assert outcome.returncode == 0, outcome.stderr
    assert "Traceback" not in outcome.stderr
    assert len(list(odd.iterdir())) == before + written
    assert not list(odd.glob(".svgm*"))
    if name == "view":
        # A program that reads the name gets the bytes of the file.
        assert Path(outcome.stdout.rstrip("\n")).is_file()
    if name == "info --json":
        assert Path(json.loads(outcome.stdout)[0]["file"]).is_file()
    for page in odd.glob("*.html"):
        assert "\\udcff\\udce9a." in page.read_text(encoding="utf-8")


def test_a_map(shell, tmp_path: Path) -> None:
    pytest.importorskip("gtsam")
    walls = storey()
    for k, pose in enumerate(round_walk(60)[:4]):
        write_points(tmp_path / f"{ODD}{k}.csv", laser_scan(walls, pose, seed=k))
    (tmp_path / f"{ODD}9.csv").write_text("no numbers")
    for options in (["--report", tmp_path / f"{ODD}.html"], ["--json"]):
        outcome = shell("map", tmp_path, "-o", tmp_path / f"map{ODD}", *options, errors="surrogateescape")
        assert outcome.returncode == 0, outcome.stderr
    assert len(json.loads(outcome.stdout)["poses"]) == 5
    assert "\\udcff\\udce99.csv" in (tmp_path / f"{ODD}.html").read_text(encoding="utf-8")


def test_what_one_command_prints_another_reads(shell, odd: Path) -> None:
    printed = shell("register", odd / f"{ODD}a.ply", odd / f"{ODD}b.ply", "--json").stdout
    shown = shell("view", "--result", "-", "--html", odd / "v.html", input=printed, errors="surrogateescape")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert (odd / "v.html").is_file()


def test_errors_are_one_line_in_any_encoding(shell, odd: Path) -> None:
    for encoding in ("utf-8", "ascii", "utf-8:strict"):
        outcome = shell("info", odd / f"{ODD}c.ply", env=os.environ | {"PYTHONIOENCODING": encoding})
        assert outcome.returncode == 1
        assert outcome.stderr.count("\n") == 1
        assert "\\udcff\\udce9c.ply: no such file; did you mean" in outcome.stderr


def test_signs_that_an_encoding_lacks_are_no_error(shell, tmp_path: Path) -> None:
    outcome = shell("demo", "-o", tmp_path, env=os.environ | {"PYTHONIOENCODING": "ascii"})
    assert outcome.returncode == 0, outcome.stderr
    assert "\\xb0" in outcome.stdout


def test_layers_of_the_live_view_have_names_in_text(odd: Path) -> None:
    scene, _ = read_scene([odd / f"{ODD}a.ply", odd / f"{ODD}b.ply"], None, None, 1000)
    assert scene.names == ["\\udcff\\udce9a.ply", "\\udcff\\udce9b.ply"]
    with show(scene, open_browser=False) as live:
        assert live.frame == 0


@pytest.mark.parametrize("suffix", [*WRITABLE, ".e57"])
def test_every_format(odd: Path, suffix: str) -> None:
    points = np.random.default_rng(1).normal(size=(20, 3))
    path = odd / f"{ODD}points{suffix}"
    if suffix in (".las", ".laz"):
        pytest.importorskip("laspy")
    if suffix == ".e57":
        plain = odd.parent / "plain.e57"
        archive = pytest.importorskip("pye57").E57(str(plain), mode="w")
        archive.write_scan_raw({f"cartesian{axis}": points[:, k].copy() for k, axis in enumerate("XYZ")})
        archive.close()
        plain.rename(path)
    else:
        write_points(path, points)
    np.testing.assert_allclose(read_points(path), points, atol=1e-8)
    path.write_bytes(b"damaged")
    with pytest.raises(svgm.FileError, match=r"udcff"):
        read_points(path)
