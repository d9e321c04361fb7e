"""svgm.map: first pass, link scans, close loops, solve the pose graph, merge."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from svgm.checks.arguments import iterable, one_of, positive, reporter, shown
from svgm.checks.errors import FileError, InputError
from svgm.checks.types import PointsLike, Progress
from svgm.io.paths import as_path
from svgm.mapping.edge import Edge
from svgm.mapping.executor import open_executor
from svgm.mapping.first_pass import Source, check_usable, mark_unusable, run_first_pass, summarise_scans
from svgm.mapping.joints import weakest_joints
from svgm.mapping.loop_closure import close_loops
from svgm.mapping.map_state import MapState, name_of
from svgm.mapping.merge_tree import merge_scans
from svgm.mapping.odometry import checked_odometry
from svgm.mapping.pieces import Piece
from svgm.mapping.pose_graph import gtsam_module, marginals
from svgm.mapping.result import MapResult, checked_times
from svgm.mapping.scan import ScanProfile, checked_detail
from svgm.mapping.scan_linking import Segment, link_segment
from svgm.mapping.task_cache import TaskCache
from svgm.mapping.task_runner import TaskRunner
from svgm.mapping.tuning import MAP_TUNING
from svgm.mixture.mixture import Mixture
from svgm.registration.tuning import TUNING

ORDERS = ("sequence", "unordered")

#: Constants of every map, for its record.
RECORDED_CONSTANTS = {
    "links_back": MAP_TUNING.links_back,
    "submap_scans": MAP_TUNING.submap_scans,
    "trusted": TUNING.trusted,
    "least_overlap": MAP_TUNING.least_overlap,
    "drift": MAP_TUNING.drift,
    "rounds": MAP_TUNING.loop_rounds,
}


def map(
    scans: Iterable[PointsLike | Mixture],
    *,
    odometry: ArrayLike | tuple[ArrayLike, ArrayLike] | None = None,
    times: ArrayLike | None = None,
    order: str = "sequence",
    nu: float = 0.01,
    detail: float = 1.0,
    workers: int | None = None,
    dask: str | None = None,
    output: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> MapResult:
    """Find the poses of many scans, and merge the scans into one mixture.

    1. Every scan is fitted once, as a mixture.
    2. Consecutive scans are linked: a scan is registered to the scans before it and to the merged mixture of its
       submap.  Odometry gives the initial poses, and is a measurement of its own.  Of links and odometry that
       contradict each other, the fewest are left out.
    3. Submaps that may overlap are registered (loop closures).  Only loops that agree with the trajectory and with
       each other are used.  If the scans have no order, each scan is a submap of its own, and all pairs are tried.
    4. A pose graph with a robust kernel gives the poses.  Scans that no trusted edge holds to the others form a piece
       of their own.
    5. GMMerge, in a balanced tree, makes one mixture of each piece.

    Parameters
    ----------
    scans : iterable of paths, array_like of shape (n, d), or Mixture
        The scans, in 2D or 3D, at least one.  Files are read when they are needed.
    odometry : array_like of shape (n, d+1, d+1), or a pair, optional
        Poses of the scans as their sensor's odometry states them, in any one frame; NaN for scans without.  Or a pair
        of n - 1 steps (the pose of scan i + 1 in the frame of scan i) and their covariances (n-1, k, k), of xi in
        ``step_true = step Exp(xi)``, xi = (rotation, translation), k = 3 in 2D and 6 in 3D.  Poses in space are taken
        for 2D scans if they keep the plane.  Without covariances the noise of odometry is estimated from its
        differences to the trusted links.  Wrong steps (slipping wheels) are left out if links contradict them.  Only
        if the scans are a sequence.
    times : array_like of shape (n,), optional
        Times of the scans in seconds, for the trajectory; NaN where it is not known.
    order : {"sequence", "unordered"}, default "sequence"
        "sequence": each scan overlaps the scan before it.  "unordered": any scan may overlap any other.
    nu : float, default 0.01
        Parameter of the SVMs, in (0, 1].
    detail : float, default 1.0
        Fineness of the mixtures, from 0.01 to 100: their sigma is about the spacing of a scan's points divided by this.
    workers : int, optional
        Number of processes of this machine, from 1 to 32 per CPU.  Default: threads of this process, one for each CPU
        that the process may use.  Worker processes import the calling script, so the script must call this function
        below ``if __name__ == "__main__":``.  The scans must be paths: arrays cannot be sent to workers.
    dask : str, optional
        Address of a Dask scheduler, as "tcp://host:8786".  Its workers must see the same files.  The scans must be
        paths.  Excludes `workers`.
    output : str or os.PathLike, optional
        Folder for the files of the map (docs/mapping.md lists them).  It is made if it is missing, with its parents.
        Its subfolder ``work`` keeps the results of finished tasks, from which an interrupted run continues.  Default:
        no files.
    progress : callable, optional
        Called as ``progress(phase, done, total)``.

    Returns
    -------
    MapResult
        Poses, merged mixture and pose graph of the largest piece, and the other pieces; the same bit for bit with
        threads, workers or Dask, on machines of one kind.  A scan that cannot be used is left out, with the reason.

    Raises
    ------
    InputError
        If an argument breaks its rule, if gtsam or Dask is needed and not installed, or if fewer than two of several
        scans can be used.
    FileError
        If `output` cannot be written.  :class:`svgm.mapping.outputs.OutputError` if the map was made but some of its
        files could not be written; it holds the map.

    Examples
    --------
    >>> import svgm
    >>> from svgm.datasets import body, partial_view
    >>> whole = body(4000, seed=1)[0]
    >>> views = [partial_view(whole, viewpoint=[6 * np.cos(a), 6 * np.sin(a), 2.0]) for a in (0.0, 0.4, 0.8)]
    >>> result = svgm.map(views)
    >>> bool(np.abs(result.poses - np.eye(4)).max() < 0.05), len(result.mixture) < result.components
    (True, True)
    """
    order = one_of("order", order, ORDERS)
    nu, detail = positive("nu", nu, most=1), checked_detail(detail)
    report = reporter(progress)
    sources = list(enumerate(_as_list(scans)))
    if not sources:
        raise InputError("scans must hold at least one scan, got none")
    if workers is not None or dask is not None:
        if any(not isinstance(source, os.PathLike) for _, source in sources):
            raise InputError("scans must be paths if workers or dask is given: arrays cannot be sent to workers")
        sources = [(number, Path(source).absolute()) for number, source in sources]  # workers may run elsewhere
    wheels = None if odometry is None else checked_odometry(odometry, len(sources))
    clock = None if times is None else checked_times(times, len(sources))
    if wheels is not None and order != "sequence":
        raise InputError(f"order must be 'sequence' if odometry is given, got {order!r}")
    folder = None if output is None else _as_folder(output)
    if folder is not None:
        from svgm.mapping.outputs import check_folder

        check_folder(folder)
        check_folder(folder / "work")
    gtsam_module()
    with open_executor(workers, dask) as executor:
        runner = TaskRunner(executor, None if folder is None else TaskCache(folder / "work"), report)
        # First pass over some scans
        natural, profile, known = run_first_pass(runner, sources, nu)
        wheels = None if wheels is None else wheels.in_dimension(profile.dimension)
        state = MapState(natural / detail, order, nu, wheels, dict(known))
        # Fit and link scans
        for segment in _link(runner, _segment_tasks(known, state, profile)):
            state.add(segment)
        if order == "sequence" and (gaps := _gap_tasks(state, known, nu, profile)):
            for segment in runner("linking over gaps", link_segment, gaps):
                state.links += segment.edges
        check_usable(len(sources), len(state.mixtures), *state.left_out.values())
        # Close loops, solve the pose graph, merge
        result = finish_map(state, runner, len(sources), {"order": order, "nu": nu, "detail": detail})
    result = result if clock is None else result.with_times(clock)
    if folder is not None:
        from svgm.mapping.outputs import write_map

        write_map(result, [source for _, source in sources], folder)
    return result


def _as_list(scans: Any) -> list[Any]:
    """The scans as a list, where names of files are paths."""
    if isinstance(scans, os.PathLike | Mixture):
        raise InputError(f"scans must be a list of scans, got one {type(scans).__name__}")
    return [Path(scan) if isinstance(scan, str) else scan for scan in iterable("scans", scans)]


def _as_folder(output: str | os.PathLike[str]) -> Path:
    folder = as_path(output)
    name = os.fspath(output)
    if not name or "\0" in name:  # Path("") would be the current folder
        raise FileError(f"output must be the name of a folder, got {shown(name)}")
    return folder


def _link(runner: TaskRunner, tasks: Sequence[tuple[Any, ...]]) -> list[Segment]:
    """Fit and link the scans of segments; scans that kill the worker that reads them are left out."""

    def on_killed(sources: Sequence[Source], skip: int, sigma: float, nu: float, *others: Any) -> Segment:
        marked = mark_unusable(sources, summarise_scans(runner, sources, nu))
        return runner("fitting and linking", link_segment, [(marked, skip, sigma, nu, *others)])[0]

    return runner("fitting and linking", link_segment, tasks, on_killed=on_killed)


def _segment_tasks(sources: Sequence[Source], state: MapState, profile: ScanProfile) -> list[Any]:
    """A task for each segment, with the scans before it; for each scan, if the scans have no order."""
    if state.order == "unordered":
        return [([source], 0, state.sigma, state.nu, profile, None) for source in sources]
    tasks = []
    for start in range(0, len(sources), MAP_TUNING.submap_scans):
        first = max(0, start - MAP_TUNING.links_back)
        part = slice(first, start + MAP_TUNING.submap_scans)
        wheels = None if state.odometry is None else state.odometry.poses[part]
        tasks.append((sources[part], start - first, state.sigma, state.nu, profile, wheels))
    return tasks


def _gap_tasks(state: MapState, sources: Sequence[Source], nu: float, profile: ScanProfile) -> list[Any]:
    """Tasks that link over gaps.

    If none of the scans just before a segment can be used, its first scan has no link.  It is linked to the last usable
    scans before it.
    """
    linked, numbers = {edge.source for edge in state.links}, sorted(state.mixtures)
    tasks = []
    for place, scan in enumerate(numbers):
        before = numbers[max(0, place - MAP_TUNING.links_back) : place]
        if before and scan not in linked:
            there = [*before, scan]
            wheels = None if state.odometry is None else state.odometry.poses[there]
            tasks.append(([sources[number] for number in there], len(before), state.sigma, nu, profile, wheels))
    return tasks


def finish_map(state: MapState, runner: TaskRunner, count: int, settings: dict[str, Any]) -> MapResult:
    """Check the links, close loops, solve the pose graph of each piece, merge its scans."""
    if state.order == "sequence" or len(state.mixtures) == 1:
        with runner.timed("graph"):
            state.settle_links()
            state.solve_chain()
    close_loops(state, runner)
    with runner.timed("graph"):
        if state.order == "unordered":
            state.solve_graph()
        if state.drop_unconfirmed():
            state.part_again()
        found = state.solve_pieces()
    pieces = [piece for piece in found if len(piece.poses) > 1] or found[:1]
    settings = {**settings, **RECORDED_CONSTANTS, "sigma": state.sigma, "odometry": state.odometry is not None}
    results = [_piece_result(state, piece, runner, count, settings) for piece in pieces]
    main, others = results[0], tuple(results[1:])
    alone = {scan: ALONE for piece in found if piece not in pieces for scan in piece.poses}
    elsewhere = {
        scan: f"it is in piece {number}, which no trusted edge holds to the largest one"
        for number, piece in enumerate(pieces[1:], start=2)
        for scan in piece.poses
    }
    placed = {scan for piece in pieces for scan in piece.poses}
    used = {name_of(edge) for result in results for edge in result.edges}
    rejected = [(edge, state.reason(edge) or ALONE) for edge in state.edges if edge.kind != "weak"]
    rejected = [(edge, why) for edge, why in rejected if name_of(edge) not in used and not _inside(edge, results)]
    weak = [edge for edge in state.steps if edge.kind == "weak" and {edge.source, edge.target} <= placed]
    return replace(
        main,
        others=others,
        left_out=dict(sorted({**state.left_out, **alone, **elsewhere}.items())),
        rejected=(*main.rejected, *rejected, *((edge, GUESSED) for edge in weak)),
        seconds=dict(runner.seconds),
    )


#: Why a scan or an edge is not in the map.
ALONE = "no trusted registration links it to the others"
GUESSED = "a guess: consecutive scans are near each other"


def _inside(edge: Edge, results: Sequence[MapResult]) -> bool:
    """Whether a piece has rejected this edge already."""
    return any(edge is other for result in results for other, _ in result.rejected)


def _piece_result(state: MapState, piece: Piece, runner: TaskRunner, count: int, settings: dict[str, Any]) -> MapResult:
    """The map of one piece."""
    mixture = merge_scans(state.mixtures, piece.poses, runner)
    agrees = [length < MAP_TUNING.contradiction for length in piece.disagreements]
    edges = tuple(edge for edge, good in zip(piece.edges, agrees, strict=True) if good)
    rejected = tuple(
        (edge, f"it contradicts the others by {np.sqrt(length):.0f} standard deviations")
        for edge, length, good in zip(piece.edges, piece.disagreements, agrees, strict=True)
        if not good
    )
    d, size = state.dimension, len(state.floor)
    poses, covariances = np.full((count, d + 1, d + 1), np.nan), np.full((count, size, size), np.nan)
    for scan, pose in piece.poses.items():
        poses[scan] = pose
    with runner.timed("graph"):
        for scan, covariance in marginals(piece.edges, piece.poses, state.floor).items():
            covariances[scan] = covariance
    return MapResult(
        poses=poses,
        covariances=covariances,
        mixture=mixture,
        edges=edges,
        rejected=rejected,
        left_out={scan: OTHER_PIECE for scan in range(count) if scan not in piece.poses},
        components=sum(len(state.mixtures[scan]) for scan in piece.poses),
        sigma=state.sigma,
        seconds=dict(runner.seconds),
        settings=settings,
        joints=weakest_joints(sorted(piece.poses), edges),
    )


#: Why a scan is not in a piece.
OTHER_PIECE = "it is not in this piece of the map"
