"""Mapper: a map that grows while the scans of a live stream come in."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from svgm.checks.arguments import positive
from svgm.checks.errors import InputError, SvgmError
from svgm.checks.types import PointsLike
from svgm.geometry.points import Array
from svgm.mapping.edge import Edge
from svgm.mapping.executor import ThreadExecutor
from svgm.mapping.loop_closure import close_loops
from svgm.mapping.map_state import MapState
from svgm.mapping.pipeline import finish_map
from svgm.mapping.pose_graph import gtsam_module
from svgm.mapping.result import MapResult
from svgm.mapping.scan import (
    Scan,
    ScanProfile,
    check_profile,
    checked_detail,
    natural_sigma,
    points_or_mixture,
    read_scan,
    reason_unusable,
    size_of,
)
from svgm.mapping.scan_linking import ScanLinker, Segment
from svgm.mapping.task_runner import TaskRunner
from svgm.mapping.tuning import MAP_TUNING
from svgm.mixture.mixture import Mixture
from svgm.registration.prepared import as_prepared


class Mapper:
    """A map of a live stream: each scan gets a pose when it is added.

    Every scan is linked as in :func:`svgm.map`.  When a submap is complete, its loops are closed, which may move
    earlier poses, too (:attr:`poses`).  :meth:`result` is the map so far, by the same steps as :func:`svgm.map`.

    Parameters
    ----------
    nu : float, default 0.01
        Parameter of the SVMs, in (0, 1].
    detail : float, default 1.0
        Fineness of the mixtures, from 0.01 to 100: their sigma is about the spacing of a scan's points divided by this.
        Without effect if `sigma` is given.
    sigma : float, optional
        Standard deviation of the mixtures' components, in the points' unit, within a factor 100 of what suits the first
        scan.  Default: what suits the first scan, divided by `detail`; :func:`svgm.map` takes the median of several
        scans.

    Raises
    ------
    InputError
        If an argument breaks its rule or gtsam is not installed.

    Examples
    --------
    >>> from svgm.datasets import body, partial_view
    >>> whole, mapper = body(4000, seed=1)[0], Mapper()
    >>> for a in (0.0, 0.4, 0.8):
    ...     pose = mapper.add(partial_view(whole, viewpoint=[6 * np.cos(a), 6 * np.sin(a), 2.0]))
    >>> bool(np.abs(pose - np.eye(4)).max() < 0.05)
    True
    >>> mapper.poses.shape
    (3, 4, 4)
    >>> mapper.result()
    MapResult(3 of 3 scans, ...)
    """

    def __init__(self, *, nu: float = 0.01, detail: float = 1.0, sigma: float | None = None) -> None:
        gtsam_module()
        self._nu, self._detail = positive("nu", nu, most=1), checked_detail(detail)
        self._sigma = None if sigma is None else positive("sigma", sigma)
        self._count = 0
        self._left_out: dict[int, str] = {}
        self._profile: ScanProfile | None = None
        self._linker: ScanLinker | None = None
        self._state: MapState | None = None
        self._runner = TaskRunner(ThreadExecutor(), None, None)

    def add(self, scan: PointsLike | Mixture) -> Array:
        """Add a scan and return its pose, as far as it is known now.

        Parameters
        ----------
        scan : array_like of shape (n, d), Mixture or path
            The scan, of the same dimension and unit of length as the others.

        Returns
        -------
        ndarray of shape (d+1, d+1)
            The scan's pose in the frame of the first scan.

        Raises
        ------
        InputError, FileError, MemoryError
            If the scan cannot be used.  It is left out, and the stream can go on.
        """
        number, self._count = self._count, self._count + 1
        try:
            state, linker, ready = self._read(number, scan)
            grown = replace(linker)
            links = grown.add(ready)
        except (SvgmError, MemoryError) as error:
            self._left_out[number] = reason_unusable(number, scan, error)
            raise
        before, self._linker = linker.submap, grown
        begins = grown.submap == [number]
        state.add(
            Segment({number: ready.mixture}, {number: ready.prepared.radius}, links, [[number]] if begins else [], {})
        )
        if not begins:
            state.submaps[-1].append(number)
        state.poses[number] = _newest_pose(state, grown, links)
        if begins and before:
            close_loops(state, self._runner, only=[len(state.submaps) - 2], rounds=1)
        return state.poses[number].copy()

    def _read(self, number: int, scan: Any) -> tuple[MapState, ScanLinker, Scan]:
        """Read and fit the scan; the first usable one sets sigma and the profile of the others."""
        if self._state is None or self._linker is None:
            found = points_or_mixture(number, scan)
            places = found.means if isinstance(found, Mixture) else found
            check_profile(number, places, None)
            natural = natural_sigma(as_prepared(found, self._nu, f"scan {number}"))
            sigma = natural / self._detail if self._sigma is None else self._sigma
            most = MAP_TUNING.detail_factor
            if not 1.0 / most <= natural / sigma <= most:
                raise InputError(f"sigma must be within a factor {most:g} of {natural:g}, got {sigma:g}")
            ready = read_scan(number, found, sigma, self._nu)
            self._profile = ScanProfile(places.shape[1], size_of(places))
            self._state, self._linker = MapState(sigma, "sequence", self._nu), ScanLinker(sigma)
            return self._state, self._linker, ready
        return self._state, self._linker, read_scan(number, scan, self._state.sigma, self._nu, self._profile)

    @property
    def poses(self) -> Array:
        """Poses of all scans so far, (n, d+1, d+1), as known now; NaN for scans that were left out."""
        if self._state is None or not self._state.poses:
            raise InputError("a map without scans has no poses: add one first")
        d = self._state.dimension
        poses = np.full((self._count, d + 1, d + 1), np.nan)
        for number, pose in self._state.poses.items():
            poses[number] = pose
        return poses

    def result(self) -> MapResult:
        """The map so far: loops closed, pose graph solved, mixtures merged.

        Returns
        -------
        MapResult
            As :func:`svgm.map` returns it.  More scans can be added afterwards.

        Raises
        ------
        InputError
            If no usable scan has been added.
        """
        if self._state is None or not self._state.mixtures:
            raise InputError("a map without scans has no result: add one first")
        state = self._state
        fresh = MapState(state.sigma, "sequence", self._nu)
        fresh.add(Segment(state.mixtures, state.radii, state.links, state.submaps, self._left_out))
        settings = {"order": "sequence", "nu": self._nu, "detail": self._detail}
        return finish_map(fresh, TaskRunner(ThreadExecutor(), None, None), self._count, settings)


def _newest_pose(state: MapState, linker: ScanLinker, links: list[Edge]) -> Array:
    """The newest scan's pose, by its links and the present poses."""
    if not links:
        return np.eye(state.dimension + 1)
    if linker.pose is not None and len(linker.submap) > 1:
        placed: Array = state.poses[linker.submap[0]] @ linker.pose
        return placed
    best = max(links, key=lambda edge: (edge.trusted, edge.confidence))
    linked: Array = state.poses[best.target] @ best.transformation
    return linked
