"""One scan of a map: what can be read, and what the scans of a map must have in common."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from svgm import FileError, InputError, Mixture, fit
from svgm.mapping.scan import (
    ScanProfile,
    UnusableScan,
    check_profile,
    natural_sigma,
    points_or_mixture,
    read_scan,
    reason_unusable,
    same_size,
    summarise,
)
from svgm.registration.prepared import prepare


def test_points_are_fitted_at_the_sigma_of_the_map(curve: np.ndarray) -> None:
    scan = read_scan(3, curve, 0.2, 0.01)
    assert scan.number == 3
    assert scan.mixture.sigma == pytest.approx(0.2)
    assert scan.prepared.radius == prepare(curve).radius


def test_a_mixture_stays_as_it_is(curve: np.ndarray, tmp_path: Path) -> None:
    mixture = fit(curve, gamma=20.0)
    mixture.save(tmp_path / "scan.npz")
    assert read_scan(0, mixture, 7.0, 0.01).mixture is mixture
    assert read_scan(0, tmp_path / "scan.npz", 7.0, 0.01).mixture == mixture
    assert isinstance(points_or_mixture(0, tmp_path / "scan.npz"), Mixture)


def test_a_summary_has_sigma_dimension_and_size(curve: np.ndarray, tmp_path: Path) -> None:
    summary = summarise(0, curve, 0.01)
    assert (summary.sigma, summary.dimension, summary.reason) == (natural_sigma(prepare(curve)), 2, None)
    assert summarise(0, 10.0 * curve, 0.01).size == pytest.approx(10.0 * summary.size)
    missing = summarise(0, tmp_path / "scan.ply", 0.01)
    assert missing.reason is not None
    assert missing.reason.endswith("scan.ply: no such file")


@pytest.mark.parametrize(
    ("points", "match"),
    [
        (np.eye(4), r"^scan 5 must be in 2D or 3D, is in 4D$"),
        (np.eye(3), r"^scan 5 must be in 2D like the others, is in 3D$"),
        (1e3 * np.eye(2), r"^scan 5 must be about as large as the others, is 707 times as large: perhaps in another"),
    ],
)
def test_scans_of_another_kind(points: np.ndarray, match: str) -> None:
    with pytest.raises(InputError, match=match):
        check_profile(5, points, ScanProfile(2, 1.0))


def test_sizes_in_one_unit() -> None:
    assert same_size(1.0, 150.0)
    assert not same_size(1.0, 1000.0)
    assert not same_size(1000.0, 1.0)
    assert same_size(0.0, 1000.0)


@pytest.mark.parametrize(
    ("source", "error", "reason"),
    [
        (Path("a.ply"), FileError("a.ply: is\n empty"), "a.ply: is empty"),
        (Path("a.ply"), KeyError("x"), "a.ply: cannot be used (KeyError: 'x')"),
        (None, MemoryError("no\nroom"), "scan 2: cannot be used (MemoryError: no room)"),
    ],
)
def test_reasons_are_one_line(source: Any, error: Exception, reason: str) -> None:
    assert reason_unusable(2, source, error) == reason


def test_a_scan_that_is_known_to_be_unusable_is_not_read() -> None:
    with pytest.raises(InputError, match=r"^why not$"):
        points_or_mixture(0, UnusableScan("why not"))
