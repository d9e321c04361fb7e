"""The error if the library of a format is not installed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from svgm.checks.errors import FileError
from svgm.io import read_points


@pytest.mark.parametrize(
    ("suffix", "library"), [(".las", "laspy"), (".laz", "laspy"), (".e57", "pye57"), (".stl", "trimesh")]
)
def test_missing_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str, library: str) -> None:
    path = tmp_path / f"a{suffix}"
    path.write_bytes(bytes(200))
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(FileError, match=rf'reading \{suffix} files needs {library}: pip install "svgm\[io\]"'):
        read_points(path)
