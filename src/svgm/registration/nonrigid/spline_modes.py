"""Splines by their modes: first the affine maps, then ever finer bends of bending energy 1."""

from __future__ import annotations

import numpy as np

from svgm.checks.errors import InputError
from svgm.checks.types import Array
from svgm.geometry.transforms.spline import kernel, squared_distances, with_ones


class SplineModes:
    """Functions ``f(x) = M(x) theta`` whose bending energy is the sum of the squares of theta beyond the affine rows.

    The modes are the eigenvectors of the spline's matrix at the control points, the smoothest first.  So a smaller
    number of them is a coarser spline, and the values at the control points of all are those of any spline.

    Parameters
    ----------
    controls : ndarray, shape (m, d)
        Control points, near 1 in size, that span the space.
    count : int
        Modes to keep beyond the affine ones, at most m - 1 - d.
    """

    def __init__(self, controls: Array, count: int) -> None:
        m, d = controls.shape
        self.controls, self.dimension = controls, d
        side = with_ones(controls)
        q, r = np.linalg.qr(side, mode="complete")
        if m < d + 2 or np.abs(np.diag(r)).min() < 1e-6 * np.sqrt(m):
            raise InputError(f"source must have {d + 2} points that span the space, to be deformed: see transform")
        free = q[:, 1 + d :]
        phi = kernel(squared_distances(controls, controls))
        values, vectors = np.linalg.eigh(free.T @ phi @ free)
        values, vectors = values[::-1][:count], vectors[:, ::-1][:, :count]
        # Repeated control points have no mode of their own.
        kept = values > 1e-12 * values[0]
        self._coefficients = free @ (vectors[:, kept] / np.sqrt(values[kept]))
        # Affine maps with mean square 1 at the control points, and bends without an affine part there.
        self._affine = np.linalg.inv(r[: 1 + d]) * np.sqrt(m)
        bends = phi @ self._coefficients
        self._excess = np.linalg.inv(r[: 1 + d]) @ (q[:, : 1 + d].T @ bends)
        self.penalised = np.r_[np.zeros(1 + d), np.ones(bends.shape[1])]

    def __len__(self) -> int:
        return len(self.penalised)

    def at(self, points: Array) -> Array:
        """M, (n, number of modes)."""
        side = with_ones(points)
        rows = max(1, (1 << 22) // len(self.controls))
        blocks = [
            kernel(squared_distances(points[k : k + rows], self.controls)) @ self._coefficients
            for k in range(0, len(points), rows)
        ]
        return np.hstack([side @ self._affine, np.concatenate(blocks) - side @ self._excess])

    def affine(self, linear: Array, shift: Array) -> Array:
        """theta of the map ``x -> linear x + shift``."""
        theta = np.zeros((len(self), self.dimension))
        theta[: 1 + self.dimension] = np.linalg.solve(self._affine, np.vstack([shift, linear.T]))
        return theta

    def spline(self, theta: Array) -> tuple[Array, Array, Array]:
        """The linear part A, the shift t and the coefficients (m, d) of the spline of theta."""
        split = 1 + self.dimension
        line = self._affine @ theta[:split] - self._excess @ theta[split:]
        return line[1:].T, line[0], self._coefficients @ theta[split:]
