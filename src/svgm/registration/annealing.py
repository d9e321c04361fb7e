"""The scales of a registration: gamma <- delta gamma, from smooth enough for a wide basin to as fine as the data."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from svgm.checks.arguments import positive
from svgm.registration.tuning import TUNING

#: Levels closer than this are the same level many times over.
SMALLEST_STEP = 1.1

#: Gammas are at most this and at least its inverse: from a million sigma-hats to a millionth of one, at which a double
#: has half of its digits left.
LARGEST_GAMMA = 1e12


@dataclass(frozen=True)
class Annealing:
    """Levels of Algorithm 1, as multiples of gamma-hat.

    Attributes
    ----------
    delta : float
        Factor between levels, at least 1.1 (the paper uses 2 and 10).  Default: the root of 10.
    finest : float or None
        Last gamma, positive.  Default: about where sigma reaches the points' own spacing, at most about 300.

    Raises
    ------
    InputError
        If `delta` or `finest` is out of range.

    Examples
    --------
    >>> [round(float(gamma), 2) for gamma in Annealing(delta=10, finest=100).levels(0.1, 1e9)]
    [0.1, 1.0, 10.0, 100.0]
    """

    delta: float = float(np.sqrt(10.0))
    finest: float | None = None

    def __post_init__(self) -> None:
        # As floats: a Fraction or a Decimal is a valid number, but NumPy has no logarithm of it.
        object.__setattr__(self, "delta", positive("delta", self.delta, least=SMALLEST_STEP))
        if self.finest is not None:
            finest = positive("finest", self.finest, least=1.0 / LARGEST_GAMMA, most=LARGEST_GAMMA)
            object.__setattr__(self, "finest", finest)

    def levels(self, coarsest: float, resolved: float) -> tuple[float, ...]:
        """Gammas from `coarsest` up, by factors of delta, to about `resolved`, the gamma that the data resolve.

        If `finest` is given, they end exactly there, and the first is the nearest to `coarsest` that leads to it.
        """
        coarsest = positive("coarsest", coarsest, least=1.0 / LARGEST_GAMMA, most=LARGEST_GAMMA)
        resolved = positive("resolved", resolved, infinite=True)
        last = self.finest if self.finest is not None else min(TUNING.finest_gamma, resolved)
        steps = max(0, round(np.log(last / coarsest) / np.log(self.delta)))
        if self.finest is None:
            return tuple(coarsest * self.delta**k for k in range(steps + 1))
        return tuple(last / self.delta**k for k in range(steps, -1, -1))
