"""Linear maps with a translation: affine maps, similarities among them, and rigid motions among these."""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np

from svgm.checks.arguments import LARGEST, as_numbers, shown
from svgm.checks.errors import InputError
from svgm.checks.frozen import Frozen, freeze
from svgm.checks.types import Array, PointsLike, PoseLike
from svgm.geometry.points import as_points
from svgm.geometry.transforms.archive import FORMAT, VERSION, read_fields
from svgm.io.archive import write_archive
from svgm.io.errors import file_error, file_errors
from svgm.io.paths import as_path
from svgm.rigid import rotation_log

#: A rotation given as a matrix may be off by this much: more is corrected, and much more is refused.
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False, repr=False)
class Affine(Frozen):
    """An affine map ``y = A x + t`` with an invertible A.

    Parameters
    ----------
    matrix : PoseLike, shape (d+1, d+1)
        ``[[A, t], [0, 1]]`` in 2D or 3D.

    Raises
    ------
    InputError
        If the matrix has another shape, is not finite, or its A is singular.

    Examples
    --------
    >>> shear = Affine([[1.0, 0.5, 0.0], [0.0, 2.0, 1.0], [0.0, 0.0, 1.0]])
    >>> shear, shear.kind, shear.dimension
    (Affine(2D, stretched by 0.962 to 2.08), 'affine', 2)
    >>> shear.apply([[2.0, 2.0]]).tolist(), shear.jacobian([[2.0, 2.0]]).tolist()
    ([[3.0, 5.0]], [[[1.0, 0.5], [0.0, 2.0]]])
    >>> bool(np.allclose((shear.inverse() @ shear).matrix, np.eye(3)))
    True

    A product has the more general kind of its two factors:

    >>> type(shear @ Rigid(np.eye(3))).__name__
    'Affine'
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     shear.save(f"{folder}/shear.npz")
    ...     Affine.load(f"{folder}/shear.npz") == shear
    True
    """

    matrix: Array

    def __post_init__(self) -> None:
        object.__setattr__(self, "matrix", self._checked(_square(self.matrix)))
        freeze(self, "matrix")

    def _checked(self, matrix: Array) -> Array:
        singular = np.linalg.svd(matrix[:-1, :-1], compute_uv=False)
        if not singular[-1] > 1e-12 * singular[0] or singular[-1] < 1.0 / LARGEST:
            raise InputError(f"matrix must be invertible, got singular values {shown(singular.tolist())}")
        return matrix

    def __repr__(self) -> str:
        stretch = np.linalg.svd(self.matrix[:-1, :-1], compute_uv=False)
        return f"Affine({self.dimension}D, stretched by {stretch[-1]:.3g} to {stretch[0]:.3g})"

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and np.array_equal(self.matrix, other.matrix)

    __hash__ = None  # type: ignore[assignment]

    @property
    def kind(self) -> str:
        """ "rigid", "similarity" or "affine"."""
        return type(self).__name__.lower()

    @property
    def dimension(self) -> int:
        """2 or 3."""
        return len(self.matrix) - 1

    def apply(self, points: PointsLike) -> Array:
        """The moved points, (n, d) to (n, d); InputError if they have another dimension or are not finite."""
        places = as_points(points, "points", (self.dimension,))
        moved: Array = places @ self.matrix[:-1, :-1].T + self.matrix[:-1, -1]
        return moved

    def jacobian(self, points: PointsLike) -> Array:
        """The derivative of the map at each point, (n, d) to (n, d, d): A everywhere."""
        places = as_points(points, "points", (self.dimension,))
        return np.tile(self.matrix[:-1, :-1], (len(places), 1, 1))

    def inverse(self) -> Affine:
        """The inverse, of the same kind."""
        back = np.eye(self.dimension + 1)
        back[:-1, :-1] = np.linalg.inv(self.matrix[:-1, :-1])
        back[:-1, -1] = -back[:-1, :-1] @ self.matrix[:-1, -1]
        return type(self)(back)

    def __matmul__(self, other: Affine) -> Affine:
        """The composition: ``(a @ b).apply(x)`` is ``a.apply(b.apply(x))``."""
        if not isinstance(other, Affine):
            return NotImplemented
        if other.dimension != self.dimension:
            raise InputError(f"transforms must have one dimension, got {self.dimension} and {other.dimension}")
        kind = type(other) if isinstance(self, type(other)) else type(self)
        return kind(self.matrix @ other.matrix)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the transform to a .npz file; if writing fails (FileError), no partial file is left."""
        write_archive(
            path, format=np.array(FORMAT), version=np.array(VERSION), kind=np.array(self.kind), matrix=self.matrix
        )

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Affine:
        """Read a transform of this kind that :meth:`save` wrote; FileError if the file is missing, damaged or holds
        another kind."""
        checked = as_path(path)
        fields = read_fields(checked)
        kinds = {each.__name__.lower(): each for each in (Affine, Similarity, Rigid) if issubclass(each, cls)}
        if fields["kind"] not in kinds:
            raise file_error(checked, f"holds a transform of another kind than {cls.__name__}: {fields['kind']}")
        with file_errors(checked, "is a damaged transform"):
            return kinds[fields["kind"]](fields["matrix"])


@dataclass(frozen=True, eq=False, repr=False)
class Similarity(Affine):
    """A rotation, a scale and a translation, ``y = s R x + t`` with s > 0.

    Parameters
    ----------
    matrix : PoseLike, shape (d+1, d+1)
        ``[[s R, t], [0, 1]]`` in 2D or 3D.

    Raises
    ------
    InputError
        If the matrix is not a similarity: the singular values of s R differ by more than a factor 1.0001, or it has a
        reflection.

    Examples
    --------
    >>> double = Similarity([[0.0, -2.0, 1.0], [2.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    >>> double, double.scale, double.rotation.tolist(), double.translation.tolist()
    (Similarity(2D, scale 2, turned by 90 degrees), 2.0, [[0.0, -1.0], [1.0, 0.0]], [1.0, 0.0])
    """

    def _checked(self, matrix: Array) -> Array:
        return _turned_and_scaled(Affine._checked(self, matrix), None)

    def __repr__(self) -> str:
        return f"Similarity({self.dimension}D, scale {self.scale:.4g}, turned by {self._degrees():.4g} degrees)"

    def _degrees(self) -> float:
        return float(np.degrees(np.linalg.norm(rotation_log(self.rotation))))

    @property
    def scale(self) -> float:
        """s, positive."""
        return float(np.abs(np.linalg.det(self.matrix[:-1, :-1])) ** (1.0 / self.dimension))

    @property
    def rotation(self) -> Array:
        """R, (d, d)."""
        return np.asarray(self.matrix[:-1, :-1] / self.scale, dtype=np.float64)

    @property
    def translation(self) -> Array:
        """t, (d,)."""
        return self.matrix[:-1, -1]


@dataclass(frozen=True, eq=False, repr=False)
class Rigid(Similarity):
    """A rotation and a translation, ``y = R x + t``.

    Parameters
    ----------
    matrix : PoseLike, shape (d+1, d+1)
        ``[[R, t], [0, 1]]`` in 2D or 3D.

    Raises
    ------
    InputError
        If the matrix is not a rigid motion: a singular value of R differs from 1 by more than 1e-4, or it has a
        reflection.

    Examples
    --------
    >>> quarter = Rigid([[0.0, -1.0, 3.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    >>> quarter, quarter.scale
    (Rigid(2D, turned by 90 degrees), 1.0)
    >>> quarter.inverse().apply(quarter.apply([[1.0, 2.0]])).tolist()
    [[1.0, 2.0]]
    """

    def _checked(self, matrix: Array) -> Array:
        return _turned_and_scaled(matrix, 1.0)

    def __repr__(self) -> str:
        return f"Rigid({self.dimension}D, turned by {self._degrees():.4g} degrees)"

    @property
    def scale(self) -> float:
        """1."""
        return 1.0


def _square(value: PoseLike) -> Array:
    matrix = as_numbers(value, "matrix")
    if matrix.shape not in ((3, 3), (4, 4)):
        raise InputError(f"matrix must have shape (3, 3) or (4, 4), got shape {matrix.shape}")
    if not (np.abs(matrix) <= LARGEST).all():
        raise InputError(f"matrix must be finite and within {LARGEST:g}, got {shown(matrix.ravel().tolist())}")
    if not np.allclose(matrix[-1], np.eye(len(matrix))[-1], atol=1e-9):
        raise InputError(f"matrix must end with the row {[0] * (len(matrix) - 1) + [1]}, got {matrix[-1].tolist()}")
    matrix[-1] = np.eye(len(matrix))[-1]
    return matrix


def _turned_and_scaled(matrix: Array, scale: float | None) -> Array:
    """The matrix with an exact rotation inside; if it is one to rounding, it is not changed."""
    u, singular, vt = np.linalg.svd(matrix[:-1, :-1])
    size = float(np.mean(singular)) if scale is None else scale
    if not np.abs(singular / size - 1.0).max() <= 1e-4 or np.linalg.det(u @ vt) < 0:
        rule = "a rotation" if scale else "a rotation times a positive scale"
        raise InputError(f"matrix must hold {rule}, got singular values {shown(singular.tolist())}")
    if np.abs(singular / size - 1.0).max() > _ROUNDING:
        matrix[:-1, :-1] = size * (u @ vt)
    return matrix
