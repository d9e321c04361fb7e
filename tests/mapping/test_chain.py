"""Links of scans that follow each other, their pieces, and what is known where nothing can be trusted."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest

from svgm.mapping.chain import BACK, PIECE, Chain, follow
from svgm.mapping.scan import read_scan
from svgm.registration.register import register
from svgm.rigid import invert
from tests.mapping.scenes import YARD, planar, room_loop, seen, worst

SIGMA = 0.15


@pytest.fixture(scope="module")
def stretch():
    """The first dozen scans of the room."""
    return follow(list(enumerate(room_loop(40)[0][:12])), 0, SIGMA, 0.01)


def test_each_scan_is_linked_to_those_before(stretch) -> None:
    pairs = [(edge.source, edge.target) for edge in stretch.edges if edge.kind == "neighbour"]
    assert pairs == [(k, k - back) for k in range(12) for back in range(1, BACK + 1) if k >= back]
    true = room_loop(40)[1]
    found = np.stack([edge.transformation for edge in stretch.edges if edge.trusted])
    wanted = np.stack([invert(true[edge.target]) @ true[edge.source] for edge in stretch.edges if edge.trusted])
    assert max(worst(found, wanted)) < 0.15


def test_pieces_cover_the_scans(stretch) -> None:
    assert [scan for piece in stretch.pieces for scan in piece] == list(range(12))
    assert all(len(piece) <= PIECE for piece in stretch.pieces)
    assert stretch.pieces[-1][0] == PIECE
    assert sorted(stretch.mixtures) == sorted(stretch.radii) == list(range(12))


def test_the_model_is_linked_to_the_first_of_its_piece(stretch) -> None:
    anchors = {scan: piece[0] for piece in stretch.pieces for scan in piece}
    model = [edge for edge in stretch.edges if edge.kind == "model"]
    assert model
    assert all(edge.target == anchors[edge.source] for edge in model)


def test_stretches_say_the_same_as_one_chain() -> None:
    scans = list(enumerate(room_loop(40)[0][:14]))
    chain, one = Chain(SIGMA), []
    for number, points in scans:
        one += chain.add(read_scan(number, points, SIGMA, 0.01))
    first = follow(scans[:PIECE], 0, SIGMA, 0.01)
    second = follow(scans[PIECE - BACK :], BACK, SIGMA, 0.01)
    assert [edge.as_dict() for edge in one] == [edge.as_dict() for edge in [*first.edges, *second.edges]]
    assert sorted(second.mixtures) == [10, 11, 12, 13]


@pytest.mark.parametrize(("overlap", "trusted"), [(0.5, False), (0.9, True)])
def test_who_turns_round_must_have_seen_it_before(
    monkeypatch: pytest.MonkeyPatch, overlap: float, trusted: bool
) -> None:
    points = room_loop(40)[0][0]
    answer = replace(register(points, points), transformation=planar(0.0, 0.0, 3.0), overlap=overlap)
    monkeypatch.setattr(sys.modules["svgm.mapping.chain"], "register", lambda *sets, **options: answer)
    edges = follow([(0, points), (1, points)], 0, SIGMA, 0.01).edges
    assert edges[0].trusted is trusted


def test_where_nothing_can_be_trusted() -> None:
    alien = seen(YARD, np.array([planar(3.5, 7.0, 0.0)]), seed=3)[0]
    scans = room_loop(40)[0]
    found = follow(list(enumerate([*scans[:3], alien, *scans[3:5]])), 0, SIGMA, 0.01)
    weak = [edge for edge in found.edges if edge.kind == "weak"]
    assert (weak[0].source, weak[0].target, weak[0].confidence) == (3, 2, 0.0)
    assert np.array_equal(weak[0].transformation, np.eye(3))
    assert weak[0].covariance[1, 1] == pytest.approx((0.3 * found.radii[3]) ** 2)
    assert [3] in found.pieces or any(piece[0] == 3 for piece in found.pieces)


def test_what_cannot_be_read_is_noted() -> None:
    scans = room_loop(40)[0]
    found = follow([(0, scans[0]), (1, np.empty((0, 2))), (2, scans[1])], 0, SIGMA, 0.01)
    assert list(found.left_out) == [1]
    assert [(edge.source, edge.target) for edge in found.edges] == [(2, 0)]
