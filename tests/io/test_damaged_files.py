"""Damaged files that once made a reader crash or raise another error."""

from __future__ import annotations

from pathlib import Path

import pytest

from svgm.io import read_points
from svgm.mixture.mixture import Mixture
from tests.io.refused import refused

#: Names of the damaged files in the folder of real data.
BROKEN = ("crash.laz", "mixture_1_100.npz", "mixture_3_100.npz", "mixture_4_100.npz", "npz_1_100.npz")


@pytest.mark.parametrize("name", BROKEN)
def test_files_that_once_broke_a_reader(data: Path, name: str) -> None:
    if name.endswith(".laz"):
        pytest.importorskip("laspy")
    path = data / "broken" / name
    refused(read_points, path)
    if name.endswith(".npz"):
        refused(Mixture.load, path)
