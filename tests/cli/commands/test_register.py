"""`svgm register`: its outputs, how they are used as inputs, and how it fails."""

from __future__ import annotations

import io
import json
import os

import numpy as np
import pytest

import svgm
from svgm.rigid import apply, invert, pose_error


def matrix_of(outcome) -> np.ndarray:
    return np.loadtxt(io.StringIO(outcome.stdout))


@pytest.mark.parametrize("suffix", ["csv", "ply"])
def test_stdout_is_the_matrix_and_stderr_the_summary(run, truth, suffix):
    outcome = run("register", f"a.{suffix}", f"b.{suffix}", "--search", "local")
    assert outcome.exit_code == 0, outcome.output
    assert pose_error(matrix_of(outcome), truth[suffix])[0] < np.radians(3)
    for word in ("status", "confidence", "objective", "rotation", "translation", "certainty", "levels", "time"):
        assert word in outcome.stderr


def test_matrix_loses_nothing(run, files):
    result = svgm.register(files / "a.csv", files / "b.csv")
    assert np.array_equal(matrix_of(run("register", "a.csv", "b.csv", "-q")), result.transformation)


def test_quiet_prints_the_matrix_only(run):
    outcome = run("register", "a.csv", "b.csv", "--quiet")
    assert outcome.stderr == ""
    assert matrix_of(outcome).shape == (3, 3)


def test_output_chains_into_init(shell, out, truth):
    first = shell("register", "a.csv", "b.csv")
    (out / "T.txt").write_text(first.stdout)
    again = shell("register", "a.csv", "b.csv", "--no-annealing", "--gamma", 100, "--init", out / "T.txt")
    assert again.returncode == 0, again.stderr
    assert pose_error(np.loadtxt(io.StringIO(again.stdout)), truth["csv"])[0] < np.radians(1)
    piped = shell("register", "a.csv", "b.csv", "--init", "-", "-q", input=first.stdout)
    assert piped.returncode == 0, piped.stderr


def test_json_is_all_there_is(run, truth):
    outcome = run("register", "a.csv", "b.csv", "--json", "--max-distance", 0.3, "--nu", 0.02, "--search", "local")
    record = json.loads(outcome.stdout)
    assert outcome.stderr == ""
    assert record["source"] == "a.csv"
    assert record["status"] == "converged"
    assert record["fitness"] > 0.9
    assert record["settings"]["nu"] == 0.02
    assert record["version"] == svgm.__version__
    assert record["seconds"] > 0
    assert len(record["stages"]) > 1
    assert pose_error(np.array(record["transformation"]), truth["csv"])[0] < np.radians(2)


def test_viewpoints_of_both_sets_or_of_each(run, files):
    for options, places in ((("0.5,9",), [[0.5, 9.0]]), (("0,9", "9,0"), [[0.0, 9.0], [9.0, 0.0]])):
        given = [word for place in options for word in ("--viewpoint", place)]
        record = json.loads(run("register", "a.csv", "b.csv", *given, "--json").stdout)
        assert record["settings"]["viewpoint"] == places
        result = svgm.register(files / "a.csv", files / "b.csv", viewpoint=places[0] if len(places) == 1 else places)
        assert record["confidence"] == result.confidence
    for options, message in (((*("--viewpoint", "0,0") * 3,), "twice at most"), (("--viewpoint", "1"), "2 numbers")):
        failed = run("register", "a.csv", "b.csv", *options)
        assert failed.exit_code in (1, 2)
        assert message in failed.stderr


def test_covariance_chooses_the_components(run, files):
    outcome = {
        kind: json.loads(run("register", "a.csv", "b.csv", "--json", "--search", "local", *options).stdout)
        for kind, options in {"full": (), "isotropic": ("--covariance", "isotropic")}.items()
    }
    for kind, record in outcome.items():
        assert record["settings"]["covariance"] == kind
        result = svgm.register(files / "a.csv", files / "b.csv", search="local", covariance=kind)
        assert np.array_equal(record["transformation"], result.transformation)
    assert outcome["full"]["transformation"] != outcome["isotropic"]["transformation"]


@pytest.mark.parametrize("name", ["aligned.ply", "aligned.csv", "aligned.npy", "aligned.npz"])
def test_output_is_the_moved_source(run, out, files, name):
    outcome = run("register", "a.csv", "b.csv", "-o", out / name, "--matrix", out / "T.txt")
    T = matrix_of(outcome)
    assert np.array_equal(np.loadtxt(out / "T.txt"), T)
    assert np.allclose(svgm.read_points(out / name), apply(T, svgm.read_points(files / "a.csv")))


def test_mixtures_are_registered_and_moved(run, out, files, truth):
    outcome = run("register", "a.npz", "b.npz", "-o", out / "aligned.npz", "--picture", out / "pair.png")
    assert outcome.exit_code == 0, outcome.output
    T = matrix_of(outcome)
    assert pose_error(T, truth["csv"])[0] < np.radians(3)
    assert svgm.Mixture.load(out / "aligned.npz") == svgm.Mixture.load(files / "a.npz").transformed(T)
    assert (out / "pair.png").stat().st_size > 10_000


