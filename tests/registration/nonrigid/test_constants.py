"""The constants fit together."""

from __future__ import annotations

from svgm.registration.nonrigid.constants import NONRIGID


def test_scales_and_modes_are_in_order() -> None:
    assert list(NONRIGID.scales) == sorted(NONRIGID.scales, reverse=True)
    assert NONRIGID.tried_bends < NONRIGID.middle_bends < NONRIGID.search_points < NONRIGID.refinement_points
    assert NONRIGID.same_answer <= NONRIGID.same_start <= NONRIGID.tried_noise
