"""What a registration returns: frozen records that can be printed, saved, loaded and passed on."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from svgm.checks.arguments import LARGEST, as_finite, as_numbers
from svgm.checks.errors import InputError
from svgm.checks.frozen import Frozen, freeze
from svgm.checks.types import Array, PointsLike
from svgm.geometry.transforms import Affine, Deformation
from svgm.io.errors import file_errors
from svgm.mixture.merge import merge
from svgm.mixture.mixture import Mixture
from svgm.registration.alternative import Alternative as Alternative
from svgm.registration.certificate import Certificate
from svgm.registration.linear.kinds import KINDS, as_map
from svgm.registration.nonrigid.quality import Warp
from svgm.registration.result_file import Pair, checked_path, read_record, write_record
from svgm.registration.stage import Stage
from svgm.registration.status import Status as Status
from svgm.registration.tuning import TUNING
from svgm.registration.undetermined import Undetermined, information_without
from svgm.rigid import GENERATORS, adjoint, degrees_of_freedom, information_of, pose, rotation_log


@dataclass(frozen=True, eq=False, repr=False)
class RegistrationResult(Frozen):
    """Answer of :func:`svgm.register`.

    Attributes
    ----------
    transformation : (d+1, d+1) array
        The matrix T that maps source into target: ``p_target = R @ p_source + t``.
    status : Status
        How the registration ended; ``status.value`` is a sentence.
    objective : float
        Minus the correlation of the two mixtures at the finest scale: -1 for equal densities, 0 for disjoint ones.
    iterations : int
        Newton steps over all levels and candidates.
    stages : tuple of Stage
        One record per annealing level, coarse to fine.  Empty after a global search.
    centre : (d,) array
        Mean of the source, without strays.
    central_covariance : (k, k) array, k = 3 in 2D and 6 in 3D
        Covariance of the error xi in ``T_true = T · C Exp(xi) C⁻¹``, C the shift to the centre, xi = (rotation,
        translation) in the source's axes, in radians and the points' unit.  Rotations are about the centre and
        translations are those of the centre, wherever the origin of the coordinates is.  It is the variance of the
        answers when blocks of the surfaces are left out in turn (docs/conventions.md).  So it contains noise, sampling
        and what only one of the sets has.  Directions that nothing holds get ten radians or radii.
    confidence : float
        In [0, 1], an estimate of the probability that the answer is right.  How often it is wrong was measured by kinds
        of data (docs/confidence.md).
    overlap : float
        Share of the source that lies on the target.
    alternatives : tuple of Alternative
        Competing poses, best first.
    search : str
        The search that found the answer: "local", "global" or "certified".
    mixtures : (Mixture, Mixture) or None
        The source's and the target's mixture at the finest level, each in the coordinates of its set.  None in a result
        that was loaded from JSON.
    certificate : Certificate or None
        What a certified search has proven of the mixtures' objective.
    strays : (int, int)
        How many points of the source and of the target were left out because they lie far from all others: see
        :mod:`svgm.geometry.strays`.
    doubts : tuple of str
        What is unusual about the two sets, a sentence each: very different sizes or spacings, points that were left
        out, many points at one place.
    undetermined : tuple of Undetermined
        Motions of the source that the surfaces do not hold, such as the slide of a plane on a plane, also where the
        borders of the sets hold the objective.  `central_covariance` has at least a radian, or the source's radius,
        along them.  Empty for sets without a surface.
    kind : str
        "rigid", "similarity" or "affine": what `transformation` is.  `central_covariance`, `undetermined`, confidence
        and overlap of the other two are those of a rigid motion of the source after its scale or its linear part: see
        docs/similarity.md.  "nonrigid": `warp` has the deformation, and `transformation` and `central_covariance` are
        those of the nearest rigid motion.
    warp : Warp or None
        The deformation of a non-rigid registration, and what it is worth.

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
    >>> bool(np.allclose(result.translation, truth[:2, 2], atol=1e-2)), result.scale, result.transform.kind
    (True, 1.0, 'rigid')

    Pose graphs take the information matrix, scripts a dictionary:

    >>> result.information.shape, result.as_dict()["status"]
    ((3, 3), 'converged')

    The two sets as one mixture, and the result in a file:

    >>> result.merged().dimension
    2
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     result.save(f"{folder}/result.npz")
    ...     RegistrationResult.load(f"{folder}/result.npz") == result
    True
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
    mixtures: tuple[Mixture, Mixture] | None = None
    certificate: Certificate | None = None
    strays: tuple[int, int] = (0, 0)
    doubts: tuple[str, ...] = ()
    undetermined: tuple[Undetermined, ...] = ()
    kind: str = "rigid"
    warp: Warp | None = None

    def __post_init__(self) -> None:
        freeze(self, "transformation", "centre", "central_covariance")

    def __repr__(self) -> str:
        angle = np.degrees(np.linalg.norm(rotation_log(self.rotation)))
        trusted = "trusted" if self.trusted else "not trusted"
        loose = f", {len(self.undetermined)} directions undetermined" if self.undetermined else ""
        scaled = "" if self.kind == "rigid" else f"{self.kind}, scale {self.scale:.4g}, "
        if self.warp is not None:
            scaled = f"deformed, bending {self.warp.bending:.3g}, "
        return (
            f"RegistrationResult({self.dimension}D, {scaled}turned by {angle:.4g} degrees, "
            f"confidence {self.confidence:.2f} ({trusted}), overlap {self.overlap:.0%}{loose}, "
            f"{self.search} search, {self.status.name.lower()})"
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

        return notebook.registration(
            self.as_dict(), sum(other.score >= TUNING.ambiguous for other in self.alternatives)
        )

    @property
    def dimension(self) -> int:
        """2 or 3."""
        return len(self.transformation) - 1

    @property
    def rotation(self) -> Array:
        """R, (d, d): of a similarity without its scale, of an affine map the rotation nearest to its linear part."""
        linear = self.transformation[: self.dimension, : self.dimension]
        if self.kind in ("rigid", "nonrigid"):
            return linear
        u, _, vt = np.linalg.svd(linear)
        return np.asarray(u @ np.diag([*np.ones(self.dimension - 1), np.linalg.det(u @ vt)]) @ vt, dtype=np.float64)

    @property
    def transform(self) -> Affine | Deformation:
        """What moves the source onto the target, as a value: Rigid, Similarity, Affine or Deformation."""
        if self.warp is not None:
            return self.warp.deformation
        return KINDS[self.kind](self.transformation)

    def apply(self, points: PointsLike) -> Array:
        """Points (n, d) of the source, or any others, moved by :attr:`transform`.

        >>> from svgm import datasets, register
        >>> curve = datasets.butterfly(300)
        >>> bool(np.allclose(register(curve, curve + 1.0).apply(curve), curve + 1.0, atol=1e-3))
        True
        """
        return self.transform.apply(points)

    @property
    def scale(self) -> float:
        """s, the d-th root of the determinant of the linear part: 1 for a rigid motion."""
        linear = self.transformation[: self.dimension, : self.dimension]
        return (
            1.0
            if self.kind in ("rigid", "nonrigid")
            else float(np.abs(np.linalg.det(linear)) ** (1.0 / self.dimension))
        )

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
        """Whether the confidence is at least `svgm.TRUSTED` (0.9), the answer is not ambiguous, and no direction is
        undetermined: a pose that may slide is not trusted as a whole."""
        return self.confidence >= TUNING.trusted and not self.ambiguous and not self.undetermined

    @property
    def ambiguous(self) -> bool:
        """Whether a competing pose is about as good: the shape is symmetric or repeats itself."""
        return any(other.score >= TUNING.ambiguous for other in self.alternatives)

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
        """Inverse of the covariance, as pose graphs take it; zero along the directions of `undetermined`.  Symmetric
        and positive semidefinite."""
        return information_without(information_of(self.covariance), self.undetermined)

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
        linear, levers = self.transformation[:d, :d], at - self.centre
        if self.kind == "affine":
            linear, levers = np.eye(d), at @ linear.T - self.centre
        turned = np.einsum("kij,nj->nik", GENERATORS[d], levers)
        jacobian = linear @ np.concatenate([turned, np.broadcast_to(np.eye(d), (len(at), d, d))], axis=2)
        return np.asarray(jacobian @ self.central_covariance @ np.swapaxes(jacobian, 1, 2), dtype=np.float64)

    def merged(self, *, t: float = np.inf) -> Mixture:
        """The moved source merged into the target (GMMerge, Algorithm 2), from the mixtures of the finest level.

        Parameters
        ----------
        t : float
            As in :func:`svgm.merge`.

        Raises
        ------
        InputError
            If the result has no mixtures (it was loaded from JSON), or the two have different variances (one of the
            sets was a ready mixture).
        """
        if self.mixtures is None:
            raise InputError("merged needs the mixtures of the registration, and a result loaded from JSON has none")
        source, target = self.mixtures
        return merge(self.warp.moved(source) if self.warp else source.transformed(self.transformation), target, t=t)

    def plot(self, ax: Any = None) -> Any:
        """Draw both mixtures before and after the registration (extra ``view``): see :func:`svgm.view.registration`,
        of a deformation :func:`svgm.view.deformation`.

        Parameters
        ----------
        ax : matplotlib Axes or None
            Where to draw.  Default: a new figure.

        Returns
        -------
        matplotlib Axes

        Examples
        --------
        >>> from svgm import datasets, register
        >>> curve = datasets.butterfly(300)
        >>> axes = register(curve, curve, search="local").plot()
        """
        from svgm.view import registration

        if self.mixtures is None:
            raise InputError("plot needs the mixtures of the registration, and a result loaded from JSON has none")
        return registration(*self.mixtures, self, ax=ax)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the result to a file, whole or not at all.

        Parameters
        ----------
        path : str or path
            With the suffix .npz everything is written, with .json all but the mixtures, as :meth:`as_dict` gives it.

        Raises
        ------
        FileError
            If the suffix is another one, or the file cannot be written.
        """
        write_record(path, self.as_dict(), [self.mixtures, *(stage.mixtures for stage in self.stages)])

    @staticmethod
    def load(path: str | os.PathLike[str]) -> RegistrationResult:
        """Read a result that :meth:`save` wrote, or that ``svgm register --json`` printed into a .json file.

        Raises
        ------
        FileError
            If the file is missing, damaged or something else.
        """
        checked = checked_path(path)
        with file_errors(checked, "is not a result of a registration"):
            plain, pairs = read_record(checked)
            return _from_plain(plain, pairs or [None] * (1 + len(plain["stages"])))

    def as_dict(self) -> dict[str, Any]:
        """Plain numbers and lists, as ``svgm register --json`` prints them; without the mixtures."""
        return {
            "transformation": self.transformation.tolist(),
            "kind": self.kind,
            "warp": None if self.warp is None else self.warp.as_dict(),
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
            "doubts": list(self.doubts),
            "undetermined": [each.as_dict() for each in self.undetermined],
            "covariance": self.covariance.tolist(),
            "centre": self.centre.tolist(),
            "central_covariance": self.central_covariance.tolist(),
            "stages": [stage.as_dict() for stage in self.stages],
        }


def _from_plain(plain: Mapping[str, Any], pairs: Sequence[Pair]) -> RegistrationResult:
    """The result of which :meth:`RegistrationResult.as_dict` made these plain values."""
    fields = ("objective", "iterations", "search", "confidence", "overlap", "centre", "central_covariance")
    proof, d = plain["certificate"], len(plain["transformation"]) - 1
    kind = str(plain.get("kind", "rigid"))
    warp = None if plain.get("warp") is None else Warp.from_dict(plain["warp"])
    as_map(plain["transformation"], d, "transformation", "rigid" if warp is not None else kind)
    as_finite(plain["central_covariance"], "central_covariance", degrees_of_freedom(d), degrees_of_freedom(d))
    return RegistrationResult(
        **{name: plain[name] for name in (*fields, "transformation")},
        status=Status[plain["status"].upper()],
        stages=tuple(Stage.from_dict(s, pair) for s, pair in zip(plain["stages"], pairs[1:], strict=True)),
        alternatives=tuple(Alternative(**other) for other in plain["alternatives"]),
        kind=kind,
        warp=warp,
        mixtures=pairs[0],
        certificate=None if proof is None else Certificate.from_dict(proof),
        strays=(plain["strays"][0], plain["strays"][1]),
        doubts=tuple(plain.get("doubts", ())),
        undetermined=tuple(Undetermined(**each) for each in plain.get("undetermined", ())),
    )
