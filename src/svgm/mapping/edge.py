"""An edge of the pose graph: the measured pose of one scan in the frame of another, with its covariance."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from svgm.geometry.points import Array
from svgm.mapping.tuning import MAP_TUNING
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
        submap), "loop" (two submaps) or "pair" (two scans without an order).  "odometry": the sensor's own measurement
        of a step.  "weak": no registration was trusted, and the edge only says that consecutive scans are near each
        other.
    second : float, default 1
        In 2D every registration is repeated with components of another kind, started from the answer
        (:mod:`svgm.mapping.second_opinion`).  This is the lower confidence of the two, and `confidence` the higher one;
        0 if they end at different poses.  1 where there was no second registration.
    loose : int, default 0
        Number of directions that the surfaces leave undetermined, such as that along a corridor.  The covariance is
        large along them.

    Examples
    --------
    >>> import svgm
    >>> from svgm.datasets import butterfly
    >>> result = svgm.register(butterfly(300), butterfly(300) + 1.0)
    >>> edge = Edge.measured(1, 0, result, "neighbour")
    >>> edge.trusted, edge.likely, edge.information.shape
    (True, True, (3, 3))
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
    second: float = 1.0
    loose: int = 0

    @classmethod
    def measured(cls, source: int, target: int, result: RegistrationResult, kind: str) -> Edge:
        """The edge of a registration of the source to the target; an ambiguous one has no confidence."""
        confidence, loose = 0.0 if result.ambiguous else result.confidence, len(result.undetermined)
        return cls(
            source,
            target,
            result.transformation,
            result.covariance,
            confidence,
            result.overlap,
            kind,
            loose=loose,
        )

    @property
    def likely(self) -> bool:
        """Whether the answer is probably right along all directions that the surfaces determine."""
        return self.confidence >= TUNING.trusted and self.second >= MAP_TUNING.second_opinion

    @property
    def trusted(self) -> bool:
        """Whether the registration is good enough to act on: it is likely, and no direction is undetermined."""
        return self.likely and not self.loose

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
            "second": self.second,
            "loose": self.loose,
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
