"""The levels of the annealing."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from svgm import Annealing, InputError
from svgm.registration.tuning import TUNING


@pytest.mark.parametrize("delta", [1.5, 2.0, 10.0**0.5, 10.0])
@pytest.mark.parametrize("coarsest", [0.01, 0.1, 1.0])
@pytest.mark.parametrize("finest", [1.0, 37.0, 300.0])
def test_levels_rise_by_delta_to_exactly_the_finest(delta: float, coarsest: float, finest: float) -> None:
    levels = Annealing(delta=delta, finest=finest).levels(coarsest, 5.0)
    assert levels[-1] == finest
    assert np.allclose(np.divide(levels[1:], levels[:-1]), delta)
    assert coarsest / delta**0.51 <= levels[0] <= max(coarsest * delta**0.51, finest if len(levels) == 1 else 0)


def test_the_data_or_the_limit_end_it() -> None:
    for resolved, last in ((40.0, 40.0), (1e9, TUNING.finest_gamma)):
        levels = Annealing().levels(TUNING.coarsest_gamma, resolved)
        assert levels[0] == TUNING.coarsest_gamma
        assert abs(np.log(levels[-1] / last)) <= 0.5 * np.log(Annealing().delta)
    assert len(Annealing().levels(TUNING.coarsest_gamma, 0.001)) == 1


@pytest.mark.parametrize("number", [Fraction, Decimal, np.float32, int])
def test_numbers_of_any_type(number: Callable[[int], Any]) -> None:
    schedule = Annealing(delta=number(2), finest=number(8))
    assert schedule == Annealing(2.0, 8.0)
    assert schedule.levels(1.0, 5.0) == (1.0, 2.0, 4.0, 8.0)


@pytest.mark.parametrize(
    ("name", "value"),
    [("delta", bad) for bad in (1.0, 0.5, np.nan, np.inf)] + [("finest", bad) for bad in (0.0, -1.0, np.nan, np.inf)],
)
def test_refused(name: str, value: float) -> None:
    with pytest.raises(InputError, match=rf"^{name} must"):
        Annealing(**{name: value})
