"""Good files of every format that svgm reads, made by its own writers and, where installed, by those of others."""

from __future__ import annotations

import functools
import importlib.util
import os
import re
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import svgm
from fuzz.clouds import cloud
from svgm.io import WRITABLE, g2o, trajectory
from svgm.io.archive import write_archive
from svgm.rigid import exp

POINTS = np.asarray(cloud("plain", 3, 12, 0))
FLAT = POINTS[:, :2]
_PAGE = 1024
#: CRC-32C by bytes, of which E57 files keep one a page.
_CRC = [functools.reduce(lambda c, _: c >> 1 ^ (0x82F63B78 if c & 1 else 0), range(8), byte) for byte in range(256)]


def _text(rows: np.ndarray, between: str = " ") -> str:
    return "".join(between.join(f"{value:.3f}" for value in row) + "\n" for row in rows)


def _ply(kind: str, names: str = "double x,double y,double z") -> bytes:
    properties = "".join(f"property {name}\n" for name in names.split(","))
    return f"ply\nformat {kind} 1.0\ncomment a\nelement vertex 12\n{properties}end_header\n".encode()


def _pcd(kind: str) -> bytes:
    head = (
        "VERSION 0.7\nFIELDS x y z\nSIZE 8 8 8\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 12\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\n"
    )
    return f"{head}POINTS 12\nDATA {kind}\n".encode()


def _by_hand() -> dict[str, bytes]:
    rows, raw = _text(POINTS), np.ascontiguousarray(POINTS.T).tobytes()
    packed = b"".join(bytes([31]) + raw[k : k + 32] for k in range(0, len(raw), 32))
    lists = (
        b"ply\nformat binary_little_endian 1.0\nelement face 3\nproperty list uchar int i\nproperty float w\n"
        b"element vertex 4\nproperty float x\nproperty short y\nproperty uchar red\nend_header\n"
        + (b"\x02" + bytes(8) + bytes(4)) * 3
        + np.zeros(4, [("x", "<f4"), ("y", "<i2"), ("r", "u1")]).tobytes()
    )
    coloured = "double x,double y,double z,uchar red,float nx"
    return {
        "lists.ply": lists,
        "ascii.ply": _ply("ascii") + rows.encode(),
        "colours.ply": _ply("ascii", coloured) + rows.replace("\n", " 7 0.5\n").encode(),
        "big.ply": _ply("binary_big_endian") + POINTS.astype(">f8").tobytes(),
        "ascii.pcd": _pcd("ascii") + rows.encode(),
        "binary.pcd": _pcd("binary") + POINTS.tobytes(),
        "packed.pcd": _pcd("binary_compressed") + np.array([len(packed), len(raw)], "<u4").tobytes() + packed,
        "named.csv": b"x,y,z,label\n" + _text(POINTS, ",").replace("\n", ",a\n").encode(),
        "counted.pts": b"12\n" + rows.encode(),
        "commented.txt": b"# x y z\n// more\n\n" + rows.encode(),
        "mesh.obj": b"# a\no a\n"
        + b"".join(b"v %.3f %.3f %.3f 1 0 0\n" % tuple(p) for p in POINTS)
        + b"f 1 2 3\nf 1/1 3//2 4\n",
        "organised.pcd": _pcd("binary").replace(b"VIEWPOINT 0 0 0", b"VIEWPOINT 1 2 3")
        + np.full((12, 3), np.nan)[:11].tobytes()
        + bytes(24),
        "kitti.bin": np.zeros((12, 4), "<f4").tobytes(),
        "scan.ptx": b"3\n4\n1 2 3\n1 0 0\n0 1 0\n0 0 1\n1 0 0 0\n0 1 0 0\n0 0 1 0\n1 2 3 1\n"
        + rows.replace("\n", " 0.5 10 20 30\n").encode(),
        "matrix.txt": _text(exp([0.1, 0.2, 0.3, 1.0, 2.0, 3.0])).encode(),
        "object.json": b'{"a": [1, 2.5, null, true, "x"]}',
    }


