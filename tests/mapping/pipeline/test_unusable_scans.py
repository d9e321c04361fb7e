"""Scans that svgm.map cannot use: damaged, empty, of another dimension or unit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import svgm
from svgm import InputError
from svgm.datasets import body
from svgm.rigid import invert
from tests.mapping.scenes import room_loop, worst, written

EMPTY = np.empty((0, 2))


class TestScansThatCannotBeUsed:
    """They are left out, with the reason."""

    @pytest.mark.parametrize("order", ["sequence", "unordered"])
    def test_a_damaged_and_an_empty_file(self, order: str, tmp_path: Path) -> None:
        scans, true = room_loop(40)
        paths = written(scans[:7], tmp_path)
        paths[2].write_bytes(b"ply\nformat binary")
        paths[4].write_bytes(b"")
        result = svgm.map(paths, order=order)
        assert sorted(result.left_out) == [2, 4]
        assert all(str(paths[number]) in reason and "\n" not in reason for number, reason in result.left_out.items())
        there = [0, 1, 3, 5, 6]
        assert np.isnan(result.poses[[2, 4]]).all()
        assert max(worst(result.poses[there], true[there])) < 0.2
        assert repr(result).startswith("MapResult(5 of 7 scans")

    def test_the_first(self) -> None:
        scans, true = room_loop(40)
        result = svgm.map([EMPTY, *scans[1:5]])
        assert list(result.left_out) == [0]
        assert np.allclose(result.poses[1], np.eye(3), atol=1e-9)
        assert max(worst(result.poses[1:], invert(true[1]) @ true[1:5])) < 0.1

    def test_all_scans_before_a_segment(self) -> None:
        scans, true = room_loop(40)
        result = svgm.map([*scans[:8], EMPTY, EMPTY, *scans[10:20]])
        there = [*range(8), *range(10, 20)]
        assert sorted(result.left_out) == [8, 9]
        assert max(worst(result.poses[there], true[there])) < 0.25
        assert any(edge.source == 10 and edge.target == 7 for edge in result.edges)

    def test_a_whole_segment(self) -> None:
        scans, true = room_loop(40)
        result = svgm.map([*scans[4:10], *([EMPTY] * 10), *scans[10:14]])
        there = [*range(6), *range(16, 20)]
        assert np.isfinite(result.poses[there]).all()
        assert max(worst(result.poses[there], invert(true[4]) @ true[4:14])) < 0.25

    def test_a_single_place(self) -> None:
        result = svgm.map([*room_loop(40)[0][:3], np.zeros((5, 2))])
        assert result.left_out == {3: "scan 3 must not be a single place: it holds no pose"}

    def test_none_is_left(self) -> None:
        with pytest.raises(
            InputError, match=r"^scans: none of 2 can be used, the last was left out because scan 1 must"
        ):
            svgm.map([EMPTY, EMPTY])

    @pytest.mark.parametrize("count", [1, 30])
    def test_one_alone_is_left(self, count: int) -> None:
        with pytest.raises(
            InputError, match=rf"^scans: only 1 of {count + 1} can be used, the last .* because scan"
        ) as caught:
            svgm.map([*[EMPTY] * count, room_loop(40)[0][0]])
        assert "\n" not in str(caught.value)

    @pytest.mark.parametrize("order", ["sequence", "unordered"])
    def test_another_dimension(self, order: str) -> None:
        scans, true = room_loop(40)
        result = svgm.map([body(50)[0], *scans[1:4], np.eye(4)], order=order)
        assert result.left_out == {
            0: "scan 0 must be in 2D like the others, is in 3D",
            4: "scan 4 must be in 2D or 3D, is in 4D",
        }
        assert max(worst(result.poses[1:4], invert(true[1]) @ true[1:4])) < 0.1

    @pytest.mark.parametrize("unit", [1e-3, 1e3])
    @pytest.mark.parametrize("order", ["sequence", "unordered"])
    def test_another_unit_of_length(self, unit: float, order: str) -> None:
        scans, true = room_loop(40)
        result = svgm.map([*scans[:3], unit * scans[3]], order=order)
        assert list(result.left_out) == [3]
        assert result.left_out[3].endswith("times as large: perhaps in another unit of length")
        assert max(worst(result.poses[:3], true[:3])) < 0.1

    def test_beyond_those_of_the_first_pass(self) -> None:
        """The first pass reads every other one of 24 scans; the others are found when they are linked."""
        scans = list(room_loop(40)[0][:24])
        scans[1], scans[3], scans[5] = body(50)[0], 1e3 * scans[3], EMPTY
        result = svgm.map(scans)
        assert sorted(result.left_out) == [1, 3, 5]

    def test_whatever_a_reader_raises(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        paths = written(room_loop(40)[0][:4], tmp_path)
        read = svgm.io.read_points

        def reader(path: Path) -> np.ndarray:
            if path == paths[2]:
                raise NotImplementedError("two\nlines")
            return read(path)

        monkeypatch.setattr("svgm.io.read_points", reader)
        result = svgm.map(paths)
        assert result.left_out == {2: f"{paths[2]}: cannot be used (NotImplementedError: two lines)"}
