"""What a registration returns: frozen records that can be printed, saved and passed on."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from svgm.checks.errors import InputError
from svgm.geometry.points import LARGEST, Array, as_numbers
from svgm.registration.confidence import TRUSTED
from svgm.registration.search.certified import Certificate
from svgm.rigid import GENERATORS, adjoint, information_of, pose, rotation_log

#: An alternative with this share of the answer's score is as good an answer.
AMBIGUOUS = 0.9


class Status(Enum):
    """How a registration ended; the value is the message.

    Examples
    --------
    >>> from svgm import Status, datasets, register
    >>> curve = datasets.butterfly(300)
    >>> register(curve, curve).status is Status.CONVERGED
    True
    >>> print(Status.DISJOINT.value)
    the mixtures do not overlap at the answer, so nothing holds it in place
    """

    CONVERGED = "the objective stopped changing at the finest scale"
    MAX_ITERATIONS = "the iterations were used up before the objective stopped changing"
    DISJOINT = "the mixtures do not overlap at the answer, so nothing holds it in place"


class _Frozen:
    """A record whose arrays cannot be written to, also when it is a copy or was unpickled."""

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()

    def __post_init__(self) -> None:
        raise NotImplementedError


def _freeze(record: object, *names: str) -> None:
    """Replace arrays of a frozen record by copies that cannot be written to."""
    for name in names:
        array = np.array(getattr(record, name), dtype=np.float64)
        array.setflags(write=False)
        object.__setattr__(record, name, array)


@dataclass(frozen=True, eq=False)
class Stage(_Frozen):
    """One level of the annealing.

    ``gamma`` is its multiple of gamma-hat and ``sigma`` its scale in the points' unit; ``components`` are the sizes of
    the source's and the target's mixture; ``candidates`` counts the poses that were minimised; ``transformation`` and
    ``objective`` are those of the best of them at this scale.

    Examples
    --------
    >>> from svgm import datasets, register
    >>> curve = datasets.butterfly(300)
    >>> first, *_, last = register(curve, curve).stages
    >>> first.sigma > last.sigma, first.components < last.components
    (True, True)
    """

    gamma: float
    sigma: float
    components: tuple[int, int]
    candidates: int
    iterations: int
    objective: float
    transformation: Array

    def __post_init__(self) -> None:
        _freeze(self, "transformation")


@dataclass(frozen=True, eq=False)
class Alternative(_Frozen):
    """Another pose that was in the running.

    ``score`` is relative to the answer's, by how the surfaces lie on each other: near 1 it is as good an answer.

    Examples
    --------
    A square lies on itself in four ways:

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
        _freeze(self, "transformation")

    def as_dict(self) -> dict[str, Any]:
        """Plain numbers and lists."""
        return {"transformation": self.transformation.tolist(), "score": self.score}


