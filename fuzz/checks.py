"""What every answer keeps, whatever was asked: finite numbers, rigid poses, weights that sum to 1, short messages."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

import svgm

#: Calls whose numbers may be infinite or NaN, as their documents say.
NOT_FINITE = ("log_density", "svgm.map", "mapped", "MapResult.load", "apper", "read_properties", "aligned_cloud")

#: Characters of a message, without the names of files.
LONGEST = 400


class Broken(Exception):
    """A promise that an answer does not keep."""


def check_answer(value: Any, call: str) -> None:
    """Raise Broken if an answer breaks what it promises."""
    if isinstance(value, svgm.RegistrationResult):
        if value.kind in ("rigid", "nonrigid"):
            _check_poses(value.transformation[None])
        if not (0 <= value.confidence <= 1 and 0 <= value.overlap <= 1):
            raise Broken(f"confidence and overlap must be in [0, 1], got {value.confidence}, {value.overlap}")
        if np.linalg.eigvalsh(value.central_covariance).min() < -1e-9 * np.abs(value.central_covariance).max():
            raise Broken("a covariance must not be negative")
    if isinstance(value, svgm.MapResult):
        _check_poses(value.poses[~np.isnan(value.poses).any(axis=(1, 2))])
    if isinstance(value, svgm.Mixture):
        total = value.weights[value.weights > 0].sum()
        if not (abs(total - 1.0) < 1e-9 and value.variance > 0):
            raise Broken(f"weights must sum to 1 and the variance be positive, got {total} and {value.variance}")
    if "read_points(" in call and not (
        value.ndim == 2 and len(value) and value.flags.c_contiguous and value.dtype == float
    ):
        raise Broken(f"points must be contiguous rows of float64, got {value.dtype} of shape {value.shape}")
    if isinstance(value, svgm.io.PointCloud):
        value = value.points  # a column may hold anything
    if ".density(" in call and "signed" not in call and not (np.asarray(value) >= 0).all():
        raise Broken("a density must not be negative")
    # What is to be seen keeps its words and marks as they are given.
    shown = isinstance(value, svgm.view.Layer | svgm.view.Scene)
    # A scan that was left out has a pose of NaN, which may be moved and inverted like others.
    moved = "svgm.rigid." in call and ("nan" in call or "inf" in call)
    if not shown and not moved and not any(name in call for name in NOT_FINITE):
        for array in arrays_of(value):
            if array.dtype.kind in "fc" and not np.isfinite(array).all():
                raise Broken("an answer must be finite")


def _check_poses(poses: np.ndarray) -> None:
    d = poses.shape[-1] - 1
    rotations = poses[:, :d, :d]
    off = np.abs(rotations @ np.swapaxes(rotations, 1, 2) - np.eye(d)).max(initial=0.0)
    if off > 1e-9 or (np.linalg.det(rotations) < 0).any() or (poses[:, d] != np.eye(d + 1)[d]).any():
        raise Broken(f"a pose must be a rigid motion, it is off by {off:.2g}")


def check_message(error: BaseException) -> None:
    """Raise Broken if a message is no line that one can read."""
    text = str(error)
    if "\n" in text or "\r" in text:
        raise Broken("a message must be one line")
    if len(text) > LONGEST:
        raise Broken(f"a message must be short, got {len(text)} characters")


def same(one: Any, other: Any) -> bool:
    """Whether two answers are equal bit for bit, times aside."""
    first, second = list(arrays_of(one)), list(arrays_of(other))
    return len(first) == len(second) and all(
        a.shape == b.shape and a.dtype == b.dtype and (a.tobytes() == b.tobytes() or a.dtype == object)
        for a, b in zip(first, second, strict=True)
    )


def arrays_of(value: Any) -> Any:
    """All numbers of an answer, as arrays; seconds are not part of it."""
    if isinstance(value, np.ndarray | np.generic | float | int | str):
        yield np.asarray(value) if not isinstance(value, str | int) else np.asarray(str(value))
    elif isinstance(value, dict):
        for key, item in value.items():
            if key != "seconds":
                yield from arrays_of(item)
    elif isinstance(value, tuple | list):
        for item in value:
            yield from arrays_of(item)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            if field.name != "seconds":
                yield from arrays_of(getattr(value, field.name))
