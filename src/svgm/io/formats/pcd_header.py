"""The header of a PCD file: its fields, its number of points and its encoding."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from svgm.io.errors import file_error, shown
from svgm.io.formats.header_lines import parse_count

_KEYS = ("VERSION", "FIELDS", "SIZE", "TYPE", "COUNT", "WIDTH", "HEIGHT", "VIEWPOINT", "POINTS", "DATA")
_TYPES = {("I", 1), ("I", 2), ("I", 4), ("I", 8), ("U", 1), ("U", 2), ("U", 4), ("U", 8), ("F", 4), ("F", 8)}
_ENCODINGS = ("ascii", "binary", "binary_compressed")


@dataclass(frozen=True, eq=False)
class Field:
    """A field of every point: `count` values of one type. Padding fields may have the same name."""

    name: str
    dtype: np.dtype[np.generic]
    count: int


@dataclass(frozen=True)
class PcdHeader:
    """The content of the header.

    Attributes
    ----------
    fields : list of Field
        The fields in the order of the file.
    axes : list of Field
        The fields x, y and perhaps z.
    points : int
        Number of points.
    encoding : {"ascii", "binary", "binary_compressed"}
        How the body is encoded.
    sensor : list of float
        Position of the sensor: the first three numbers of VIEWPOINT, zeros without such a line.
    """

    fields: list[Field]
    axes: list[Field]
    points: int
    encoding: str
    sensor: list[float]

    @property
    def row_bytes(self) -> int:
        """Size of a point in a binary body, in bytes."""
        return sum(field.dtype.itemsize * field.count for field in self.fields)

    def start(self, field: Field) -> int:
        """Position of a field within a point, in bytes."""
        before = self.fields[: self.fields.index(field)]
        return sum(other.dtype.itemsize * other.count for other in before)


def parse_header(path: Path, lines: list[str]) -> PcdHeader:
    """Parse the header lines.

    Parameters
    ----------
    path : Path
        The file, for messages.
    lines : list of str
        The lines from the first one to the DATA line.

    Returns
    -------
    PcdHeader
        The fields, the axes, the number of points and the encoding.

    Raises
    ------
    FileError
        If a line is missing or unknown, or if two lines contradict each other.
    """
    entries: dict[str, list[str]] = {}
    for line in lines:
        key, *words = line.split() or ["#"]
        if key.startswith("#"):
            continue
        key = "FIELDS" if key == "COLUMNS" else key  # its name in version 0.5
        if key not in _KEYS or key in entries:
            raise file_error(path, f"the header line {shown(line)} is not understood")
        entries[key] = words
    fields = _parse_fields(path, entries)
    axes = [field for axis in ("x", "y", "z") for field in fields if field.name == axis]
    if [field.name for field in axes] not in (["x", "y"], ["x", "y", "z"]):
        raise file_error(path, f"the fields must be x, y and perhaps z, each once, they are {shown(entries['FIELDS'])}")
    for field in axes:
        if field.count != 1:
            raise file_error(path, f"the COUNT of field {field.name} must be 1, it is {field.count}")
    if len(entries["DATA"]) != 1 or entries["DATA"][0] not in _ENCODINGS:
        raise file_error(path, f"DATA must be {', '.join(_ENCODINGS)}, it is {shown(' '.join(entries['DATA']))}")
    return PcdHeader(fields, axes, _parse_points(path, entries), entries["DATA"][0], _parse_sensor(path, entries))


def _parse_sensor(path: Path, entries: dict[str, list[str]]) -> list[float]:
    words = entries.get("VIEWPOINT", ["0", "0", "0"])
    try:
        numbers = [float(word) for word in words]
    except ValueError:
        numbers = []
    if len(numbers) not in (3, 7):
        raise file_error(path, f"VIEWPOINT must be 7 numbers, it is {shown(' '.join(words))}")
    return numbers[:3]


def _parse_fields(path: Path, entries: dict[str, list[str]]) -> list[Field]:
    for key in ("FIELDS", "SIZE", "TYPE"):
        if key not in entries:
            raise file_error(path, f"the header must have a {key} line")
    names = entries["FIELDS"]
    counts = entries.get("COUNT", ["1"] * len(names))
    fields = []
    for key, words in (("SIZE", entries["SIZE"]), ("TYPE", entries["TYPE"]), ("COUNT", counts)):
        if len(words) != len(names):
            raise file_error(path, f"{key} must have one entry for each of {len(names)} fields, it has {len(words)}")
    for name, size, kind, count in zip(names, entries["SIZE"], entries["TYPE"], counts, strict=True):
        if (kind, parse_count(path, "SIZE", size)) not in _TYPES:
            raise file_error(path, f"the type of field {shown(name)} is unknown, TYPE {shown(kind)} SIZE {shown(size)}")
        values = parse_count(path, "COUNT", count)
        if values == 0:
            raise file_error(path, f"the COUNT of field {shown(name)} must be at least 1, it is 0")
        fields.append(Field(name, np.dtype(f"<{kind.lower()}{int(size)}"), values))
    return fields


def _parse_points(path: Path, entries: dict[str, list[str]]) -> int:
    def count(key: str) -> int:
        if len(entries[key]) != 1:
            raise file_error(path, f"{key} must be one number, it is {shown(' '.join(entries[key]))}")
        return parse_count(path, key, entries[key][0])

    grid = count("WIDTH") * count("HEIGHT") if "WIDTH" in entries and "HEIGHT" in entries else None
    points = count("POINTS") if "POINTS" in entries else grid
    if points is None:
        raise file_error(path, "the header must have a POINTS line, or WIDTH and HEIGHT")
    if grid is not None and grid != points:
        raise file_error(path, f"POINTS must be WIDTH times HEIGHT, which is {grid}, it is {points}")
    return points
