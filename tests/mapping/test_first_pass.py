"""The first pass: the sigma and the profile of most scans, and the scans that cannot be used."""

from __future__ import annotations

import numpy as np
import pytest

from svgm import InputError
from svgm.datasets import body
from svgm.mapping.executor import ThreadExecutor
from svgm.mapping.first_pass import check_usable, mark_unusable, run_first_pass, summarise_scans
from svgm.mapping.scan import ScanSummary, UnusableScan
from svgm.mapping.task_runner import TaskRunner
from svgm.mapping.tuning import MAP_TUNING
from tests.mapping.scenes import room_loop
from tests.mapping.test_task_runner import Killing

EMPTY = np.empty((0, 2))


def runner() -> TaskRunner:
    return TaskRunner(ThreadExecutor(1), None, None)


def test_sigma_and_profile_of_most_scans() -> None:
    scans = room_loop(40)[0][:7]
    summaries = summarise_scans(runner(), list(enumerate(scans)), 0.01)
    sigma, profile, sources = run_first_pass(runner(), list(enumerate(scans)), 0.01)
    assert sigma == np.median([summary.sigma for summary in summaries])
    assert profile.dimension == 2
    assert profile.size == sorted(summary.size for summary in summaries)[3]
    assert all(found is given for (_, found), given in zip(sources, scans, strict=True))


def test_scans_that_do_not_fit_do_not_count() -> None:
    scans = list(room_loop(40)[0][:8])
    whole = run_first_pass(runner(), list(enumerate(scans[:5])), 0.01)
    scans[5], scans[6], scans[7] = body(50)[0], 1e3 * scans[6], EMPTY
    sigma, profile, sources = run_first_pass(runner(), list(enumerate(scans)), 0.01)
    assert (sigma, profile.dimension) == (whole[0], 2)
    assert [number for number, source in sources if isinstance(source, UnusableScan)] == [5, 6, 7]


def test_a_sample_is_read_and_all_if_none_of_it_can_be_used() -> None:
    scans = [room_loop(40)[0][0]] * 60
    reported: list[int] = []
    sampling = TaskRunner(ThreadExecutor(1), None, lambda phase, done, total: reported.append(total))
    run_first_pass(sampling, list(enumerate(scans)), 0.01)
    assert set(reported) == {MAP_TUNING.first_pass_scans}
    bad = [EMPTY if number % 3 == 0 else points for number, points in enumerate(scans)]
    run_first_pass(sampling, list(enumerate(bad)), 0.01)
    assert set(reported) == {MAP_TUNING.first_pass_scans, 60}


def test_a_scan_that_kills_its_worker_cannot_be_used() -> None:
    (summary,) = summarise_scans(TaskRunner(Killing(), None, None), [(0, "bomb.ply")], 0.01)
    assert summary.reason == "bomb.ply: reading it kills the worker, so the file is damaged or far too large"


def test_reasons_take_the_place_of_scans() -> None:
    marked = mark_unusable([(0, "a"), (1, "b")], [ScanSummary(1.0, 2, 1.0), ScanSummary(reason="empty")])
    assert marked == [(0, "a"), (1, UnusableScan("empty"))]


def test_too_few_usable_scans() -> None:
    check_usable(1, 1)
    check_usable(5, 2, "a reason")
    with pytest.raises(InputError, match=r"^scans: none of 3 can be used, the last was left out because b$"):
        check_usable(3, 0, "a", "b")
    with pytest.raises(InputError, match=r"^scans: only 1 of 3 can be used, the last was left out because b$"):
        check_usable(3, 1, "a", "b")
