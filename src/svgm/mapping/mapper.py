"""A map that grows while the scans come in."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from svgm.checks.arguments import positive
from svgm.checks.errors import InputError, SvgmError
from svgm.geometry.points import Array
from svgm.mapping.chain import Chain, Stretch
from svgm.mapping.edge import Edge
from svgm.mapping.executor import Here
from svgm.mapping.graph import gtsam_module
from svgm.mapping.pipeline import conclude
from svgm.mapping.result import MapResult
from svgm.mapping.rounds import Survey, close_loops
from svgm.mapping.scan import (
    DETAIL,
    Likeness,
    Scan,
    check_like,
    checked_detail,
    natural_sigma,
    points_or_mixture,
    read_scan,
    size_of,
    why_useless,
)
from svgm.mapping.work import Work
from svgm.mixture.mixture import Mixture
from svgm.registration.prepared import as_prepared


class Mapper:
    """Scans of a live stream, each placed as it comes.

    Every scan is linked as in :func:`svgm.map`; when a piece of the way is complete, its loops are closed, which may
    move earlier poses too (:attr:`poses`).  :meth:`result` is the map so far, by the same steps as :func:`svgm.map`.

    Parameters
    ----------
    nu, detail
        As in :func:`svgm.map`.
    sigma
        Of the mixtures, in the points' unit.  Default: what suits the first scan; :func:`svgm.map` looks at several.

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
        self._like: Likeness | None = None
        self._chain: Chain | None = None
        self._survey: Survey | None = None
        self._work = Work(Here(), None, None)

    def add(self, scan: Any) -> Array:
        """Place a scan, points (n, d) or a path; its pose in the frame of the first, as far as is known now.

        A scan that cannot be used raises its error and is left out; the stream goes on.
        """
        number, self._count = self._count, self._count + 1
        try:
            survey, chain, ready = self._read(number, scan)
            grown = replace(chain)
            links = grown.add(ready)
        except (SvgmError, MemoryError) as error:
            self._left_out[number] = why_useless(number, scan, error)
            raise
        before, self._chain = chain.piece, grown
        begun = grown.piece == [number]
        survey.include(
            Stretch({number: ready.mixture}, {number: ready.prepared.radius}, links, [[number]] if begun else [], {})
        )
        if not begun:
            survey.pieces[-1].append(number)
        survey.poses[number] = _placed(survey, grown, links)
        if begun and before:
            close_loops(survey, self._work, pieces=[len(survey.pieces) - 2], rounds=1)
        return survey.poses[number].copy()

    def _read(self, number: int, scan: Any) -> tuple[Survey, Chain, Scan]:
        """The scan, ready; the first that can be used sets sigma, and what the others must be like."""
        if self._survey is None or self._chain is None:
            found = points_or_mixture(number, scan)
            places = found.means if isinstance(found, Mixture) else found
            check_like(number, places, None)
            natural = natural_sigma(as_prepared(found, self._nu, f"scan {number}"))
            sigma = natural / self._detail if self._sigma is None else self._sigma
            if not 1.0 / DETAIL <= natural / sigma <= DETAIL:
                raise InputError(f"sigma must be within a factor {DETAIL:g} of {natural:g}, got {sigma:g}")
            ready = read_scan(number, found, sigma, self._nu)
            self._like = Likeness(places.shape[1], size_of(places))
            self._survey, self._chain = Survey(sigma, "sequence", self._nu), Chain(sigma)
            return self._survey, self._chain, ready
        return self._survey, self._chain, read_scan(number, scan, self._survey.sigma, self._nu, self._like)

    @property
    def poses(self) -> Array:
        """Of all scans so far, (n, d+1, d+1), as known now; NaN for scans that were left out."""
        if self._survey is None or not self._survey.poses:
            raise InputError("a map without scans has no poses: add one first")
        d = self._survey.dimension
        poses = np.full((self._count, d + 1, d + 1), np.nan)
        for number, pose in self._survey.poses.items():
            poses[number] = pose
        return poses

    def result(self) -> MapResult:
        """The map so far: loops closed, graph solved, mixtures merged."""
        if self._survey is None or not self._survey.mixtures:
            raise InputError("a map without scans has no result: add one first")
        survey = self._survey
        fresh = Survey(survey.sigma, "sequence", self._nu)
        fresh.include(Stretch(survey.mixtures, survey.radii, survey.links, survey.pieces, self._left_out))
        settings = {"order": "sequence", "nu": self._nu, "detail": self._detail}
        return conclude(fresh, Work(Here(), None, None), self._count, settings)


def _placed(survey: Survey, chain: Chain, links: list[Edge]) -> Array:
    """The last scan's pose by its links, from the poses as they are now."""
    if not links:
        return np.eye(survey.dimension + 1)
    if chain.pose is not None and len(chain.piece) > 1:
        placed: Array = survey.poses[chain.piece[0]] @ chain.pose
        return placed
    best = max(links, key=lambda edge: (edge.trusted, edge.confidence))
    linked: Array = survey.poses[best.target] @ best.transformation
    return linked
