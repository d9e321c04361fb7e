"""The tuned constants of a map."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields

import pytest

from svgm.mapping.tuning import MAP_TUNING


def test_every_constant_says_what_it_does_and_where_it_was_chosen() -> None:
    for constant in fields(MAP_TUNING):
        assert constant.metadata["does"].endswith("."), constant.name
        assert constant.metadata["chosen_on"], constant.name


def test_constants_are_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        MAP_TUNING.loop_rounds = 5  # type: ignore[misc]
