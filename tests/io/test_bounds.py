"""What reading takes is bounded by the size of the file, whatever the file declares: the factors of SECURITY.md."""

from __future__ import annotations

import io
import struct
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest

from svgm.checks.errors import FileError
from svgm.io import read_points
from svgm.io.archive import read_archive

#: Bytes of a file here, at most, and of memory for each of them: of text, and of what is packed.
SIZE, TEXT, PACKED = 240_000, 60, 3000

PLY = b"ply\nformat ascii 1.0\nelement vertex %d\nproperty float x\nproperty float y\nend_header\n"


def zeros() -> bytes:
    """An archive that unpacks to a thousand times its size."""
    header, stream = io.BytesIO(), io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": (100_000, 3)})
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("points.npy", header.getvalue() + bytes(2_400_000))
    return stream.getvalue()


FILES = {
    "empty lines.txt": b"\n" * SIZE,
    "short lines.txt": b"1 2\n" * (SIZE // 4),
    "one line.txt": b"1 " * (SIZE // 2),
    "comments.csv": b"#\n" * (SIZE // 2) + b"1 2\n",
    "names.csv": b"x,y,a\n" + b"1,2,b\n" * (SIZE // 6),
    "digits.txt": b"1" * SIZE + b" 2\n",
    "count.pts": b"9" * 18 + b"\n1 2 3\n" * 100,
    "vertices.obj": b"v 1 2 3\n" * (SIZE // 8),
    "continued.obj": b"\\\n" * (SIZE // 2),
    "colours.obj": b"v 1 2 3\nv 1 2 3 1 1 1\n" * (SIZE // 24),
    "lie.stl": bytes(80) + b"\xff" * 4 + bytes(SIZE),
    "facets.stl": b"solid a\n" + b"facet normal 0 0 0\nouter loop\n" * (SIZE // 30),
    "rows.ply": PLY % (SIZE // 4) + b"1 2\n" * (SIZE // 4),
    "blank.ply": PLY % 10 + b"\n" * SIZE,
    "lie.ply": PLY % 10**17 + b"1 2\n" * 100,
    "zeros.npz": zeros(),
    "lie.las": b"LASF" + bytes(90) + struct.pack("<HII", 227, 227, 2**32 - 1) + bytes(SIZE),
}


@pytest.mark.parametrize("name", FILES)
def test_memory(tmp_path: Path, name: str) -> None:
    for suffix, library in ((".las", "laspy"), (".stl", "trimesh")):
        if name.endswith(suffix):
            pytest.importorskip(library)
    path = tmp_path / name
    path.write_bytes(FILES[name])
    factor = PACKED if path.suffix == ".npz" else TEXT
    tracemalloc.start()
    try:
        points = read_points(path)
    except FileError:
        points = np.zeros((1, 2))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert points.ndim == 2
    assert peak < 1_000_000 + factor * len(FILES[name])


def test_an_archive_of_many_members_that_unpack_to_too_much(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    content = io.BytesIO()
    np.save(content, np.zeros(4_000_000))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as archive:
        for name in ("a", "b"):
            archive.writestr(f"{name}.npy", content.getvalue())
    with pytest.raises(FileError, match="must not unpack to more than 1000 times its size"):
        read_archive(path)
