"""A submap: the merged mixture of some consecutive scans, and the registration of one submap to another."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

import numpy as np

from svgm.geometry.points import Array
from svgm.mapping.edge import Edge
from svgm.mapping.second_opinion import register_twice
from svgm.mapping.task_hash import task_hash
from svgm.mapping.tuning import MAP_TUNING
from svgm.mixture.mixture import Mixture
from svgm.registration.prepared import Prepared, as_prepared

#: Submaps that each thread keeps prepared: a submap meets several others, and is trained for the first only.
PREPARED_SUBMAPS = 6


@dataclass(frozen=True)
class Submap:
    """The merged mixture of a submap in the frame of its first scan, whose number is `anchor`.

    If the submap is a single scan, `source` is that scan: its points are more exact than its mixture.
    """

    anchor: int
    mixture: Mixture
    source: Any = None

    @property
    def centre(self) -> Array:
        """Mean of the components."""
        centre: Array = central_components(self.mixture.means).mean(axis=0)
        return centre

    @property
    def radius(self) -> float:
        """Root mean square distance of the components from the centre."""
        return float(np.sqrt(((central_components(self.mixture.means) - self.centre) ** 2).sum(axis=1).mean()))


def central_components(places: Array) -> Array:
    """The places except strays, which are `stray_factor` times as far from the middle as half of the places are.

    >>> central_components(np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0], [1e4, 0.0]])).tolist()
    [[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]]
    """
    distances = np.linalg.norm(places - np.median(places, axis=0), axis=1)
    far = distances > MAP_TUNING.stray_factor * np.median(distances)
    few = far.any() and far.mean() < 0.5 and np.median(distances) > 0.0
    return places[~far] if few else places


def register_submaps(source: Submap, target: Submap, guess: Array | None, search: str, kind: str, nu: float) -> Edge:
    """The pose of the source's anchor in the frame of the target's anchor."""
    numbers = source.anchor, target.anchor
    return register_twice(_prepared(source, nu), _prepared(target, nu), numbers, kind, guess, search)


_local = threading.local()


def _prepared(submap: Submap, nu: float) -> Prepared:
    """The submap as a prepared set, which this thread may have already."""
    prepared: OrderedDict[str, Prepared] = _local.__dict__.setdefault("prepared", OrderedDict())
    what = submap.mixture if submap.source is None else submap.source
    key = task_hash((what, nu))
    if key not in prepared:
        prepared[key] = as_prepared(what, nu, f"scan {submap.anchor}")
        if len(prepared) > PREPARED_SUBMAPS:
            prepared.popitem(last=False)
    prepared.move_to_end(key)
    return prepared[key]
