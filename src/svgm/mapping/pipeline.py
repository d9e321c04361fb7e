"""From many scans to one model: fit each once, link, close loops, solve the pose graph, merge."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from svgm.checks.arguments import one_of, positive, reporter, shown
from svgm.checks.errors import FileError, InputError
from svgm.checks.types import Progress
from svgm.io.source import as_path
from svgm.mapping.chain import BACK, PIECE, Stretch, follow
from svgm.mapping.closures import DRIFT, LEAST_OVERLAP
from svgm.mapping.executor import executor
from svgm.mapping.graph import gtsam_module, marginals
from svgm.mapping.looks import Source, check_left, look_around, look_at, useful
from svgm.mapping.memory import Memory
from svgm.mapping.noise import DIFFERENT
from svgm.mapping.result import MapResult
from svgm.mapping.rounds import ROUNDS, Survey, close_loops, settle, why_not
from svgm.mapping.scan import Likeness, checked_detail
from svgm.mapping.tree import merge_moved
from svgm.mapping.work import Work
from svgm.mixture.merge import merge
from svgm.mixture.mixture import Mixture
from svgm.registration.confidence import TRUSTED

ORDERS = ("sequence", "unordered")

#: Mixtures that one task of the merge tree begins with.
LEAVES = 8

#: What every map is made with, for its record.
RESOLVED = {
    "links_back": BACK,
    "scans_in_a_piece": PIECE,
    "trusted": TRUSTED,
    "least_overlap": LEAST_OVERLAP,
    "drift": DRIFT,
    "rounds": ROUNDS,
}


def map(
    scans: Sequence[Any],
    *,
    order: str = "sequence",
    nu: float = 0.01,
    detail: float = 1.0,
    workers: int | None = None,
    dask: str | None = None,
    output: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> MapResult:
    """Poses of many scans and their merged model.

    Every scan is fitted once.  Scans that follow each other are registered scan to scan and scan to the merged mixture
    of the recent ones; where the way comes back to itself, or the scans have no order, pieces that may overlap are
    registered, from a guess or, without a good one, from everywhere.  Only registrations that can be trusted count.  A
    pose graph with a robust kernel reconciles them, and GMMerge, in a balanced tree, makes one mixture.

    Parameters
    ----------
    scans
        Paths of point files, which are read when they are needed, or point sets (n, d), 2D or 3D.
    order
        "sequence": each scan overlaps the one before.  "unordered": any may overlap any; all pairs are tried.
    nu
        Of the SVMs, in (0, 1].
    detail
        Fineness of the mixtures, 0.01 to 100: their sigma is about the spacing of a scan's points, divided by this.
    workers
        Processes of this machine to share the work; default: this process alone, with one thread a core.  They import
        the script that asks for them, so it must do so below ``if __name__ == "__main__":``.
    dask
        Address of a Dask scheduler, as "tcp://host:8786", whose workers share the work and see the same files.
    output
        Folder for :func:`svgm.mapping.outputs.write_map`'s files, made with its parents if it is missing; results of
        finished tasks are kept in its ``work``, and a run that was interrupted goes on from there.
    progress
        Called as ``progress(phase, done, all)``.

    Returns
    -------
    MapResult
        The same, bit for bit, whoever did the work.

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
            raise InputError("scans must be paths if others share the work: clouds do not travel")
        sources = [(number, Path(source).absolute()) for number, source in sources]  # others may stand elsewhere
    folder = None if output is None else _as_folder(output)
    if folder is not None:
        from svgm.mapping.outputs import check_folder

        check_folder(folder)
        check_folder(folder / "work")
    gtsam_module()
    with executor(workers, dask) as hands:
        work = Work(hands, None if folder is None else Memory(folder / "work"), report)
        natural, like, known = look_around(work, sources, nu)
        survey = Survey(natural / detail, order, nu, dict(known))
        for stretch in link(work, _stretches(known, order, survey.sigma, nu, like)):
            survey.include(stretch)
        if order == "sequence" and (gaps := _gaps(survey, known, nu, like)):
            for over in work("linking over gaps", follow, gaps):
                survey.links += over.edges
        check_left(len(sources), len(survey.mixtures), *survey.left_out.values())
        result = conclude(survey, work, len(sources), {"order": order, "nu": nu, "detail": detail})
    if folder is not None:
        from svgm.mapping.outputs import write_map

        write_map(result, [source for _, source in sources], folder)
    return result


def _as_list(scans: Any) -> list[Any]:
    """What was handed over, one scan an item, names of files as paths."""
    if isinstance(scans, str | bytes | os.PathLike | Mixture) or not isinstance(scans, Iterable):
        raise InputError(f"scans must be a list of scans, got one {type(scans).__name__}")
    return [Path(scan) if isinstance(scan, str) else scan for scan in scans]


