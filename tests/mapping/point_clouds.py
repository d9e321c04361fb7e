"""Stand-ins for the point clouds of other libraries."""

from __future__ import annotations

from typing import Any

import numpy as np


class PointCloud:
    """Like Open3D's: the points are an attribute, and the repr shows only their number."""

    def __init__(self, points: Any) -> None:
        self.points = points

    def __repr__(self) -> str:
        return "PointCloud with 120 points."


class Tensor:
    """Like torch's: the repr leaves out most of the numbers."""

    def __init__(self, points: np.ndarray) -> None:
        self._points = points

    def detach(self) -> Tensor:
        return self

    cpu = detach

    def numpy(self) -> np.ndarray:
        return self._points

    def __repr__(self) -> str:
        return "tensor([[0., 1.], ..., [2., 3.]])"
