"""What a certified search has proven."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class Certificate:
    """What was proven.

    Attributes
    ----------
    objective
        f at the pose found.
    bound
        No pose whatsoever has a smaller f.
    requested
        The gap asked for.
    boxes
        Boxes of poses bounded.
    seconds
        Time taken; two proofs that differ in it alone are equal.
    complete
        Whether the gap was reached.

    Examples
    --------
    >>> import numpy as np
    >>> from svgm import register
    >>> corner = np.array([[1.0, 0.0], [0.0, 0.0], [-1.0, 0.6], [-1.0, 1.2]])
    >>> proof = register(corner, corner + 5.0, search="certified", gap=0.01).certificate
    >>> proof.complete, proof.gap <= 0.01, proof.bound <= proof.objective
    (True, True, True)
    >>> proof.as_dict()["requested"]
    0.01
    """

    objective: float
    bound: float
    requested: float
    boxes: int
    seconds: float = field(compare=False)
    complete: bool

    @property
    def gap(self) -> float:
        """(objective - bound) / |objective|."""
        return (self.objective - self.bound) / abs(self.objective) if self.objective != 0.0 else float("inf")

    def as_dict(self) -> dict[str, float | int | bool]:
        """Plain numbers."""
        return {**asdict(self), "gap": self.gap}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Certificate:
        """The inverse of :meth:`as_dict`.

        >>> proof = Certificate(-0.9, -0.91, 0.02, 100, 1.5, True)
        >>> Certificate.from_dict(proof.as_dict()) == proof
        True
        """
        return cls(**{name: value for name, value in plain.items() if name != "gap"})
