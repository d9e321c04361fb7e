"""LZF decompression, for the compressed bodies of PCD files."""

from __future__ import annotations

MAX_EXPANSION = 88
"""Most bytes that one compressed byte can stand for: three of them encode a repeat of at most 264."""

_LITERAL = 32
_LONG = 7


def decompress(data: bytes, size: int) -> bytes:
    """Undo LZF compression.

    The stream is a sequence of literal runs (a byte c below 32, then c + 1 bytes) and of repeats of earlier output
    (three bits of length, thirteen bits of distance, one more byte of length if the three bits are all set).

    Parameters
    ----------
    data : bytes
        The compressed stream.
    size : int
        Bytes it must expand to; the output never grows past it by more than one repeat.

    Returns
    -------
    bytes
        `size` bytes.

    Raises
    ------
    ValueError
        If the stream is damaged or expands to another size.
    """
    out = bytearray()
    position = 0
    try:
        while position < len(data) and len(out) <= size:
            control = data[position]
            position += 1
            if control < _LITERAL:
                run = data[position : position + control + 1]
                if len(run) <= control:
                    raise ValueError("a literal run is cut off")
                out += run
                position += control + 1
                continue
            length = control >> 5
            if length == _LONG:
                length += data[position]
                position += 1
            length += 2
            distance = ((control & 31) << 8) + data[position] + 1
            position += 1
            if distance > len(out):
                raise ValueError(f"a repeat reaches back {distance} bytes, {len(out)} are there")
            start = len(out) - distance
            if distance >= length:
                out += out[start : start + length]
            else:
                # The repeat overlaps its own output: it is periodic with the distance.
                out += (out[start:] * (length // distance + 1))[:length]
    except IndexError:
        raise ValueError("a repeat is cut off") from None
    if len(out) != size:
        raise ValueError(f"the data expand to {'more' if len(out) > size else len(out)} bytes, {size} are declared")
    return bytes(out)
