"""Functions that workers run in tests."""

from __future__ import annotations

import os
import signal
from pathlib import Path


def double(number: int) -> int:
    """Twice the number."""
    return 2 * number


def dies_once(number: int, marker: str) -> int:
    """Twice the number; the first worker that gets 3 is killed."""
    if number == 3:
        try:
            Path(marker).touch(exist_ok=False)
        except FileExistsError:
            return 6
        os.kill(os.getpid(), signal.SIGKILL)
    return 2 * number


def always_dies() -> None:
    """Kills every worker."""
    os.kill(os.getpid(), signal.SIGKILL)


def refuses(number: int) -> int:
    """A known error."""
    from svgm import InputError

    raise InputError(f"number must be kind, got {number}")
