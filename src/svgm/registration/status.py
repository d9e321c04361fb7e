"""How a registration ended."""

from __future__ import annotations

from enum import Enum


class Status(Enum):
    """How a registration ended; the value is the message.

    Examples
    --------
    >>> from svgm import Status, datasets, register
    >>> curve = datasets.butterfly(300)
    >>> register(curve, curve).status is Status.CONVERGED
    True
    >>> print(Status.DISJOINT.value)
    the mixtures do not overlap at the answer, so nothing holds it in place
    """

    CONVERGED = "the objective stopped changing at the finest scale"
    MAX_ITERATIONS = "the iterations were used up before the objective stopped changing"
    DISJOINT = "the mixtures do not overlap at the answer, so nothing holds it in place"
