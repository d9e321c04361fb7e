"""Hashes of tasks: different for different values and files, equal for equal ones."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from svgm import fit
from svgm.mapping.submap import Submap
from svgm.mapping.task_hash import task_hash
from tests.mapping.point_clouds import PointCloud, Tensor


def test_different_values_have_different_hashes(curve: np.ndarray) -> None:
    mixture = fit(curve, gamma=5.0)
    moved = mixture.transformed(np.array([[1.0, 0, 1e-12], [0, 1, 0], [0, 0, 1]]))
    values: list[Any] = [
        (1, 2),
        (2, 1),
        (1, (2,)),
        ((1,), 2),
        (1.0, 2),
        ("1", 2),
        (None, 2),
        (0.1 + 0.2,),
        (0.3,),
        (curve,),
        (curve.astype(np.float32),),
        (curve.reshape(2, -1),),
        (mixture,),
        (moved,),
        (Submap(0, mixture),),
        (Submap(1, mixture),),
    ]
    hashes = [task_hash(value) for value in values]
    assert len(set(hashes)) == len(values)
    assert hashes == [task_hash(value) for value in values]
    assert task_hash(curve) == task_hash(np.asfortranarray(curve))


def test_a_changed_file_has_another_hash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "scan.csv"
    missing = task_hash(path)
    path.write_text("1,2\n")
    first = task_hash(path)
    monkeypatch.chdir(tmp_path)
    assert task_hash(Path("scan.csv")) == first
    status = path.stat()
    path.write_text("1,3\n")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    other = task_hash(path)  # same size and time as before
    path.write_text("1,2\n")
    os.utime(path, ns=(0, 0))
    assert task_hash(path) == first
    renamed = path.rename(tmp_path / "scan.xyz")
    assert len({missing, first, other, task_hash(renamed)}) == 4
    assert task_hash(path) == missing
    assert task_hash(Path("a\0b")) != missing


def test_an_unchanged_file_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "scan.csv"
    path.write_text("1,2\n")
    before = task_hash(path)
    monkeypatch.setattr("svgm.mapping.task_hash.UNCHANGED_SECONDS", -1e9)  # no file counts as recently changed
    assert task_hash(path) == before
    monkeypatch.setattr("pathlib.Path.open", lambda *rest: pytest.fail("read again"))
    assert task_hash(path) == before


@pytest.mark.parametrize(
    "kind", [PointCloud, Tensor, lambda points: PointCloud(Tensor(points)), lambda points: points.astype(object)]
)
def test_point_clouds_are_hashed_by_their_numbers(kind: Callable[[Any], Any], curve: np.ndarray) -> None:
    one = task_hash(kind(curve))
    assert one != task_hash(kind(curve + 1e-9))
    assert one == task_hash(kind(curve.copy()))
