"""The tuned constants: each says what it does and where it was chosen, and none can be changed by accident."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields

import pytest

from svgm.mapping.tuning import MAP_TUNING
from svgm.registration.tuning import TUNING


@pytest.mark.parametrize("record", [TUNING, MAP_TUNING], ids=["registration", "mapping"])
def test_every_constant_says_what_it_is(record: object) -> None:
    for field in fields(record):  # type: ignore[arg-type]
        assert field.metadata["does"].endswith("."), field.name
        assert field.metadata["chosen_on"], field.name


@pytest.mark.parametrize("record", [TUNING, MAP_TUNING], ids=["registration", "mapping"])
def test_constants_stay_as_they_are(record: object) -> None:
    with pytest.raises(FrozenInstanceError):
        record.tie = 1.0  # type: ignore[attr-defined]
    with pytest.raises(TypeError):
        TUNING.rotations[3] = 1  # type: ignore[index]


def test_constants_of_both_records_have_names_of_their_own() -> None:
    names = [field.name for record in (TUNING, MAP_TUNING) for field in fields(record)]
    assert len(set(names)) == len(names)
