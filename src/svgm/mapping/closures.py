"""Which pieces of the way may overlap, and what registering two of them says."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from svgm.geometry.points import Array
from svgm.mapping.edge import Edge
from svgm.mapping.fingerprint import fingerprint
from svgm.mixture.mixture import Mixture
from svgm.registration.prepared import Prepared, as_prepared
from svgm.registration.register import register
from svgm.rigid import apply, invert

#: Poses drift by this share of the way between two pieces: how far apart two that meet may seem to be.
DRIFT = 0.015

#: Pieces may overlap if their centres are nearer than this share of the sum of their radii.
REACH = 0.7

#: A start that may be off by more than this share of a piece's radius is not worth much: search everywhere.
FAR_OFF = 0.5

#: Partners that a piece is registered with in one round, at most.
PARTNERS = 12

#: The least overlap of a registration that closes a loop: less can be chance.
LEAST_OVERLAP = 0.3

#: A component so many times as far from the middle of its piece as half of the others are is a stray.
STRAY = 100.0


@dataclass(frozen=True)
class Model:
    """The merged mixture of a piece, in the frame of its first scan, whose number is `anchor`; of a scan alone also its
    `source`, whose points say more."""

    anchor: int
    mixture: Mixture
    source: Any = None

    @property
    def centre(self) -> Array:
        """Mean of the components."""
        centre: Array = without_strays(self.mixture.means).mean(axis=0)
        return centre

    @property
    def radius(self) -> float:
        """Their root mean square distance from it."""
        return float(np.sqrt(((without_strays(self.mixture.means) - self.centre) ** 2).sum(axis=1).mean()))


def without_strays(places: Array) -> Array:
    """The places, but for those `STRAY` times as far from the middle as half of them are.

    >>> without_strays(np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0], [1e4, 0.0]])).tolist()
    [[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]]
    """
    distances = np.linalg.norm(places - np.median(places, axis=0), axis=1)
    far = distances > STRAY * np.median(distances)
    few = far.any() and far.mean() < 0.5 and np.median(distances) > 0.0
    return places[~far] if few else places


@dataclass(frozen=True)
class Proposal:
    """Two pieces that may overlap, by their places in the list, the source's presumed pose in the target's frame, and
    how far that may be off, in radii of the source."""

    source: int
    target: int
    guess: Array | None
    doubt: float


def propose(models: Mapping[int, Model], poses: Mapping[int, Array], ways: Array) -> list[Proposal]:
    """Pairs of pieces that may overlap, given the poses of their anchors and the lengths (m, m) of the ways between.

    Each piece gets the partners that are nearest compared with how near they would have to be.
    """
    numbers = list(models)
    centres = np.stack([apply(poses[model.anchor], model.centre[None])[0] for model in models.values()])
    radii = np.array([model.radius for model in models.values()])
    distances = np.linalg.norm(centres[:, None] - centres[None], axis=2)
    reach = REACH * (radii[:, None] + radii[None]) + DRIFT * ways
    nearness = np.divide(distances, reach, out=np.full_like(distances, np.inf), where=reach > 0.0)
    chosen = set()
    for i in range(len(numbers)):
        order = [int(j) for j in np.argsort(nearness[i], kind="stable") if j != i and nearness[i, j] < 1.0]
        chosen |= {(max(i, j), min(i, j)) for j in order[:PARTNERS]}
    return [
        Proposal(
            numbers[i],
            numbers[j],
            invert(poses[models[numbers[j]].anchor]) @ poses[models[numbers[i]].anchor],
            float(DRIFT * ways[i, j] / radii[i]),
        )
        for i, j in sorted(chosen)
    ]


def register_models(source: Model, target: Model, guess: Array | None, search: str, kind: str, nu: float) -> Edge:
    """Where the source's anchor lies in the frame of the target's."""
    result = register(_prepared(source, nu), _prepared(target, nu), init=guess, search=search, threads=1)
    return Edge.measured(source.anchor, target.anchor, result, kind)


#: Pieces that each thread keeps ready: each meets several others, and is trained for the first only.
KEPT = 6
_kept = threading.local()


def _prepared(model: Model, nu: float) -> Prepared:
    """Ready to be registered."""
    ready: OrderedDict[str, Prepared] = _kept.__dict__.setdefault("ready", OrderedDict())
    what = model.mixture if model.source is None else model.source
    key = fingerprint((what, nu))
    if key not in ready:
        ready[key] = as_prepared(what, nu, f"scan {model.anchor}")
        if len(ready) > KEPT:
            ready.popitem(last=False)
    ready.move_to_end(key)
    return ready[key]
