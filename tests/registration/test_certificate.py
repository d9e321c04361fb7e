"""What a certificate says."""

from __future__ import annotations

from dataclasses import replace

from svgm import Certificate

PROOF = Certificate(objective=-0.8, bound=-0.84, requested=0.1, boxes=12, seconds=1.0, complete=True)


def test_the_gap_is_relative_to_the_objective() -> None:
    assert abs(PROOF.gap - 0.05) < 1e-12
    assert replace(PROOF, objective=0.0).gap == float("inf")


def test_time_is_no_part_of_a_proof() -> None:
    assert replace(PROOF, seconds=99.0) == PROOF
    assert replace(PROOF, boxes=13) != PROOF


def test_plain_values_and_back() -> None:
    assert Certificate.from_dict(PROOF.as_dict()) == PROOF
