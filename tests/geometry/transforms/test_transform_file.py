"""Files of transforms: damaged ones, other ones, later versions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from svgm import Mixture, Rigid, load_transform
from svgm.checks.errors import FileError


def test_other_and_damaged_files_are_refused_with_one_line(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    Mixture([[0.0, 0.0]], 1.0, [1.0]).save(path)
    with pytest.raises(FileError, match="not a transform"):
        load_transform(path)
    np.savez(path, format="svgm transform", version=9, kind="rigid")
    with pytest.raises(FileError, match="version 9"):
        load_transform(path)
    for fields in ({"kind": "rigid"}, {"kind": "rigid", "matrix": np.ones(3)}, {"kind": "deformation"}):
        np.savez(path, format="svgm transform", version=1, **fields)
        with pytest.raises(FileError, match="damaged"):
            load_transform(path)
    Rigid(np.eye(4)).save(path)
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(FileError, match="npz"):
        load_transform(path)
