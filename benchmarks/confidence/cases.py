"""All pairs on which the confidence is judged, by kind of data."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.confidence import generated, measured
from benchmarks.confidence.case import Case

KINDS = (
    *(measured.dragons, measured.whole_dragons, measured.streets, measured.lasers, measured.lidar_pair),
    *(generated.bodies, generated.blobs, generated.rooms, generated.outdoors, generated.storeys),
    *(generated.repeated, generated.sliding, generated.noise, generated.outlines, generated.strangers),
)


def all_cases(share: float = 1.0) -> Iterator[Case]:
    """Every kind of data; `share` of the pairs of each."""
    for kind in KINDS:
        cases = list(kind())
        count = max(1, round(share * len(cases)))
        yield from (cases[k] for k in np.unique(np.linspace(0, len(cases) - 1, count).round().astype(int)))
