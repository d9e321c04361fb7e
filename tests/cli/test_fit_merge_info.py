"""`svgm fit`, `svgm merge` and `svgm info`: files to files, and every way they fail."""

from __future__ import annotations

import json

import numpy as np
import pytest

import svgm
from svgm.geometry.scale import estimate_resolution


def fields_of(outcome) -> dict[str, str]:
    assert outcome.stdout == ""
    return dict(line.split(maxsplit=1) for line in outcome.stderr.splitlines() if len(line.split()) == 2)


def test_fit_writes_the_mixture_and_says_what_it_is(run, out, files):
    outcome = run("fit", "b.csv", "-o", out / "m.npz", "--gamma", 4, "--nu", 0.02)
    assert outcome.exit_code == 0, outcome.output
    mixture = svgm.Mixture.load(out / "m.npz")
    assert mixture == svgm.fit(files / "b.csv", gamma=4, nu=0.02)
    fields = fields_of(outcome)
    assert int(fields["components"]) == len(mixture)
    assert float(fields["sigma"]) == pytest.approx(mixture.sigma, rel=1e-5)
    assert float(fields["bias"]) == pytest.approx(mixture.bias, rel=1e-5)
    assert float(fields["compression"]) == pytest.approx(400 / len(mixture), rel=1e-5)


def test_fit_json_and_quiet(run, out):
    record = json.loads(run("fit", "b.csv", "-o", out / "m.npz", "--json", "--scale", 2.0).stdout)
    assert record["sigma"] == 2.0
    assert record["points"] == 400
    assert record["settings"]["scale"] == 2.0
    assert run("fit", "b.csv", "-o", out / "m.npz", "-q").output == ""


def test_fit_two_class(run, out):
    outcome = run("fit", "b.csv", "-o", out / "m.npz", "--two-class")
    assert svgm.Mixture.load(out / "m.npz").signed
    assert int(fields_of(outcome)["negative"]) > 0
    assert run("fit", "b.csv", "-o", out / "n.npz", "--two-class", "--nu", 0.1).exit_code == 2
    assert not (out / "n.npz").exists()


def test_fit_like_another_makes_mixtures_that_merge(run, out):
    assert run("fit", "a.csv", "-o", out / "a.npz", "--gamma", 8).exit_code == 0
    assert run("fit", "b.csv", "-o", out / "b.npz", "--like", out / "a.npz").exit_code == 0
    outcome = run("merge", out / "a.npz", out / "b.npz", "--transform", "truth.txt", "-o", out / "m.npz")
    assert outcome.exit_code == 0, outcome.output
    assert run("fit", "b.csv", "-o", out / "c.npz", "--like", "a.npz", "--gamma", 2).exit_code == 2


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        (("missing.ply", "-o", "{out}/m.npz"), "no such file"),
        (("b.csv", "-o", "{out}/m.npz", "--like", "missing.npz"), "missing.npz"),
        (("b.csv", "-o", "{out}/m.npz", "--like", "b.ply"), "b.ply"),
        (("b.csv", "-o", "{out}/m.ply"), "a mixture must be written to a file ending in .npz"),
        (("b.csv", "-o", "{out}/no/m.npz"), "folder does not exist"),
        (("b.csv", "-o", "{out}/m.npz", "--gamma", "0"), "gamma must be positive"),
        (("b.csv", "-o", "{out}/m.npz", "--nu", "0"), "nu must be positive and at most 1"),
        (("b.npz", "-o", "{out}/m.npz"), "b.npz"),
    ],
)
def test_fit_fails_in_one_line(fails, out, arguments, match):
    fails("fit", *(argument.format(out=out) for argument in arguments), match=match)


def test_merge_of_mixtures(run, out, files):
    outcome = run("merge", "a.npz", "b.npz", "--transform", "truth.txt", "-o", out / "m.npz")
    assert outcome.exit_code == 0, outcome.output
    a, b = svgm.Mixture.load(files / "a.npz"), svgm.Mixture.load(files / "b.npz")
    merged = svgm.merge(a.transformed(np.loadtxt(files / "truth.txt")), b)
    assert svgm.Mixture.load(out / "m.npz") == merged
    assert int(fields_of(outcome)["components"]) == len(merged)
    assert len(merged) < len(a) + len(b)


