"""`svgm fit`: the mixture it writes, its summary, and how it fails."""

from __future__ import annotations

import json

import numpy as np
import pytest

import svgm
from svgm.datasets import butterfly


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


def test_fit_with_full_covariances(run, out, files):
    outcome = run("fit", "b.csv", "-o", out / "m.npz", "--covariance", "full", "--gamma", 20)
    assert outcome.exit_code == 0, outcome.output
    assert fields_of(outcome)["covariances"] == "full"
    assert svgm.Mixture.load(out / "m.npz") == svgm.fit(files / "b.csv", gamma=20, covariance="full")
    record = json.loads(run("fit", "b.csv", "-o", out / "n.npz", "--json").stdout)
    assert (record["covariances"], record["settings"]["covariance"]) == ("isotropic", "isotropic")
    assert run("fit", "b.csv", "-o", out / "o.npz", "--covariance", "full", "--two-class").exit_code == 2
    assert run("fit", "b.csv", "-o", out / "o.npz", "--covariance", "flat").exit_code == 2
    described = json.loads(run("info", out / "m.npz", out / "n.npz", "--json").stdout)
    assert [fields["covariances"] for fields in described] == ["full", "isotropic"]


def test_fit_two_class(run, out):
    outcome = run("fit", "b.csv", "-o", out / "m.npz", "--two-class")
    assert svgm.Mixture.load(out / "m.npz").signed
    assert int(fields_of(outcome)["negative"]) > 0
    assert run("fit", "b.csv", "-o", out / "n.npz", "--two-class", "--nu", 0.1).exit_code == 2
    assert not (out / "n.npz").exists()


def test_fit_like_another_makes_mixtures_that_merge(run, out):
    assert run("fit", "a.csv", "-o", out / "a.npz", "--gamma", 8).exit_code == 0
    assert run("fit", "b.csv", "-o", out / "b.npz", "--like", out / "a.npz").exit_code == 0
    outcome = run("merge", out / "a.npz", out / "b.npz", "--pose", "truth.txt", "-o", out / "m.npz")
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


def test_a_fit_is_drawn(run, tmp_path) -> None:
    imread = pytest.importorskip("matplotlib.image").imread
    svgm.write_points(tmp_path / "a.csv", butterfly(300, seed=1))
    outcome = run("fit", tmp_path / "a.csv", "-o", tmp_path / "a.npz", "--picture", tmp_path / "a.png")
    assert outcome.exit_code == 0
    assert np.asarray(imread(tmp_path / "a.png"))[..., :3].std() > 0.05
    outcome = run("fit", tmp_path / "a.csv", "-o", tmp_path / "b.npz", "--picture", tmp_path / "b.gif")
    assert outcome.exit_code == 1
    assert not (tmp_path / "b.npz").exists()
