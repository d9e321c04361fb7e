"""Functions that workers run in tests."""

from __future__ import annotations

import os
import signal
from pathlib import Path


def double(number: int) -> int:
    """Twice the number."""
    return 2 * number


def dies_once(number: int, marker: str) -> int:
    """Twice the number; whoever is the first to be asked for 3 is killed."""
    if number == 3:
        try:
            Path(marker).touch(exist_ok=False)
        except FileExistsError:
            return 6
        os.kill(os.getpid(), signal.SIGKILL)
    return 2 * number


def always_dies() -> None:
    """Nobody survives this."""
    os.kill(os.getpid(), signal.SIGKILL)


def refuses(number: int) -> int:
    """A known error."""
    from svgm import InputError

    raise InputError(f"number must be kind, got {number}")
