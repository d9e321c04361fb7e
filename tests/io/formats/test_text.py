"""Text columns: separators, comments, names, counts and damaged files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from svgm.checks.errors import FileError
from svgm.io import read_points, write_points

SUFFIXES = [".xyz", ".txt", ".csv", ".asc", ".pts"]
FINITE = st.floats(allow_nan=False, allow_infinity=False, width=64)


@pytest.mark.parametrize("suffix", SUFFIXES)
@given(
    points=st.integers(2, 3).flatmap(
        lambda d: arrays(np.float64, st.tuples(st.integers(1, 6), st.just(d)), elements=FINITE)
    )
)
@settings(max_examples=25)
def test_round_trip_is_exact(tmp_path: Path, suffix: str, points: np.ndarray) -> None:
    path = tmp_path / f"points{suffix.upper()}"
    write_points(path, points)
    np.testing.assert_array_equal(read_points(path), points)


GOOD = {
    "spaces": ("a.txt", "1 2 3\n4 5 6\n"),
    "padding": ("a.txt", "  1\t2   3  \n\n\t4 5 6"),
    "commas": ("a.csv", "1,2,3\n4, 5, 6\n"),
    "semicolons": ("a.csv", "1;2;3\n4;5 ; 6\n"),
    "carriage returns": ("a.txt", "1 2 3\r\n4 5 6\r\n"),
    "lone carriage returns": ("a.txt", "1 2 3\r4 5 6\r"),
    "comments": ("a.asc", "# one\n// two\n1 2 3 # three\n\n4 5 6 // four\n#"),
    "latin comment": ("a.txt", b"# gr\xfc\xdfe\n1 2 3\n4 5 6\n"),
    "mark": ("a.txt", b"\xef\xbb\xbf1 2 3\n4 5 6\n"),
    "names": ("a.csv", "x,y,z\n1,2,3\n4,5,6\n"),
    "order of names": ("a.csv", 'id,"Z","Y","X"\n7,3,2,1\n8,6,5,4\n'),
    "words in other columns": ("a.csv", "x;class;y;z\n1;tree;2;3\n4;;5;6\n"),
    "unnamed column": ("a.csv", ",x,y,z\n0,1,2,3\n1,4,5,6\n"),
    "name with a space": ("a.csv", "x,y,z,band 2\n1,2,3,9\n4,5,6,9\n"),
    "names in a comment": ("a.txt", "# id x y z\n7 1 2 3\n8 4 5 6\n"),
    "names after slashes": ("a.asc", "//X Y Z R G B\n1 2 3 9 9 9\n4 5 6 9 9 9\n"),
    "a comment about x": ("a.txt", "# x and y\n1 2 3\n4 5 6\n"),
    "other names": ("a.csv", "east,north,up\n1,2,3\n4,5,6\n"),
    "more columns": ("a.xyz", "1 2 3 9 9 9\n4 5 6 9 9 9\n"),
    "more columns in txt": ("a.txt", "1 2 3 9\n4 5 6 9\n"),
    "count": ("a.pts", "2\n1 2 3 9\n4 5 6 9\n"),
    "no count": ("a.pts", "1 2 3\n4 5 6\n"),
    "upper case": ("A.TXT", "1e0 2E0 +3\n4. 5.0 0.6e1\n"),
}


@pytest.mark.parametrize("name", GOOD)
def test_good(tmp_path: Path, name: str) -> None:
    file, text = GOOD[name]
    path = tmp_path / file
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    back = read_points(path)
    assert back.flags.c_contiguous
    np.testing.assert_array_equal(back, [[1, 2, 3], [4, 5, 6]])


@pytest.mark.parametrize("text", ["1 2\n4 5\n", "x y\n1 2\n4 5\n", "y,x,w\n2,1,0\n5,4,0\n", "a;b\n1;2\n4;5\n"])
def test_two_columns_are_a_plane(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.txt"
    path.write_text(text)
    np.testing.assert_array_equal(read_points(path), [[1, 2], [4, 5]])


BAD = {
    "word": ("a.txt", "1 2 3\n4 five 6\n", "line 2, 'five' is not a number"),
    "word on a late line": ("a.txt", "# a\n\n1 2 3\n\n4 five 6\n", "line 5, 'five' is not a number"),
    "half a header": ("a.txt", "1 b 3\n4 5 6\n", "line 1, 'b' is not a number"),
    "ragged": ("a.txt", "1 2 3\n4 5\n", "line 2 must have 3 columns, it has 2"),
    "ragged with names": ("a.csv", "x,y,z\n1,2,3\n4,5,6,7\n", "line 3 must have 3 columns, it has 4"),
    "word under a name": ("a.csv", "x,y,z\n1,2,3\n4,e,6\n", "line 3, 'e' is not a number"),
    "short header": ("a.csv", "x,y\n1,2,3\n", "one name each"),
    "x twice": ("a.csv", "x,y,x\n1,2,3\n", "one name each"),
    "trailing comma": ("a.csv", "1,2,3,\n4,5,6,\n", "'' is not a number"),
    "decimal comma": ("a.txt", "1,5 2,5 3,5\n", "is not a number"),
    "decimal comma, semicolons": ("a.csv", "1,5;2,5;3,5\n", "'1,5' is not a number"),
    "mixed separators": ("a.txt", "1 2 3\n4,5,6\n", "line 2 must have 3 columns"),
    "quoted numbers": ("a.csv", '"1","2","3"\n4,5,6\n', "line 1, '\"1\"' is not a number"),
    "versions": ("a.txt", "1.2.3 4.5.6\n1 2\n", "line 1, '1.2.3' is not a number"),
    "hexadecimal": ("a.txt", "0x1 0x2\n1 2\n", "line 1, '0x1' is not a number"),
    "separators only": ("a.csv", ",,\n1,2,3\n", "line 1"),
    "one column": ("a.txt", "1\n2\n", "at least 2 columns"),
    "NaN": ("a.txt", "1 2 3\nnan 5 6\n7 8 nan\n", "2 of 3 points are not, the first is point 1"),
    "infinity": ("a.txt", "1 2 3\n4 5 -inf\n", "1 of 2 points are not"),
    "overflow": ("a.txt", "1 2 3\n4 5 1e999\n", "1 of 2 points are not"),
    "blank": ("a.txt", "\n \n\t\n", "holds no points"),
    "comments only": ("a.txt", "# 1 2 3\n", "holds no points"),
    "names only": ("a.csv", "x,y,z\n", "holds no points"),
    "NUL": ("a.txt", "1 2 3\n4 \0 6\n", "byte 8 is NUL"),
    "two headers": ("a.txt", "x y z\na b c\n1 2 3\n", "line 2"),
    "UTF-16": ("a.txt", "1 2 3\n".encode("utf-16"), "NUL"),
    "garbage": ("a.txt", bytes(range(128, 256)) * 8, "at least|not|no"),
    "control characters": ("a.txt", b"\x01\x02 \x03\n1 2\n", "is not a number"),
    "count too large": ("a.pts", "3\n1 2 3\n4 5 6\n", "declares 3 points, the file has 2"),
    "count too small": ("a.pts", "1\n1 2 3\n4 5 6\n", "declares 1 points, the file has 2"),
    "negative count": ("a.pts", "-2\n1 2 3\n4 5 6\n", "it is '-2'"),
    "giant count": ("a.pts", "99999999999\n1 2 3\n", "declares 99999999999 points, the file has 1"),
    "count only": ("a.pts", "2\n", "holds no points"),
    "underscore": ("a.txt", "1_0 2 3\n", "could not convert|not a number"),
    "foreign digits": ("a.txt", "\u0661 2 3\n4 5 6\n", "a.txt"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad(tmp_path: Path, name: str) -> None:
    file, text, match = BAD[name]
    path = tmp_path / file
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(FileError, match=match) as caught:
        read_points(path)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400 + len(str(path))


def test_what_is_written(tmp_path: Path) -> None:
    points = [[0.1, 2.0, -3e-9]]
    texts = {".csv": "x,y,z\n0.1,2.0,-3e-09\n", ".pts": "1\n0.1 2.0 -3e-09\n", ".xyz": "0.1 2.0 -3e-09\n"}
    for suffix, text in texts.items():
        write_points(tmp_path / f"a{suffix}", points)
        assert (tmp_path / f"a{suffix}").read_bytes() == text.encode()