def test_merge_options(run, out, files):
    b = svgm.Mixture.load(files / "b.npz")
    assert run("merge", "a.npz", "b.npz", "-o", out / "m.npz", "--t", 0, "-q").output == ""
    assert len(svgm.Mixture.load(out / "m.npz")) == len(b)
    record = json.loads(run("merge", "a.npz", "b.npz", "-o", out / "m.npz", "--naive", "--json").stdout)
    assert record["components"] == record["source_components"] + record["target_components"]
    assert record["settings"]["t"] == "inf"
    assert run("merge", "a.npz", "b.npz", "-o", out / "m.npz", "--naive", "--t", 1).exit_code == 2


def test_merge_of_points_and_of_points_with_a_mixture(run, out, files):
    assert run("merge", "a.csv", "b.csv", "-o", out / "m.npz", "--gamma", 4).exit_code == 0
    sets = [svgm.read_points(files / f"{name}.csv") for name in "ab"]
    scale = np.sqrt(np.prod([svgm.estimate_scale(points) for points in sets]))
    assert svgm.Mixture.load(out / "m.npz").sigma == pytest.approx(scale / 2)
    assert run("merge", "a.csv", "b.csv", "-o", out / "m.npz").exit_code == 0
    spacing = np.sqrt(np.prod([estimate_resolution(points) for points in sets]))
    # As fine as the points: the finest sigma is the spacing itself, but for rounding.
    assert spacing * (1 - 1e-9) <= svgm.Mixture.load(out / "m.npz").sigma < scale / 10
    for pair in (("a.csv", "b.npz"), ("b.npz", "a.csv")):
        assert run("merge", *pair, "-o", out / "m.npz").exit_code == 0
        assert svgm.Mixture.load(out / "m.npz").sigma == pytest.approx(svgm.Mixture.load(files / "b.npz").sigma)


def test_sets_far_apart_are_noticed(run, out, files):
    svgm.write_points(out / "far.csv", svgm.read_points(files / "a.csv") + 1000.0)
    outcome = run("merge", out / "far.csv", "b.csv", "-o", out / "m.npz")
    assert "source and target have nothing in common where they are; without --transform" in outcome.stderr
    assert "nothing in common" not in run("merge", "a.csv", "a.csv", "-o", out / "m.npz").stderr


def test_the_whole_way_through_files(shell, out):
    matrix = shell("register", "a.csv", "b.csv", "-q").stdout
    outcome = shell("merge", "a.csv", "b.csv", "--transform", "-", "-o", out / "m.npz", "--gamma", 30, input=matrix)
    assert outcome.returncode == 0, outcome.stderr
    whole = len(svgm.Mixture.load(out / "m.npz"))
    assert whole < 1.4 * int(dict(line.split(maxsplit=1) for line in outcome.stderr.splitlines())["target"])


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        (("a.npz", "coarse.npz", "-o", "{out}/m.npz"), "one variance"),
        (("a.npz", "missing.npz", "-o", "{out}/m.npz"), "missing.npz"),
        (("a.csv", "b.ply", "-o", "{out}/m.npz"), "the same dimension"),
        (("a.npz", "b.npz", "-o", "{out}/m.npz", "--transform", "words.txt"), "must hold a matrix"),
        (("a.npz", "b.npz", "-o", "{out}/m.npz", "--t", "-1"), "t must be zero or more"),
        (("a.npz", "b.npz", "-o", "{out}/m.npz", "--gamma", "4"), "point files"),
        (("a.npz", "b.npz", "-o", "{out}/m.ply"), "a mixture must be written"),
    ],
)
def test_merge_fails_in_one_line(fails, out, arguments, match):
    fails("merge", *(argument.format(out=out) for argument in arguments), match=match)


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
