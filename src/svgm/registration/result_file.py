"""Results of registrations in files: .npz holds everything, .json all but the mixtures."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from svgm.checks.types import Array
from svgm.io.archive import read_archive, write_archive
from svgm.io.atomic import atomic_write
from svgm.io.source import as_path, file_error, file_errors, read_bytes
from svgm.mixture.mixture import Mixture
from svgm.registration.certificate import Certificate
from svgm.registration.result import Alternative, RegistrationResult, Status
from svgm.registration.stage import Stage

_FORMAT, _VERSION = "svgm registration result", 1


def write_result(result: RegistrationResult, path: str | os.PathLike[str]) -> None:
    """Write a result; the suffix chooses the format."""
    path = _checked(path)
    text = json.dumps(result.as_dict())
    if path.suffix.lower() == ".json":
        with atomic_write(path) as temporary:
            temporary.write_text(text, encoding="utf-8")
        return
    arrays: dict[str, Array] = {}
    pairs = [result.mixtures, *(stage.mixtures for stage in result.stages)]
    for number, pair in enumerate(pairs):
        for name, mixture in zip(("source", "target"), pair or (), strict=False):
            key = f"{number}_{name}"
            arrays[f"{key}_means"], arrays[f"{key}_weights"] = mixture.means, mixture.weights
            bias = np.nan if mixture.bias is None else mixture.bias
            arrays[f"{key}_numbers"] = np.array([mixture.variance, bias])
    write_archive(path, format=np.array(_FORMAT), version=np.array(_VERSION), text=np.array(text), **arrays)


def read_result(path: str | os.PathLike[str]) -> RegistrationResult:
    """Read a result that :func:`write_result` wrote."""
    path = _checked(path)
    if path.suffix.lower() == ".json":
        with file_errors(path, "is not a result of a registration"):
            return _from_dict(json.loads(read_bytes(path)), {})
    arrays = read_archive(path)
    if str(arrays.get("format")) != _FORMAT:
        raise file_error(path, "is not a result of a registration, as RegistrationResult.save writes it")
    with file_errors(path, "is a damaged result of a registration"):
        version = int(arrays["version"])
        if version > _VERSION:
            raise file_error(path, f"is a result of version {version}, this svgm reads up to {_VERSION}")
        return _from_dict(json.loads(str(arrays["text"])), arrays)


def _checked(path: str | os.PathLike[str]) -> Path:
    """A path with a known suffix."""
    checked = as_path(path)
    if checked.suffix.lower() not in (".json", ".npz"):
        raise file_error(checked, "results are written as .npz or .json")
    return checked


def _from_dict(plain: Mapping[str, Any], arrays: Mapping[str, Any]) -> RegistrationResult:
    stages = [
        Stage(
            gamma=float(stage["gamma"]),
            sigma=float(stage["sigma"]),
            components=(int(stage["components"][0]), int(stage["components"][1])),
            candidates=int(stage["candidates"]),
            iterations=int(stage["iterations"]),
            objective=float(stage["objective"]),
            transformation=np.array(stage["transformation"]),
            mixtures=_mixtures(arrays, number),
        )
        for number, stage in enumerate(plain["stages"], start=1)
    ]
    proof = plain["certificate"]
    return RegistrationResult(
        transformation=np.array(plain["transformation"]),
        status=Status[plain["status"].upper()],
        objective=float(plain["objective"]),
        iterations=int(plain["iterations"]),
        stages=tuple(stages),
        centre=np.array(plain["centre"]),
        central_covariance=np.array(plain["central_covariance"]),
        confidence=float(plain["confidence"]),
        overlap=float(plain["overlap"]),
        alternatives=tuple(
            Alternative(np.array(other["transformation"]), float(other["score"])) for other in plain["alternatives"]
        ),
        search=str(plain["search"]),
        mixtures=_mixtures(arrays, 0),
        certificate=None if proof is None else Certificate(**{k: v for k, v in proof.items() if k != "gap"}),
        strays=(int(plain["strays"][0]), int(plain["strays"][1])),
    )


def _mixtures(arrays: Mapping[str, Any], number: int) -> tuple[Mixture, Mixture] | None:
    if f"{number}_source_means" not in arrays:
        return None
    pair = []
    for key in (f"{number}_source", f"{number}_target"):
        variance, bias = (float(value) for value in arrays[f"{key}_numbers"])
        weights = arrays[f"{key}_weights"]
        pair.append(Mixture(arrays[f"{key}_means"], variance, weights, None if np.isnan(bias) else bias))
    return pair[0], pair[1]
