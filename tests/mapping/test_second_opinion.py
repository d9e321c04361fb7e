"""Two registrations of laser scans, which make different mistakes."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest

from svgm.mapping.second_opinion import register_twice
from svgm.registration.prepared import prepare
from svgm.registration.register import register
from svgm.rigid import exp, invert
from tests.mapping.scenes import body_views, room_loop, worst


def test_both_agree_on_neighbouring_scans() -> None:
    scans, true = room_loop(40)
    edge = register_twice(prepare(scans[1]), prepare(scans[0]), (1, 0), "neighbour", None, "auto")
    assert edge.trusted
    assert 0.5 <= edge.second <= edge.confidence
    assert max(worst(edge.transformation[None], (invert(true[0]) @ true[1])[None])) < 0.1


def test_an_answer_that_the_other_leaves_is_not_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    scans, _ = room_loop(40)
    source, target = prepare(scans[1]), prepare(scans[0])

    def disagreeing(*sets: object, **options: object):  # type: ignore[no-untyped-def]
        found = register(*sets, **options)  # type: ignore[arg-type]
        moved = exp(np.array([1.0, 2.0, 0.0])) if options["covariance"] == "full" else np.eye(3)
        return replace(found, transformation=found.transformation @ moved)

    monkeypatch.setattr(sys.modules["svgm.mapping.second_opinion"], "register", disagreeing)
    edge = register_twice(source, target, (1, 0), "neighbour", None, "local")
    assert edge.confidence > 0.9
    assert edge.second == 0.0
    assert not edge.trusted


def test_in_space_there_is_one_registration() -> None:
    views, _ = body_views(2)
    source, target = prepare(views[1]), prepare(views[0])
    edge = register_twice(source, target, (1, 0), "pair", None, "global")
    assert edge.second == 1.0
