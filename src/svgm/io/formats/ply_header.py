"""The header of a PLY file: its format and its elements."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np

from svgm.io.errors import file_error, shown
from svgm.io.formats.header_lines import parse_count

_SCALARS = {
    "char": "i1",
    "uchar": "u1",
    "short": "i2",
    "ushort": "u2",
    "int": "i4",
    "uint": "u4",
    "float": "f4",
    "double": "f8",
    "int8": "i1",
    "uint8": "u1",
    "int16": "i2",
    "uint16": "u2",
    "int32": "i4",
    "uint32": "u4",
    "float32": "f4",
    "float64": "f8",
}

ByteOrder = Literal["little", "big"]
_BYTE_ORDERS: dict[str, ByteOrder | None] = {
    "ascii": None,
    "binary_little_endian": "little",
    "binary_big_endian": "big",
}


@dataclass(frozen=True)
class Property:
    """A scalar or, if the type `length` is given, a list of scalars."""

    name: str
    dtype: np.dtype[np.generic]
    length: np.dtype[np.generic] | None
    byte_order: ByteOrder


@dataclass
class Element:
    """An element, such as vertex or face: its rows have the same properties."""

    name: str
    count: int
    properties: dict[str, Property] = field(default_factory=dict)

    @property
    def scalars(self) -> list[Property]:
        """The properties that are one number."""
        return [p for p in self.properties.values() if p.length is None]

    @property
    def lists(self) -> list[Property]:
        """The properties that are a list."""
        return [p for p in self.properties.values() if p.length is not None]

    @property
    def width(self) -> int:
        """Smallest count of numbers in a row of text: a list has at least its length."""
        return len(self.properties)

    @property
    def row_bytes(self) -> int:
        """Smallest size of a binary row in bytes; without lists, its exact size."""
        return sum((p.length or p.dtype).itemsize for p in self.properties.values())


@dataclass(frozen=True)
class PlyHeader:
    """The content of the header.

    Attributes
    ----------
    byte_order : {"little", "big"} or None
        None for ASCII.
    before : list of Element
        The elements before the vertices.
    vertex : Element
        The vertices.
    offset : int
        Position of the first byte of the body.
    """

    byte_order: ByteOrder | None
    before: list[Element]
    vertex: Element
    offset: int


def parse_header(path: Path, lines: list[str], offset: int) -> PlyHeader:
    """Parse the header lines.

    Parameters
    ----------
    path : Path
        The file, for messages.
    lines : list of str
        The lines from ``ply`` to ``end_header``.
    offset : int
        Position of the first byte of the body.

    Returns
    -------
    PlyHeader
        The format, and the elements up to the vertices.

    Raises
    ------
    FileError
        If a line breaks the rules of the format, or if there is no element ``vertex``.
    """
    formats: list[ByteOrder | None] = []
    elements: dict[str, Element] = {}
    current: Element | None = None
    if lines[0] != "ply":
        raise file_error(path, f"a PLY file must start with the line 'ply', it starts with {shown(lines[0])}")
    for line in lines[1:-1]:
        match line.split():
            case ["comment" | "obj_info", *_]:
                pass
            case [*_, "format", name, _] if name in _BYTE_ORDERS and not formats:
                formats.append(_BYTE_ORDERS[name])
            case ["element", name, count] if formats:
                if name in elements:
                    raise file_error(path, f"an element must be declared once, {shown(name)} is declared twice")
                current = elements[name] = Element(name, parse_count(path, f"element {name}", count))
            case ["property", *words] if current is not None:
                new = _parse_property(path, words, formats[0])
                if new.name in current.properties:
                    raise file_error(path, f"a property must be declared once, {shown(new.name)} is declared twice")
                current.properties[new.name] = new
            case ["format" | "element" | "property", *_]:
                raise file_error(path, f"the header line {shown(line)} is not understood")
            case _:
                pass  # an empty line, or a remark without the word "comment" before it
    if not formats:
        raise file_error(path, "the header must have a line 'format' before the first element")
    if "vertex" not in elements:
        names = ", ".join(elements) or "none"
        raise file_error(path, f"the header must declare an element vertex, it declares {shown(names)}")
    before = list(elements.values())[: list(elements).index("vertex")]
    return PlyHeader(formats[0], before, elements["vertex"], offset)


def _parse_property(path: Path, words: list[str], byte_order: ByteOrder | None) -> Property:
    length: np.dtype[np.generic] | None = None
    match words:
        case ["list", length_type, item_type, name]:
            length = _dtype(path, length_type, byte_order)
            if length.kind == "f":
                raise file_error(
                    path, f"the length of list {shown(name)} must be a whole number, its type is {length_type}"
                )
        case [item_type, name] if item_type != "list":
            pass
        case _:
            raise file_error(path, f"the header line {shown(' '.join(['property', *words]))} is not understood")
    return Property(name, _dtype(path, item_type, byte_order), length, byte_order or "little")


def _dtype(path: Path, name: str, byte_order: ByteOrder | None) -> np.dtype[np.generic]:
    if name not in _SCALARS:
        raise file_error(path, f"the property type {shown(name)} is unknown, the known types are {', '.join(_SCALARS)}")
    return np.dtype((">" if byte_order == "big" else "<") + _SCALARS[name])
