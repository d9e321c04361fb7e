"""Hash of a task's arguments: numbers by their bits, files by name and content."""

from __future__ import annotations

import os
import stat
import time
from dataclasses import is_dataclass
from functools import lru_cache
from hashlib import blake2b, sha256
from pathlib import Path
from typing import Any

import numpy as np

from svgm.geometry.points import as_numbers
from svgm.mixture.mixture import Mixture

#: A file that changed less than this many seconds before it was read may change again under the same time stamps,
#: which file systems keep to 2 s at worst: its content is not taken from the cache.
SETTLED = 3.0

#: Types whose `repr` says all there is to say.
PLAIN = (type(None), bool, int, str, bytes, np.generic)


def fingerprint(value: Any) -> str:
    """Equal for equal values, and for nothing else; an InputError for what has no numbers to hash.

    >>> fingerprint((1, 2.0, "a")) == fingerprint((1, 2.0, "a")), fingerprint([0.0]) == fingerprint([-0.0])
    (True, False)
    """
    digest = sha256()
    _feed(digest, value)
    return digest.hexdigest()[:32]


def _feed(digest: Any, value: Any) -> None:
    if isinstance(value, tuple | list):
        digest.update(f"[{len(value)}".encode())
        for item in value:
            _feed(digest, item)
    elif isinstance(value, Mixture):
        _feed(digest, (value.means, value.weights, value.variance, value.bias))
    elif is_dataclass(value) and type(value).__module__.startswith("svgm."):  # of others, fields may not say all
        _feed(digest, (type(value).__name__, *(getattr(value, name) for name in value.__dataclass_fields__)))
    elif type(value) is np.ndarray and value.dtype.kind in "biuf":
        digest.update(f"{value.dtype}{value.shape}".encode() + np.ascontiguousarray(value).tobytes())
    elif isinstance(value, os.PathLike):
        digest.update(f"{Path(value).absolute()} {_content(Path(value))}".encode(errors="surrogateescape"))
    elif isinstance(value, float):
        digest.update(value.hex().encode())
    elif isinstance(value, PLAIN):
        digest.update(f"{type(value).__name__} {value!r}".encode(errors="surrogateescape"))
    else:  # a cloud, a tensor, anything that `as_points` takes
        numbers = as_numbers(getattr(value, "points", value), "scan")
        _feed(digest, (type(value).__name__, numbers))


def _content(path: Path) -> str | None:
    """Hash of a file's bytes; None if it has none to read.

    A file is read again only if its size, times, or place on the disk have changed.
    """
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            return None
        times = status.st_mtime_ns, status.st_ctime_ns
        mark = (status.st_dev, status.st_ino, status.st_size, *times)
        settled = time.time_ns() - max(times) > SETTLED * 1e9
        return _hashed(path.absolute(), mark) if settled else _hashed.__wrapped__(path, mark)
    except (OSError, ValueError):  # ValueError: a NUL inside the name
        return None


@lru_cache(maxsize=100_000)
def _hashed(path: Path, mark: tuple[int, ...]) -> str:
    digest = blake2b(digest_size=16)
    with path.open("rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
