"""Small files that the tests of commands read, and functions that run a command."""

from __future__ import annotations

import subprocess
import sys
from inspect import signature
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import svgm
from svgm.cli import main
from svgm.datasets import body, butterfly
from svgm.rigid import apply, exp, invert
from tests.waiting import PATIENCE

#: Pose of a.SUFFIX in b.SUFFIX.
TRUTH = {"csv": exp([np.radians(25.0), 1.0, 0.5]), "ply": exp([0.1, -0.2, 0.3, 0.5, 0.3, -0.2])}


#: click before 8.2 joins stdout and stderr unless it is told not to.
RUNNER = CliRunner(**({"mix_stderr": False} if "mix_stderr" in signature(CliRunner).parameters else {}))


@pytest.fixture(scope="session")
def truth():
    """The pose of a file's source in its target, by suffix."""
    return TRUTH


@pytest.fixture(scope="session")
def files(tmp_path_factory):
    """Two 2D sets, two 3D sets, mixtures of one sigma, and files with faults."""
    folder = tmp_path_factory.mktemp("files")
    target = butterfly(400, seed=2)
    source = apply(invert(TRUTH["csv"]), butterfly(400, seed=1))
    svgm.write_points(folder / "a.csv", source)
    svgm.write_points(folder / "b.csv", target)
    svgm.write_points(folder / "b.ply", body(800, seed=2)[0])
    svgm.write_points(folder / "a.ply", apply(invert(TRUTH["ply"]), body(800, seed=1)[0]))
    for name, points in (("a", source), ("b", target)):
        svgm.fit(points, gamma=30, scale=1.0).save(folder / f"{name}.npz")
    svgm.fit(target, gamma=4).save(folder / "coarse.npz")
    (folder / "a.xyzzy").write_text("0 0\n1 1\n")
    (folder / "empty.csv").write_text("")
    (folder / "broken.ply").write_bytes(b"ply\nformat binary")
    (folder / "words.txt").write_text("not a matrix\n")
    np.savetxt(folder / "identity.txt", np.eye(3))
    np.savetxt(folder / "mirror.txt", np.diag([-1.0, 1.0, 1.0]))
    np.savetxt(folder / "truth.txt", TRUTH["csv"])
    np.savetxt(folder / "identity3d.txt", np.eye(4))
    return folder


@pytest.fixture
def run(files, monkeypatch):
    """Run a command inside this process, in the folder of the files."""
    monkeypatch.chdir(files)

    def call(*arguments: object, **options):
        return RUNNER.invoke(main, [str(argument) for argument in arguments], **options)

    return call


@pytest.fixture
def fails(run, tmp_path):
    """A command must end with one line on stderr, nothing on stdout, exit code 1 and no file written."""

    def call(*arguments: object, match: str) -> None:
        before = sorted(tmp_path.rglob("*"))
        outcome = run(*arguments)
        assert outcome.exit_code == 1, outcome.output
        assert outcome.stdout == ""
        assert outcome.stderr.startswith("svgm: error: ")
        assert outcome.stderr.count("\n") == 1
        assert match in outcome.stderr
        assert sorted(tmp_path.rglob("*")) == before

    return call


@pytest.fixture
def shell(files):
    """Run `svgm` as a process of its own."""

    def call(*arguments: object, **options):
        command = [sys.executable, "-m", "svgm.cli", *map(str, arguments)]
        options = {"cwd": files, "capture_output": True, "text": True, "timeout": PATIENCE, **options}
        return subprocess.run(command, check=False, **options)

    return call


@pytest.fixture
def out(tmp_path) -> Path:
    """An empty folder for outputs."""
    folder = tmp_path / "out"
    folder.mkdir()
    return folder


@pytest.fixture
def pair(tmp_path):
    """Two files of points in a folder of their own."""
    folder = tmp_path / "my scans"
    folder.mkdir()
    svgm.write_points(folder / "a.ply", apply(exp([0.2, 0.1, 0.3, 0.5, 0.0, 0.1]), body(1500, seed=1)[0]))
    svgm.write_points(folder / "b.ply", body(1500, seed=2)[0])
    return folder / "a.ply", folder / "b.ply"


@pytest.fixture
def json_result(run, tmp_path: Path) -> Path:
    """What `svgm register --json` prints."""
    path = tmp_path / "result.json"
    path.write_text(run("register", "a.csv", "b.csv", "--json").stdout)
    return path