def test_picture_and_points_in_3d(run, out):
    outcome = run("register", "a.ply", "b.ply", "--picture", out / "pair.png", "-q")
    assert outcome.exit_code == 0, outcome.output
    assert (out / "pair.png").read_bytes().startswith(b"\x89PNG")


def test_summary_without_annealing(run):
    outcome = run("register", "a.csv", "b.csv", "--no-annealing", "--max-distance", 0.2)
    assert "fitness" in outcome.stderr
    assert matrix_of(outcome).shape == (3, 3)


def test_source_may_be_overwritten(run, out, files):
    points = svgm.read_points(files / "a.csv")
    svgm.write_points(out / "a.csv", points)
    T = matrix_of(run("register", out / "a.csv", "b.csv", "-o", out / "a.csv", "-q"))
    assert np.allclose(apply(invert(T), svgm.read_points(out / "a.csv")), points)


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        (("missing.ply", "b.ply"), "missing.ply: no such file"),
        (("a.xyzzy", "b.ply"), "cannot be read"),
        (("empty.csv", "b.csv"), "empty"),
        (("broken.ply", "b.ply"), "broken.ply"),
        (("a.csv", "b.ply"), "the same dimension, got 2 and 3"),
        (("a.csv", "b.csv", "--init", "missing.txt"), "missing.txt: no such file"),
        (("a.csv", "b.csv", "--init", "words.txt"), "must hold a matrix"),
        (("a.csv", "b.csv", "--init", "empty.csv"), "empty"),
        (("a.csv", "b.csv", "--init", "identity3d.txt"), "3x3"),
        (("a.csv", "b.csv", "--init", "mirror.txt"), "rotation"),
        (("a.csv", "b.csv", "--init", "b.ply"), "b.ply"),
        (("a.csv", "b.csv", "--nu", "2"), "nu must be positive and at most 1, got 2.0"),
        (("a.csv", "b.csv", "--gamma", "-1"), "gamma must be positive"),
        (("a.csv", "b.csv", "--gamma", "nan"), "gamma must be positive"),
        (("a.csv", "b.csv", "--max-iterations", "0"), "max_iterations"),
        (("a.csv", "b.csv", "--threads", "0"), "threads must be a whole number of at least 1"),
        (("a.npz", "b.npz", "--max-distance", "1"), "not mixtures"),
        (("a.csv", "b.csv", "--max-distance", "-1"), "max_distance must be positive"),
    ],
)
def test_bad_input_is_one_line(fails, out, arguments, match):
    fails("register", *arguments, "-o", out / ("x.npz" if arguments[0] == "a.npz" else "x.ply"), match=match)


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        (("a.csv", "b.csv", "-o", "{out}/x.obj"), "must be written to a file ending in"),
        (("a.csv", "b.csv", "-o", "{out}/x.las"), "2D points"),
        (("a.csv", "b.csv", "-o", "{out}/x"), "must be written"),
        (("a.npz", "b.csv", "-o", "{out}/x.ply"), "a moved mixture must be written to a file ending in .npz"),
        (("a.csv", "b.csv", "-o", "{out}/no/x.ply"), "folder does not exist"),
        (("a.csv", "b.csv", "-o", "{out}/x.ply", "--matrix", "{out}/no/T.txt"), "folder does not exist"),
        (("a.csv", "b.csv", "-o", "{out}/x.ply", "--matrix", "{out}"), "is a folder"),
        (("a.csv", "b.csv", "-o", "{out}/x.txt", "--matrix", "{out}/x.txt"), "two outputs"),
        (("a.csv", "b.csv", "-o", "{out}/x.ply", "--picture", "{out}/x.bmp"), "a picture must end in"),
        (("a.csv", "b.csv", "-o", "{out}/x.ply", "--picture", "{out}/no/x.png"), "folder does not exist"),
    ],
)
def test_outputs_are_checked_before_the_work(fails, out, monkeypatch, arguments, match):
    monkeypatch.setattr(svgm, "register", lambda *_, **__: pytest.fail("the work has begun"))
    fails("register", *(argument.format(out=out) for argument in arguments), match=match)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_folder_without_permission(fails, out):
    out.chmod(0o500)
    fails("register", "a.csv", "b.csv", "-o", out / "x.ply", match="not writable")


def test_folder_is_known_to_be_unwritable_before_the_work(fails, out, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)
    monkeypatch.setattr(svgm, "register", lambda *_, **__: pytest.fail("the work has begun"))
    fails("register", "a.csv", "b.csv", "-o", out / "x.ply", match="not writable")


def test_progress_stays_on_stderr(run, monkeypatch):
    monkeypatch.setattr("svgm.cli.progress.wanted", lambda quiet: not quiet)
    outcome = run("register", "a.csv", "b.csv")
    assert outcome.exit_code == 0, outcome.output
    assert matrix_of(outcome).shape == (3, 3)


def test_failure_while_writing_leaves_nothing(fails, out, monkeypatch):
    from svgm import view

    def refuse(*_, **__):
        raise svgm.FileError("disk full")

    monkeypatch.setattr(view, "registration", refuse)
    fails("register", "a.csv", "b.csv", "-o", out / "x.ply", "--picture", out / "x.png", match="disk full")


