"""Which data: a digest of each folder, and the digests of the folders that the figures in the docs were made with."""

from __future__ import annotations

import hashlib
from pathlib import Path

#: SHA-256 over names and contents of the files, first 16 digits.
EXPECTED = {
    "dragon_stand": "d6697fbe3da0e4b5",
    "hannover1": "e81bcd4f8a7e0af4",
    "shapes_2d": "c9e444bdbfa38607",
}


def digests(root: Path) -> dict[str, str]:
    """Of the folders that the experiments read; "absent" for one that is not there."""
    return {name: _digest(root / name) for name in EXPECTED}


def differing(found: dict[str, str]) -> list[str]:
    """One line for each folder that is not what the docs' figures were made with."""
    return [
        f"{name}: not the data of the figures in the docs ({found[name]} instead of {expected})"
        for name, expected in EXPECTED.items()
        if found[name] != expected
    ]


def _digest(folder: Path) -> str:
    if not folder.is_dir():
        return "absent"
    total = hashlib.sha256()
    for path in sorted(folder.iterdir()):
        if path.is_file():
            total.update(path.name.encode())
            total.update(path.read_bytes())
    return total.hexdigest()[:16]
