"""Optional libraries that read a format, imported when they are needed."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from svgm.checks.errors import not_installed
from svgm.io.errors import file_error


def require(path: Path, library: str, action: str = "reading") -> Any:
    """Import an optional library.

    Parameters
    ----------
    path : Path
        The file that needs the library, for the message.
    library : str
        Name of the module, which is also its name for pip.
    action : str
        What is done with the file, for the message: "reading" or "writing".

    Returns
    -------
    module
        The library.

    Raises
    ------
    FileError
        If the library is not installed.
    """
    try:
        return importlib.import_module(library)
    except ImportError:
        suffix = path.suffix.lower()
        raise file_error(path, not_installed(f"{action} {suffix} files needs {library}", "io")) from None
