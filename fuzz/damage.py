"""Damage to files: what bad discs, cut transfers, other programs and enemies do to them."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable

import numpy as np

from fuzz.case import Generator, one_of

Damage = Callable[[Generator, bytes, bytes], bytes]

#: What a number in a text may become.
NUMBERS = """
0 -1 1 2 3 1e9 -1e9 99999999 4294967295 4294967296 2147483648 9223372036854775807 18446744073709551616 1e400 nan inf
-inf 1e-400 1e308 1_0 0x10 007 +5 1,5 1e ½ 1234567890123456789012345678901234567890123456789012345678901234567890
""".strip().split()

#: What a word may become.
WORDS = """
x y z xy vertex face list uchar float double int64 char ascii binary binary_little_endian binary_compressed element
property end_header comment obj_info FIELDS SIZE TYPE COUNT WIDTH HEIGHT POINTS DATA F U I v vn f l VERTEX_SE2
EDGE_SE3:QUAT FIX # null true [] {} \\ é \0 \udcff
""".strip().split()


def _span(rng: Generator, data: bytes) -> tuple[int, int]:
    """A part of the file, as often as not in its header, where damage matters most."""
    reach = len(data) if rng.random() < 0.5 else min(len(data), 300)
    start = int(rng.integers(reach + 1))
    return start, min(len(data), start + int(rng.integers(1, 2 ** rng.integers(1, 8))))


def flip(rng: Generator, data: bytes, other: bytes) -> bytes:
    """Some bits."""
    array = np.frombuffer(data, np.uint8).copy()
    for _ in range(int(rng.integers(1, 5)) if len(array) else 0):
        array[min(_span(rng, data)[0], len(array) - 1)] ^= 1 << int(rng.integers(8))
    return array.tobytes()


def replace(rng: Generator, data: bytes, other: bytes) -> bytes:
    """Some bytes by others: zeros, ones, text, noise."""
    start, end = _span(rng, data)
    fill = [b"\0", b"\xff", b"\x7f", b"\n", b" ", b"9", b"-", rng.bytes(end - start)][int(rng.integers(8))]
    return data[:start] + (fill * (end - start))[: end - start] + data[end:]


def integer(rng: Generator, data: bytes, other: bytes) -> bytes:
    """Four or eight bytes by a count that is wrong."""
    start, size = _span(rng, data)[0], int(rng.choice([4, 8]))
    values = [0, 1, 255, 65536, 2**31 - 1, 2**31, 2**32 - 1, 2**40, 2**63 - 1, 2**63, 2**64 - 1]
    value = values[int(rng.integers(len(values)))] % 2 ** (8 * size)
    return data[:start] + value.to_bytes(size, "little" if rng.random() < 0.7 else "big") + data[start + size :]


def cut(rng: Generator, data: bytes, other: bytes) -> bytes:
    """The end is missing."""
    return data[: int(rng.integers(len(data) + 1))]


def remove(rng: Generator, data: bytes, other: bytes) -> bytes:
    """A part is missing."""
    start, end = _span(rng, data)
    return data[:start] + data[end:]


def repeat(rng: Generator, data: bytes, other: bytes) -> bytes:
    """A part is there many times."""
    start, end = _span(rng, data)
    return data[:end] + data[start:end] * int(2 ** rng.integers(0, 11)) + data[end:]


def splice(rng: Generator, data: bytes, other: bytes) -> bytes:
    """Begun as this file, ended as another."""
    return data[: _span(rng, data)[0]] + other[_span(rng, other)[0] :]


def magic(rng: Generator, data: bytes, other: bytes) -> bytes:
    """The first bytes of another format."""
    size = int(rng.choice([2, 4, 8, 32]))
    return other[:size] + data[size:]


def _match(rng: Generator, data: bytes, pattern: bytes, values: list[str] | tuple[str, ...]) -> bytes:
    found = list(re.finditer(pattern, data))
    if not found:
        return flip(rng, data, b"")
    # Half of them among the first ten: a header's.
    reach = len(found) if rng.random() < 0.5 else min(10, len(found))
    match = found[int(rng.integers(reach))]
    text = one_of(rng, values).encode("utf-8", "surrogateescape")
    return data[: match.start()] + text + data[match.end() :]


def number(rng: Generator, data: bytes, other: bytes) -> bytes:
    """A number in the text by another."""
    return _match(rng, data, rb"[-+]?\d+(\.\d+)?([eE][-+]?\d+)?", NUMBERS)


def word(rng: Generator, data: bytes, other: bytes) -> bytes:
    """A word by another."""
    return _match(rng, data, rb"[A-Za-z_]+", WORDS)


def lines(rng: Generator, data: bytes, other: bytes) -> bytes:
    """A line lost, doubled, moved, emptied, or all ended otherwise."""
    rows = data.split(b"\n")
    k, to = (int(v) for v in rng.integers(len(rows), size=2))
    row = rows.pop(k)
    choice = int(rng.integers(5))
    if choice == 4:
        return data.replace(b"\n", one_of(rng, ["\r\n", "\r", "\\\n", "\n\n", " \n", "\t\n"]).encode())
    rows[to:to] = [[], [row, row], [row], [b""]][choice]
    return b"\n".join(rows)


def member(rng: Generator, data: bytes, other: bytes) -> bytes:
    """Of an archive, one file damaged, renamed, lost or doubled, with checksums that fit; other files are flipped."""
    if not zipfile.is_zipfile(io.BytesIO(data)):
        return flip(rng, data, other)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = [(info.filename, archive.read(info)) for info in archive.infolist()]
    k = int(rng.integers(len(members)))
    name, content = members[k]
    choice = int(rng.integers(6))
    if choice < 3:
        members[k] = name, damaged(rng, content, other)
    elif choice == 3:
        members[k] = one_of(rng, ["x.npy", "points.npy", "format.npy", "a/b.npy", "", ".npy", "é.npy"]), content
        members = list(dict(members).items())
    elif choice == 4:
        members.pop(k)
    else:
        members.append((f"more-{name}", content))
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED if rng.random() < 0.5 else zipfile.ZIP_STORED) as archive:
        for name, content in members:
            archive.writestr(zipfile.ZipInfo(name), content)
    return stream.getvalue()


def retype(rng: Generator, data: bytes, other: bytes) -> bytes:
    """Of arrays in an archive, one of another type, shape or value; other files are flipped."""
    if not zipfile.is_zipfile(io.BytesIO(data)):
        return flip(rng, data, other)
    with np.load(io.BytesIO(data)) as archive:
        arrays = {name: archive[name] for name in archive.files}
    name = one_of(rng, list(arrays))
    value = arrays[name]
    changes: list[Callable[[], np.ndarray]] = [
        lambda: value.astype("U"),
        lambda: value.astype("S"),
        lambda: value.astype(object),
        lambda: np.array(["x"] * max(1, value.size)),
        lambda: np.zeros(value.shape, complex),
        lambda: np.zeros(value.shape, "M8[s]"),
        lambda: np.zeros(value.shape, [("a", "f8")]),
        lambda: np.zeros(value.shape, np.float32),
        lambda: np.full(value.shape, np.nan),
        lambda: np.full(value.shape, np.inf),
        lambda: np.full(value.shape, -1.0),
        lambda: np.full(value.shape, 1e308),
        lambda: np.full(value.shape, 5e-324),
        lambda: np.full(value.shape, 2**63, np.uint64),
        lambda: value.ravel(),
        lambda: value[None],
        lambda: value.T,
        lambda: np.zeros((0, *value.shape[1:])),
        lambda: np.zeros((*value.shape, 0)),
        lambda: np.array(0),
    ]
    arrays[name] = changes[int(rng.integers(len(changes)))]()
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


DAMAGE: tuple[Damage, ...] = (
    flip, replace, integer, cut, remove, repeat, splice, magic, number, number, word, lines, member, retype
)  # fmt: skip


def damaged(rng: Generator, data: bytes, other: bytes) -> bytes:
    """A file with one to three kinds of damage; `other` is what parts of another file come from."""
    for _ in range(1 + int(rng.integers(3) * rng.integers(2))):
        try:
            data = DAMAGE[int(rng.integers(len(DAMAGE)))](rng, data, other)
        except Exception:  # an archive that is damaged already cannot be opened, in a dozen ways
            data = flip(rng, data, other)
    return data[: 1 << 20]
