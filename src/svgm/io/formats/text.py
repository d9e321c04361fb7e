"""Text files of columns (.xyz .txt .csv .asc .pts)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from svgm.io.array_checks import checked_points
from svgm.io.atomic import atomic_write
from svgm.io.cloud import Column, PointCloud
from svgm.io.errors import file_error, shown
from svgm.io.formats.columns import as_column
from svgm.io.formats.header_lines import parse_count
from svgm.io.formats.number_rows import parse_rows
from svgm.io.paths import PathLike, as_path, read_bytes

_COMMENT = re.compile(r"(#|//).*")
_NUMBER_LIKE = re.compile(r"[-+.]|\d|(nan|inf|infinity)$")


def load(path: PathLike, columns: bool = True) -> PointCloud:
    """Read the columns of a text file.

    Columns are separated by white space, commas or semicolons; ``#`` and ``//`` start a comment. A line before the
    numbers, which may be a comment, may hold the names of the columns. If these names contain x, y and perhaps z, these
    columns are read and the other columns may hold anything; those of numbers are read too. Without such names the
    first three columns are read, or both if there are two. A ``.pts`` file may start with the number of its points.

    Parameters
    ----------
    path : str or os.PathLike
        The file: ``.xyz``, ``.txt``, ``.csv``, ``.asc`` or ``.pts``.
    columns : bool, default True
        Whether the other named columns are read.

    Returns
    -------
    PointCloud
        The points. They are not checked.

    Raises
    ------
    FileError
        If the file is missing or holds no points, if a value is not a number, or if rows differ in length.
    """
    path = as_path(path)
    raw = _lines(path)
    lines = [_COMMENT.sub("", line).strip() for line in raw] if _has_comments(raw) else raw
    filled = (index for index, line in enumerate(lines) if line)
    first = next(filled, None)
    if first is None:
        raise file_error(path, "holds no points")
    declared: int | None = None
    if path.suffix.lower() == ".pts" and re.fullmatch(r"[-+]?\d+", lines[first]):
        declared = parse_count(path, "points", lines[first])
        lines[first], first = "", next(filled, None)
    names: list[str] | None = None
    if first is not None and _is_header(lines[first]):
        names = lines[first].split(_delimiter(lines[first]))
        lines[first], first = "", next(filled, None)
    if first is None:
        raise file_error(path, "holds no points")
    delimiter = _delimiter(lines[first])
    width = len(lines[first].split(delimiter))
    if names is None:
        names = _commented_names(raw[:first], width)
    points = _parse(path, lines, width, delimiter, names)
    if declared is not None and declared != len(points):
        raise file_error(path, f"the first line declares {declared} points, the file has {len(points)}")
    return PointCloud(points, _others(lines, width, delimiter, names) if columns else {})


def write(path: PathLike, points: ArrayLike, properties: Mapping[str, Column] | None = None) -> None:
    """Write points as text with all digits, so that reading the file gives the same numbers.

    A ``.csv`` file has commas and a line of column names. A ``.pts`` file has spaces and starts with the number of
    points. The other files have spaces and, if there are more columns than coordinates, their names in a comment.

    Parameters
    ----------
    path : str or os.PathLike
        The file to make or replace.
    points : array_like, shape (n, 3) or (n, 2)
        Finite coordinates.
    properties : mapping of str to ndarray, shape (n,), optional
        More columns. A ``.pts`` file has no place for them.

    Raises
    ------
    FileError
        If the points are not finite numbers of this shape, if a column has another length or is not numbers, or if the
        operating system refuses the write.
    """
    path = as_path(path)
    array = checked_points(path, points, dimensions=(2, 3))
    suffix = path.suffix.lower()
    delimiter = "," if suffix == ".csv" else " "
    table: list[list[object]] = [list(axis) for axis in array.T.tolist()]
    names = list("xyz"[: array.shape[1]])
    if suffix != ".pts":
        for name, column in (properties or {}).items():
            if name not in names:
                table.append(as_column(path, name, column, len(array)).tolist())
                names.append(name)
    if any(delimiter in name or name.startswith(("#", "//")) for name in names):
        raise file_error(path, f"the name of a column must not hold a comma or begin a comment, got {shown(names)}")
    commented = f"# {' '.join(names)}\n" if len(names) > array.shape[1] else ""
    head = {".csv": f"{','.join(names)}\n", ".pts": f"{len(array)}\n"}.get(suffix, commented)
    with atomic_write(path) as temporary, temporary.open("w", encoding="ascii", newline="\n") as stream:
        stream.write(head)
        stream.writelines(f"{delimiter.join(map(repr, row))}\n" for row in zip(*table, strict=True))


def data_lines(path: Path) -> list[str]:
    """Read the lines of a text file without ``#`` comments and outer white space. Empty lines are kept.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    list of str
        The lines in the order of the file.

    Raises
    ------
    FileError
        If the file is missing, empty or not text.
    """
    return [line.partition("#")[0].strip() for line in _lines(path)]


def _lines(path: Path) -> list[str]:
    data = read_bytes(path)
    nul = data.find(b"\0")
    if nul >= 0:
        raise file_error(path, f"is not a text file, byte {nul} is NUL")
    # Comments may hold bytes that are not UTF-8. Elsewhere such bytes become characters that are no numbers: an error.
    text = data.decode("utf-8-sig", errors="replace").replace("\r\n", "\n").replace("\r", "\n")
    return [line.strip() for line in text.split("\n")]


def _has_comments(lines: list[str]) -> bool:
    return any("#" in line or "//" in line for line in lines)


def _delimiter(line: str) -> str | None:
    return next((mark for mark in ";," if mark in line), None)


def _is_header(line: str) -> bool:
    """Whether a line holds names: they are printable, and none looks like a number, as in the damaged line 1.2.3 4."""
    names = _plain(line.split(_delimiter(line)))
    return line.isprintable() and "\ufffd" not in line and any(names) and not any(map(_NUMBER_LIKE.match, names))


def _commented_names(lines: list[str], columns: int) -> list[str] | None:
    """The names in the comment above the numbers, if there is one for each column, with x, y and (of three) z."""
    above = next((line for line in reversed(lines) if line), "")
    line = above.lstrip("#/ \t")
    names = line.split(_delimiter(line)) if above.startswith(("#", "//")) else []
    return names if len(names) == columns and set("xyz"[:columns]) <= set(_plain(names)) else None


def _plain(names: list[str]) -> list[str]:
    return [name.strip().strip("\"'").lower() for name in names]


def _parse(
    path: Path, lines: list[str], columns: int, delimiter: str | None, names: list[str] | None
) -> NDArray[np.float64]:
    if columns == 1:
        first = next(line for line in lines if line)
        raise file_error(path, f"every line must have at least 2 columns, the first has 1: {shown(first)}")
    plain = _plain(names or [])
    axes = [axis for axis in ("x", "y", "z") if axis in plain]
    if axes[:2] != ["x", "y"]:
        return parse_rows(path, lines, columns, delimiter, unit="line")[:, :3]
    if len(plain) != columns or any(plain.count(axis) > 1 for axis in axes):
        raise file_error(
            path, f"the {columns} columns must have one name each, all different, the names are {shown(names)}"
        )
    use = [plain.index(axis) for axis in axes]
    return parse_rows(path, lines, columns, delimiter, use, unit="line")


def _others(lines: list[str], width: int, delimiter: str | None, names: list[str] | None) -> dict[str, Column]:
    """The named columns beside the coordinates that hold numbers only. Whole numbers become integers."""
    plain = _plain(names or [])
    if len(plain) != width or not {"x", "y"} <= set(plain):
        return {}
    rows = [line.split(delimiter) for line in lines if line]
    found: dict[str, Column] = {}
    for index, name in enumerate(plain):
        if name in ("x", "y", "z", "") or name in found or plain.count(name) > 1:
            continue
        tokens = [row[index].strip() for row in rows]
        try:
            column = np.array(list(map(float, tokens)))
        except ValueError:
            continue
        whole = all(re.fullmatch(r"[-+]?\d{1,15}", token) for token in tokens)
        found[names[index].strip().strip("\"'") if names else name] = column.astype(np.int64) if whole else column
    return found
