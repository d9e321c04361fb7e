"""The message of a file that a reader refuses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from svgm.checks.errors import FileError


def refused(read: Callable[[Path], object], path: Path, match: str | None = None) -> str:
    """The message of the FileError that reading must raise: one short line that names the file."""
    with pytest.raises(FileError, match=match) as caught:
        read(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert message.isprintable()
    assert len(message) < 300 + len(str(path))
    return message
