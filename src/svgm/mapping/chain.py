"""Scans that follow each other: each is linked to those just before it and to the merged mixture of the recent ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from svgm.checks.errors import SvgmError
from svgm.geometry.points import Array
from svgm.mapping.edge import Edge
from svgm.mapping.noise import FLOOR, closes, floor_of
from svgm.mapping.scan import Likeness, Scan, read_scan, why_useless
from svgm.mapping.votes import chained
from svgm.mixture.merge import merge
from svgm.mixture.mixture import Mixture
from svgm.registration.prepared import prepare
from svgm.registration.register import register
from svgm.rigid import rotation_log

#: A scan is linked to so many before it: a wrong link is then outvoted by those that bridge it.
BACK = 3

#: Scans in a piece, at most.
PIECE = 10

#: Scans that follow each other are turned by less than this, in radians, or overlap by this share: a corridor looks the
#: same backwards, and a sensor that has turned so far sees little of what it saw, unless it sees all around.
MOST_TURN = np.pi / 2
ALL_AROUND = 0.7

#: How far apart scans are that follow each other, as a standard deviation in radii of a scan, if nothing is measured.
WEAK = 0.3


@dataclass
class Chain:
    """The end of a sequence, as scans come in.

    A piece is a run of scans whose links agree; its frame is that of its first scan, its model their merged mixture.
    A new one begins every `PIECE` scans, and where no link can be trusted or the links contradict each other.
    """

    sigma: float
    recent: list[Scan] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    piece: list[int] = field(default_factory=list)
    pose: Array | None = None
    model: Mixture | None = None

    def add(self, scan: Scan) -> list[Edge]:
        """Link a scan to those before it; ``pose`` is then its pose in the piece, which it may have begun."""
        begins = not self.piece or scan.number // PIECE != self.piece[-1] // PIECE
        if begins:
            self.edges = []  # what a stretch of its own, on another machine, would know
        links = self._links(scan)
        step = self._agreed(scan, links)
        self.edges = [*self.edges, *links][-BACK * BACK :]
        if begins or step is None or self.model is None or self.pose is None:
            self.piece, self.pose, self.model = [scan.number], np.eye(scan.prepared.dimension + 1), scan.mixture
        else:
            pose: Array = self.pose @ step.transformation
            if len(self.piece) > 1:
                on_model = self._on_model(scan, pose)
                links.append(on_model)
                if on_model.trusted and closes(on_model, replace(step, transformation=pose), self._floor(scan)):
                    pose = on_model.transformation
            self.piece, self.pose = [*self.piece, scan.number], pose
            self.model = merge(scan.mixture.transformed(pose), self.model)
        self.recent = [*self.recent, scan][-BACK:]
        return links

    def _links(self, scan: Scan) -> list[Edge]:
        """To the scans before, nearest first, each started from what the nearer ones say."""
        links: list[Edge] = []
        for target in reversed(self.recent):
            guess = self._guess(links, target.number)
            search = "auto" if guess is None else "local"
            result = register(scan.prepared, target.prepared, init=guess, search=search, threads=1)
            edge = Edge.measured(scan.number, target.number, result, "neighbour")
            plausible = _turn(edge) < MOST_TURN or edge.overlap > ALL_AROUND
            links.append(edge if plausible else replace(edge, confidence=0.0))
        if links and not any(edge.trusted for edge in links):
            links.append(self._near(scan))
        return links

    def _near(self, scan: Scan) -> Edge:
        """All that is known where no registration can be trusted: scans that follow each other are near each other."""
        d, radius = scan.prepared.dimension, scan.prepared.radius
        doubt = np.diag(floor_of(d, WEAK * radius, radius))
        return Edge(scan.number, self.recent[-1].number, np.eye(d + 1), doubt, 0.0, 0.0, "weak")

    def _guess(self, links: Sequence[Edge], target: int) -> Array | None:
        """Where the scan lies from the target, by way of a scan in between."""
        for near in links:
            for far in self.edges:
                if near.trusted and far.trusted and (far.source, far.target) == (near.target, target):
                    guess: Array = far.transformation @ near.transformation
                    return guess
        return None

    def _agreed(self, scan: Scan, links: Sequence[Edge]) -> Edge | None:
        """The link to the scan before, if it is trusted and nothing speaks against it."""
        if not links or not links[0].trusted:
            return None
        floor = self._floor(scan)
        for long in links[1:]:
            for far in self.edges:
                triangle = long.trusted and far.trusted and (far.source, far.target) == (links[0].target, long.target)
                if triangle and not closes(chained(links[0], far, floor), long, floor):
                    return None
        return links[0]

    def _on_model(self, scan: Scan, pose: Array) -> Edge:
        """The scan on what its piece has seen so far, at the map's own sigma: nothing coarser, the start is near."""
        model = prepare(self.model)
        result = register(
            scan.prepared,
            model,
            init=pose,
            search="local",
            gamma=(model.scale / self.sigma) ** 2,
            annealing=None,
            threads=1,
        )
        edge = Edge.measured(scan.number, self.piece[0], result, "model")
        # The model is no more exact than the chain of links that it was built along.
        return replace(edge, covariance=edge.covariance + len(self.piece) * np.diag(self._floor(scan)))

    def _floor(self, scan: Scan) -> Array:
        return floor_of(scan.prepared.dimension, FLOOR * self.sigma, scan.prepared.radius)


@dataclass(frozen=True)
class Stretch:
    """Some scans of a sequence: their mixtures and radii, links, pieces (numbers of scans), and what was left out."""

    mixtures: dict[int, Mixture]
    radii: dict[int, float]
    edges: list[Edge]
    pieces: list[list[int]]
    left_out: dict[int, str]


def follow(
    sources: Sequence[tuple[int, Any]], skip: int, sigma: float, nu: float, like: Likeness | None = None
) -> Stretch:
    """Link scans that follow each other; the first `skip` belong to another stretch and are linked to, no more."""
    chain = Chain(sigma)
    mixtures, radii = {}, {}
    edges: list[Edge] = []
    pieces: list[list[int]] = []
    left_out: dict[int, str] = {}
    for scan in _readable(sources, sigma, nu, like, left_out):
        if scan.number < sources[skip][0]:
            chain.recent.append(scan)
            continue
        before = replace(chain)
        try:
            links = chain.add(scan)
        except (SvgmError, MemoryError) as error:  # one that cannot be registered is no end of the map
            chain, left_out[scan.number] = before, why_useless(scan.number, dict(sources)[scan.number], error)
            continue
        mixtures[scan.number], radii[scan.number] = scan.mixture, scan.prepared.radius
        edges += links
        if len(chain.piece) == 1:
            pieces.append([])
        pieces[-1].append(scan.number)
    return Stretch(mixtures, radii, edges, pieces, left_out)


def _readable(
    sources: Sequence[tuple[int, Any]], sigma: float, nu: float, like: Likeness | None, left_out: dict[int, str]
) -> Iterable[Scan]:
    """The scans, without those that cannot be read or fitted, which are noted."""
    for number, source in sources:
        try:
            yield read_scan(number, source, sigma, nu, like)
        except Exception as error:  # whatever a reader raises, the map is made of the others
            left_out[number] = why_useless(number, source, error)


def _turn(edge: Edge) -> float:
    d = len(edge.transformation) - 1
    return float(np.linalg.norm(rotation_log(edge.transformation[:d, :d])))
