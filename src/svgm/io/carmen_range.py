"""The range that a laser sensor writes for a beam that hit nothing, found in the readings themselves."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

#: The part of all ranges in which a sensor's maximum can be: from this share of the longest reading on.
UPPER_PART = 0.9

#: Fewest equal readings that are not chance.  Real hits near the maximum are few and spread out.
FEWEST = 5

#: Equal readings are not real hits if they are this many times as many as equal readings just below the upper part.
CONTRAST = 4.0


def no_hit_range(ranges: NDArray[np.float64]) -> float:
    """The shortest range that stands for a beam without a hit; infinite if the readings show no such range.

    A sensor writes one range, or a few, for all beams that hit nothing.  So these ranges are near the longest reading,
    and they are much more frequent than the ranges of real hits, which differ from beam to beam.

    Parameters
    ----------
    ranges : ndarray, shape (n,)
        All readings of a log.

    Returns
    -------
    float
        This range and longer ones are no hits.

    Examples
    --------
    >>> hits = np.linspace(1.0, 30.0, 200)
    >>> no_hit_range(np.r_[hits, np.full(20, 81.83), np.full(90, 81.91)])
    81.83
    >>> no_hit_range(hits)
    inf
    """
    if not ranges.size:
        return np.inf
    values, counts = np.unique(ranges, return_counts=True)
    top = UPPER_PART * values[-1]
    below = counts[(values < top) & (values >= top - (values[-1] - top))]
    usual = float(below.mean()) if below.size else 1.0
    frequent = values[(values >= top) & (counts >= max(FEWEST, CONTRAST * usual))]
    return float(frequent[0]) if frequent.size else np.inf
