"""`svgm merge`: mixtures and points as inputs, its options, and how it fails."""

from __future__ import annotations

import json

import numpy as np
import pytest

import svgm
from svgm.geometry.scale import estimate_resolution


def fields_of(outcome) -> dict[str, str]:
    assert outcome.stdout == ""
    return dict(line.split(maxsplit=1) for line in outcome.stderr.splitlines() if len(line.split()) == 2)


def test_merge_of_mixtures(run, out, files):
    outcome = run("merge", "a.npz", "b.npz", "--pose", "truth.txt", "-o", out / "m.npz")
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
    assert "warning: source and target do not overlap; use --pose if they are not aligned yet\n" in outcome.stderr
    assert "warning" not in run("merge", "a.csv", "a.csv", "-o", out / "m.npz").stderr


def test_the_whole_way_through_files(shell, out):
    matrix = shell("register", "a.csv", "b.csv", "-q").stdout
    outcome = shell("merge", "a.csv", "b.csv", "--pose", "-", "-o", out / "m.npz", "--gamma", 30, input=matrix)
    assert outcome.returncode == 0, outcome.stderr
    whole = len(svgm.Mixture.load(out / "m.npz"))
    assert whole < 1.4 * int(dict(line.split(maxsplit=1) for line in outcome.stderr.splitlines())["target"])


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        (("a.npz", "coarse.npz", "-o", "{out}/m.npz"), "one variance"),
        (("a.npz", "missing.npz", "-o", "{out}/m.npz"), "missing.npz"),
        (("a.csv", "b.ply", "-o", "{out}/m.npz"), "the same dimension"),
        (("a.npz", "b.npz", "-o", "{out}/m.npz", "--pose", "words.txt"), "must hold a matrix"),
        (("a.npz", "b.npz", "-o", "{out}/m.npz", "--t", "-1"), "t must be zero or more"),
        (("a.npz", "b.npz", "-o", "{out}/m.npz", "--gamma", "4"), "point files"),
        (("a.npz", "b.npz", "-o", "{out}/m.ply"), "a mixture must be written"),
    ],
)
def test_merge_fails_in_one_line(fails, out, arguments, match):
    fails("merge", *(argument.format(out=out) for argument in arguments), match=match)


def test_what_merging_kept_is_shown(run, pair, tmp_path) -> None:
    outcome = run("merge", pair[1], pair[1], "-o", tmp_path / "m.npz", "--html", tmp_path / "m.html")
    assert outcome.exit_code == 0
    assert "from the target" in (tmp_path / "m.html").read_text(encoding="utf-8")
