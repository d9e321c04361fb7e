"""A smooth deformation as a frozen value: a spline on control points."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from svgm.checks.arguments import LARGEST, as_numbers, positive
from svgm.checks.errors import InputError
from svgm.checks.frozen import Frozen, freeze
from svgm.checks.types import Array, PointsLike
from svgm.geometry.points import SMALLEST, as_points
from svgm.geometry.transforms.affine import Affine, Similarity
from svgm.geometry.transforms.archive import FORMAT, VERSION, read_fields
from svgm.geometry.transforms.spline import kernel, kernel_slope, spline_through, squared_distances
from svgm.io.archive import write_archive
from svgm.io.errors import file_error, file_errors
from svgm.io.paths import as_path

#: Numbers of one block of distances: about 16 MB.
_BLOCK = 1 << 21

#: Farther than this many units from the centre the spline part stays as it is at this distance, along each ray.
_FARTHEST = 1e4

#: Points at which an inverse or a composition is interpolated, at most; the time grows with the cube.
_MOST_SAMPLES = 1500


@dataclass(frozen=True, eq=False, repr=False)
class Deformation(Frozen):
    """A smooth spline ``f(x) = A x + t + sum_k w_k phi(|x - c_k| / unit)``.

    phi is the Matérn kernel of order 5/2 and length 3, ``(1 + a + a²/3) exp(-a)`` with ``a = sqrt(5) r / 3``.  Far from
    the control points the map goes over to the affine one.

    Parameters
    ----------
    matrix : PoseLike, shape (d+1, d+1)
        ``[[A, t], [0, 1]]``, the affine part, d = 2 or 3.
    controls : PointsLike, shape (m, d)
        Control points c, in the source's coordinates.
    coefficients : array_like, shape (m, d)
        w, in the unit of the points.  The sums of w_k and of ``w_k c_kᵀ`` are zero; to rounding, they are made so.
    unit : float, optional
        The length that counts as 1 in phi, positive.  Default: the root of the mean squared distance of the control
        points from their mean.
    error : float, default 0.0
        How far the map is from what it stands for, at most, as measured at places between the control points.  It is
        0, except for an inverse and for a composition of two deformations.

    Raises
    ------
    InputError
        If an argument is not as described.

    Examples
    --------
    >>> corners = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.5, 0.5]])
    >>> bulge = Deformation.through(corners, corners + [[0, 0], [0, 0], [0, 0], [0, 0], [0.1, 0.0]])
    >>> bulge, bulge.kind, bulge.dimension
    (Deformation(2D, 5 control points, bending energy 0.798), 'deformation', 2)
    >>> bulge.apply([[0.5, 0.5], [0.0, 0.0]]).round(6).tolist()
    [[0.6, 0.5], [0.0, 0.0]]
    >>> bulge.jacobian([[0.5, 0.5]]).shape, bulge.folds(corners), round(bulge.bending, 3)
    ((1, 2, 2), 0, 0.798)

    The inverse is approximate, and says how good it is:

    >>> back = bulge.inverse()
    >>> bool(np.abs(back.apply(bulge.apply(corners)) - corners).max() < 1e-9), 0 < back.error < 0.02
    (True, True)

    Compositions with linear maps and with other deformations, and files:

    >>> double = Similarity(np.diag([2.0, 2.0, 1.0]))
    >>> (double @ bulge).apply([[0.5, 0.5]]).round(6).tolist()
    [[1.2, 1.0]]
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     bulge.save(f"{folder}/bulge.npz")
    ...     Deformation.load(f"{folder}/bulge.npz") == bulge
    True
    """

    matrix: Array
    controls: Array
    coefficients: Array
    unit: float | None = None
    error: float = 0.0

    def __post_init__(self) -> None:
        matrix = Affine(self.matrix).matrix
        controls = as_points(self.controls, "controls", (len(matrix) - 1,))
        coefficients = as_numbers(self.coefficients, "coefficients")
        if coefficients.shape != controls.shape or not (np.abs(coefficients) <= LARGEST).all():
            raise InputError(f"coefficients must be finite and of shape {controls.shape}, got {coefficients.shape}")
        unit = self.unit
        if unit is None:
            spread = controls - controls.mean(axis=0)
            unit = float(np.sqrt((spread**2).sum(axis=1).mean())) or 1.0
        unit = positive("unit", unit, least=SMALLEST, most=LARGEST)
        error = positive("error", self.error, most=LARGEST, zero=True)
        self.__dict__.update(matrix=matrix, controls=controls, coefficients=coefficients, unit=unit, error=error)
        side = np.column_stack([np.ones(len(controls)), self._scaled(controls)])
        excess = side.T @ coefficients
        size = np.abs(coefficients).sum() * max(1.0, float(np.abs(side).max()))
        if np.abs(excess).max() > 1e-6 * size:
            raise InputError("coefficients must sum to zero, also times the control points: see the side conditions")
        freeze(self, "matrix", "controls", "coefficients")

    @staticmethod
    def through(points: PointsLike, images: PointsLike, *, smoothing: float = 0.0) -> Deformation:
        """The spline of least bending that takes points to their images.

        Parameters
        ----------
        points, images : PointsLike, shape (n, d)
            Distinct points in 2D or 3D, at least d + 1 that span the space, and where each goes.
        smoothing : float, default 0.0
            With 0 the spline meets every image.  A larger value, without unit, bends less: the sum of the squared
            distances plus this times the bending energy is least.

        Raises
        ------
        InputError
            If an argument is not as described.
        """
        places = as_points(points, "points", (2, 3))
        goals = as_points(images, "images", (places.shape[1],))
        if len(goals) != len(places):
            raise InputError(f"images must be as many as points, got {len(goals)} for {len(places)}")
        smoothing = positive("smoothing", smoothing, most=LARGEST, zero=True)
        centre = places.mean(axis=0)
        unit = float(np.sqrt(((places - centre) ** 2).sum(axis=1).mean())) or 1.0
        scaled = (places - centre) / unit
        if np.linalg.svd(scaled, compute_uv=False)[-1] < 1e-9 * np.sqrt(len(places)) or len(places) <= places.shape[1]:
            raise InputError("points must span the space: these lie in a line or a plane")
        middle = goals.mean(axis=0)
        w, affine = spline_through(scaled, goals - middle, smoothing)
        matrix = np.eye(places.shape[1] + 1)
        matrix[:-1, :-1] = affine[1:].T / unit
        matrix[:-1, -1] = middle + affine[0] - matrix[:-1, :-1] @ centre
        return Deformation(matrix, places, w, unit)

    def __repr__(self) -> str:
        error = f", within {self.error:.2g}" if self.error else ""
        return (
            f"Deformation({self.dimension}D, {len(self.controls)} control points, "
            f"bending energy {self.bending:.3g}{error})"
        )

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Deformation)
            and (self.unit, self.error) == (other.unit, other.error)
            and np.array_equal(self.matrix, other.matrix)
            and np.array_equal(self.controls, other.controls)
            and np.array_equal(self.coefficients, other.coefficients)
        )

    __hash__ = None  # type: ignore[assignment]

    @property
    def kind(self) -> str:
        """ "deformation"."""
        return "deformation"

    @property
    def dimension(self) -> int:
        """2 or 3."""
        return len(self.matrix) - 1

    @property
    def affine(self) -> Affine:
        """The affine part, to which the map tends far from the control points.

        >>> Deformation(np.eye(3), [[0.0, 0.0]], [[0.0, 0.0]]).affine
        Affine(2D, stretched by 1 to 1)
        """
        return Affine(self.matrix)

    @cached_property
    def bending(self) -> float:
        """The bending energy ``trace(wᵀ Phi w)`` over the squared unit: 0 for an affine map.

        It has no unit if both sets are in one unit of length.  Otherwise it grows with the square of their ratio.
        """
        if not self.coefficients.any():
            return 0.0
        scaled, w = self._scaled(self.controls), self.coefficients / self._length
        energy = 0.0
        for start in range(0, len(scaled), self._rows):
            block = kernel(squared_distances(scaled[start : start + self._rows], scaled))
            energy += float(np.sum(w[start : start + self._rows] * (block @ w)))
        return max(energy, 0.0)

    def apply(self, points: PointsLike) -> Array:
        """The moved points, (n, d) to (n, d); InputError if they have another dimension or are not finite.

        Any place has an image, also far from the control points.
        """
        places = as_points(points, "points", (self.dimension,))
        moved: Array = places @ self.matrix[:-1, :-1].T + self.matrix[:-1, -1]
        scaled, controls = self._near(places)[0], self._scaled(self.controls)
        for start in range(0, len(places), self._rows):
            block = kernel(squared_distances(scaled[start : start + self._rows], controls))
            moved[start : start + self._rows] += block @ self.coefficients
        return moved

    def jacobian(self, points: PointsLike) -> Array:
        """The derivative of the map at each point, (n, d) to (n, d, d); rows are the components of the image."""
        places = as_points(points, "points", (self.dimension,))
        slopes = np.tile(self.matrix[:-1, :-1], (len(places), 1, 1))
        (scaled, inside), controls = self._near(places), self._scaled(self.controls)
        w = self.coefficients / self._length
        for start in range(0, len(places), self._rows):
            here = slice(start, start + self._rows)
            slope = kernel_slope(squared_distances(scaled[here], controls))
            for k in range(self.dimension):
                along = slope * np.subtract.outer(scaled[here, k], controls[:, k])
                slopes[here, :, k] += (along @ w) * inside[here, None]
        return slopes

    def folds(self, points: PointsLike) -> int:
        """At how many points the map turns space inside out: the determinant of the Jacobian is not positive.

        >>> Deformation(np.diag([1.0, -1.0, 1.0]), [[0.0, 0.0]], [[0.0, 0.0]]).folds([[1.0, 2.0]])
        1
        """
        return int((np.linalg.det(self.jacobian(points)) <= 0.0).sum())

    def inverse(self) -> Deformation:
        """An approximate inverse: the spline that takes the images of the control points, and of places between and
        around them, back.

        Its `error` is the largest distance between a place and where it comes back to, measured at other places
        between the control points.  Where the map folds there is no inverse, and the error is large.
        """
        return _interpolated(self.apply, self.controls, self.error, backwards=True)

    def __matmul__(self, other: Affine | Deformation) -> Deformation:
        """The composition: ``(a @ b).apply(x)`` is ``a.apply(b.apply(x))``; exact, unless both are deformations or b
        shears."""
        if not isinstance(other, Affine | Deformation):
            return NotImplemented
        self._same_dimension(other)
        if isinstance(other, Similarity):
            controls, unit = other.inverse().apply(self.controls), self._length / other.scale
            return Deformation(self.matrix @ other.matrix, controls, self.coefficients, unit, self.error)
        places, error = other.inverse().apply(self.controls), 0.0
        if isinstance(other, Deformation):
            error, places = other.error, np.concatenate([other.controls, places])
        return _interpolated(lambda x: self.apply(other.apply(x)), places, self.error + error, backwards=False)

    def __rmatmul__(self, other: Affine) -> Deformation:
        if not isinstance(other, Affine):
            return NotImplemented
        self._same_dimension(other)
        turned = self.coefficients @ other.matrix[:-1, :-1].T
        stretch = float(np.linalg.norm(other.matrix[:-1, :-1], 2))
        return Deformation(other.matrix @ self.matrix, self.controls, turned, self.unit, stretch * self.error)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the deformation to a .npz file; if writing fails (FileError), no partial file is left."""
        write_archive(
            path,
            format=np.array(FORMAT),
            version=np.array(VERSION),
            kind=np.array(self.kind),
            matrix=self.matrix,
            controls=self.controls,
            coefficients=self.coefficients,
            numbers=np.array([self._length, self.error]),
        )

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Deformation:
        """Read a deformation that :meth:`save` wrote; FileError if the file is missing, damaged or something else."""
        checked = as_path(path)
        fields: dict[str, Any] = read_fields(checked)
        if fields["kind"] != "deformation":
            raise file_error(checked, f"holds a transform of another kind than Deformation: {fields['kind']}")
        with file_errors(checked, "is a damaged transform"):
            unit, error = (float(each) for each in fields["numbers"])
            return Deformation(fields["matrix"], fields["controls"], fields["coefficients"], unit, error)

    @property
    def _length(self) -> float:
        return self.unit or 1.0

    @property
    def _rows(self) -> int:
        return max(1, _BLOCK // len(self.controls))

    def _scaled(self, points: Array) -> Array:
        return np.asarray((points - self.controls.mean(axis=0)) / self._length, dtype=np.float64)

    def _near(self, points: Array) -> tuple[Array, Array]:
        """Points in the coordinates of the kernel, far ones pulled in along their rays, and which are not far."""
        scaled = self._scaled(points)
        distance = np.abs(scaled).max(axis=1)
        far = distance > _FARTHEST
        scaled[far] *= (_FARTHEST / distance[far])[:, None]
        return scaled, (~far).astype(np.float64)

    def _same_dimension(self, other: Affine | Deformation) -> None:
        if other.dimension != self.dimension:
            raise InputError(f"transforms must have one dimension, got {self.dimension} and {other.dimension}")


def _interpolated(map_: Callable[[Array], Array], places: Array, error: float, *, backwards: bool) -> Deformation:
    """The spline through a map's values at and around places; its error is that at other places, and `error`."""
    samples, held = _samples(places)
    points, images, at, truth = samples, map_(samples), held, map_(held)
    if backwards:
        points, images, at, truth = images, points, truth, at
    _, kept = np.unique(points, axis=0, return_index=True)
    spline = Deformation.through(points[np.sort(kept)], images[np.sort(kept)])
    off = float(np.linalg.norm(spline.apply(at) - truth, axis=1).max())
    return Deformation(spline.matrix, spline.controls, spline.coefficients, spline.unit, error + off)


def _samples(places: Array) -> tuple[Array, Array]:
    """Places at which a map is interpolated: the given ones, those between neighbours, and corners around them all.
    And others, between second neighbours, at which the interpolation is tried."""
    from scipy.spatial import cKDTree

    places = np.unique(places, axis=0)
    places = places[:: -(-2 * len(places) // _MOST_SAMPLES)]
    low, high = places.min(axis=0), places.max(axis=0)
    grid = np.array(np.meshgrid(*[[-1.0, 0.0, 1.0]] * len(low), indexing="ij")).reshape(len(low), -1).T
    around = 0.5 * (low + high) + grid * np.maximum(high - low, 0.1 * (high - low).max())
    if len(places) < 4:
        return np.concatenate([places, around]), 0.5 * (places[:1] + around)
    near = cKDTree(places).query(places, 4)[1]
    middles = 0.5 * (places + places[near[:, 1]])
    others = (places + places[near[:, 2]] + places[near[:, 3]]) / 3.0
    return np.unique(np.concatenate([places, middles, around]), axis=0), others
