"""LZF decompression for PCD files with compressed bodies."""

from __future__ import annotations

MAX_EXPANSION = 88
"""Largest expansion of a byte: three compressed bytes encode a repeat of at most 264 bytes."""

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
        Size of the output in bytes. Decompression stops when the output is larger.

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
                raise ValueError(f"a repeat refers to {distance} bytes before it, there are {len(out)}")
            start = len(out) - distance
            if distance >= length:
                out += out[start : start + length]
            else:
                # The repeat overlaps its own output, so the output is periodic with the distance.
                out += (out[start:] * (length // distance + 1))[:length]
    except IndexError:
        raise ValueError("a repeat is cut off") from None
    if len(out) != size:
        raise ValueError(f"the data expand to {'more' if len(out) > size else len(out)} bytes, {size} are declared")
    return bytes(out)
