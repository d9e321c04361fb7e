"""Steps of odometry as edges: how exact they are, and what they say of links, by comparison with each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from svgm.geometry.points import Array
from svgm.mapping.edge import Edge, with_prior
from svgm.mapping.edge_noise import agree, composed, disagreement
from svgm.mapping.odometry import Odometry
from svgm.mapping.tuning import MAP_TUNING
from svgm.rigid import adjoint, invert, log, rotation_log


@dataclass(frozen=True, eq=False)
class OdometryModel:
    """How far odometry can be believed, from its differences to trusted links.

    Attributes
    ----------
    shares : ndarray of shape (k,)
        Standard deviation of a step along each direction, as a share of the motion: of the turn plus the distance in
        radii of a scan.
    confidence : float
        Share of the steps on which odometry and links agree.
    """

    shares: Array
    confidence: float


def odometry_steps(
    scans: Sequence[int], odometry: Odometry, links: Sequence[Edge], floor: Array, radius: float
) -> list[Edge]:
    """The edges that odometry gives between each of these scans and the next one.

    A covariance that is not given is estimated from the differences between the steps and the trusted links between the
    same scans: the deviation is the 68th percentile, so a third of the steps may slip.
    """
    known = odometry.known
    there = [scan for scan in scans if scan in known]
    steps = {(after, before): invert(known[before]) @ known[after] for before, after in pairwise(there)}
    noise = odometry.covariances
    given = {} if noise is None else {pair: _given(odometry.poses, noise, *pair) for pair in steps}
    given = {pair: covariance for pair, covariance in given.items() if np.isfinite(covariance).all()}
    model = estimated_model(steps, links, floor, radius, given)
    edges = []
    for (source, target), step in steps.items():
        covariance = given.get((source, target))
        if covariance is None:
            covariance = step_covariance(step, model, radius)
        edges.append(Edge(source, target, step, covariance, model.confidence, 0.0, "odometry"))
    return edges


def estimated_model(
    steps: Mapping[tuple[int, int], Array],
    links: Sequence[Edge],
    floor: Array,
    radius: float,
    given: Mapping[tuple[int, int], Array],
) -> OdometryModel:
    """The noise of odometry, from the trusted links between the same scans."""
    held = [edge for edge in links if edge.trusted and edge.kind == "neighbour" and (edge.source, edge.target) in steps]
    size = len(floor)
    assumed = OdometryModel(np.full(size, MAP_TUNING.odometry_share), MAP_TUNING.odometry_confidence)
    if len(held) < MAP_TUNING.fewest_steps:
        return assumed
    moves = [steps[edge.source, edge.target] for edge in held]
    unit = np.r_[np.ones(size - _dimension(size)), np.full(_dimension(size), radius)]
    errors = np.array([log(invert(edge.transformation) @ move) for edge, move in zip(held, moves, strict=True)]) / unit
    amount = float(np.median([motion(move, radius) for move in moves]))
    shares = assumed.shares if amount <= 0.0 else np.quantile(np.abs(errors), 0.68, axis=0) / amount
    model = OdometryModel(np.asarray(shares), 1.0)
    agreeing = 0
    for edge, move in zip(held, moves, strict=True):
        pair = edge.source, edge.target
        covariance = given[pair] if pair in given else step_covariance(move, model, radius)
        stated = Edge(*pair, move, covariance, 1.0, 0.0, "odometry")
        agreeing += disagreement(edge, stated, floor) < MAP_TUNING.contradiction
    # Laplace's rule: no number of agreements makes it certain.
    return OdometryModel(model.shares, (agreeing + 1) / (len(held) + 2))


def motion(step: Array, radius: float) -> float:
    """The amount of a motion: its turn in radians plus its distance in radii of a scan."""
    d = len(step) - 1
    return float(np.linalg.norm(rotation_log(step[:d, :d])) + np.linalg.norm(step[:d, d]) / radius)


def step_covariance(step: Array, model: OdometryModel, radius: float) -> Array:
    """Covariance of a step whose error is a share of the motion."""
    d = len(step) - 1
    unit = np.r_[np.ones(len(model.shares) - d), np.full(d, radius)]
    return np.diag((model.shares * unit * motion(step, radius)) ** 2)


def _given(poses: Array, covariances: Array, source: int, target: int) -> Array:
    """The covariance of a step, or of several in a row, about the source."""
    total = np.zeros(covariances.shape[1:])
    for scan in range(target, source):
        moved = adjoint(invert(poses[source]) @ poses[scan + 1])
        total = total + moved @ covariances[scan] @ moved.T
    return np.asarray(0.5 * (total + total.T))


def _dimension(size: int) -> int:
    return 2 if size == 3 else 3


def longer_steps(steps: Sequence[Edge], most: int, floor: Array) -> list[Edge]:
    """Steps of odometry over two to `most` scans in a row, composed of the single ones."""
    step_to = {edge.source: edge for edge in steps}
    found = []
    for edge in steps:
        whole = edge
        for _ in range(most - 1):
            before = step_to.get(whole.target)
            if before is None:
                break
            whole = composed(whole, before, floor)
            found.append(whole)
    return found


def links_against_odometry(links: Sequence[Edge], steps: Sequence[Edge], floor: Array) -> list[Edge]:
    """The trusted links that contradict steps of odometry which other trusted links confirm.

    A link confirms all steps between its scans if it agrees with their composition: that would be a rare chance if one
    of the steps or the link itself were wrong.
    """
    every = (*steps, *longer_steps(steps, MAP_TUNING.links_back, floor))
    stated = {(edge.source, edge.target): edge for edge in every}
    agreeing, doubtful = set(), []
    after = {edge.source: edge.target for edge in steps}
    for link in links:
        other = stated.get((link.source, link.target))
        if other is not None and link.trusted and link.kind == "neighbour":
            between = _between(after, link)
            apart = disagreement(link, other, floor)
            if apart < MAP_TUNING.contradiction:
                agreeing |= between
            elif apart > MAP_TUNING.gross:
                doubtful.append((link, between))
    return [link for link, between in doubtful if between <= agreeing]


def _between(after: Mapping[int, int], link: Edge) -> set[int]:
    """The sources of the steps between a link's scans."""
    found, scan = set(), link.source
    while scan > link.target:
        found.add(scan)
        scan = after[scan]
    return found


def confirmed_links(links: Sequence[Edge], steps: Sequence[Edge], floor: Array) -> list[Edge]:
    """The links, where those that are more likely right than wrong become trusted if odometry agrees with them.

    A wrong answer rarely lies within the deviation of odometry.
    """
    every = (*steps, *longer_steps(steps, MAP_TUNING.links_back, floor))
    stated = {(edge.source, edge.target): edge for edge in every}
    found = []
    for edge in links:
        other = stated.get((edge.source, edge.target))
        doubtful = edge.kind == "neighbour" and not edge.likely and not edge.loose and edge.confidence >= 0.5
        if doubtful and other is not None and agree(edge, other, floor):
            confidence = with_prior(edge.confidence, MAP_TUNING.closing)
            edge = replace(edge, confidence=confidence, second=max(edge.second, MAP_TUNING.second_opinion))
        found.append(edge)
    return found
