"""`svgm info`: what it prints of points and mixtures, and how it fails."""

from __future__ import annotations

import json

import numpy as np
import pytest

import svgm


def test_info_of_points_and_mixtures(run, files):
    outcome = run("info", "b.csv", "b.npz", "a.ply")
    assert outcome.exit_code == 0, outcome.output
    for text in ("b.csv", "kind", "points", "400", "mixture", "sigma-hat", "resolution", "extent"):
        assert text in outcome.stdout
    points, mixture, _ = json.loads(run("info", "b.csv", "b.npz", "a.ply", "--json").stdout)
    assert points["kind"] == "points"
    assert points["dimension"] == 2
    assert points["sigma_hat"] == pytest.approx(svgm.estimate_scale(svgm.read_points(files / "b.csv")))
    assert mixture["kind"] == "mixture"
    assert mixture["components"] == len(svgm.Mixture.load(files / "b.npz"))


def test_info_of_one_place(run, out):
    svgm.write_points(out / "one.csv", [[1.0, 2.0]])
    svgm.write_points(out / "same.csv", [[1.0, 2.0]] * 3)
    for fields in json.loads(run("info", out / "one.csv", out / "same.csv", "--json").stdout):
        assert fields["sigma_hat"] is None


def test_info_of_a_bad_file_shows_nothing_else(fails):
    fails("info", "b.csv", "broken.ply", match="broken.ply")
    fails("info", "missing.npz", match="missing.npz")


def test_info_answers_on_stdout_and_quiet_leaves_the_answer(run):
    plain = run("info", "b.csv", "b.npz")
    assert plain.stderr == ""
    assert plain.stdout.splitlines()[:2] == ["b.csv", "  kind        points"]
    assert run("info", "b.csv", "b.npz", "-q").stdout == plain.stdout


def test_numbers_without_a_square_are_one_line(fails, out):
    np.save(out / "large.npy", np.array([[1e308, 1.0], [1.7e308, 2.0], [3.0, 4.0]]))
    fails("info", out / "large.npy", match="large.npy: points must be within 1e")
