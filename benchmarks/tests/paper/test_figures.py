"""Figures 1 to 3 of the paper: their numbers on small samples, and that a picture is drawn."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from matplotlib.image import imread

from benchmarks.paper import figure1, figure2, figure3, figure4, figure8
from svgm import estimate_scale, fit, kde
from svgm.datasets import butterfly, occlude


def drawn(path: Path) -> bool:
    """Whether there is a picture with something on it."""
    return bool(imread(path)[..., :3].std() > 0.05)


@pytest.mark.usefixtures("data")
def test_figure1_registers_and_merges_two_scans(tmp_path: Path) -> None:
    rows = figure1.rows(0, points=1000)
    assert len(rows) == 1
    row = rows[0]
    assert row["start_error_deg"] == pytest.approx(48.0, abs=0.5)
    assert row["rotation_error_deg"] < 2.0
    assert row["target_components"] < row["merged_components"] < row["target_components"] + row["source_components"]
    figure1.draw(rows, tmp_path / "figure1.png", 0, points=1000)
    assert drawn(tmp_path / "figure1.png")


def test_the_three_changes_of_a_density_that_loses_half(curve: np.ndarray, rng: np.random.Generator) -> None:
    apart = np.vstack([curve, curve + np.array([100.0, 0.0])])
    nearby = curve + 0.5 * rng.standard_normal(curve.shape)
    for represent in (fit, kde):
        whole, half = (represent(points, gamma=4.0, scale=1.0) for points in (apart, curve))
        everywhere, seen, shape = figure2.change(whole, half, curve, nearby)
        # (p + q) / 2 becomes p: what remains doubles, and its shape stays.
        assert everywhere == pytest.approx(1.0, abs=0.01)
        assert seen == pytest.approx(1.0, abs=0.01)
        assert shape < 1e-4
        assert max(figure2.change(whole, whole, curve, nearby)) < 1e-9


@pytest.mark.usefixtures("data")
def test_figure2_rows_and_picture(tmp_path: Path) -> None:
    rows = figure2.rows(0, sets=("fish",), trials=4)
    assert [row["occluded"] for row in rows] == [*figure2.FRACTIONS, figure2.SHOWN, figure2.SHOWN]
    assert rows == figure2.rows(0, sets=("fish",), trials=4)
    for row in rows:
        assert 0 < row["ratio_shape"] < 0.7
        assert row["ratio_everywhere"] == pytest.approx(row["svgm_everywhere"] / row["kde_everywhere"])
        assert 0 <= row["surface_lost_mean"] <= row["surface_lost_most"] < 1
    figure2.draw(rows, tmp_path / "figure2.png", 0)
    assert drawn(tmp_path / "figure2.png")


def test_gmmerge_is_nearer_to_the_fit_of_the_union_and_smaller() -> None:
    left, right = (occlude(butterfly(600, seed=k), 0.3, place=(x, 1.0)) for k, x in ((1, 2.6), (2, -2.6)))
    mixtures = figure3.merged_pair(left, right, estimate_scale(left), 30.0)
    naive, merged, union = (mixtures[name] for name in (figure3.NAIVE, figure3.GMMERGE, figure3.UNION))
    assert figure3.relative_distance(merged, union) < 0.5 * figure3.relative_distance(naive, union)
    assert len(merged) < len(naive)


def test_an_equal_sum_does_not_depend_on_the_order_and_the_naive_sum_does(curve: np.ndarray) -> None:
    mixtures = [fit(curve + np.array([10.0 * k, 0.0]), gamma=4.0, scale=1.0) for k in range(4)]
    for name, shares in ((figure3.NAIVE, [1, 1, 2, 4]), (figure3.EQUAL, [1, 1, 1, 1])):
        total = figure3.MERGES[name](mixtures)
        peaks = [total.density(mixture.means).max() for mixture in mixtures]
        assert np.allclose(np.divide(peaks, peaks[0]), shares, rtol=1e-3)


@pytest.mark.usefixtures("data")
def test_figure3_holds_points_out_of_the_fit() -> None:
    for chosen, others in zip(*figure3.scans(0, points=600)[:2], strict=True):
        together = np.vstack([chosen, others])
        assert len(np.unique(together, axis=0)) == len(together) == 600 + figure3.HELD_OUT


@pytest.mark.usefixtures("data")
def test_figure3_meets_its_bars_and_is_drawn(tmp_path: Path) -> None:
    rows = figure3.rows(0, points=600)
    assert [row["mixture"] for row in rows] == [*figure3.MERGES, figure3.UNION]
    assert all(bar.met for bar in figure3.bars(rows))
    figure3.draw(rows, tmp_path / "figure3.png", 0, points=600)
    assert drawn(tmp_path / "figure3.png")


@pytest.mark.usefixtures("data")
def test_figure4_shows_each_set_with_its_perturbation(tmp_path: Path) -> None:
    report = figure4.report(0)
    points = {row["set"]: (row["scene points"], row["model points"]) for row in report.rows}
    assert points == {"road": (277, 277), "contour": (100, 100), "fish": (98, 98), "glyph": (105, 74)}
    report.draw(tmp_path / "figure4.png")
    assert drawn(tmp_path / "figure4.png")


@pytest.mark.usefixtures("data")
def test_figure8_shows_the_streets_from_above(tmp_path: Path) -> None:
    report = figure8.report(0, scans=4)
    assert report.rows[0]["length of the drive (m)"] == pytest.approx(3 * report.rows[0]["mean step (m)"])
    report.draw(tmp_path / "figure8.png")
    assert drawn(tmp_path / "figure8.png")
