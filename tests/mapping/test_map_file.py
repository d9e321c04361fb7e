"""Files of maps in pieces, and the oldest version that holds a map."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from svgm import FileError, MapResult
from svgm.io.archive import read_archive, write_archive
from svgm.mapping.joints import Joint
from svgm.mapping.map_file import read_map_file
from tests.mapping.test_result import made_up


def test_pieces_joints_and_times_come_back(tmp_path: Path) -> None:
    one, other = made_up(2), replace(made_up(2, edges=1), times=np.arange(4) + 0.5)
    whole = replace(one, joints=(Joint(0, 1, 2, 0.25),), times=other.times, others=(other,))
    whole.save(tmp_path / "map.npz")
    same = MapResult.load(tmp_path / "map.npz")
    assert len(same.pieces) == 2
    assert same.joints == whole.joints
    for found, wanted in zip(same.pieces, whole.pieces, strict=True):
        assert found.poses.tobytes() == wanted.poses.tobytes()
        assert found.times is not None
        assert found.times.tolist() == [0.5, 1.5, 2.5, 3.5]
        assert [edge.as_dict() for edge in found.edges] == [edge.as_dict() for edge in wanted.edges]


def test_a_map_that_needs_none_of_this_is_of_an_older_version(tmp_path: Path) -> None:
    made_up(2).save(tmp_path / "map.npz")
    assert int(read_archive(tmp_path / "map.npz")["version"]) == 1
    loose = replace(made_up(2).edges[0], loose=1)
    replace(made_up(2), edges=(loose,)).save(tmp_path / "map.npz")
    assert int(read_archive(tmp_path / "map.npz")["version"]) == 3


@pytest.mark.parametrize("pieces", [0, 2, -1])
def test_a_wrong_number_of_pieces_is_one_line(pieces: int, tmp_path: Path) -> None:
    path = tmp_path / "map.npz"
    replace(made_up(2), joints=(Joint(0, 1, 2, 0.25),)).save(path)
    write_archive(path, **{**read_archive(path), "pieces": np.array(pieces)})
    with pytest.raises(FileError, match="is a damaged map"):
        read_map_file(path)
