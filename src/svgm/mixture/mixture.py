"""A Gaussian mixture, eq. (10), as a frozen value, and what has a closed form for it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from svgm.checks.arguments import (
    LARGEST,
    MOST_NUMBERS,
    as_numbers,
    count,
    instance,
    number,
    positive,
    seeded,
    thread_count,
)
from svgm.checks.errors import InputError
from svgm.checks.types import Array, PointsLike, PoseLike
from svgm.geometry.points import SMALLEST, as_points, check_dimension
from svgm.io.errors import file_error, file_errors
from svgm.io.paths import as_path
from svgm.mixture import gaussian_sums
from svgm.mixture.full_gaussians import as_covariances
from svgm.mixture.gaussian_sums import CUTOFF as CUTOFF
from svgm.mixture.mixture_file import is_mixture_file as is_mixture_file
from svgm.mixture.mixture_file import read_mixture, write_mixture
from svgm.mixture.motion import moved_gaussians
from svgm.rigid import apply


@dataclass(frozen=True, eq=False, repr=False, init=False)
class Mixture:
    """Gaussian mixture ``p(x) = sum_i weights_i N(x | means_i, variance I)``, or with covariances of its components.

    Parameters
    ----------
    means : PointsLike, shape (m, d)
        Means of the components, m >= 1 and d from 1 to 128.
    variance : float
        sigma² = 1 / (2 gamma), positive, the same for all components, in the squared unit of the means.  If there are
        covariances, it is the isotropic scale at which the mixture was fitted.
    weights : array_like, shape (m,)
        The positive ones sum to 1.  Negative weights (free space) come from :func:`svgm.fit_two_class`.
    bias : float, optional
        rho of the SVM, in the units of :meth:`decision`.  Default: None, for a mixture that is not an SVM.
    covariances : array_like, shape (m, d, d), optional
        Covariances of the components in the squared unit of the means: symmetric, positive definite, the eigenvalues
        of each within a factor 1e8.  Then ``p(x) = sum_i weights_i N(x | means_i, covariances_i)``.  Default: None,
        the isotropic mixture of the paper.

    Raises
    ------
    InputError
        If an argument is not as described.

    Examples
    --------
    >>> mixture = Mixture([[0.0, 0.0], [1.0, 0.0]], 0.25, [0.5, 0.5])
    >>> mixture
    Mixture(2 components in 2D, sigma 0.5)
    >>> mixture.dimension, mixture.sigma, mixture.gamma, mixture.signed, round(mixture.norm, 4)
    (2, 0.5, 2.0, False, 0.4666)
    >>> place = [[0.5, 0.0]]
    >>> mixture.density(place).round(4), mixture.log_density(place).round(4), mixture.kernel_sum(place).round(4)
    (array([0.3861]), array([-0.9516]), array([0.6065]))

    Compare two mixtures, one of which is moved:

    >>> turn = [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    >>> moved = mixture.transformed(turn)
    >>> round(mixture.inner_product(moved), 4), round(mixture.l2_distance(moved), 4)
    (0.1489, 0.1376)

    Draw points, write a file and read it:

    >>> import tempfile
    >>> mixture.sample(3, seed=0).shape
    (3, 2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     mixture.save(f"{folder}/two.npz")
    ...     Mixture.load(f"{folder}/two.npz") == mixture
    True

    A component that is flat, as a piece of a surface is:

    >>> flat = Mixture([[0.0, 0.0]], 1.0, [1.0], covariances=[[[1.0, 0.0], [0.0, 0.01]]])
    >>> flat, flat.density([[1.0, 0.0], [0.0, 1.0]]).round(4)
    (Mixture(1 components in 2D, sigma 1, full covariances), array([0.9653, 0.    ]))
    >>> flat.transformed(turn).covariances.round(2).tolist()
    [[[0.01, 0.0], [0.0, 1.0]]]

    A mixture of :func:`svgm.fit` is an SVM and decides which points are inliers:

    >>> from svgm import datasets, fit
    >>> bool((fit(datasets.butterfly(300)).decision([[100.0, 100.0]]) < 0).all())
    True
    """

    means: Array
    variance: float
    weights: Array
    bias: float | None
    covariances: Array | None

    def __init__(
        self,
        means: PointsLike,
        variance: float,
        weights: ArrayLike,
        bias: float | None = None,
        *,
        covariances: ArrayLike | None = None,
    ) -> None:
        means, weights = as_points(means, "means"), as_numbers(weights, "weights")
        if weights.shape != (len(means),) or not (np.abs(weights) <= LARGEST).all():
            raise InputError(f"weights must be {len(means)} finite numbers, one a component, got shape {weights.shape}")
        total = weights[weights > 0].sum()
        if abs(total - 1.0) > 1e-6:
            raise InputError(f"weights: the positive ones must sum to 1, got {total}")
        variance = checked_variance(variance)
        own = None if covariances is None else as_covariances(covariances, means, variance)
        self._set(means, variance, weights, None if bias is None else number("bias", bias, most=LARGEST), own)

    def _set(
        self, means: Array, variance: float, weights: Array, bias: float | None, covariances: Array | None
    ) -> None:
        for array in (means, weights) if covariances is None else (means, weights, covariances):
            array.setflags(write=False)
        self.__dict__.update(means=means, variance=variance, weights=weights, bias=bias, covariances=covariances)

    @classmethod
    def unchecked(
        cls,
        means: Array,
        variance: float,
        weights: Array,
        bias: float | None = None,
        covariances: Array | None = None,
    ) -> Mixture:
        """A mixture of arrays that are known to be valid and are not used elsewhere, without checks and copies.

        >>> Mixture.unchecked(np.zeros((1, 3)), 1.0, np.ones(1))
        Mixture(1 components in 3D, sigma 1)
        """
        mixture = object.__new__(cls)
        mixture._set(means, variance, weights, bias, covariances)
        return mixture

    def __reduce__(self) -> tuple[object, ...]:
        # So the arrays of copies and of unpickled mixtures are read-only too.
        return type(self).unchecked, (self.means, self.variance, self.weights, self.bias, self.covariances)

    def __repr__(self) -> str:
        kind = "" if self.bias is None else f", bias {self.bias:.4g}"
        signed = f", {(self.weights < 0).sum()} of them negative" if self.signed else ""
        shape = "" if self.covariances is None else ", full covariances"
        return f"Mixture({len(self)} components in {self.dimension}D{signed}, sigma {self.sigma:.4g}{shape}{kind})"

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from svgm.view import notebook

        return notebook.mixture(self.means, self.weights, self.sigma, self.bias, self.covariances)

    def plot(self, ax: Any = None) -> Any:
        """Draw the mixture by :func:`svgm.view.fitted`, which needs matplotlib.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw.  The default is a new figure, which a notebook shows.

        Returns
        -------
        matplotlib.axes.Axes
            The Axes with the picture.

        Raises
        ------
        InputError
            If matplotlib is missing, `ax` is something else, or the mixture is not 2D or 3D.

        Examples
        --------
        >>> Mixture([[0.0, 0.0], [1.0, 0.0]], 0.25, [0.5, 0.5]).plot().get_title()
        '2 components, sigma 0.5'
        """
        from svgm.view import fitted

        return fitted(self, ax=ax)

    def __len__(self) -> int:
        return len(self.means)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mixture) and (
            self.variance == other.variance
            and self.bias == other.bias
            and np.array_equal(self.means, other.means)
            and np.array_equal(self.weights, other.weights)
            and _equal(self.covariances, other.covariances)
        )

    __hash__ = None  # type: ignore[assignment]

    @property
    def dimension(self) -> int:
        """Number of coordinates of a mean."""
        return int(self.means.shape[1])

    @property
    def sigma(self) -> float:
        """Standard deviation of an isotropic component, in the unit of the means."""
        return float(np.sqrt(self.variance))

    @property
    def gamma(self) -> float:
        """Kernel width of the SVM, 1 / (2 sigma²)."""
        return 0.5 / self.variance

    @property
    def signed(self) -> bool:
        """Whether some weights are negative (two-class mixtures)."""
        return bool((self.weights < 0).any())

    @cached_property
    def norm(self) -> float:
        """L2 norm of the density, ``(integral of p²)^½``; InputError if it exceeds the largest float."""
        return gaussian_sums.norm(self, thread_count(None))

    def density(self, x: ArrayLike, *, threads: int | None = None) -> Array:
        """p(x) of eq. (12), with an error of at most 1e-12 of a component's peak for each component.

        Parameters
        ----------
        x : array_like, shape (n, d)
            Where to evaluate, one position in each row.
        threads : int, optional
            Threads to use, at least 1.  Default: one for each CPU that this process may use.

        Returns
        -------
        ndarray, shape (n,)
            Densities, in the inverse unit of length to the power d.

        Raises
        ------
        InputError
            If `x` or `threads` is not as described, or if densities of this variance exceed the largest float.
        """
        return gaussian_sums.density(self, self._queries(x), thread_count(threads))

    def decision(self, x: ArrayLike, *, threads: int | None = None) -> Array:
        """f(x) of the SVM, eq. (1), for duals that sum to 1: (n, d) to (n,).  It is not negative at inliers.

        If there are covariances, this is a positive multiple of ``sum_i alpha_i exp(-½ dᵀ Σ_i⁻¹ d) - rho``, with
        d = x - means_i: the position x is compared with each component as if it had that component's covariance.

        Parameters, shapes and errors are those of :meth:`kernel_sum`.  InputError if the mixture has no bias.
        """
        if self.bias is None:
            raise InputError("decision needs a mixture with a bias, as fit gives; this one has none")
        return self.kernel_sum(x, threads=threads) - self.bias

    def log_density(self, x: ArrayLike) -> Array:
        """log p(x), accurate at any distance from the mixture: (n, d) to (n,).

        InputError if `x` has another shape or is not finite, or if the mixture has negative weights.
        """
        if self.signed:
            raise InputError("log_density needs positive weights; this mixture has negative ones")
        return gaussian_sums.log_density(self, self._queries(x))

    def _queries(self, x: ArrayLike) -> Array:
        queries = as_numbers(x, "x")
        if queries.ndim != 2 or queries.shape[1] != self.dimension:
            raise InputError(f"x must have shape (n, {self.dimension}), got shape {queries.shape}")
        if not (np.abs(queries) <= LARGEST).all():
            raise InputError(f"x must be finite and within {LARGEST:g}")
        return queries

    def kernel_sum(self, x: ArrayLike, *, threads: int | None = None) -> Array:
        """``sum_i weights_i exp(-gamma |x - means_i|²)``: the density divided by the peak of a component, without unit.

        If there are covariances, ``sum_i weights_i sigma^d / |Σ_i|^½ exp(-½ dᵀ Σ_i⁻¹ d)`` with d = x - means_i: the
        density divided by the peak of an isotropic component.
        Parameters, shapes and errors are those of :meth:`density`, but no variance is too small.
        """
        return gaussian_sums.kernel_sum(self, self._queries(x), thread_count(threads))

    def transformed(self, T: PoseLike) -> Mixture:
        """The mixture moved by T, (d+1, d+1), a rigid motion, a similarity or an affine map in 2D or 3D; InputError for
        another matrix.  Under an affine map that stretches, each component has a covariance of its own.

        >>> wide = Mixture([[1.0, 0.0]], 0.25, [1.0]).transformed([[2.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
        >>> wide.means.tolist(), wide.covariances.tolist()
        ([[2.0, 0.0]], [[[1.0, 0.0], [0.0, 0.25]]])
        """
        matrix, variance, own = moved_gaussians(T, self.means, self.variance, self.covariances)
        return Mixture(apply(matrix, self.means), variance, self.weights, self.bias, covariances=own)

    def inner_product(self, other: Mixture, *, threads: int | None = None) -> float:
        """``integral of p q``, by the identity (13).

        Parameters
        ----------
        other : Mixture
            A mixture of the same dimension; its variance may differ.
        threads : int, optional
            Threads to use, at least 1.  Default: one for each CPU that this process may use.

        Raises
        ------
        InputError
            If `other` or `threads` is not as described, or if the result exceeds the largest float.
        """
        if instance("other", other, Mixture).dimension != self.dimension:
            raise InputError(f"mixtures must have the same dimension, got {self.dimension} and {other.dimension}")
        return gaussian_sums.inner_product(self, other, thread_count(threads))

    def full_covariances(self) -> Array:
        """The covariances of the components, (m, d, d): those of an isotropic mixture are variance I.

        >>> Mixture([[0.0, 0.0]], 0.25, [1.0]).full_covariances().tolist()
        [[[0.25, 0.0], [0.0, 0.25]]]
        """
        return gaussian_sums.covariances_of(self)

    def l2_distance(self, other: Mixture, *, threads: int | None = None) -> float:
        """``integral of (p - q)²``, the paper's D_L2 of eq. (11), zero for equal densities, in units of density.

        Parameters and errors are those of :meth:`inner_product`.
        """
        product = self.inner_product(other, threads=threads)
        return max(0.0, self.norm**2 - 2.0 * product + other.norm**2)

    def sample(self, n: int, *, seed: int) -> Array:
        """Draw n >= 0 points from the density, (n, d); the same seed >= 0 gives the same points.

        InputError if an argument is not as described, or if the mixture has negative weights.
        """
        if self.signed:
            raise InputError("sample needs positive weights; this mixture has negative ones")
        n, generator = count("n", n, least=0, most=MOST_NUMBERS // self.dimension), seeded(seed)
        chosen = generator.choice(len(self), size=n, p=self.weights / self.weights.sum())
        normal = generator.standard_normal((n, self.dimension))
        if self.covariances is None:
            return self.means[chosen] + self.sigma * normal
        factors = np.linalg.cholesky(self.covariances)
        turned: Array = np.einsum("nij,nj->ni", factors[chosen], normal)
        return self.means[chosen] + turned

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the mixture to a .npz file.  If writing fails (FileError), no partial file is left."""
        write_mixture(path, self.means, self.variance, self.weights, self.bias, self.covariances)

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Mixture:
        """Read a mixture that :meth:`save` wrote; FileError if the file is missing, damaged or something else."""
        path = as_path(path)
        fields = read_mixture(path)
        with file_errors(path, "is a damaged mixture"):
            mixture = Mixture(**fields)
            if gaussian_sums.overflows(mixture):
                raise file_error(path, f"is a damaged mixture, its density overflows (variance {mixture.variance:g})")
            return mixture


def _equal(one: Array | None, other: Array | None) -> bool:
    return one is other if one is None or other is None else np.array_equal(one, other)


def checked_variance(value: float, name: str = "variance") -> float:
    """A variance from SMALLEST² to LARGEST², so that sigma is a valid length.

    >>> checked_variance(0.25)
    0.25
    """
    return positive(name, value, least=SMALLEST**2, most=LARGEST**2)


def places(value: PointsLike | Mixture, name: str = "points") -> Array:
    """Positions (n, d) of a set in 2D or 3D: its points, or the means of a mixture.

    >>> places(Mixture([[0.0, 1.0]], 1.0, [1.0])).tolist()
    [[0.0, 1.0]]
    """
    if not isinstance(value, Mixture):
        return as_points(value, name, (2, 3))
    check_dimension(value.means.shape, name, (2, 3))
    return value.means