def test_missing_matplotlib_is_one_line_before_the_work(fails, out, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.figure", None)
    fails("register", "a.csv", "b.csv", "--picture", out / "x.png", match='pip install "svgm[view]"')


def test_colours_stay_with_their_points_and_normals_turn(run, out, files, truth):
    from svgm.io import read_properties
    from svgm.io.formats import ply

    points = svgm.read_points(files / "a.ply")
    columns = {
        "nx": np.ones(len(points), dtype=np.float32),
        "ny": np.zeros(len(points), dtype=np.float32),
        "nz": np.zeros(len(points), dtype=np.float32),
        "red": np.arange(len(points)).astype(np.uint8),
        "intensity": np.linspace(0, 1, len(points)),
    }
    ply.write(out / "coloured.ply", points, properties=columns)
    outcome = run("register", out / "coloured.ply", "b.ply", "-o", out / "moved.ply", "--json")
    T = np.array(json.loads(outcome.stdout)["transformation"])
    found = read_properties(out / "moved.ply")
    assert list(found) == ["x", "y", "z", *columns]
    for name in ("red", "intensity"):
        np.testing.assert_array_equal(found[name], columns[name])
        assert found[name].dtype == columns[name].dtype
    normals = np.column_stack([found[name] for name in ("nx", "ny", "nz")])
    np.testing.assert_allclose(normals, np.tile(T[:3, 0], (len(points), 1)), atol=1e-6)
    np.testing.assert_allclose(np.column_stack([found[axis] for axis in "xyz"]), apply(T, points), atol=1e-12)


def test_what_is_odd_is_said(run, out, files):
    points = svgm.read_points(files / "a.ply")
    svgm.write_points(out / "millimetres.ply", 1000.0 * points)
    svgm.write_points(out / "lost.ply", np.vstack([points, np.zeros((60, 3))]))
    assert "are both in one unit?" in run("register", out / "millimetres.ply", "b.ply", "--search", "local").stderr
    outcome = run("register", out / "lost.ply", "b.ply")
    assert "7 % of the points of the source are at one place, (0, 0, 0)" in outcome.stderr
    assert "warning" not in run("register", "a.ply", "b.ply").stderr


def test_a_registration_writes_its_report(run, pair, tmp_path) -> None:
    report = tmp_path / "report.html"
    outcome = run("register", *pair, "--report", report, "--nu", "0.02")
    assert outcome.exit_code == 0
    text = report.read_text(encoding="utf-8")
    assert "a.ply registered to b.ply" in text
    assert f"svgm register &#x27;{pair[0]}&#x27; &#x27;{pair[1]}&#x27; --nu 0.02 --report {report}" in text
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["report.html"]


def test_the_result_does_not_depend_on_the_number_of_threads(run):
    one, two = (run("register", "a.csv", "b.csv", "-q", "--threads", count) for count in (1, 2))
    assert one.exit_code == 0, one.output
    assert one.stdout == two.stdout


@pytest.mark.parametrize("kind", ["similarity", "affine"])
def test_a_scaled_source_comes_back(run, files, out, kind):
    source, target = svgm.read_points(files / "a.csv"), svgm.read_points(files / "b.csv")
    svgm.write_points(out / "large.csv", 25.0 * source)
    outcome = run(
        "register", out / "large.csv", "b.csv", "--transform", kind, "-o", out / "moved.csv", "--max-distance", 0.3,
        "--report", out / "report.html", "--picture", out / "pair.png",
    )  # fmt: skip
    assert outcome.exit_code == 0, outcome.output
    assert f"({kind})" in outcome.stderr
    assert np.linalg.det(25.0 * matrix_of(outcome)[:2, :2]) == pytest.approx(1.0, abs=0.05)
    assert np.allclose(svgm.read_points(out / "moved.csv").std(axis=0), target.std(axis=0), rtol=0.3)
    # The matrix is an initial map of its kind.
    (out / "T.txt").write_text(outcome.stdout)
    again = run("register", out / "large.csv", "b.csv", "--transform", kind, "--init", out / "T.txt", "--json")
    assert json.loads(again.stdout)["kind"] == kind


def test_a_deformation_is_drawn_and_said(run, files, out):
    curve = svgm.datasets.butterfly(120, turns=1)
    svgm.write_points(files / "curve.csv", curve)
    svgm.write_points(files / "bent.csv", curve + 0.3 * np.sin(0.8 * curve[:, ::-1]))
    how = ("--transform", "nonrigid", "--search", "local")
    outcome = run("register", "curve.csv", "bent.csv", *how, "--picture", out / "p.png", "--report", out / "r.html")
    assert outcome.exit_code == 0, outcome.output
    assert "bending energy" in outcome.stderr
    assert "places of the source's points are known to" in " ".join(outcome.stderr.split())
    assert "scale" not in outcome.stderr.replace("finest scale", "")
    assert (out / "p.png").stat().st_size > 10_000
    assert "warped source" in (out / "r.html").read_text(encoding="utf-8")
