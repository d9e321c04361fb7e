"""Links between consecutive scans, their submaps, and weak links."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest

from svgm.mapping.scan import read_scan
from svgm.mapping.scan_linking import ScanLinker, link_segment
from svgm.mapping.tuning import MAP_TUNING
from svgm.registration.register import register
from svgm.rigid import invert
from tests.mapping.scenes import YARD, planar, room_loop, seen, worst

SIGMA = 0.15


@pytest.fixture(scope="module")
def segment():
    """The first dozen scans of the room."""
    return link_segment(list(enumerate(room_loop(40)[0][:12])), 0, SIGMA, 0.01)


def test_each_scan_is_linked_to_those_before(segment) -> None:
    pairs = [(edge.source, edge.target) for edge in segment.edges if edge.kind == "neighbour"]
    assert pairs == [(k, k - back) for k in range(12) for back in range(1, MAP_TUNING.links_back + 1) if k >= back]
    true = room_loop(40)[1]
    found = np.stack([edge.transformation for edge in segment.edges if edge.trusted])
    wanted = np.stack([invert(true[edge.target]) @ true[edge.source] for edge in segment.edges if edge.trusted])
    assert max(worst(found, wanted)) < 0.15


def test_submaps_cover_the_scans(segment) -> None:
    assert [scan for submap in segment.submaps for scan in submap] == list(range(12))
    assert all(len(submap) <= MAP_TUNING.submap_scans for submap in segment.submaps)
    assert segment.submaps[-1][0] == MAP_TUNING.submap_scans
    assert sorted(segment.mixtures) == sorted(segment.radii) == list(range(12))


def test_links_to_a_submap_are_to_its_first_scan(segment) -> None:
    anchors = {scan: submap[0] for submap in segment.submaps for scan in submap}
    model = [edge for edge in segment.edges if edge.kind == "model"]
    assert model
    assert all(edge.target == anchors[edge.source] for edge in model)


def test_segments_give_the_links_of_one_sequence() -> None:
    scans = list(enumerate(room_loop(40)[0][:14]))
    linker, one = ScanLinker(SIGMA), []
    for number, points in scans:
        one += linker.add(read_scan(number, points, SIGMA, 0.01))
    first = link_segment(scans[: MAP_TUNING.submap_scans], 0, SIGMA, 0.01)
    second = link_segment(scans[MAP_TUNING.submap_scans - MAP_TUNING.links_back :], MAP_TUNING.links_back, SIGMA, 0.01)
    assert [edge.as_dict() for edge in one] == [edge.as_dict() for edge in [*first.edges, *second.edges]]
    assert sorted(second.mixtures) == [10, 11, 12, 13]


@pytest.mark.parametrize(("overlap", "trusted"), [(0.5, False), (0.9, True)])
def test_a_large_turn_needs_overlap(monkeypatch: pytest.MonkeyPatch, overlap: float, trusted: bool) -> None:
    points = room_loop(40)[0][0]
    answer = replace(register(points, points), transformation=planar(0.0, 0.0, 3.0), overlap=overlap)
    monkeypatch.setattr(sys.modules["svgm.mapping.second_opinion"], "register", lambda *sets, **options: answer)
    edges = link_segment([(0, points), (1, points)], 0, SIGMA, 0.01).edges
    assert edges[0].trusted is trusted


def test_a_submap_ends_where_no_registration_is_trusted() -> None:
    alien = seen(YARD, np.array([planar(3.5, 7.0, 0.0)]), seed=3)[0]
    scans = room_loop(40)[0]
    found = link_segment(list(enumerate([*scans[:3], alien, *scans[3:5]])), 0, SIGMA, 0.01)
    assert not any(edge.trusted for edge in found.edges if 3 in (edge.source, edge.target))
    assert [3] in found.submaps or any(submap[0] == 3 for submap in found.submaps)


def test_odometry_starts_a_link_and_wheels_may_slip() -> None:
    scans, true = room_loop(40)
    wrong = true[:3].copy()
    wrong[2] = planar(4.0, 3.0, 2.0)
    for odometry in (true[:3], wrong):
        edges = link_segment(list(enumerate(scans[:3])), 0, SIGMA, 0.01, None, odometry).edges
        assert all(edge.trusted for edge in edges)
        wanted = np.stack([invert(true[edge.target]) @ true[edge.source] for edge in edges])
        assert max(worst(np.stack([edge.transformation for edge in edges]), wanted)) < 0.15


def test_scans_that_cannot_be_read_are_left_out() -> None:
    scans = room_loop(40)[0]
    found = link_segment([(0, scans[0]), (1, np.empty((0, 2))), (2, scans[1])], 0, SIGMA, 0.01)
    assert list(found.left_out) == [1]
    assert [(edge.source, edge.target) for edge in found.edges] == [(2, 0)]
