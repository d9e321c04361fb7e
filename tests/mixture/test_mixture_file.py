"""Files of mixtures with covariances, and of mixtures without, which older versions of svgm read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from svgm import FileError, Mixture
from svgm.io.archive import read_archive, write_archive
from svgm.mixture.mixture_file import is_mixture_file
from tests.mixture.full_mixtures import full_mixture


@pytest.fixture
def saved(tmp_path: Path, rng: np.random.Generator) -> Path:
    full_mixture(rng, 5, 3).save(tmp_path / "m.npz")
    return tmp_path / "m.npz"


def test_covariances_are_kept_bit_for_bit(saved: Path) -> None:
    mixture = Mixture.load(saved)
    mixture.save(saved.with_name("again.npz"))
    assert Mixture.load(saved.with_name("again.npz")) == mixture
    assert mixture.covariances is not None
    assert is_mixture_file(saved)
    assert int(read_archive(saved)["version"]) == 2


def test_mixtures_without_covariances_stay_version_1(tmp_path: Path) -> None:
    mixture = Mixture([[0.0, 1.0]], 1.0, [1.0], bias=0.5)
    mixture.save(tmp_path / "m.npz")
    arrays = read_archive(tmp_path / "m.npz")
    assert int(arrays["version"]) == 1
    assert "covariances" not in arrays
    assert Mixture.load(tmp_path / "m.npz") == mixture


@pytest.mark.parametrize(
    "covariances",
    [
        np.zeros((5, 3, 3)),
        np.ones((5, 3, 3)),
        np.eye(3)[None],
        np.full((5, 3, 3), np.nan),
        np.array("text"),
        np.array([]),
        1e-140 * np.tile(np.eye(3), (5, 1, 1)),
        None,
    ],
)
def test_damaged_covariances_are_one_line(saved: Path, covariances: np.ndarray | None) -> None:
    arrays = read_archive(saved)
    arrays.pop("covariances")
    if covariances is not None:
        arrays["covariances"] = covariances
    write_archive(saved, **arrays)
    with pytest.raises(FileError, match="is a damaged mixture") as error:
        Mixture.load(saved)
    assert "\n" not in str(error.value)
