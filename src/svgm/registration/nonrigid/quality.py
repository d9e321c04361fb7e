"""What a deformation is worth: noise, points without a partner, uncertainty of each point, folds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from svgm.checks.frozen import Frozen, freeze
from svgm.checks.types import Array
from svgm.geometry.transforms import Deformation
from svgm.mixture.mixture import Mixture


@dataclass(frozen=True, eq=False, repr=False)
class Warp(Frozen):
    """The deformation of a non-rigid registration and what it is worth.

    Attributes
    ----------
    deformation : Deformation
        It moves the source onto the target, and any other points.
    noise : float
        Standard deviation of one coordinate of the target's points from the moved source, in the target's unit.
    outliers : float
        Share of the target that has no partner in the source.
    partners : (n,) array
        For each point of the source (without strays), in [0, 1]: how certain it is that the target has a partner of it.
        A point without a partner follows its neighbours.
    deviations : (n,) array
        For each point of the source, the standard deviation of one coordinate of where it goes, in the target's unit,
        if the correspondences are right: from the Hessian of the log likelihood and the prior of the bends.
    folds : int
        Number of source points at which the deformation turns space inside out.

    Examples
    --------
    >>> import numpy as np
    >>> from svgm import datasets, register
    >>> curve = datasets.butterfly(100)
    >>> bent = curve + 0.1 * np.sin(curve[:, ::-1])
    >>> warp = register(curve, bent, transform="nonrigid").warp
    >>> warp.outliers < 0.1, warp.folds, warp.partners.shape, warp.bending == warp.deformation.bending
    (True, 0, (100,), True)
    >>> sorted(warp.as_dict())
    ['bending', 'coefficients', 'controls', 'deviations', 'folds', 'matrix', 'noise', 'outliers', 'partners', 'unit']
    """

    deformation: Deformation
    noise: float
    outliers: float
    partners: Array
    deviations: Array
    folds: int

    def __post_init__(self) -> None:
        freeze(self, "partners", "deviations")

    def __repr__(self) -> str:
        folds = f", {self.folds} folds" if self.folds else ""
        return f"Warp({self.deformation}, noise {self.noise:.3g}, {self.outliers:.0%} of the target new{folds})"

    @property
    def bending(self) -> float:
        """The bending energy of the deformation, see :attr:`svgm.Deformation.bending`."""
        return self.deformation.bending

    def moved(self, mixture: Mixture) -> Mixture:
        """A mixture of the source whose components are moved and keep their variance.

        >>> import numpy as np
        >>> still = Warp(Deformation(np.eye(3), [[0.0, 0.0]], [[0.0, 0.0]]), 0.1, 0.0, np.ones(1), np.ones(1), 0)
        >>> still.moved(Mixture([[1.0, 2.0]], 1.0, [1.0])).means.tolist()
        [[1.0, 2.0]]
        """
        return Mixture(self.deformation.apply(mixture.means), mixture.variance, mixture.weights)

    def as_dict(self) -> dict[str, Any]:
        """Plain numbers and lists."""
        spline = self.deformation
        return {
            "matrix": spline.matrix.tolist(),
            "controls": spline.controls.tolist(),
            "coefficients": spline.coefficients.tolist(),
            "unit": spline.unit,
            "bending": spline.bending,
            "noise": self.noise,
            "outliers": self.outliers,
            "partners": self.partners.tolist(),
            "deviations": self.deviations.tolist(),
            "folds": self.folds,
        }

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Warp:
        """The inverse of :meth:`as_dict`.

        >>> import numpy as np
        >>> spline = Deformation(np.eye(3), [[0.0, 0.0]], [[0.0, 0.0]])
        >>> Warp.from_dict(Warp(spline, 0.1, 0.0, np.ones(1), np.ones(1), 0).as_dict()).deformation == spline
        True
        """
        spline = Deformation(plain["matrix"], plain["controls"], plain["coefficients"], plain["unit"])
        names = ("noise", "outliers", "partners", "deviations", "folds")
        return cls(deformation=spline, **{name: plain[name] for name in names})
