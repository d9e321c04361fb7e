"""Third-party readers, found when needed."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from svgm.checks.errors import not_installed
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
