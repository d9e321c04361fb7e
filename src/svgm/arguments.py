"""Checks of numbers that a caller hands over: the error names the parameter, the rule and the value."""

from __future__ import annotations

import math
import operator
from typing import Any

from svgm.errors import InputError


def positive(name: str, value: Any, *, most: float = math.inf, infinite: bool = False, zero: bool = False) -> float:
    """A number above zero (or zero, if allowed), at most `most`, finite unless said otherwise.

    >>> positive("nu", 0.5, most=1)
    0.5
    """
    bound = "zero or more" if zero else "positive"
    rule = f"{bound} and at most {most:g}" if most < math.inf else f"{bound}{'' if infinite else ' and finite'}"
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    # Written so that NaN fails every comparison.
    fits = (number > 0 or (zero and number == 0)) and number <= most and (infinite or number < math.inf)
    if not fits:
        raise InputError(f"{name} must be {rule}, got {value!r}")
    return number


def count(name: str, value: Any, least: int = 1) -> int:
    """A whole number, at least `least`.

    >>> count("n", 3)
    3
    """
    try:
        number = operator.index(value)
    except TypeError:
        number = least - 1
    if number < least:
        raise InputError(f"{name} must be a whole number of at least {least}, got {value!r}")
    return number


def number(name: str, value: Any) -> float:
    """A finite number.

    >>> number("level", "0.5")
    0.5
    """
    try:
        result = float(value)
    except (TypeError, ValueError):
        result = math.nan
    if not math.isfinite(result):
        raise InputError(f"{name} must be a finite number, got {value!r}")
    return result
