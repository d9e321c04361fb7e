"""A competing pose of a registration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from svgm.checks.frozen import Frozen, freeze
from svgm.checks.types import Array


@dataclass(frozen=True, eq=False)
class Alternative(Frozen):
    """A competing pose.

    Attributes
    ----------
    transformation : (d+1, d+1) array
        The pose.
    score : float
        Its surface score as a share of the answer's: near 1 the pose is as good an answer.

    Examples
    --------
    A square lies on itself in four ways:

    >>> import numpy as np
    >>> from svgm import register
    >>> side = np.linspace(-1, 1, 41)[:-1]
    >>> square = np.vstack([np.c_[side, 0 * side - 1], np.c_[0 * side + 1, side]])
    >>> square = np.vstack([square, -square])
    >>> result = register(square, square, search="global")
    >>> result.ambiguous, len(result.alternatives) >= 3
    (True, True)
    >>> other = result.alternatives[0]
    >>> sorted(other.as_dict()), other.score > 0.9
    (['score', 'transformation'], True)
    """

    transformation: Array
    score: float

    def __post_init__(self) -> None:
        freeze(self, "transformation")

    def as_dict(self) -> dict[str, Any]:
        """Plain numbers and lists."""
        return {"transformation": self.transformation.tolist(), "score": self.score}