@dataclass(frozen=True, eq=False, repr=False)
class RegistrationResult(_Frozen):
    """Answer of :func:`svgm.register`.

    Attributes
    ----------
    transformation
        (d+1, d+1) matrix T that maps source into target: ``p_target = R @ p_source + t``.
    status
        How it ended; ``status.value`` is a sentence.
    objective
        Minus the correlation of the two mixtures at the finest scale: -1 for equal densities, 0 for disjoint ones.
    iterations
        Newton steps over all levels and candidates.
    stages
        One record per annealing level, coarse to fine.
    centre
        (d,), of the source: its mean, without strays.
    central_covariance
        (k, k), k = 3 in 2D and 6 in 3D, of the error xi in ``T_true = T · C Exp(xi) C⁻¹``, C the shift to the centre,
        xi = (rotation, translation) in the source's axes, radians and the points' unit: rotations are about the centre,
        translations those of the centre, wherever the origin of the coordinates is.  It follows from the Hessian H of
        the objective as H⁻¹ M H⁻¹, M the scatter of the components' gradients, so it grows where few or ambiguous
        components hold the pose; directions that nothing holds get a thousand radians or radii.  The tests hold its
        deviations within a factor of three of the spread of repeated noisy samplings, to which it tends from above.
        Noise and sampling are all it knows: what only one set has pulls at the answer besides.
    confidence
        In [0, 1]: how far the answer can be believed.  From `svgm.TRUSTED` on, 4 of 212 were wrong on the benchmarks,
        all of them outdoor scans more than ten metres apart (docs/confidence.md).
    overlap
        Share of the source that lies on the target.
    alternatives
        Other poses that were in the running, best first.
    search
        What found it: "local", "global" or "certified".
    certificate
        Of a certified search: what was proven of the mixtures' objective.
    strays
        How many points of the source and of the target were left out because they lie far from all others: see
        :mod:`svgm.geometry.strays`.

    Examples
    --------
    >>> from svgm import TRUSTED, datasets, register, rigid
    >>> curve = datasets.butterfly(300)
    >>> truth = rigid.exp([0.5, 2.0, -1.0])
    >>> result = register(curve, rigid.apply(truth, curve))
    >>> result.dimension, result.converged, result.trusted, result.confidence >= TRUSTED, result.ambiguous
    (2, True, True, True, False)
    >>> bool(np.allclose(result.rotation, truth[:2, :2], atol=1e-3))
    True
    >>> bool(np.allclose(result.translation, truth[:2, 2], atol=1e-2))
    True

    What a pose graph takes, and what a file takes:

    >>> result.information.shape, result.as_dict()["status"]
    ((3, 3), 'converged')
    """

    transformation: Array
    status: Status
    objective: float
    iterations: int
    stages: tuple[Stage, ...]
    centre: Array
    central_covariance: Array
    confidence: float
    overlap: float
    alternatives: tuple[Alternative, ...]
    search: str
    certificate: Certificate | None = None
    strays: tuple[int, int] = (0, 0)

    def __post_init__(self) -> None:
        _freeze(self, "transformation", "centre", "central_covariance")

    def __repr__(self) -> str:
        angle = np.degrees(np.linalg.norm(rotation_log(self.rotation)))
        trusted = "trusted" if self.trusted else "not trusted"
        return (
            f"RegistrationResult({self.dimension}D, turned by {angle:.4g} degrees, confidence {self.confidence:.2f} "
            f"({trusted}), overlap {self.overlap:.0%}, {self.search} search, {self.status.name.lower()})"
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RegistrationResult) or self.certificate != other.certificate:
            return False
        # A certificate's seconds are no part of the answer.
        return {**self.as_dict(), "certificate": None} == {**other.as_dict(), "certificate": None}

    __hash__ = None  # type: ignore[assignment]

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from svgm.view import notebook

        return notebook.registration(self.as_dict(), sum(other.score >= AMBIGUOUS for other in self.alternatives))

    @property
    def dimension(self) -> int:
        """2 or 3."""
        return len(self.transformation) - 1

    @property
    def rotation(self) -> Array:
        """R, (d, d)."""
        return self.transformation[: self.dimension, : self.dimension]

    @property
    def translation(self) -> Array:
        """t, (d,)."""
        return self.transformation[: self.dimension, self.dimension]

    @property
    def converged(self) -> bool:
        """Whether the finest level converged."""
        return self.status is Status.CONVERGED

    @property
    def trusted(self) -> bool:
        """Whether to accept the answer unseen: the confidence is high enough, and no other pose is as good."""
        return self.confidence >= TRUSTED and not self.ambiguous

    @property
    def ambiguous(self) -> bool:
        """Whether another pose is nearly as good: the shape is symmetric or repeats itself."""
        return any(other.score >= AMBIGUOUS for other in self.alternatives)

    @property
    def covariance(self) -> Array:
        """(k, k), of the error xi in ``T_true = T · Exp(xi)``, xi = (rotation, translation) about the origin of the
        source's coordinates, as pose graphs take it.  Of a set far from there `central_covariance` has more digits.

        >>> from svgm import register
        >>> square = np.array([[x, y] for x in range(6) for y in range(9) if x * y == 0], dtype=float)
        >>> result = register(square + 1.0, square)
        >>> result.covariance.shape, result.centre
        ((3, 3), array([2.07142857, 3.57142857]))
        >>> bool(result.covariance[0, 0].round(9) == result.central_covariance[0, 0].round(9))
        True
        """
        moved = adjoint(pose(np.eye(self.dimension), self.centre))
        covariance = moved @ self.central_covariance @ moved.T
        return np.asarray(0.5 * (covariance + covariance.T), dtype=np.float64)

    @property
    def information(self) -> Array:
        """Inverse of the covariance, as pose graphs take it; directions that nothing holds have next to none."""
        return information_of(self.covariance)

    def covariance_at(self, places: ArrayLike) -> Array:
        """Covariances (n, d, d), in the target's frame, of where the pose takes places (n, d) of the source.

        The root of a trace is the expected error of the registration at that place.  A place p errs by
        R (omega x (p - centre) + v), which is linear in xi = (omega, v).

        >>> from svgm import register
        >>> square = np.array([[x, y] for x in range(6) for y in range(9) if x * y == 0], dtype=float)
        >>> near, far = register(square + 1.0, square).covariance_at([[1.0, 1.0], [100.0, 1.0]])
        >>> bool(np.trace(far) > 100 * np.trace(near))
        True
        """
        at = as_numbers(places, "places")
        d = self.dimension
        if at.ndim != 2 or at.shape[1] != d or not (np.abs(at) <= LARGEST).all():
            raise InputError(f"places must have shape (n, {d}) and be within {LARGEST:g}, got shape {at.shape}")
        turned = np.einsum("kij,nj->nik", GENERATORS[d], at - self.centre)
        jacobian = self.rotation @ np.concatenate([turned, np.broadcast_to(np.eye(d), (len(at), d, d))], axis=2)
        return np.asarray(jacobian @ self.central_covariance @ np.swapaxes(jacobian, 1, 2), dtype=np.float64)

    def as_dict(self) -> dict[str, Any]:
        """Plain numbers and lists, as ``svgm register --json`` prints them."""
        return {
            "transformation": self.transformation.tolist(),
            "status": self.status.name.lower(),
            "message": self.status.value,
            "converged": self.converged,
            "objective": self.objective,
            "iterations": self.iterations,
            "search": self.search,
            "confidence": self.confidence,
            "trusted": self.trusted,
            "overlap": self.overlap,
            "ambiguous": self.ambiguous,
            "alternatives": [other.as_dict() for other in self.alternatives],
            "certificate": None if self.certificate is None else self.certificate.as_dict(),
            "strays": list(self.strays),
            "covariance": self.covariance.tolist(),
            "centre": self.centre.tolist(),
            "central_covariance": self.central_covariance.tolist(),
            "stages": [
                {
                    "gamma": stage.gamma,
                    "sigma": stage.sigma,
                    "components": list(stage.components),
                    "candidates": stage.candidates,
                    "iterations": stage.iterations,
                    "objective": stage.objective,
                    "transformation": stage.transformation.tolist(),
                }
                for stage in self.stages
            ],
        }
