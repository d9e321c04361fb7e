"""The scales of a registration: gamma <- delta gamma, from smooth enough for a wide basin to as fine as the data."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from svgm.checks.arguments import positive

#: Levels closer than this are the same level many times over.
SMALLEST_STEP = 1.1

#: Gammas are at most this and at least its inverse: from a million sigma-hats to a millionth of one, at which a double
#: has half of its digits left.
MOST_GAMMA = 1e12


@dataclass(frozen=True)
class Annealing:
    """Levels of Algorithm 1, as multiples of gamma-hat.

    Attributes
    ----------
    delta
        Factor between levels, at least `SMALLEST_STEP` (the paper uses 2 and 10).
    finest
        Last gamma.  Default: about where sigma reaches the points' own spacing, at most about `FINEST`.

    Examples
    --------
    >>> [round(float(gamma), 2) for gamma in Annealing(delta=10, finest=100).levels(0.1, 1e9)]
    [0.1, 1.0, 10.0, 100.0]
    """

    delta: float = float(np.sqrt(10.0))
    finest: float | None = None

    def __post_init__(self) -> None:
        positive("delta", self.delta, least=SMALLEST_STEP)
        if self.finest is not None:
            positive("finest", self.finest, least=1.0 / MOST_GAMMA, most=MOST_GAMMA)

    def levels(self, coarsest: float, resolved: float) -> tuple[float, ...]:
        """Gammas from `coarsest` up, by factors of delta, to about what the data resolve.

        With a given finest they end exactly there, and the first is the nearest to `coarsest` that leads to it.
        """
        coarsest = positive("coarsest", coarsest, least=1.0 / MOST_GAMMA, most=MOST_GAMMA)
        resolved = positive("resolved", resolved, infinite=True)
        last = self.finest if self.finest is not None else min(FINEST, resolved)
        steps = max(0, round(np.log(last / coarsest) / np.log(self.delta)))
        if self.finest is None:
            return tuple(coarsest * self.delta**k for k in range(steps + 1))
        return tuple(last / self.delta**k for k in range(steps, -1, -1))


#: The default stops at a sigma of sigma-hat / 17: finer levels cost more than they add.
FINEST = 300.0

#: Where the default starts: a sigma of three sigma-hat, at which almost any start leads to the same coarse answer.
COARSEST = 0.1
