"""Messages of how a registration ended."""

from __future__ import annotations

from svgm import Status


def test_every_status_is_a_sentence() -> None:
    assert all(len(status.value.split()) > 4 for status in Status)
