"""Which module reads and writes the files of a suffix."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

from svgm.io.errors import file_error

#: Suffix, and the module of this package that reads it.
MODULES = {
    ".ply": "ply",
    ".pcd": "pcd",
    ".xyz": "text",
    ".txt": "text",
    ".csv": "text",
    ".asc": "text",
    ".pts": "text",
    ".npy": "npy",
    ".npz": "npy",
    ".las": "las",
    ".laz": "las",
    ".e57": "e57",
    ".obj": "obj",
    ".stl": "stl",
    ".ptx": "ptx",
    ".bin": "kitti",
    ".bag": "bag",
    ".db3": "bag",
    ".mcap": "bag",
}

#: Modules that only read.
READ_ONLY = ("e57", "obj", "stl", "ptx", "kitti", "bag")

#: Modules of formats that hold columns beside the coordinates, and suffixes of theirs that do not.
_WITH_COLUMNS, _WITHOUT = ("ply", "pcd", "text", "las"), (".pts",)

READABLE = tuple(MODULES)
"""Suffixes of files that :func:`svgm.io.read_points` reads."""

WRITABLE = tuple(suffix for suffix, module in MODULES.items() if module not in READ_ONLY)
"""Suffixes of files that :func:`svgm.io.write_points` writes."""


COLUMNS_WRITABLE = tuple(suffix for suffix in WRITABLE if MODULES[suffix] in _WITH_COLUMNS and suffix not in _WITHOUT)
"""Suffixes of files that :func:`svgm.io.write_cloud` writes with all columns."""


def format_module(path: Path, action: str, suffixes: tuple[str, ...]) -> ModuleType:
    """The module of a file's format. It is imported here, on first use, so that `import svgm` stays fast.

    Parameters
    ----------
    path : Path
        The file. Upper and lower case of its suffix are the same.
    action : str
        What is to be done with the file, for the message: "read" or "written".
    suffixes : tuple of str
        Suffixes for which the action is possible.

    Returns
    -------
    module
        With `read`, and with `write` if the format can be written.

    Raises
    ------
    FileError
        If the suffix is none of `suffixes`.
    """
    suffix = path.suffix.lower()
    if suffix not in suffixes:
        files = f"{suffix!r} files" if suffix else "files without a suffix"
        raise file_error(path, f"{files} cannot be {action}, only {' '.join(suffixes)}")
    return importlib.import_module(f"svgm.io.formats.{MODULES[suffix]}")
