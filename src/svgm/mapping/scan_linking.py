"""Links between consecutive scans: a scan is registered to the scans before it and to its submap's merged mixture."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from svgm.checks.errors import SvgmError
from svgm.geometry.points import Array
from svgm.mapping.edge import Edge
from svgm.mapping.edge_noise import agree, composed, noise_floor
from svgm.mapping.scan import Scan, ScanProfile, read_scan, reason_unusable
from svgm.mapping.tuning import LINKS, MAP_TUNING
from svgm.mixture.merge import merge
from svgm.mixture.mixture import Mixture
from svgm.registration.prepared import prepare
from svgm.registration.register import register
from svgm.rigid import rotation_log


@dataclass
class ScanLinker:
    """Links scans as they come in; its state is the end of the sequence.

    A submap is a run of scans whose links agree.  Its frame is that of its first scan, and `merged` is the merged
    mixture of its scans.  A new submap begins every `submap_scans` scans, and where no link is trusted or links
    contradict each other.
    """

    sigma: float
    recent: list[Scan] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    submap: list[int] = field(default_factory=list)
    pose: Array | None = None
    merged: Mixture | None = None

    def add(self, scan: Scan) -> list[Edge]:
        """Link a scan to the scans before it; `pose` is then its pose in the submap, which it may have begun."""
        size, back = MAP_TUNING.submap_scans, MAP_TUNING.links_back
        begins = not self.submap or scan.number // size != self.submap[-1] // size
        if begins:
            self.edges = []  # as if the segment were linked by another worker
        links = self._link_to_recent(scan)
        step = self._consistent_step(scan, links)
        self.edges = [*self.edges, *links][-back * back :]
        if begins or step is None or self.merged is None or self.pose is None:
            self.submap, self.pose, self.merged = [scan.number], np.eye(scan.prepared.dimension + 1), scan.mixture
        else:
            pose: Array = self.pose @ step.transformation
            if len(self.submap) > 1:
                on_submap = self._link_to_submap(scan, self.merged, pose)
                links.append(on_submap)
                if on_submap.trusted and agree(on_submap, replace(step, transformation=pose), self._floor(scan)):
                    pose = on_submap.transformation
            self.submap, self.pose = [*self.submap, scan.number], pose
            self.merged = merge(scan.mixture.transformed(pose), self.merged)
        self.recent = [*self.recent, scan][-back:]
        return links

    def _link_to_recent(self, scan: Scan) -> list[Edge]:
        """Links to the scans before, nearest first; the nearer links give the initial pose of the farther ones."""
        links: list[Edge] = []
        for target in reversed(self.recent):
            guess = self._guess(links, target.number)
            search = "auto" if guess is None else "local"
            result = register(scan.prepared, target.prepared, init=guess, search=search, covariance=LINKS, threads=1)
            edge = Edge.measured(scan.number, target.number, result, "neighbour")
            plausible = _turn(edge) < MAP_TUNING.largest_turn or edge.overlap > MAP_TUNING.turn_overlap
            links.append(edge if plausible else replace(edge, confidence=0.0))
        if links and not any(edge.trusted for edge in links):
            links.append(self._weak_link(scan))
        return links

    def _weak_link(self, scan: Scan) -> Edge:
        """A link without a registration, if none is trusted: consecutive scans are near each other."""
        d, radius = scan.prepared.dimension, scan.prepared.radius
        covariance = np.diag(noise_floor(d, MAP_TUNING.weak_deviation * radius, radius))
        return Edge(scan.number, self.recent[-1].number, np.eye(d + 1), covariance, 0.0, 0.0, "weak")

    def _guess(self, links: Sequence[Edge], target: int) -> Array | None:
        """The scan's pose in the target's frame, through a scan in between."""
        for near in links:
            for far in self.edges:
                if near.trusted and far.trusted and (far.source, far.target) == (near.target, target):
                    guess: Array = far.transformation @ near.transformation
                    return guess
        return None

    def _consistent_step(self, scan: Scan, links: Sequence[Edge]) -> Edge | None:
        """The link to the scan just before, if it is trusted and no triangle contradicts it."""
        if not links or not links[0].trusted:
            return None
        floor = self._floor(scan)
        for long in links[1:]:
            for far in self.edges:
                triangle = long.trusted and far.trusted and (far.source, far.target) == (links[0].target, long.target)
                if triangle and not agree(composed(links[0], far, floor), long, floor):
                    return None
        return links[0]

    def _link_to_submap(self, scan: Scan, merged: Mixture, pose: Array) -> Edge:
        """The scan registered to the merged mixture of its submap, at the map's sigma only: the start is near."""
        target = prepare(merged)
        result = register(
            scan.prepared,
            target,
            init=pose,
            search="local",
            gamma=(target.scale / self.sigma) ** 2,
            annealing=None,
            covariance=LINKS,
            threads=1,
        )
        edge = Edge.measured(scan.number, self.submap[0], result, "model")
        # The merged mixture is no more exact than the links along which it was merged.
        return replace(edge, covariance=edge.covariance + len(self.submap) * np.diag(self._floor(scan)))

    def _floor(self, scan: Scan) -> Array:
        return noise_floor(scan.prepared.dimension, MAP_TUNING.noise_floor * self.sigma, scan.prepared.radius)


@dataclass(frozen=True)
class Segment:
    """Some consecutive scans: their mixtures and radii, their links, their submaps (numbers of scans), and the reasons
    of those that were left out."""

    mixtures: dict[int, Mixture]
    radii: dict[int, float]
    edges: list[Edge]
    submaps: list[list[int]]
    left_out: dict[int, str]


def link_segment(
    sources: Sequence[tuple[int, Any]], skip: int, sigma: float, nu: float, profile: ScanProfile | None = None
) -> Segment:
    """Fit and link consecutive scans.  The first `skip` scans belong to the segment before: they are only targets."""
    linker = ScanLinker(sigma)
    mixtures, radii = {}, {}
    edges: list[Edge] = []
    submaps: list[list[int]] = []
    left_out: dict[int, str] = {}
    for scan in _readable(sources, sigma, nu, profile, left_out):
        if scan.number < sources[skip][0]:
            linker.recent.append(scan)
            continue
        before = replace(linker)
        try:
            links = linker.add(scan)
        except (SvgmError, MemoryError) as error:  # a scan that cannot be registered does not end the map
            linker, left_out[scan.number] = before, reason_unusable(scan.number, dict(sources)[scan.number], error)
            continue
        mixtures[scan.number], radii[scan.number] = scan.mixture, scan.prepared.radius
        edges += links
        if len(linker.submap) == 1:
            submaps.append([])
        submaps[-1].append(scan.number)
    return Segment(mixtures, radii, edges, submaps, left_out)


def _readable(
    sources: Sequence[tuple[int, Any]], sigma: float, nu: float, profile: ScanProfile | None, left_out: dict[int, str]
) -> Iterable[Scan]:
    """The scans that can be read and fitted; the others are added to `left_out`."""
    for number, source in sources:
        try:
            yield read_scan(number, source, sigma, nu, profile)
        except Exception as error:  # whatever a reader raises, the map is made of the other scans
            left_out[number] = reason_unusable(number, source, error)


def _turn(edge: Edge) -> float:
    d = len(edge.transformation) - 1
    return float(np.linalg.norm(rotation_log(edge.transformation[:d, :d])))
