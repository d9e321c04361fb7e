"""Files of mixtures: named arrays in one .npz file, without pickle."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from svgm.checks.types import Array
from svgm.io.archive import archive_names, read_archive, write_archive
from svgm.io.errors import file_error, file_errors

_FORMAT = "svgm mixture"

#: Version 1 has no covariances.  Mixtures without covariances are still written as version 1, for older readers.
_ISOTROPIC, _FULL = 1, 2


def write_mixture(
    path: str | os.PathLike[str],
    means: Array,
    variance: float,
    weights: Array,
    bias: float | None,
    covariances: Array | None,
) -> None:
    """Write the fields of a mixture; FileError, and no partial file, if that fails."""
    fields = {
        "means": means,
        "variance": np.array(variance),
        "weights": weights,
        "bias": np.array([] if bias is None else [bias]),
    }
    version = _ISOTROPIC
    if covariances is not None:
        fields["covariances"] = covariances
        version = _FULL
    write_archive(path, format=np.array(_FORMAT), version=np.array(version), **fields)


def read_mixture(path: Path) -> dict[str, Any]:
    """The fields that :func:`write_mixture` wrote, not checked yet, as arguments of :class:`svgm.Mixture`."""
    arrays = read_archive(path)
    if str(arrays.get("format")) != _FORMAT:
        raise file_error(path, "is not a mixture of svgm, as Mixture.save writes it")
    with file_errors(path, "is a damaged mixture"):
        version, bias = int(arrays["version"]), arrays["bias"]
        if version > _FULL:
            raise file_error(path, f"is a mixture of version {version}, this svgm reads up to {_FULL}")
        return {
            "means": arrays["means"],
            "variance": float(arrays["variance"]),
            "weights": arrays["weights"],
            "bias": float(bias[0]) if bias.size else None,
            "covariances": arrays["covariances"] if version == _FULL else None,
        }


def is_mixture_file(path: str | os.PathLike[str]) -> bool:
    """Whether a path is an .npz file that :meth:`svgm.Mixture.save` wrote."""
    return str(path).lower().endswith(".npz") and {"format", "means", "weights"} <= set(archive_names(path))
