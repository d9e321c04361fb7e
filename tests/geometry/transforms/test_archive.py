"""The first fields of a transform's file."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from svgm import Similarity
from svgm.geometry.transforms.archive import read_fields


def test_the_kind_is_text(tmp_path: Path) -> None:
    Similarity(np.diag([2.0, 2.0, 1.0])).save(tmp_path / "double.npz")
    assert read_fields(tmp_path / "double.npz")["kind"] == "similarity"