def _as_folder(output: str | os.PathLike[str]) -> Path:
    folder = as_path(output)
    name = os.fspath(output)
    if not name or "\0" in name:  # without a name it would be the current folder
        raise FileError(f"output must be the name of a folder, got {shown(name)}")
    return folder


def link(work: Work, tasks: Sequence[tuple[Any, ...]]) -> list[Stretch]:
    """Stretches of the way; scans whose reading ends every worker are left out."""

    def ended(sources: Sequence[Source], skip: int, sigma: float, nu: float, like: Likeness) -> Stretch:
        kept = useful(sources, look_at(work, sources, nu))
        return work("fitting and linking", follow, [(kept, skip, sigma, nu, like)])[0]

    return work("fitting and linking", follow, tasks, ended=ended)


def _gaps(survey: Survey, sources: Sequence[Source], nu: float, like: Likeness) -> list[Any]:
    """Tasks for the first scans of stretches that could read none of the scans before: each with some farther back."""
    linked, numbers = {edge.source for edge in survey.links}, sorted(survey.mixtures)
    tasks = []
    for place, scan in enumerate(numbers):
        before = numbers[max(0, place - BACK) : place]
        if before and scan not in linked:
            tasks.append(([sources[number] for number in [*before, scan]], len(before), survey.sigma, nu, like))
    return tasks


def _stretches(sources: Sequence[Source], order: str, sigma: float, nu: float, like: Likeness) -> list[Any]:
    """A stretch of the way each, with the scans before it, or a scan alone."""
    if order == "unordered":
        return [([source], 0, sigma, nu, like) for source in sources]
    tasks = []
    for start in range(0, len(sources), PIECE):
        first = max(0, start - BACK)
        tasks.append((sources[first : start + PIECE], start - first, sigma, nu, like))
    return tasks


def conclude(survey: Survey, work: Work, count: int, settings: dict[str, Any]) -> MapResult:
    """Close loops, solve, merge."""
    if survey.order == "sequence" or len(survey.mixtures) == 1:
        with work.timed("graph"):
            settle(survey)
    close_loops(survey, work)
    with work.timed("graph"):
        solution = settle(survey)
    lost = dict.fromkeys(set(survey.mixtures) - set(survey.poses), "no trusted registration links it to the others")
    mixture = merge_tree(survey, work)
    edges = [edge for edge in survey.usable if edge.source in survey.poses and edge.target in survey.poses]
    agrees = [length < DIFFERENT for length in solution.disagreements]
    rejected = [(edge, why) for edge in _all_edges(survey) if (why := why_not(edge)) is not None]
    rejected += [
        (edge, f"it contradicts the others by {np.sqrt(length):.0f} standard deviations")
        for edge, length, good in zip(edges, solution.disagreements, agrees, strict=True)
        if not good
    ]
    d = survey.dimension
    poses = np.full((count, d + 1, d + 1), np.nan)
    covariances = np.full((count, len(survey.floor), len(survey.floor)), np.nan)
    for scan, pose in survey.poses.items():
        poses[scan] = pose
    with work.timed("graph"):
        for scan, covariance in marginals(edges, survey.poses, survey.floor).items():
            covariances[scan] = covariance
    return MapResult(
        poses=poses,
        covariances=covariances,
        mixture=mixture,
        edges=tuple(edge for edge, good in zip(edges, agrees, strict=True) if good),
        rejected=tuple(rejected),
        left_out=dict(sorted({**survey.left_out, **lost}.items())),
        components=sum(len(survey.mixtures[scan]) for scan in survey.poses),
        sigma=survey.sigma,
        seconds=dict(work.seconds),
        settings={**settings, **RESOLVED, "sigma": survey.sigma},
    )


def merge_tree(survey: Survey, work: Work) -> Mixture:
    """GMMerge of all scans: neighbours first, then ever larger parts."""
    scans = sorted(survey.poses)
    parts = [scans[start : start + LEAVES] for start in range(0, len(scans), LEAVES)]
    tasks = [([survey.mixtures[scan] for scan in part], [survey.poses[scan] for scan in part]) for part in parts]
    level = work("merging", merge_moved, tasks)
    while len(level) > 1:
        pairs = [(level[i + 1], level[i]) for i in range(0, len(level) - 1, 2)]
        level = work("merging", merge, pairs) + level[2 * len(pairs) :]
    return level[0]


def _all_edges(survey: Survey) -> list[Any]:
    return [*survey.links, *(edge for _, edge in sorted(survey.closures.items()))]
