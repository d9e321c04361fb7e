"""Files of registration results: .npz holds everything, .json all but the mixtures."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from svgm.checks.types import Array
from svgm.io.archive import read_archive, write_archive
from svgm.io.atomic import atomic_write
from svgm.io.errors import file_error, file_errors
from svgm.io.paths import as_path, read_bytes
from svgm.mixture.mixture import Mixture

_FORMAT = "svgm registration result"

#: Version 1 has no covariances of components.  Results without them are still written as version 1, for older readers.
_ISOTROPIC, _FULL = 1, 2

#: The mixtures of source and target, if they are known.
Pair = tuple[Mixture, Mixture] | None


def write_record(path: str | os.PathLike[str], plain: Mapping[str, Any], pairs: Sequence[Pair]) -> None:
    """Write plain numbers and lists, and into .npz the mixtures too."""
    path = checked_path(path)
    text = json.dumps(plain)
    if path.suffix.lower() == ".json":
        with atomic_write(path) as temporary:
            temporary.write_text(text, encoding="utf-8")
        return
    arrays: dict[str, Array] = {}
    version = _ISOTROPIC
    for number, pair in enumerate(pairs):
        for name, mixture in zip(("source", "target"), pair or (), strict=False):
            key = f"{number}_{name}"
            arrays[f"{key}_means"], arrays[f"{key}_weights"] = mixture.means, mixture.weights
            bias = np.nan if mixture.bias is None else mixture.bias
            arrays[f"{key}_numbers"] = np.array([mixture.variance, bias])
            if mixture.covariances is not None:
                arrays[f"{key}_covariances"], version = mixture.covariances, _FULL
    write_archive(path, format=np.array(_FORMAT), version=np.array(version), text=np.array(text), **arrays)


def read_record(path: Path) -> tuple[dict[str, Any], list[Pair]]:
    """Read what :func:`write_record` wrote: plain numbers and lists, and a pair of mixtures for the result and for each
    of its stages."""
    if path.suffix.lower() == ".json":
        return json.loads(read_bytes(path)), []
    arrays = read_archive(path)
    if str(arrays.get("format")) != _FORMAT:
        raise file_error(path, "is not a result of a registration, as RegistrationResult.save writes it")
    with file_errors(path, "is a damaged result of a registration"):
        version = int(arrays["version"])
        if version > _FULL:
            raise file_error(path, f"is a result of version {version}, this svgm reads up to {_FULL}")
        plain = json.loads(str(arrays["text"]))
        return plain, [_mixtures(arrays, number) for number in range(1 + len(plain["stages"]))]


def checked_path(path: str | os.PathLike[str]) -> Path:
    """A path with a known suffix."""
    checked = as_path(path)
    if checked.suffix.lower() not in (".json", ".npz"):
        raise file_error(checked, "results are written as .npz or .json")
    return checked


def _mixtures(arrays: Mapping[str, Any], number: int) -> Pair:
    if f"{number}_source_means" not in arrays:
        return None
    pair = []
    for key in (f"{number}_source", f"{number}_target"):
        variance, bias = (float(value) for value in arrays[f"{key}_numbers"])
        means, weights, own = arrays[f"{key}_means"], arrays[f"{key}_weights"], arrays.get(f"{key}_covariances")
        pair.append(Mixture(means, variance, weights, None if np.isnan(bias) else bias, covariances=own))
    return pair[0], pair[1]
