"""Types of the arguments that public functions accept."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

#: An array of float64.
Array: TypeAlias = NDArray[np.float64]


class HasPoints(Protocol):
    """A point cloud of another library, such as Open3D: its attribute `points` holds n rows of d coordinates."""

    @property
    def points(self) -> Any: ...


class Tensor(Protocol):
    """A tensor of another library, such as torch."""

    def detach(self) -> Any: ...


#: Points (n, d): an array or nested lists, the path of a file, a point cloud, or a tensor.
PointsLike: TypeAlias = ArrayLike | str | os.PathLike[str] | HasPoints | Tensor

#: A pose (d+1, d+1): an array or nested lists.
PoseLike: TypeAlias = ArrayLike

#: Called as ``progress(phase, done, total)``.
Progress: TypeAlias = Callable[[str, int, int], None]
