"""Damaged files are read or refused with a FileError; nothing else happens."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

from svgm.errors import FileError
from svgm.io import read_points, write_points

POINTS = np.random.default_rng(0).normal(size=(12, 3))
PLY_LISTS = (
    b"ply\nformat binary_little_endian 1.0\nelement face 3\nproperty list uchar int i\nproperty float w\n"
    b"element vertex 4\nproperty float x\nproperty short y\nproperty uchar red\nend_header\n"
    + (b"\x02" + bytes(8) + bytes(4)) * 3
    + np.zeros(4, [("x", "<f4"), ("y", "<i2"), ("r", "u1")]).tobytes()
)
PCD = "VERSION 0.7\nFIELDS x y z\nSIZE 8 8 8\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 12\nHEIGHT 1\nPOINTS 12\nDATA {}\n"


def samples() -> dict[str, bytes]:
    raw = np.ascontiguousarray(POINTS.T).tobytes()
    packed = b"".join(bytes([31]) + raw[i : i + 32] for i in range(0, len(raw), 32))
    packed_npz, plain_npz = io.BytesIO(), io.BytesIO()
    np.savez_compressed(packed_npz, points=POINTS)
    np.savez(plain_npz, points=POINTS)
    rows = "".join(f"{x} {y} {z}\n" for x, y, z in POINTS.round(3))
    head = (
        "ply\nformat {} 1.0\nelement vertex 12\nproperty double x\nproperty double y\nproperty double z\nend_header\n"
    )
    return {
        "lists.ply": PLY_LISTS,
        "ascii.ply": (head.format("ascii") + rows).encode(),
        "little.ply": head.format("binary_little_endian").encode() + POINTS.astype("<f8").tobytes(),
        "big.ply": head.format("binary_big_endian").encode() + POINTS.astype(">f8").tobytes(),
        "ascii.pcd": (PCD.format("ascii") + rows).encode(),
        "binary.pcd": PCD.format("binary").encode() + POINTS.tobytes(),
        "packed.pcd": PCD.format("binary_compressed").encode()
        + np.array([len(packed), len(raw)], "<u4").tobytes()
        + packed,
        "packed.npz": packed_npz.getvalue(),
        "plain.npz": plain_npz.getvalue(),
        "text.txt": rows.encode(),
        "names.csv": b"x,y,z,label\n" + rows.replace(" ", ",").replace("\n", ",a\n").encode(),
        "count.pts": b"12\n" + rows.encode(),
    }


def attempt(path: Path) -> None:
    message, points = "", np.ones((1, 1))
    try:
        points = read_points(path)
    except FileError as error:
        message = str(error)
    assert "\n" not in message
    assert not message or path.name in message
    assert points.ndim == 2
    assert len(points) > 0
    assert points.dtype == np.float64
    assert points.flags.c_contiguous
    assert np.isfinite(points).all()


@pytest.mark.parametrize("name", samples())
def test_truncations_and_flips(tmp_path: Path, name: str) -> None:
    data = samples()[name]
    path = tmp_path / name
    path.write_bytes(data)
    assert len(read_points(path)) in (4, 12)
    rng = np.random.default_rng(5)
    for cut in rng.integers(0, len(data), 80):
        path.write_bytes(data[:cut])
        attempt(path)
    for _ in range(250):
        damaged = np.frombuffer(data, np.uint8).copy()
        # Half of the damage goes into the header, where it matters most.
        reach = len(data) if rng.random() < 0.5 else min(len(data), 200)
        for at in rng.integers(0, reach, rng.integers(1, 4)):
            damaged[at] = rng.integers(0, 256) if rng.random() < 0.5 else rng.choice(list(b"0123456789 \n-\r\0.eE"))
        path.write_bytes(damaged.tobytes())
        attempt(path)


@pytest.mark.parametrize("suffix", [".npy", ".las", ".laz"])
def test_flips_of_written_files(tmp_path: Path, suffix: str) -> None:
    if suffix != ".npy":
        pytest.importorskip("laspy")
    path = tmp_path / f"a{suffix}"
    write_points(path, POINTS)
    data = path.read_bytes()
    rng = np.random.default_rng(6)
    for _ in range(40 if suffix == ".laz" else 150):
        damaged = np.frombuffer(data, np.uint8).copy()
        damaged[rng.integers(0, len(data), 2)] = rng.integers(0, 256, 2)
        path.write_bytes(damaged.tobytes()[: rng.integers(1, 2 * len(data))])
        attempt(path)


@pytest.mark.parametrize("suffix", [".ply", ".pcd", ".npy", ".npz", ".txt", ".csv", ".pts", ".xyz", ".asc", ".obj"])
def test_noise(tmp_path: Path, suffix: str) -> None:
    rng = np.random.default_rng(7)
    path = tmp_path / f"noise{suffix}"
    for size in (1, 2, 3, 10, 100, 5000):
        for low in (0, 1, 32):
            path.write_bytes(rng.integers(low, 256, size, dtype=np.uint8).tobytes())
            attempt(path)
