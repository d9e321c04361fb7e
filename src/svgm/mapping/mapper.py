"""Mapper: a map that grows while the scans of a live stream come in."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from svgm.checks.arguments import number as checked_number
from svgm.checks.arguments import positive
from svgm.checks.errors import InputError, SvgmError
from svgm.checks.types import PointsLike, PoseLike
from svgm.geometry.points import Array
from svgm.mapping.edge import Edge
from svgm.mapping.executor import ThreadExecutor
from svgm.mapping.initial_poses import spanning_tree_poses
from svgm.mapping.loop_closure import close_loops
from svgm.mapping.map_state import MapState, sequence_ranks
from svgm.mapping.odometry import Odometry, checked_covariances
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
from svgm.rigid import as_pose, degrees_of_freedom, invert


class Mapper:
    """A map of a live stream: each scan gets a pose when it is added.

    Every scan is linked as in :func:`svgm.map`.  When a submap is complete, its links are checked against each other
    and against odometry, and its loops are closed, which may move earlier poses, too (:attr:`poses`).  :meth:`result`
    is the map so far, by the same steps as :func:`svgm.map`.

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
        self._odometry: dict[int, tuple[Array, Array | None]] = {}
        self._times: dict[int, float] = {}
        # The links and submaps as they were made: `result` checks them anew, with all that is known by then.
        self._links: list[Edge] = []
        self._submaps: list[list[int]] = []
        self._left_out: dict[int, str] = {}
        self._profile: ScanProfile | None = None
        self._linker: ScanLinker | None = None
        self._state: MapState | None = None
        self._runner = TaskRunner(ThreadExecutor(), None, None)

    def add(
        self,
        scan: PointsLike | Mixture,
        *,
        odometry: PoseLike | None = None,
        covariance: ArrayLike | None = None,
        time: float | None = None,
    ) -> Array:
        """Add a scan and return its pose, as far as it is known now.

        Parameters
        ----------
        scan : array_like of shape (n, d), Mixture or path
            The scan, of the same dimension and unit of length as the others.
        odometry : array_like of shape (d+1, d+1), optional
            Pose of the scan as the sensor's odometry states it, in a frame that is the same for all scans.
        covariance : array_like of shape (k, k), optional
            Covariance of the step of odometry since the scan before, of xi in ``step_true = step Exp(xi)``, k = 3 in 2D
            and 6 in 3D.  Default: estimated from the differences between odometry and trusted links.
        time : float, optional
            Time of the scan in seconds, for the trajectory.

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
            self._note(number, state.dimension if state.mixtures else ready.mixture.dimension, odometry, covariance)
            if time is not None:
                self._times[number] = checked_number("time", time)
            grown = replace(linker, odometry={scan: pose for scan, (pose, _) in self._odometry.items()})
            links = grown.add(ready)
        except (SvgmError, MemoryError) as error:
            self._odometry.pop(number, None)
            self._left_out[number] = reason_unusable(number, scan, error)
            raise
        before, self._linker = linker.submap, grown
        begins = grown.submap == [number]
        state.add(
            Segment({number: ready.mixture}, {number: ready.prepared.radius}, links, [[number]] if begins else [], {})
        )
        if begins:
            self._submaps.append([])
        else:
            state.submaps[-1].append(number)
        self._links += links
        self._submaps[-1].append(number)
        state.poses[number] = self._newest_pose(state, grown, links)
        if begins and before:
            self._complete_submap(state, before)
        return state.poses[number].copy()

    def _note(self, number: int, dimension: int, odometry: Any, covariance: Any) -> None:
        """Check and keep what odometry says of a scan."""
        if odometry is None:
            if covariance is not None:
                raise InputError("covariance must be given together with odometry")
            return
        noise = None if covariance is None else checked_covariances(covariance, (), dimension, "covariance")
        self._odometry[number] = as_pose(odometry, dimension, "odometry"), noise

    def _noted_odometry(self, dimension: int) -> Odometry | None:
        """The odometry of all scans so far."""
        if not self._odometry:
            return None
        size = degrees_of_freedom(dimension)
        poses = np.full((self._count, dimension + 1, dimension + 1), np.nan)
        noise = np.full((self._count - 1, size, size), np.nan)
        for number, (pose, covariance) in self._odometry.items():
            poses[number] = pose
            if covariance is not None and number:
                noise[number - 1] = covariance
        return Odometry(poses, noise)

    def _complete_submap(self, state: MapState, scans: list[int]) -> None:
        """Check the links of a submap that is complete, and close its loops."""
        state.odometry = self._noted_odometry(state.dimension)
        state.settle_links(since=scans[0])
        chain = [edge for edge in state.usable_edges if edge.kind != "loop"]
        poses = spanning_tree_poses(sorted(state.mixtures), chain, sequence_ranks(chain), state.dimension)[0]
        state.set_chain(poses, chain)
        inside = set(scans)
        complete = [number for number, submap in enumerate(state.submaps) if submap[0] in inside]
        close_loops(state, self._runner, only=complete, rounds=1)

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
        fresh = MapState(state.sigma, "sequence", self._nu, self._noted_odometry(state.dimension))
        submaps = [list(submap) for submap in self._submaps]
        fresh.add(Segment(state.mixtures, state.radii, self._links, submaps, self._left_out))
        settings = {"order": "sequence", "nu": self._nu, "detail": self._detail}
        result = finish_map(fresh, TaskRunner(ThreadExecutor(), None, None), self._count, settings)
        if not self._times:
            return result
        return result.with_times([self._times.get(number, np.nan) for number in range(self._count)])

    def _newest_pose(self, state: MapState, linker: ScanLinker, links: list[Edge]) -> Array:
        """The newest scan's pose, by its links or its odometry, and the present poses."""
        if not links:
            return np.eye(state.dimension + 1)
        if linker.pose is not None and len(linker.submap) > 1:
            placed: Array = state.poses[linker.submap[0]] @ linker.pose
            return placed
        best = max(links, key=lambda edge: (edge.trusted, edge.likely, edge.second, edge.confidence))
        here, there = (self._odometry.get(scan) for scan in (best.source, best.target))
        step = best.transformation if best.likely or here is None or there is None else invert(there[0]) @ here[0]
        linked: Array = state.poses[best.target] @ step
        return linked
