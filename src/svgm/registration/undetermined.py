"""Directions that the data do not hold: the slide of a plane on itself, the turn of a ball, the length of a corridor.

The L2 distance of two sheets has a minimum where their borders coincide.  So its Hessian cannot tell a slide: only
normals can.  A surface element holds the pose along its normal alone, and by its lever about the centre.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from svgm.checks.frozen import Frozen, freeze
from svgm.checks.types import Array
from svgm.registration.covariance import jacobian_of, larger, to_source
from svgm.registration.search.surface_score import SurfaceScorer
from svgm.registration.tuning import TUNING
from svgm.rigid import GENERATORS

#: Normals of surface elements are never known better than this (rad): a cell of a curved surface has no one normal.
LEAST_NOISE = 0.05

#: Neighbouring surface elements share points: so many count as one, by dimension.
SHARING = {2: 3.0, 3: 9.0}

#: A direction is held if the normals hold it by this many standard errors of what their noise gives by chance, and of
#: coarse elements by this many times the noise: the borders of two sets tilt the coarse normals beside them alike, by
#: about as much as the noise.
SIGNIFICANT = 5.0

#: ... and is undetermined if, within two standard errors, they hold it by less than this share of the mean direction.
HOLDING = 0.05

#: If fewer surface elements than this share have about the normal of their partner, the points show no surface.
SHOWN, ALIKE = 0.5, 0.8

#: Variance along an undetermined direction, at least: a radian, or a radius of the source, squared.
VARIANCE = 1.0

#: Kinds that are no rigid motions.
SHAPES = ("scale", "stretch")

#: A direction with less rotation, or less translation along its axis, than this has none (radians and radii).
PURE = 0.05


@dataclass(frozen=True, eq=False)
class Undetermined(Frozen):
    """A motion of the source that the data do not resist.

    Attributes
    ----------
    kind : str
        "translation", "rotation" or "screw" (a rotation that moves along its axis).  Of a similarity also "scale", of
        an affine map also "stretch": what such a map can do and a rigid motion cannot.
    direction : (d,) array
        Of the translation, or of the axis of the rotation, in the source's axes: a unit vector whose largest entry is
        positive.  Zeros for a rotation in 2D, a scale and a stretch.
    point : (d,) array
        A place on the axis, in the source's coordinates; of a scale the place that stays.  Of a translation or a
        stretch: the source's centre.
    pitch : float
        How far a screw moves along its axis, in the points' unit for each radian; 0 for others.

    Examples
    --------
    >>> import svgm
    >>> rng = np.random.default_rng(0)
    >>> sheets = [np.c_[rng.uniform(-1, 1, (2000, 2)), 0.01 * rng.normal(size=2000)] for _ in range(2)]
    >>> result = svgm.register(*sheets)
    >>> sorted(each.kind for each in result.undetermined), result.trusted
    (['rotation', 'translation', 'translation'], False)

    As a motion, and as plain numbers:

    >>> slide = Undetermined("translation", np.array([0.0, 0.0, 1.0]), np.zeros(3))
    >>> slide.tangent.tolist()
    [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]
    >>> slide.as_dict()["direction"]
    [0.0, 0.0, 1.0]
    """

    kind: str
    direction: Array
    point: Array
    pitch: float = 0.0

    def __post_init__(self) -> None:
        freeze(self, "direction", "point")

    @property
    def tangent(self) -> Array:
        """(k,), the motion as xi = (rotation, translation) about the origin of the source's coordinates; zeros for a
        scale and a stretch."""
        d = len(self.direction)
        if self.kind in SHAPES:
            return np.zeros(d * (d + 1) // 2)
        if self.kind == "translation":
            return np.asarray(np.r_[np.zeros(d * (d - 1) // 2), self.direction], dtype=np.float64)
        omega = np.ones(1) if d == 2 else self.direction
        turn = np.einsum("k,kij->ij", omega, GENERATORS[d])
        moved = self.pitch * self.direction - turn @ self.point
        return np.asarray(np.r_[omega, moved], dtype=np.float64)

    def __str__(self) -> str:
        axis = "(" + ", ".join(f"{x:.2f}" for x in self.direction + 0.0) + ")"
        point = "(" + ", ".join(f"{x:.4g}" for x in self.point) + ")"
        if self.kind in SHAPES:
            return f"scale about {point}" if self.kind == "scale" else "stretch or shear"
        if self.kind == "translation":
            return f"translation along {axis}"
        return f"{self.kind} about {point}" if len(self.direction) == 2 else f"{self.kind} about {axis} through {point}"

    def as_dict(self) -> dict[str, Any]:
        """Plain numbers and lists."""
        return {
            "kind": self.kind,
            "direction": self.direction.tolist(),
            "point": self.point.tolist(),
            "pitch": self.pitch,
        }


def loose_directions(scorer: SurfaceScorer | None, T: Array, jacobian: Callable[[Array], Array] = jacobian_of) -> Array:
    """(k, m), orthonormal columns: the steps about the moved source's centre, in the target's axes, which the surfaces
    do not hold at the pose T.  All in normalised coordinates.  Without surfaces: none.  The `jacobian` (n, d, k) says
    how places move with a step, if the steps are not those of rigid motions.

    Coarse surface elements have the better normals, fine ones suffer less from borders: either may show that a
    direction is loose.  Fine ones may show detail that holds it.
    """
    d = len(T) - 1
    every: Array = np.eye(jacobian(np.zeros((1, d))).shape[2])
    if scorer is None:
        return every[:, :0]
    coarse, fine = (_Normals.of(*elements, T, jacobian) for elements in scorer.partners(T))
    shown = [level.loose(every, certainly=True) for level in (coarse, fine) if level is not None]
    # Both may show one direction, a little askew: it counts once.
    axes, lengths, _ = np.linalg.svd(np.hstack([every[:, :0], *shown]), full_matrices=False)
    loose = np.asarray(axes[:, lengths > 0.5], dtype=np.float64)
    return loose if fine is None else fine.loose(loose, certainly=False)


@dataclass(frozen=True)
class _Normals:
    """How the normals of surface elements and of their partners hold a pose.

    With the normals a of a source element and b of its partner, as the steps (omega, v) see them, the mean of a bᵀ is
    the information that both sets agree on.  The noise of the normals is independent in the two sets, so it adds
    nothing on average.  By chance it adds about the mean of ½ (a - b)² over the root of the number of elements.

    Attributes
    ----------
    shared, noise : (k, k) array
        The means of a bᵀ and of ½ (a - b)(a - b)ᵀ.
    number : float
        Of elements that share no points.
    """

    shared: Array
    noise: Array
    number: float

    @classmethod
    def of(
        cls, places: Array, normals: Array, others: Array, T: Array, moves: Callable[[Array], Array]
    ) -> _Normals | None:
        """None if the elements show no surface."""
        d = len(T) - 1
        cosines = np.einsum("nd,nd->n", normals, others)
        alike = np.abs(cosines) > ALIKE
        if alike.sum() < max(TUNING.fewest_surfels, SHOWN * len(alike)):
            return None
        jacobian = moves(places[alike] - T[:d, d])
        one = np.einsum("nd,ndk->nk", normals[alike], jacobian)
        other = np.einsum("nd,ndk->nk", np.sign(cosines[alike])[:, None] * others[alike], jacobian)
        shared = one.T @ other / len(one)
        least = LEAST_NOISE**2 * np.einsum("nak,nal->kl", jacobian, jacobian) / len(one) / d
        noise = 0.5 * (one - other).T @ (one - other) / len(one) + least
        return cls(0.5 * (shared + shared.T), noise, len(one) / SHARING[d])

    def loose(self, span: Array, *, certainly: bool) -> Array:
        """Of the directions in a span (k, m), those that are not held; if `certainly`, only if the noise is so small
        that what holds others would be seen."""
        variances, axes = np.linalg.eigh(span.T @ self.noise @ span)
        # Rounding may make the least one negative.
        least = max(np.finfo(float).eps * float(variances.max(initial=0.0)), np.finfo(float).tiny)
        whitened = span @ (axes / np.sqrt(np.maximum(variances, least)))  # here the noise is the identity
        ratios, directions = np.linalg.eigh(whitened.T @ self.shared @ whitened)
        chance = np.sqrt(2.0 / self.number)
        keep = ratios < (SIGNIFICANT if certainly else SIGNIFICANT * chance)
        found = whitened @ directions
        if certainly:
            squares = np.einsum("ki,kl,li->i", found, self.noise, found) / np.einsum("ki,ki->i", found, found)
            most = (ratios + 2.0 * chance) * squares
            keep &= most < HOLDING * np.trace(self.shared) / len(self.shared)
        return np.asarray(np.linalg.qr(found[:, keep])[0], dtype=np.float64)


def with_loose(covariance: Array, loose: Array, T: Array, unit: float) -> Array:
    """The covariance with at least a radian, or a radius, along the loose directions."""
    if not loose.shape[1]:
        return covariance
    scale = to_source(T, unit)
    inverse = np.linalg.inv(scale)
    found = scale @ larger(inverse @ covariance @ inverse.T, VARIANCE * loose @ loose.T) @ scale.T
    return np.asarray(0.5 * (found + found.T), dtype=np.float64)


def named(loose: Array, T: Array, unit: float, centre: Array) -> tuple[Undetermined, ...]:
    """The loose directions as motions of the source: translations first, then rotations about axes."""
    if not loose.shape[1]:
        return ()
    d = len(T) - 1
    # In the source's axes, still about its centre and in radii.
    steps = np.linalg.qr(to_source(T, 1.0) @ loose)[0]
    _, turns, mixed = np.linalg.svd(steps[:-d], full_matrices=True)
    turns = np.r_[turns, np.zeros(steps.shape[1] - len(turns))]
    combined = steps @ mixed.T
    translations = np.linalg.svd(combined[-d:, turns <= PURE], full_matrices=False)[0]
    found = [Undetermined("translation", _signed(each), centre) for each in translations.T]
    for step in combined[:, turns > PURE].T:
        omega, v = step[:-d], step[-d:]
        v = (v - translations @ (translations.T @ v)) / np.linalg.norm(omega)
        omega = omega / np.linalg.norm(omega)
        turn = np.einsum("k,kij->ij", omega, GENERATORS[d])
        # On the axis the step moves along it alone.
        at = -np.linalg.pinv(turn) @ v
        axis = _signed(omega) if d == 3 else np.zeros(2)
        pitch = float(omega @ v) if d == 3 else 0.0
        kind = "screw" if abs(pitch) > PURE else "rotation"
        found.append(Undetermined(kind, axis, centre + unit * at, unit * pitch if kind == "screw" else 0.0))
    return tuple(found)


def information_without(information: Array, undetermined: tuple[Undetermined, ...]) -> Array:
    """The information matrix with zeros along the undetermined directions: those are left open to others."""
    undetermined = tuple(each for each in undetermined if each.kind not in SHAPES)
    if not undetermined:
        return information
    loose = np.stack([each.tangent for each in undetermined], axis=1)
    lengths = np.sqrt(np.maximum(np.diag(information), 1e-300))
    scaled = information / lengths / lengths[:, None]
    free, _ = np.linalg.qr(lengths[:, None] * loose)
    held = scaled @ free
    scaled = scaled - held @ np.linalg.pinv(free.T @ held, hermitian=True) @ held.T
    values, vectors = np.linalg.eigh(0.5 * (scaled + scaled.T))
    roots = lengths[:, None] * (vectors * np.sqrt(np.maximum(values, 0.0)))
    roots -= (q := np.linalg.qr(loose)[0]) @ (q.T @ roots)
    found = roots @ roots.T
    return np.asarray(0.5 * (found + found.T), dtype=np.float64)


def _signed(direction: Array) -> Array:
    """The direction with its largest entry positive."""
    return np.asarray(direction * np.sign(direction[np.abs(direction).argmax()]), dtype=np.float64)