def _written(folder: Path) -> None:
    laspy = importlib.util.find_spec("laspy")
    for suffix in WRITABLE:
        if laspy or suffix not in (".las", ".laz"):
            svgm.write_points(folder / f"points{suffix}", POINTS)
            if laspy is None or suffix not in (".las", ".laz"):
                svgm.write_points(folder / f"flat{suffix}", FLAT)
    write_archive(folder / "two.npz", points=POINTS, more=FLAT)
    np.savez(folder / "plain.npz", points=POINTS.astype(np.float32))
    np.save(folder / "integers.npy", np.arange(24).reshape(8, 3))
    svgm.fit(POINTS).save(folder / "mixture.npz")
    svgm.fit(FLAT, gamma=4.0).save(folder / "mixture-flat.npz")
    svgm.fit_two_class(cloud("plain", 2, 40, 1)).save(folder / "mixture-signed.npz")
    for d, name in ((2, "flat"), (3, "space")):
        tangents = np.linspace(-1.0, 1.0, 3 * d * (d + 1) // 2).reshape(3, -1)
        poses = exp(tangents)
        edges = [g2o.G2oEdge(k, k + 1, poses[k], np.eye(tangents.shape[1])) for k in range(2)]
        g2o.write_g2o(folder / f"{name}.g2o", poses, edges)
        trajectory.write_tum(folder / f"{name}.tum", poses)
        trajectory.write_kitti(folder / f"{name}.kitti", poses)


def _bags(folder: Path) -> None:
    """A cloud in a bag of ROS 1 and in two kinds of ROS 2."""
    from rosbags import rosbag1, rosbag2
    from rosbags.typesys import Stores, get_typestore

    for name, number in (("one.bag", 1), ("two", 2), ("three", 3)):
        kinds = get_typestore(Stores.ROS1_NOETIC if number == 1 else Stores.ROS2_HUMBLE).types
        types = get_typestore(Stores.ROS1_NOETIC if number == 1 else Stores.ROS2_HUMBLE)
        stamp = kinds["builtin_interfaces/msg/Time"](sec=1, nanosec=2)
        head = kinds["std_msgs/msg/Header"](**{"stamp": stamp, "frame_id": "a"} | ({"seq": 0} if number == 1 else {}))
        field = kinds["sensor_msgs/msg/PointField"]
        message = kinds["sensor_msgs/msg/PointCloud2"](
            header=head,
            height=1,
            width=12,
            fields=[field(name=axis, offset=8 * k, datatype=8, count=1) for k, axis in enumerate("xyz")],
            is_bigendian=False,
            point_step=24,
            row_step=288,
            data=np.frombuffer(POINTS.tobytes(), np.uint8),
            is_dense=True,
        )
        kind = "sensor_msgs/msg/PointCloud2"
        plugin = {"storage_plugin": rosbag2.StoragePlugin.MCAP} if number == 3 else {}
        path = folder / "bags" / name
        path.parent.mkdir(exist_ok=True)
        with rosbag1.Writer(path) if number == 1 else rosbag2.Writer(path, version=9, **plugin) as bag:
            connection = bag.add_connection("/points", kind, typestore=types)
            raw = types.serialize_ros1(message, kind) if number == 1 else types.serialize_cdr(message, kind)
            bag.write(connection, 10**9, raw)
    for file in (folder / "bags").rglob("*"):
        if file.suffix in (".bag", ".db3", ".mcap"):
            file.rename(folder / f"points{file.suffix}")
    shutil.rmtree(folder / "bags")


def _written_by_others(folder: Path) -> None:
    if importlib.util.find_spec("rosbags"):
        _bags(folder)
    if importlib.util.find_spec("trimesh"):
        import trimesh

        box = trimesh.creation.box()
        (folder / "binary.stl").write_bytes(trimesh.exchange.stl.export_stl(box))
        (folder / "ascii.stl").write_text(trimesh.exchange.stl.export_stl_ascii(box))
        (folder / "box.obj").write_text(trimesh.exchange.obj.export_obj(box))
        (folder / "box.ply").write_bytes(trimesh.exchange.ply.export_ply(box))
    if importlib.util.find_spec("laspy"):
        import laspy

        for version, form in (("1.2", 3), ("1.4", 7)):
            las = laspy.LasData(laspy.LasHeader(point_format=form, version=version))
            las.x, las.y, las.z = POINTS.T
            las.write(folder / f"form-{form}.las")
            las.write(folder / f"form-{form}.laz")
    if importlib.util.find_spec("pye57"):
        import pye57

        archive = pye57.E57(str(folder / "scans.e57"), mode="w")
        axes = dict(zip(("cartesianX", "cartesianY", "cartesianZ"), np.ascontiguousarray(POINTS.T), strict=True))
        archive.write_scan_raw(axes, rotation=np.array([1.0, 0.0, 0.0, 0.0]), translation=np.zeros(3))
        archive.close()


def _map_folder(folder: Path) -> None:
    """The files of a small map, and of the tasks that it remembers."""
    if importlib.util.find_spec("gtsam"):
        scans: Any = [cloud("plain", 2, 60, seed) for seed in (1, 2)]
        result = svgm.map([scans[0], scans[1]], output=folder / "map")
        replace(result, seconds={}).save(folder / "result.npz")  # without times: the same file whenever it is made


def without_dates(name: str, data: bytes) -> bytes:
    """The same file whenever it is made: no date and no random name in it, and the checksums that fit."""
    if name.endswith((".las", ".laz")):
        return data[:90] + bytes(4) + data[94:]
    if name.endswith(".e57"):
        # A page's checksum may lie within the name.
        name_of_scan = rb"(?s)(?<=CDATA\[\{).{36,40}?(?=\}\]\]>)"
        return with_checksums(re.sub(name_of_scan, lambda match: bytes(len(match[0])).replace(b"\0", b"0"), data))
    if name.endswith(".json"):
        return re.sub(rb'("seconds": \{)[^}]*', rb'\1"merging": 0.5', data)
    return data


def with_checksums(data: bytes) -> bytes:
    """An E57 file whose pages have the checksums of what they hold now."""
    pages = bytearray(data)
    for start in range(0, len(data) - _PAGE + 1, _PAGE):
        crc = 0xFFFFFFFF
        for byte in pages[start : start + _PAGE - 4]:
            crc = crc >> 8 ^ _CRC[(crc ^ byte) & 255]
        pages[start + _PAGE - 4 : start + _PAGE] = (crc ^ 0xFFFFFFFF).to_bytes(4, "big")
    return bytes(pages)


@functools.cache
def samples() -> dict[str, bytes]:
    """Files by name; those of a map are below "map/"."""
    found = _by_hand()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _written(folder)
        _written_by_others(folder)
        _map_folder(folder)
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                key = path.relative_to(folder).as_posix()
                found[key] = without_dates(key, path.read_bytes())
    broken = Path(os.environ.get("SVGM_DATA", "")) / "broken"
    if "SVGM_DATA" in os.environ and broken.is_dir():
        found |= {f"broken/{path.name}": path.read_bytes() for path in sorted(broken.iterdir())}
    return found
