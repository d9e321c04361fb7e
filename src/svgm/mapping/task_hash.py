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

#: Seconds.  If a file changed more recently, it may change again without a new time stamp, because some file systems
#: round time stamps to 2 s.  Such a file is read every time.
UNCHANGED_SECONDS = 3.0

#: Types whose `repr` holds the whole value.
REPR_TYPES = (type(None), bool, int, str, bytes, np.generic)


def task_hash(value: Any) -> str:
    """A hash that is equal for equal values only; InputError if a value holds no numbers that can be hashed.

    >>> task_hash((1, 2.0, "a")) == task_hash((1, 2.0, "a")), task_hash([0.0]) == task_hash([-0.0])
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
        _feed(digest, (value.means, value.weights, value.variance, value.bias, value.covariances))
    # Fields of classes from elsewhere may not hold the whole value.
    elif is_dataclass(value) and type(value).__module__.startswith("svgm."):
        _feed(digest, (type(value).__name__, *(getattr(value, name) for name in value.__dataclass_fields__)))
    elif type(value) is np.ndarray and value.dtype.kind in "biuf":
        digest.update(f"{value.dtype}{value.shape}".encode() + np.ascontiguousarray(value).tobytes())
    elif isinstance(value, os.PathLike):
        digest.update(f"{Path(value).absolute()} {_content(Path(value))}".encode(errors="surrogateescape"))
    elif isinstance(value, float):
        digest.update(value.hex().encode())
    elif isinstance(value, REPR_TYPES):
        digest.update(f"{type(value).__name__} {value!r}".encode(errors="surrogateescape"))
    else:  # a point cloud, a tensor, anything that `as_points` takes
        numbers = as_numbers(getattr(value, "points", value), "scan")
        _feed(digest, (type(value).__name__, numbers))


def _content(path: Path) -> str | None:
    """Hash of a file's bytes; None if the file cannot be read.

    A file is read again only if its size, its times or its place on the disk have changed.
    """
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            return None
        times = status.st_mtime_ns, status.st_ctime_ns
        identity = (status.st_dev, status.st_ino, status.st_size, *times)
        unchanged = time.time_ns() - max(times) > UNCHANGED_SECONDS * 1e9
        return _hashed(path.absolute(), identity) if unchanged else _hashed.__wrapped__(path, identity)
    except (OSError, ValueError):  # ValueError: a NUL inside the name
        return None


@lru_cache(maxsize=100_000)
def _hashed(path: Path, identity: tuple[int, ...]) -> str:
    digest = blake2b(digest_size=16)
    with path.open("rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
