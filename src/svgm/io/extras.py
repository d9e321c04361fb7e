"""Third-party readers: found when needed, their errors told in one line."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from svgm.errors import FileError, not_installed
from svgm.io.source import file_error


def require(path: Path, library: str, action: str = "reading") -> Any:
    """Import an optional library.

    Parameters
    ----------
    path : Path
        The file that needs it.
    library : str
        Name of the module, which is also what pip calls it.
    action : str
        What is being done, for the message.

    Returns
    -------
    module
        The library.

    Raises
    ------
    FileError
        If it is not installed.
    """
    try:
        return importlib.import_module(library)
    except ImportError:
        suffix = path.suffix.lower()
        raise file_error(path, not_installed(f"{action} {suffix} files needs {library}", "io")) from None


@contextmanager
def foreign_errors(path: Path, library: str) -> Iterator[None]:
    """Turn whatever a library raises on a damaged file into one FileError.

    Parameters
    ----------
    path : Path
        The file it works on.
    library : str
        Its name, for the message.

    Raises
    ------
    FileError
        In place of any error raised inside the block.
    """
    try:
        yield
    except (FileError, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as error:
        # BaseException: a panic of an extension written in Rust is not an Exception.
        reason = str(error) or type(error).__name__
        raise file_error(path, f"{library} cannot process it ({reason[:200]})") from None
