"""Known pairs: what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from svgm import prepare
from svgm.checks.errors import InputError
from svgm.registration.nonrigid.known_pairs import known_pairs, rigid_starts


def test_rows_must_exist() -> None:
    square = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    places, goals = known_pairs([[0, 2]], square, square + 5.0, "nonrigid")
    assert places.tolist() == [[0.0, 0.0]]
    assert goals.tolist() == [[5.0, 6.0]]
    for wrong, message in (([[0, 3]], "indices"), ([[0.5, 1.0]], "whole"), (np.zeros((0, 2), int), "at least one")):
        with pytest.raises(InputError, match=message):
            known_pairs(wrong, square, square, "nonrigid")
    with pytest.raises(InputError, match="rows of target"):
        known_pairs([[0, 2]], square, square[:2], "nonrigid")
    with pytest.raises(InputError, match="transform='nonrigid'"):
        known_pairs([[0, 1]], square, square, "rigid")
    with pytest.raises(InputError, match="prepared"):
        known_pairs([[0, 1]], prepare(square), square, "nonrigid")


def test_in_the_plane_no_rigid_answer_is_needed() -> None:
    def never() -> None:
        raise AssertionError

    assert rigid_starts(never, 2) == []  # type: ignore[arg-type]
