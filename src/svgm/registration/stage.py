"""The record of one level of the annealing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from svgm.checks.frozen import Frozen, freeze
from svgm.checks.types import Array
from svgm.mixture.mixture import Mixture


@dataclass(frozen=True, eq=False)
class Stage(Frozen):
    """One level of the annealing.

    Attributes
    ----------
    gamma : float
        The level's multiple of gamma-hat.
    sigma : float
        Its scale, in the points' unit.
    components : (int, int)
        Sizes of the source's and the target's mixture.
    candidates : int
        Number of poses from which the objective was minimised.
    iterations : int
        Newton steps of all of them.
    objective : float
        Value of the best one at this scale.
    transformation : (d+1, d+1) array
        Pose of the best one.
    mixtures : (Mixture, Mixture) or None
        The source's and the target's mixture, each in the coordinates of its set.  None in a result that was loaded
        from JSON.

    Examples
    --------
    >>> from svgm import datasets, register
    >>> curve = datasets.butterfly(300)
    >>> first, *_, last = register(curve, curve).stages
    >>> first.sigma > last.sigma, first.components < last.components
    (True, True)
    >>> len(last.mixtures[0]) == last.components[0]
    True
    """

    gamma: float
    sigma: float
    components: tuple[int, int]
    candidates: int
    iterations: int
    objective: float
    transformation: Array
    mixtures: tuple[Mixture, Mixture] | None = None

    def __post_init__(self) -> None:
        freeze(self, "transformation")

    def as_dict(self) -> dict[str, Any]:
        """Plain numbers and lists, without the mixtures.

        >>> import numpy as np
        >>> Stage(1.0, 0.5, (3, 4), 1, 7, -0.9, np.eye(3)).as_dict()["components"]
        [3, 4]
        """
        names = ("gamma", "sigma", "candidates", "iterations", "objective")
        plain = {name: getattr(self, name) for name in names}
        return {**plain, "components": list(self.components), "transformation": self.transformation.tolist()}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any], mixtures: tuple[Mixture, Mixture] | None = None) -> Stage:
        """The inverse of :meth:`as_dict`.

        >>> import numpy as np
        >>> stage = Stage(1.0, 0.5, (3, 4), 1, 7, -0.9, np.eye(3))
        >>> Stage.from_dict(stage.as_dict()).components
        (3, 4)
        """
        source, target = plain["components"]
        return cls(**{**plain, "components": (source, target)}, mixtures=mixtures)
