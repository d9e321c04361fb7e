"""A second opinion on a registration of laser scans: two kinds of mixtures make different mistakes.

Round components (the paper's) find the pose of sparse scans most often, but trust slides along corridors and turns by a
quarter in square rooms.  Flat components slide more often in doors, but trust other wrong poses.  An answer that both
give, each from the other's pose, is wrong far more seldom than an answer of either.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from svgm.checks.types import Array
from svgm.mapping.edge import Edge
from svgm.mapping.tuning import LINKS, MAP_TUNING
from svgm.registration.prepared import Prepared
from svgm.registration.register import register
from svgm.rigid import apply


def register_twice(
    source: Prepared, target: Prepared, numbers: tuple[int, int], kind: str, guess: Array | None, search: str
) -> Edge:
    """The edge between two scans or submaps, by their numbers, from a registration and, in 2D, a second one.

    The first has round components.  The second has flat ones and starts from the answer of the first.  If it ends
    elsewhere, the first is repeated from there; the answer with the higher lower confidence is returned.
    """
    first = Edge.measured(
        *numbers, register(source, target, init=guess, search=search, covariance=LINKS, threads=1), kind
    )
    if source.dimension != 2:
        return first
    flat = _flat(source, target, first, kind)
    if _same(source, first, flat):
        return _joined(first, flat)
    again = register(source, target, init=flat.transformation, search="local", covariance=LINKS, threads=1)
    other = Edge.measured(*numbers, again, kind)
    if _same(source, other, flat) and min(other.confidence, flat.confidence) >= MAP_TUNING.second_opinion:
        return _joined(other, flat)
    return replace(first, second=0.0)


def _flat(source: Prepared, target: Prepared, first: Edge, kind: str) -> Edge:
    result = register(source, target, init=first.transformation, search="local", covariance="full", threads=1)
    return Edge.measured(first.source, first.target, result, kind)


def _same(source: Prepared, one: Edge, other: Edge) -> bool:
    """Whether two answers are one pose."""
    places = source.centre + source.radius * np.vstack([np.zeros(source.dimension), np.eye(source.dimension)])
    moved = apply(one.transformation, places) - apply(other.transformation, places)
    return bool(np.linalg.norm(moved, axis=1).max() < MAP_TUNING.same_answer * source.radius)


def _joined(round_one: Edge, flat: Edge) -> Edge:
    """The answer with round components, with the confidences of both and all that one of them leaves undetermined."""
    low, high = sorted((round_one.confidence, flat.confidence))
    covariance = round_one.covariance if round_one.loose >= flat.loose else flat.covariance
    loose = max(round_one.loose, flat.loose)
    return replace(round_one, confidence=high, second=low, loose=loose, covariance=covariance)
