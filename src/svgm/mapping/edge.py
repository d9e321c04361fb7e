"""An edge of the pose graph: the measured pose of one scan in the frame of another, with its covariance."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from svgm.geometry.points import Array
from svgm.registration.result import RegistrationResult
from svgm.registration.tuning import TUNING
from svgm.rigid import adjoint, information_of, invert


@dataclass(frozen=True, eq=False)
class Edge:
    """A measured pose between two scans.

    Attributes
    ----------
    source, target : int
        Numbers of the two scans.
    transformation : ndarray of shape (d+1, d+1)
        T, which maps the source's coordinates into the target's.
    covariance : ndarray of shape (k, k)
        Covariance of xi in ``T_true = T Exp(xi)``, as in :class:`svgm.RegistrationResult`; k = 3 in 2D, 6 in 3D.
    confidence, overlap : float
        Confidence and overlap of the registration, in [0, 1].  Triangles that close raise the confidence of pairs.
    kind : str
        What was registered: "neighbour" (two scans of a sequence), "model" (a scan and the merged mixture of its
        submap), "loop" (two submaps) or "pair" (two scans without an order).  "weak": no registration was trusted, and
        the edge only says that consecutive scans are near each other.

    Examples
    --------
    >>> import svgm
    >>> from svgm.datasets import butterfly
    >>> result = svgm.register(butterfly(300), butterfly(300) + 1.0)
    >>> edge = Edge.measured(1, 0, result, "neighbour")
    >>> edge.trusted, edge.information.shape
    (True, (3, 3))
    >>> back = edge.reversed()
    >>> back.source, back.target, bool(np.allclose(back.transformation @ edge.transformation, np.eye(3)))
    (0, 1, True)

    In a file, and back:

    >>> import json
    >>> same = Edge.from_dict(json.loads(json.dumps(edge.as_dict())))
    >>> bool((same.covariance == edge.covariance).all())
    True
    """

    source: int
    target: int
    transformation: Array
    covariance: Array
    confidence: float
    overlap: float
    kind: str

    @classmethod
    def measured(cls, source: int, target: int, result: RegistrationResult, kind: str) -> Edge:
        """The edge of a registration of the source to the target; an ambiguous one has no confidence."""
        confidence = 0.0 if result.ambiguous else result.confidence
        return cls(source, target, result.transformation, result.covariance, confidence, result.overlap, kind)

    @property
    def trusted(self) -> bool:
        """Whether the registration's confidence is high enough to act on."""
        return self.confidence >= TUNING.trusted

    @property
    def information(self) -> Array:
        """Inverse of the covariance."""
        return information_of(self.covariance)

    def reversed(self) -> Edge:
        """The same measurement, from the target to the source."""
        # T⁻¹ moves by Exp(-Ad_T xi).
        moved = adjoint(self.transformation)
        return replace(
            self,
            source=self.target,
            target=self.source,
            transformation=invert(self.transformation),
            covariance=_symmetric(moved @ self.covariance @ moved.T),
        )

    def as_dict(self) -> dict[str, Any]:
        """The edge as plain numbers and lists; :meth:`from_dict` restores it bit for bit."""
        return {
            "source": self.source,
            "target": self.target,
            "kind": self.kind,
            "confidence": self.confidence,
            "overlap": self.overlap,
            "transformation": np.asarray(self.transformation).tolist(),
            "covariance": np.asarray(self.covariance).tolist(),
        }

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> Edge:
        """The edge that :meth:`as_dict` wrote."""
        return cls(
            **{
                **fields,
                "transformation": np.array(fields["transformation"]),
                "covariance": np.array(fields["covariance"]),
            }
        )


def with_prior(confidence: float, prior: float) -> float:
    """The confidence of an answer that is right with this probability before its evidence is known, instead of ½.

    >>> round(with_prior(0.5, 0.95), 2), round(with_prior(0.9, 0.5), 2)
    (0.95, 0.9)
    """
    right, wrong = confidence * prior, (1.0 - confidence) * (1.0 - prior)
    return right / (right + wrong)


def _symmetric(matrix: Array) -> Array:
    return np.asarray(0.5 * (matrix + matrix.T), dtype=np.float64)
