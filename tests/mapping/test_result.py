"""A map in a file: every field comes back bit for bit, and a damaged file is one line."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import svgm
from svgm import FileError, MapResult, Mixture
from svgm.io.archive import read_archive, write_archive
from svgm.mapping.edge import Edge
from svgm.mapping.map_file import is_map_file
from tests.mapping.edges import edge_between, spread, walk
from tests.mapping.scenes import room_loop
from tests.mixture.full_mixtures import random_covariances


def made_up(d: int, edges: int = 3) -> MapResult:
    """A map of arbitrary numbers, with a scan that was left out."""
    rng = np.random.default_rng(5)
    poses, k = walk(d, 4, rng), d * (d + 1) // 2
    covariances = np.stack([spread(d, rng) for _ in range(4)])
    poses[2], covariances[2] = np.nan, np.nan
    found = [edge_between(walk(d, 4, rng), 3, 1, rng.normal(size=k), spread(d, rng)) for _ in range(edges)]
    mixture = Mixture(rng.normal(size=(5, d)), 0.1 + 0.2, np.full(5, 0.2), bias=1 / 3 if d == 2 else None)
    return MapResult(
        poses=poses,
        covariances=covariances,
        mixture=mixture,
        edges=tuple(found[:2]),
        rejected=tuple((edge, f"no {number} ä\n") for number, edge in enumerate(found[2:])),
        left_out={2: "scan.ply: is empty (0 bytes) \udcff"},
        components=77,
        sigma=0.1 + 0.7,
        seconds={"merging": 1 / 7},
        settings={"order": "sequence", "nu": np.float64(0.01), "rounds": np.int64(4), "list": [1.5, None]},
    )


def plain(value: Any) -> Any:
    """Everything of a value, floats by their bits."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, Edge | Mixture):
        return {name: plain(getattr(value, name)) for name in value.__dataclass_fields__}
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return [(key, plain(item)) for key, item in value.items()]
    return float(value).hex() if isinstance(value, float) else value


def same(one: MapResult, other: MapResult) -> bool:
    return all(plain(getattr(one, f.name)) == plain(getattr(other, f.name)) for f in fields(MapResult))


@pytest.mark.parametrize("edges", [0, 2, 3])
@pytest.mark.parametrize("d", [2, 3])
def test_saved_and_loaded_bit_for_bit(d: int, edges: int, tmp_path: Path) -> None:
    result = made_up(d, edges)
    result.save(tmp_path / "map.npz")
    loaded = MapResult.load(tmp_path / "map.npz")
    assert same(loaded, result)
    assert repr(loaded) == repr(result)
    loaded.save(str(tmp_path / "again.npz"))
    assert same(MapResult.load(str(tmp_path / "again.npz")), result)


def test_a_mixture_with_covariances_is_saved_bit_for_bit(tmp_path: Path) -> None:
    plain_map = made_up(3)
    mixture = plain_map.mixture
    shapes = random_covariances(np.random.default_rng(1), len(mixture), 3)
    full = Mixture(mixture.means, mixture.variance, mixture.weights, covariances=shapes)
    result = replace(plain_map, mixture=full)
    versions = []
    for number, saved in enumerate((plain_map, result)):
        saved.save(tmp_path / f"{number}.npz")
        assert same(MapResult.load(tmp_path / f"{number}.npz"), saved)
        versions.append(int(read_archive(tmp_path / f"{number}.npz")["version"]))
    assert versions == [1, 2]


def test_a_real_map(tmp_path: Path) -> None:
    result = svgm.map([*room_loop(40)[0][:6], np.empty((0, 2))])
    result.save(tmp_path / "room.npz")
    loaded = MapResult.load(tmp_path / "room.npz")
    assert same(loaded, result)
    assert loaded.as_dict() == result.as_dict()
    assert is_map_file(tmp_path / "room.npz")
    result.mixture.save(tmp_path / "mixture.npz")
    assert not is_map_file(tmp_path / "mixture.npz")


def test_arrays_are_read_only(tmp_path: Path) -> None:
    made_up(2).save(tmp_path / "map.npz")
    for result in (MapResult.load(tmp_path / "map.npz"), pickle.loads(pickle.dumps(made_up(2)))):
        with pytest.raises(ValueError, match="read-only"):
            result.poses[0, 0, 0] = 7.0


def test_nothing_is_pickled(tmp_path: Path) -> None:
    made_up(3).save(tmp_path / "map.npz")
    with np.load(tmp_path / "map.npz", allow_pickle=False) as arrays:
        assert all(arrays[name].dtype.kind in "fiU" for name in arrays.files)


@pytest.mark.parametrize("name", ["map.json", "map", "map.npz/map.npz"])
def test_names_that_cannot_be_saved_to(name: str, tmp_path: Path) -> None:
    with pytest.raises(FileError) as caught:
        made_up(2).save(tmp_path / name)
    assert "\n" not in str(caught.value)
    assert not list(tmp_path.iterdir())


def changed(**changes: Any) -> Callable[[Path], None]:
    """Replace arrays of a file; None removes one."""

    def spoil(path: Path) -> None:
        arrays = {**read_archive(path), **changes}
        write_archive(path, **{name: np.asarray(array) for name, array in arrays.items() if array is not None})

    return spoil


def recorded(name: str, value: Any) -> Callable[[Path], None]:
    """Replace an entry of the record."""

    def spoil(path: Path) -> None:
        record = json.loads(str(read_archive(path)["record"]))
        record[name] = value
        changed(record=json.dumps(record))(path)

    return spoil


@pytest.mark.parametrize(
    "spoil",
    [
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(path.read_bytes()[:-40]),
        lambda path: path.unlink(),
        changed(format="another"),
        changed(format=None),
        changed(version=None),
        changed(version=2),
        changed(version="one"),
        changed(poses=None),
        changed(poses=np.eye(3)),
        changed(poses=np.eye(4)[None]),
        changed(poses="words"),
        changed(covariances=np.zeros((3, 3, 3))),
        changed(mixture_means=np.zeros((5, 3))),
        changed(mixture_weights=np.zeros(5)),
        changed(mixture_variance=-1.0),
        changed(mixture_bias=["x"]),
        changed(edge_transformations=np.zeros((2, 3, 3))),
        changed(edge_covariances=np.zeros((3, 6, 6))),
        changed(edge_covariances=np.full((3, 3, 3), np.nan)),
        changed(edge_transformations=np.full((3, 3, 3), np.nan)),
        changed(poses=np.full((4, 3, 3), 0.5)),
        changed(poses=np.full((4, 3, 3), np.nan)),
        changed(poses=np.tile(np.eye(3), (4, 1, 1))),
        changed(record="{"),
        changed(record="[]"),
        changed(record="{}"),
        recorded("edges", [{}, {}, {}]),
        recorded("edges", []),
        recorded("rejected", ["why"] * 4),
        recorded("left_out", [["x", "why"]]),
        recorded("components", "many"),
        recorded("sigma", None),
        recorded("seconds", [1]),
        recorded("settings", 3),
    ],
)
def test_a_damaged_file_is_one_line(spoil: Callable[[Path], Any], tmp_path: Path) -> None:
    path = tmp_path / "map.npz"
    made_up(2).save(path)
    spoil(path)
    with pytest.raises(FileError) as caught:
        MapResult.load(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


def test_a_newer_version_says_so(tmp_path: Path) -> None:
    made_up(2).save(tmp_path / "map.npz")
    changed(version=9)(tmp_path / "map.npz")
    with pytest.raises(FileError, match=r"map.npz: is a map of version 9, this svgm reads up to 3$"):
        MapResult.load(tmp_path / "map.npz")
