"""Links between consecutive scans: a scan is registered to the scans before it and to its submap's merged mixture."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from svgm.checks.errors import SvgmError
from svgm.geometry.points import Array
from svgm.mapping.edge import Edge
from svgm.mapping.edge_noise import agree, composed, noise_floor
from svgm.mapping.scan import Scan, ScanProfile, read_scan, reason_unusable
from svgm.mapping.second_opinion import register_twice
from svgm.mapping.tuning import LINKS, MAP_TUNING
from svgm.mixture.merge import merge
from svgm.mixture.mixture import Mixture
from svgm.registration.prepared import prepare
from svgm.registration.register import register
from svgm.rigid import invert, rotation_log


@dataclass
class ScanLinker:
    """Links scans as they come in; its state is the end of the sequence.

    A submap is a run of scans whose links agree.  Its frame is that of its first scan, `places` are its scans' poses,
    and `merged` is the merged mixture of its scans.  A new submap begins every `submap_scans` scans, and where no link
    is trusted or links contradict each other.  `odometry` has the scans' poses as the sensor's odometry states them.
    """

    sigma: float
    odometry: Mapping[int, Array] = field(default_factory=dict)
    recent: list[Scan] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    places: dict[int, Array] = field(default_factory=dict)
    merged: Mixture | None = None

    @property
    def submap(self) -> list[int]:
        """Numbers of the submap's scans."""
        return list(self.places)

    @property
    def pose(self) -> Array | None:
        """The newest scan's pose in the submap."""
        return next(reversed(self.places.values()), None)

    def add(self, scan: Scan) -> list[Edge]:
        """Link a scan to the scans before it; `pose` is then its pose in the submap, which it may have begun."""
        size, back = MAP_TUNING.submap_scans, MAP_TUNING.links_back
        begins = not self.places or scan.number // size != next(reversed(self.places)) // size
        if begins:
            self.edges = []  # as if the segment were linked by another worker
        links = self._link_to_recent(scan)
        pose = None if begins else self._pose_in_submap(scan, links)
        self.edges = [*self.edges, *links][-back * back :]
        if pose is None or self.merged is None:
            self.places, self.merged = {scan.number: np.eye(scan.prepared.dimension + 1)}, scan.mixture
        else:
            if len(self.places) > 1:
                on_submap = self._link_to_submap(scan, self.merged, pose)
                if on_submap.likely and agree(on_submap, self._placed(scan, links, pose), self._floor(scan)):
                    links.append(on_submap)
                    pose = on_submap.transformation
            self.places = {**self.places, scan.number: pose}
            self.merged = merge(scan.mixture.transformed(pose), self.merged)
        self.recent = [*self.recent, scan][-back:]
        return links

    def _link_to_recent(self, scan: Scan) -> list[Edge]:
        """Links to the scans before, nearest first; the nearer links give the initial pose of the farther ones."""
        links: list[Edge] = []
        for target in reversed(self.recent):
            step = self._odometry_step(scan.number, target.number)
            guess = self._guess(links, target.number)
            edge = self._link(scan, target, step if guess is None else guess, guess is None)
            if step is not None and not links and not edge.trusted:  # the wheels may have slipped
                other = self._link(scan, target, None, True)
                edge = max(edge, other, key=lambda each: (each.trusted, each.second, each.confidence))
            turn = edge.transformation if step is None else invert(step) @ edge.transformation
            plausible = _angle(turn) < MAP_TUNING.largest_turn or edge.overlap > MAP_TUNING.turn_overlap
            links.append(edge if plausible else replace(edge, confidence=0.0))
        return links

    def _link(self, scan: Scan, target: Scan, guess: Array | None, anywhere: bool) -> Edge:
        """The scan registered to another, from a guess; anywhere else, too, if that is not trusted."""
        search = "auto" if anywhere else "local"
        return register_twice(scan.prepared, target.prepared, (scan.number, target.number), "neighbour", guess, search)

    def _odometry_step(self, source: int, target: int) -> Array | None:
        """The source's pose in the target's frame, by odometry."""
        if source not in self.odometry or target not in self.odometry:
            return None
        step: Array = invert(self.odometry[target]) @ self.odometry[source]
        return step

    def _guess(self, links: Sequence[Edge], target: int) -> Array | None:
        """The scan's pose in the target's frame, through a scan in between."""
        for near in links:
            for far in self.edges:
                if near.trusted and far.trusted and (far.source, far.target) == (near.target, target):
                    guess: Array = far.transformation @ near.transformation
                    return guess
        return None

    def _pose_in_submap(self, scan: Scan, links: Sequence[Edge]) -> Array | None:
        """The scan's pose by the trusted links to the submap, nearest first; None if there are none, or if links
        contradict each other."""
        held = [edge for edge in links if edge.trusted and edge.target in self.places]
        if not held:
            return None
        floor = self._floor(scan)
        for near in links:
            for long in links:
                for far in self.edges:
                    triangle = (far.source, far.target) == (near.target, long.target)
                    trusted = near.trusted and long.trusted and far.trusted
                    if triangle and trusted and not agree(composed(near, far, floor), long, floor):
                        return None
        pose: Array = self.places[held[0].target] @ held[0].transformation
        return pose

    def _placed(self, scan: Scan, links: Sequence[Edge], pose: Array) -> Edge:
        """The link that placed the scan, as one to the submap."""
        held = next(edge for edge in links if edge.trusted and edge.target in self.places)
        return replace(held, target=self.submap[0], transformation=pose)

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
        return replace(edge, covariance=edge.covariance + len(self.places) * np.diag(self._floor(scan)))

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
    sources: Sequence[tuple[int, Any]],
    skip: int,
    sigma: float,
    nu: float,
    profile: ScanProfile | None = None,
    odometry: Array | None = None,
) -> Segment:
    """Fit and link consecutive scans.  The first `skip` scans belong to the segment before: they are only targets.

    `odometry` (n, d+1, d+1) are the scans' poses by odometry, NaN where it has none.
    """
    known = {} if odometry is None else {number: pose for (number, _), pose in zip(sources, odometry, strict=True)}
    linker = ScanLinker(sigma, {number: pose for number, pose in known.items() if np.isfinite(pose).all()})
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


def _angle(pose: Array) -> float:
    return float(np.linalg.norm(rotation_log(pose[:-1, :-1])))
